//! Tests of the choice of a recorded result for a call that would repeat an effect.
//!
//! Must not know: who chooses it.
//!
//! It must be a result of the repeated executions, and all of them must have ended well.

use super::world::*;
use overrule_domain::call::{ConsentCause, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Resolution};
use overrule_domain::id::{NodeId, NodeKind, Seq};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::repeat::reusable_result;

fn entry(w: &World, call: NodeId) -> Seq {
    w.state.calls[&call].attempts[0].intent
}

fn reusable(w: &World, call: NodeId) -> Option<Seq> {
    reusable_result(&w.state, &w.state.calls[&call]).map(|(seq, _)| seq)
}

fn reuse(w: &mut World, call: NodeId, entry: Seq) -> Result<(), overrule_domain::refusal::Refusal> {
    w.consent(call, ConsentChoice::Reuse { entry })
}

/// An active write that ended well, an equal one that an edit orphaned while it ran, and a third that
/// the model proposes instead of the second.
fn three() -> (World, NodeId, NodeId, NodeId) {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[think("again"), call("write", r#"{"_as":"b","n":1}"#)]);
    let (a, b) = (w.id("a"), w.id("b"));
    let thought = *w.all(NodeKind::Thought).last().unwrap();
    w.text(thought, "another way").unwrap();
    w.reply(&[call("write", r#"{"_as":"c","n":1}"#)]);
    let c = w.id("c");
    assert!(matches!(w.status(c), Status::Consent(_)));
    (w, a, b, c)
}

#[test]
fn the_end_of_an_equal_attempt_does_not_resolve_an_unknown_outcome() {
    let (mut w, a, b, c) = three();
    let (of_a, of_b) = (entry(&w, a), entry(&w, b));
    assert_eq!(reusable(&w, c), None, "it runs still");
    assert_eq!(kind(reuse(&mut w, c, of_a)), RefusalKind::Status);
    w.finish(b);
    assert_eq!(reusable(&w, c), None, "the outcome is unknown");
    for seq in [of_a, of_b] {
        assert_eq!(kind(reuse(&mut w, c, seq)), RefusalKind::Status);
    }
    assert!(w.runs(c).is_empty());
    // The operator found the outcome.
    let happened = Resolution::Happened {
        value: r#"{"v":9}"#.into(),
    };
    w.cmd(Command::Call(CallCommand::Resolve {
        attempt: None,
        call: b,
        what: happened,
    }))
    .unwrap();
    assert_eq!(reusable(&w, c), Some(of_b));
    assert_eq!(kind(reuse(&mut w, c, of_a)), RefusalKind::Status);
    reuse(&mut w, c, of_b).unwrap();
    assert_eq!((w.starts(c), w.value(c)), (0, r#"{"v":9}"#.to_owned()));
}

#[test]
fn one_unknown_among_those_in_question_leaves_nothing_to_reuse() {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("write", r#"{"_as":"b","n":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish(a);
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "go elsewhere").unwrap();
    w.finish(b);
    w.reply(&[call("write", r#"{"_as":"c","n":1}"#)]);
    let c = w.id("c");
    assert_eq!(w.status(c), Status::Consent(ConsentCause::Unknown));
    assert_eq!(reusable(&w, c), None);
    let of_a = entry(&w, a);
    assert_eq!(kind(reuse(&mut w, c, of_a)), RefusalKind::Status);
}
