//! Tests of inserted steps: in the middle, at the tip, next to a turn in progress.
//!
//! Must not know: how an edit is shown.

use super::*;

#[test]
fn insertions_in_the_middle_supersede_later_turns() {
    let mut w = chain();
    let first = w.turns()[0];
    w.edit(Edit::InsertPrompt {
        after: Some(first),
        text: "first look".into(),
    })
    .unwrap();
    assert_eq!(w.turns().len(), 3);
    assert!(w.last_request().contains("first look") && !w.last_request().contains("\"a\""));
    w.edit(Edit::InsertCall {
        after: Some(first),
        tool: "read".into(),
        args: r#"{"_as":"mine","n":1}"#.into(),
    })
    .unwrap();
    assert!(!w.asked.last().unwrap().messages.is_empty());
    w.drain();
    assert!(w.last_request().contains("mine") && !w.last_request().contains("first look"));
    assert_eq!(w.runs(w.id("mine")).len(), 1);
    assert!(matches!(
        w.state.nodes[&w.id("mine")].revisions[0].origin,
        Origin::Operator { .. }
    ));
    assert_eq!(
        kind(w.edit(Edit::InsertCall {
            after: None,
            tool: "raed".into(),
            args: "{}".into()
        })),
        RefusalKind::Invalid
    );
}

#[test]
fn guidance_at_the_tip_of_a_working_turn_waits_for_it() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.guide("and quickly").unwrap();
    assert_eq!(w.asked.len(), 1);
    w.end(overrule_domain::turn::Stop::Calls);
    w.drain();
    assert!(w.last_request().contains("and quickly"));
    let guidance = w.all(NodeKind::Prompt)[1];
    w.delete(guidance).unwrap();
    assert!(!w.last_request().contains("and quickly"));
    assert!(
        w.state
            .turns
            .values()
            .any(|turn| matches!(turn.activity, Activity::Superseded(_)))
    );
}

#[test]
fn an_inserted_call_that_reads_a_working_turn_waits_for_it() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.edit(Edit::InsertCall {
        after: None,
        tool: "read".into(),
        args: r#"{"_as":"mine","n":"†call.a.v"}"#.into(),
    })
    .unwrap();
    assert_eq!(w.status(w.id("mine")), Status::Blocked);
    w.drain();
    assert_eq!(w.runs(w.id("mine")), [r#"{"n":2}"#]);
    assert_eq!(w.asked.len(), 2);
}
