//! Tests of when recorded replies and results are used again instead of a new request or execution.
//!
//! Must not know: how branches are shown.

use super::super::world::*;
use super::{answered, answers};
use overrule_domain::call::{Decision, Status};
use overrule_domain::command::RunCommand;
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::NodeKind;
use overrule_domain::node::Origin;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::repeat::is_outdated;

#[test]
fn an_equal_request_after_an_edit_takes_its_recorded_reply() {
    let mut w = answered();
    let s = w.id("s");
    w.correct(s, r#"{"v":7}"#).unwrap();
    w.reply(&[answer("seven")]);
    let asked = w.asked.len();
    // Corrected back by hand: the model would see what it saw at first.
    w.correct(s, r#"{"v":51}"#).unwrap();
    w.reply(&[answer("as written")]);
    w.correct(s, r#"{"v":7}"#).unwrap();
    assert_eq!(answers(&w), ["seven"], "the recorded reply is used");
    assert_eq!(w.asked.len(), asked + 1, "only the new value was asked about");
    assert!(
        w.events()
            .any(|event| matches!(event, Event::Turn(TurnEvent::Revived { .. })))
    );
    w.crash();
    assert_eq!(answers(&w), ["seven"]);
}

#[test]
fn a_turn_can_be_asked_again_although_its_reply_is_on_record() {
    let mut w = answered();
    let turn = *w.turns().last().unwrap();
    let asked = w.asked.len();
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    assert_eq!(w.asked.len(), asked + 1);
    w.reply(&[answer("other")]);
    assert_eq!(answers(&w), ["other"]);
    w.undo().unwrap();
    assert_eq!(answers(&w), ["first"]);
    assert_eq!(w.asked.len(), asked + 1);
    let prompt = w.turns()[0];
    assert_eq!(
        kind(w.run(RunCommand::AskAgain {
            turn: prompt,
            request: None
        })),
        RefusalKind::Status
    );
}

#[test]
fn an_equal_harmless_call_of_a_replaced_branch_is_reused() {
    let mut w = World::new();
    w.reply(&[
        think("x"),
        call("read", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"p","n":2}"#),
        call("write", r#"{"_as":"w","n":3}"#),
        call("read", r#"{"_as":"z","n":9}"#),
    ]);
    // z is read after the write, a before it.
    let z = w.id("z");
    for id in [w.id("a"), w.id("p"), w.id("w"), z] {
        w.finish(id);
    }
    w.text(w.all(NodeKind::Thought)[0], "y").unwrap();
    w.reply(&[
        call("read", r#"{"_as":"a2","n":1}"#),
        call("pure", r#"{"_as":"p2","n":2}"#),
    ]);
    assert_eq!(
        w.starts(w.id("p2")),
        0,
        "a function of its arguments is not run again"
    );
    assert!(matches!(
        w.state.observation(w.id("p2")).unwrap().now().origin,
        Origin::Reused { .. }
    ));
    assert_eq!(w.value(w.id("p2")), r#"{"v":3}"#);
    assert_eq!(w.starts(w.id("a2")), 1, "the world was written to since");
    w.drain();
    // One key runs a reused call for true.
    let p2 = w.id("p2");
    w.retry(p2).unwrap();
    w.drain();
    assert_eq!(w.starts(p2), 1);
}

#[test]
fn a_read_is_reused_only_while_nothing_was_written() {
    let mut w = World::new();
    w.reply(&[think("x"), call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.text(w.all(NodeKind::Thought)[0], "y").unwrap();
    w.reply(&[call("read", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    assert_eq!((w.status(b), w.starts(b)), (Status::Succeeded, 0));
    let decided = w.state.calls[&b].decisions.last().unwrap();
    assert!(matches!(*decided.2, Decision::Reuse { .. }));
    // In the same branch an equal call is a new intention.
    w.reply(&[call("read", r#"{"_as":"c","n":1}"#)]);
    assert_eq!(w.starts(w.id("c")), 1);
}

#[test]
fn a_restored_read_older_than_a_write_is_marked_outdated() {
    let mut w = World::new();
    w.reply(&[think("x"), call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let a = w.id("a");
    w.text(w.all(NodeKind::Thought)[0], "y").unwrap();
    w.reply(&[call("write", r#"{"_as":"w","n":1}"#)]);
    w.drain();
    assert!(!is_outdated(&w.state, &w.state.calls[&a]));
    w.undo().unwrap();
    assert!(is_outdated(&w.state, &w.state.calls[&a]));
    assert_eq!(w.starts(a), 1);
}
