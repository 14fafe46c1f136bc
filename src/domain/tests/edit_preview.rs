//! Tests that a plan states everything that is known before an edit is made.
//!
//! Must not know: how a plan is shown.

use super::world::*;
use overrule_domain::advice::Cards;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand};
use overrule_domain::decide;
use overrule_domain::lineage::{self, ModelRequest};

#[test]
fn the_preview_cancels_a_running_write_whose_input_changed() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"s","n":"†call.a.v"}"#),
        call("write", r#"{"_as":"other","n":3}"#),
    ]);
    let (a, s, other) = (w.id("a"), w.id("s"), w.id("other"));
    w.finish(a);
    assert!(matches!(w.status(s), Status::Running(_)), "{:?}", w.status(s));
    let edit = |w: &World, value: &str| Edit::Observation {
        node: a.observation(),
        base: w.rev(a.observation()),
        value: value.into(),
    };
    let changed = edit(&w, r#"{"v":7}"#);
    let plan = lineage::plan(&w.state, std::slice::from_ref(&changed)).unwrap();
    assert_eq!(plan.cancelled, [s], "and not {other}");
    let same = edit(&w, r#"{"v":2,"more":1}"#);
    let plan = lineage::plan(&w.state, &[same]).unwrap();
    assert_eq!(plan.cancelled, [], "it reads the same as before");
    w.edit(changed).unwrap();
    assert!(!matches!(w.status(s), Status::Running(_)));
    assert!(matches!(w.status(other), Status::Running(_)));
}

#[test]
fn the_preview_asks_the_model_only_if_a_rerun_result_differs() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[answer("done")]);
    let a = w.id("a");
    let again = Command::Call(CallCommand::Retry {
        call: a,
        rev: w.rev(a),
    });
    let events = decide::command(&w.state, &Cards(&w.state), &again).unwrap();
    let plan = lineage::of_events(&w.state, &events);
    assert_eq!(plan.asks, ModelRequest::IfDifferent);
    assert!(plan.tokens > 0);
    let asked = w.asked.len();
    w.retry(a).unwrap();
    w.drain();
    assert_eq!((w.starts(a), w.asked.len()), (2, asked), "it came out equal");
}

#[test]
fn the_preview_of_an_edit_back_to_an_executed_call_needs_consent() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"b","n":1}"#),
        call("read", r#"{"_as":"a","n":5}"#),
    ]);
    w.drain();
    let b = w.id("b");
    let edit = |w: &World, args: &str| Edit::Call {
        node: b,
        base: w.rev(b),
        tool: "write".into(),
        args: args.into(),
        shown: true,
    };
    let other = edit(&w, r#"{"_as":"b","n":2}"#);
    let plan = lineage::plan(&w.state, std::slice::from_ref(&other)).unwrap();
    assert_eq!(
        (plan.certain.as_slice(), plan.consents.as_slice()),
        (&[b][..], &[][..])
    );
    w.edit(other).unwrap();
    w.drain();
    let back = edit(&w, r#"{"_as":"b","n":1}"#);
    let plan = lineage::plan(&w.state, std::slice::from_ref(&back)).unwrap();
    assert_eq!(
        (plan.certain.as_slice(), plan.consents.as_slice()),
        (&[][..], &[b][..])
    );
    assert_eq!(plan.approves, [], "nothing runs by the commit");
    let ran = w.starts(b);
    w.edit(back).unwrap();
    w.drain();
    assert!(matches!(w.status(b), Status::Consent(_)), "{:?}", w.status(b));
    assert_eq!(w.starts(b), ran);
}

#[test]
fn an_undo_does_not_cancel_what_has_ended_meanwhile() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[call("write", r#"{"_as":"s","n":2}"#)]);
    let (a, s) = (w.id("a"), w.id("s"));
    let after = Some(w.turn_of(a));
    let text = "rather this".into();
    w.edit(Edit::InsertPrompt { after, text }).unwrap();
    // It was superseded while it ran, and ends by itself.
    w.finish(s);
    let undo = EditCommand::Undo {
        epoch: None,
        effects_seen: None,
    };
    let plan = lineage::plan_of(&w.state, &undo).unwrap();
    assert_eq!(plan.cancelled, []);
}
