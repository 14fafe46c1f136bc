//! Tests of rewritten thoughts: what the model made after them is superseded, what precedes stays.
//!
//! Must not know: other edits.

use super::world::*;
use overrule_domain::call::{ConsentCause, Status};
use overrule_domain::command::{Edit, InsertAfter};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::lineage::{ModelRequest, plan};
use overrule_domain::node::Channel;
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::transcript::Message;
use overrule_domain::turn::{Stop, Stream};

#[test]
fn a_thought_in_the_middle_splits_the_turn() {
    let mut w = World::asking(&["write"]);
    w.stream(think("first"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("write", r#"{"_as":"p"}"#));
    w.stream(think("old plan"));
    w.stream(call("read", r#"{"_as":"b","n":2}"#));
    w.stream(call("read", r#"{"_as":"c","n":3}"#));
    w.finish(w.id("b"));
    let (b, c) = (w.id("b"), w.id("c"));
    let old = w.all(NodeKind::Thought)[1];
    w.text(old, "new plan").unwrap();
    assert!(w.open.is_empty(), "the stream is closed");
    assert!(!w.state.nodes[&b].active && !w.state.nodes[&c].active);
    assert!(w.running.iter().find(|one| one.call == c).unwrap().cancelled);
    assert_eq!(w.asked.len(), 1, "the calls before the thought end first");
    w.drain();
    assert_eq!(w.asked.len(), 1, "the undecided one too");
    w.approve(w.id("p")).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), 2);
    let request = w.last_request();
    assert!(request.contains("new plan") && !request.contains("old plan"));
    assert!(request.contains("first") && request.contains("rewrote"));
    assert!(!request.contains(&format!("{b:?}")) && !request.contains(&format!("{c:?}")));
    w.reply(&[call("read", r#"{"_as":"d"}"#)]);
    w.drain();
    assert_eq!(
        (w.runs(b).len(), w.runs(c).len(), w.runs(w.id("a")).len()),
        (1, 1, 1),
        "nothing old runs again"
    );
}

#[test]
fn a_thought_before_all_calls_drains_nothing() {
    let mut w = World::new();
    w.stream(think("old plan"));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.end(Stop::Calls);
    w.text(w.all(NodeKind::Thought)[0], "new plan").unwrap();
    assert_eq!(w.asked.len(), 2, "asked immediately");
    assert!(w.running[0].cancelled);
    w.drain();
    assert!(w.all(NodeKind::Call).is_empty());
}

#[test]
fn a_thought_can_be_written_where_there_was_none() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    let empty = w.all(NodeKind::Thought)[0];
    w.text(empty, "look at b instead").unwrap();
    assert!(w.last_request().contains("look at b instead"));
    assert_eq!(w.executed.len(), 1);
}

#[test]
fn a_rewritten_reasoning_is_plain_text_without_the_providers_block() {
    let mut w = World::new();
    w.stream(overrule_domain::input::Block::Thought {
        text: "kept".into(),
        channel: Channel::Reasoning,
        opaque: Some("\"sealed one\"".into()),
    });
    w.stream(overrule_domain::input::Block::Thought {
        text: "old".into(),
        channel: Channel::Reasoning,
        opaque: Some("\"sealed two\"".into()),
    });
    w.stream(call("read", "{}"));
    w.end(Stop::Calls);
    w.text(w.all(NodeKind::Thought)[1], "new").unwrap();
    let request = w.last_request();
    assert!(request.contains("sealed one") && !request.contains("sealed two"));
}

#[test]
fn a_split_turn_can_be_edited_again() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(think("plan alpha"));
    w.end(Stop::Calls);
    w.drain();
    let thought = w.all(NodeKind::Thought)[1];
    w.text(thought, "plan beta").unwrap();
    w.reply(&[call("read", r#"{"_as":"b"}"#)]);
    w.drain();
    let b = w.id("b");
    w.text(thought, "plan gamma").unwrap();
    assert!(!w.state.nodes[&b].active);
    let request = w.last_request();
    assert!(
        request.contains("plan gamma") && !request.contains("plan beta") && !request.contains("plan alpha")
    );
    assert_eq!(request.matches("rewrote").count(), 1);
    // And the call before it, which stays where it is.
    w.args(w.id("a"), r#"{"_as":"a","n":1}"#).unwrap();
    w.drain();
    assert!(w.last_request().contains("plan gamma"));
    // And an earlier one, which supersedes the later.
    w.text(w.all(NodeKind::Thought)[0], "plan delta").unwrap();
    w.drain();
    assert!(!w.last_request().contains("plan gamma") && w.last_request().contains("plan delta"));
    assert_eq!(w.runs(w.id("a")).len(), 2);
}

#[test]
fn effects_after_a_rewritten_thought_are_reported_and_guarded() {
    let mut w = World::new();
    w.stream(think("old"));
    w.stream(call("write", r#"{"_as":"a","n":1}"#));
    w.end(Stop::Calls);
    w.drain();
    w.text(w.all(NodeKind::Thought)[0], "new").unwrap();
    assert!(w.last_request().contains("Already happened"));
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    assert_eq!(w.status(w.id("b")), Status::Consent(ConsentCause::Orphaned));
}

#[test]
fn a_reader_in_front_of_what_falls_comes_into_question() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"r","n":"†call.late.v || †call.early.v"}"#));
    w.stream(call("read", r#"{"_as":"early","n":1}"#));
    w.stream(think("old"));
    w.stream(call("read", r#"{"_as":"late","n":10}"#));
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(w.runs(w.id("r")), [r#"{"n":11}"#]);
    w.text(w.all(NodeKind::Thought)[1], "new").unwrap();
    w.drain();
    assert_eq!(w.runs(w.id("r")), [r#"{"n":11}"#, r#"{"n":2}"#]);
    assert_eq!(w.runs(w.id("early")).len(), 1);
}

#[test]
fn a_deleted_thought_takes_along_what_followed_and_no_word_of_it_is_sent() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(think("wrong way"));
    w.stream(call("read", r#"{"_as":"b"}"#));
    w.end(Stop::Calls);
    w.drain();
    let b = w.id("b");
    w.delete(w.all(NodeKind::Thought)[1]).unwrap();
    assert!(!w.state.nodes[&b].active);
    assert!(!w.last_request().contains("wrong way"));
    assert!(
        !w.last_request().contains("rewrote your last thought above"),
        "there is none above"
    );
    assert_eq!(w.runs(w.id("a")).len(), 1);
}

#[test]
fn an_inserted_thought_is_continued_and_can_be_rewritten() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    let turn = w.turn_of(w.id("a"));
    w.edit(Edit::InsertThought {
        after: Some(InsertAfter::Turn(turn)),
        text: "consider x".into(),
    })
    .unwrap();
    assert!(w.last_request().contains("consider x"));
    let thought = *w.all(NodeKind::Thought).last().unwrap();
    w.text(thought, "consider y").unwrap();
    assert!(w.last_request().contains("consider y") && !w.last_request().contains("consider x"));
    assert_eq!(w.turns().len(), 4);
    w.delete(thought).unwrap();
    assert!(!w.last_request().contains("consider"));
    assert_eq!(w.turns().len(), 3);
    assert_eq!(
        kind(w.edit(Edit::InsertThought {
            after: None,
            text: " ".into()
        })),
        RefusalKind::Invalid
    );
}

fn think_after(w: &mut World, id: NodeId, text: &str) -> Result<(), Refusal> {
    w.edit(Edit::InsertThought {
        after: Some(InsertAfter::Node(id)),
        text: text.into(),
    })
}

#[test]
fn a_thought_inserted_after_a_call_supersedes_the_rest_of_the_reply() {
    let mut w = World::new();
    w.stream(think("first"));
    w.stream(call("read", r#"{"_as":"a","n":1}"#));
    w.stream(call("write", r#"{"_as":"b","n":2}"#));
    w.stream(think("old plan"));
    w.end(Stop::Calls);
    w.drain();
    let (a, b) = (w.id("a"), w.id("b"));
    let plan = plan(
        &w.state,
        &[Edit::InsertThought {
            after: Some(InsertAfter::Node(a)),
            text: "look again".into(),
        }],
    )
    .unwrap();
    assert!(plan.superseded.contains(&b) && !plan.superseded.contains(&a));
    assert_eq!((plan.effects.len(), plan.asks), (1, ModelRequest::Yes));
    assert!(plan.unchanged.contains(&a) && plan.possible.is_empty());
    think_after(&mut w, a, "look again").unwrap();
    assert!(w.state.nodes[&a].active && !w.state.nodes[&b].active);
    let request = w.last_request();
    assert!(request.contains("first") && request.contains("look again"));
    assert!(!request.contains("old plan"));
    let messages = &w.asked.last().unwrap().messages;
    let is_of_b = |message: &Message| match message {
        Message::Assistant { calls, .. } => calls.iter().any(|call| call.node == b),
        Message::Result { call, .. } => *call == b,
        Message::User { .. } | Message::Note { .. } => false,
    };
    assert!(!messages.iter().any(is_of_b), "{messages:?}");
    assert_eq!(
        request.matches("The operator rewrote your last thought").count(),
        1
    );
    assert!(
        !request.contains("took away"),
        "the inserted thought replaces the note"
    );
    assert!(
        request.contains("Already happened"),
        "a superseded call had an effect"
    );
    w.reply(&[answer("done")]);
    assert_eq!((w.runs(a).len(), w.runs(b).len()), (1, 1), "nothing ran again");
    w.undo().unwrap();
    w.drain();
    assert!(w.state.nodes[&b].active && !w.last_request().contains("look again"));
    assert_eq!((w.runs(a).len(), w.runs(b).len()), (1, 1));
    w.redo().unwrap();
    w.drain();
    assert!(!w.state.nodes[&b].active);
}

#[test]
fn a_thought_inserted_after_a_result_closes_the_open_stream() {
    let mut w = World::asking(&["write"]);
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(call("write", r#"{"_as":"p"}"#));
    w.finish(w.id("a"));
    let asked = w.asked.len();
    let a = w.id("a");
    think_after(&mut w, a.observation(), "enough").unwrap();
    let own = w.turn_of(a);
    assert!(
        w.open.iter().all(|(turn, _)| *turn != own),
        "the stream is closed"
    );
    assert!(w.executed.iter().all(|one| one.call != w.id("p")));
    assert!(
        !w.state.nodes[&w.id("p")].active,
        "the operator is not asked about it any more"
    );
    assert_eq!(w.state.queue().count(), 0);
    assert_eq!(w.asked.len(), asked + 1, "the model is asked immediately");
    assert!(w.last_request().contains("enough"));
}

#[test]
fn calls_before_the_place_of_a_thought_end_first() {
    let mut w = World::asking(&["write"]);
    w.stream(call("write", r#"{"_as":"p"}"#));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(call("read", r#"{"_as":"b"}"#));
    w.end(Stop::Calls);
    let asked = w.asked.len();
    let a = w.id("a");
    think_after(&mut w, a, "enough").unwrap();
    w.drain();
    assert_eq!(w.asked.len(), asked, "one before it waits for the operator");
    w.approve(w.id("p")).unwrap();
    w.drain();
    assert_eq!(w.asked.len(), asked + 1);
    assert_eq!(w.runs(w.id("p")).len(), 1);
}

#[test]
fn a_thought_inserted_after_the_last_node_follows_the_turn() {
    let mut w = World::new();
    w.reply(&[think("look"), call("read", r#"{"_as":"a"}"#)]);
    w.drain();
    let a = w.id("a");
    think_after(&mut w, a, "consider x").unwrap();
    let turn = w.turn_of(a);
    assert!(!w.state.turns[&turn].split && w.state.nodes[&a].active);
    assert!(w.last_request().contains("consider x"));
    let prompt = w.all(NodeKind::Prompt)[0];
    think_after(&mut w, prompt, "consider y").unwrap();
    assert!(!w.state.nodes[&a].active, "later turns are superseded");
    assert!(w.last_request().contains("consider y"));
}

#[test]
fn a_thought_is_inserted_only_after_active_nodes() {
    let mut w = World::new();
    w.reply(&[
        think("look"),
        call("read", r#"{"_as":"a"}"#),
        call("read", r#"{"_as":"b"}"#),
    ]);
    w.drain();
    let (a, b) = (w.id("a"), w.id("b"));
    think_after(&mut w, a, "enough").unwrap();
    let events = w.log.len();
    assert_eq!(kind(think_after(&mut w, b, "more")), RefusalKind::Superseded);
    assert_eq!(
        kind(think_after(&mut w, NodeId::new(NodeKind::Call, 999), "more")),
        RefusalKind::Unknown
    );
    let record = *w.all(NodeKind::Intervention).last().unwrap();
    assert_eq!(kind(think_after(&mut w, record, "more")), RefusalKind::Status);
    assert_eq!(kind(think_after(&mut w, a, " ")), RefusalKind::Invalid);
    assert_eq!(w.log.len(), events, "a refusal leaves no trace");
}

#[test]
fn a_thought_of_a_broken_turn_can_be_rewritten() {
    let mut w = World::new();
    w.stream(think("old"));
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.broke(overrule_domain::turn::StreamFaultKind::Network);
    let turn = w.turn_of(w.id("a"));
    w.text(w.all(NodeKind::Thought)[0], "new").unwrap();
    w.drain();
    assert!(matches!(w.state.turns[&turn].stream, Stream::Aborted(_)));
    assert_eq!(w.asked.len(), 2);
}
