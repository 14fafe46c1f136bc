//! Tests of commands on outdated versions of nodes: they are refused and nothing is recorded.
//!
//! Must not know: how anything is shown.

use super::world::*;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, Resolution, RunCommand};
use overrule_domain::id::{Attempt, Epoch, NodeId, NodeKind, Rev};
use overrule_domain::refusal::RefusalKind;

/// Refused as changed, without a trace.
fn refused(w: &mut World, command: Command) {
    let before = w.state.seq;
    assert_eq!(kind(w.cmd(command)), RefusalKind::Changed);
    assert_eq!(w.state.seq, before);
}

#[test]
fn another_execution_is_not_cancelled_in_place_of_the_one_that_was_shown() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish(a);
    w.retry(a).unwrap();
    assert!(matches!(w.status(a), Status::Running(Attempt(2))));
    let cancel = |attempt| {
        Command::Call(CallCommand::Cancel {
            call: a,
            attempt: Some(Attempt(attempt)),
            reason: "slow".into(),
        })
    };
    refused(&mut w, cancel(1));
    w.cmd(cancel(2)).unwrap();
}

#[test]
fn a_word_on_one_execution_is_none_on_another() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.crash();
    let describe = |call: NodeId, attempt, what| {
        Command::Call(CallCommand::Resolve {
            call,
            attempt: Some(Attempt(attempt)),
            what,
        })
    };
    w.cmd(describe(a, 1, Resolution::DidNot)).unwrap();
    assert!(matches!(w.status(a), Status::Running(Attempt(2))));
    w.crash();
    assert!(matches!(w.status(a), Status::OutcomeUnknown(Attempt(2))));
    // A decision on the first execution would run the second one again.
    refused(&mut w, describe(a, 1, Resolution::DidNot));
    assert_eq!(w.starts(a), 2);
    let value = Resolution::Happened { value: "1".into() };
    w.cmd(describe(a, 2, value)).unwrap();
    assert_eq!((w.status(a), w.starts(a)), (Status::Succeeded, 2));
}

#[test]
fn an_overwritten_revision_is_not_unpinned_or_rejected() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let a = w.id("a");
    w.correct(a, "5").unwrap();
    let (node, shown) = (a.observation(), w.state.nodes[&a.observation()].rev());
    w.correct(a, "6").unwrap();
    let unpin = |rev| Command::Call(CallCommand::Unpin { node, rev: Some(rev) });
    refused(&mut w, unpin(shown));
    let now = w.state.nodes[&node].rev();
    w.cmd(unpin(now)).unwrap();

    w.drain();
    w.reply(&[answer("one")]);
    let node = w.all(NodeKind::Answer)[0];
    w.text(node, "two").unwrap();
    let refuse = |base| Edit::RejectAnswer {
        node,
        base: Some(base),
        reason: "not one".into(),
    };
    let before = w.state.seq;
    assert_eq!(kind(w.edit(refuse(Rev(1)))), RefusalKind::Changed);
    assert_eq!(w.state.seq, before);
    w.edit(refuse(Rev(2))).unwrap();
}

#[test]
fn another_request_of_a_turn_is_not_asked_for_again_in_place_of_the_one_that_was_shown() {
    let mut w = World::new();
    w.reply(&[answer("one")]);
    let turn = w.turns().last().copied().unwrap();
    let again = |request| {
        Command::Run(RunCommand::AskAgain {
            turn,
            request: Some(request),
        })
    };
    w.cmd(again(1)).unwrap();
    w.reply(&[answer("two")]);
    let asked = w.asked.len();
    refused(&mut w, again(7));
    assert_eq!(w.asked.len(), asked, "the model was not asked");
}

#[test]
fn an_overwritten_revision_is_not_replaced_by_a_copy_from_another_branch() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let a = w.id("a");
    let node = a.observation();
    w.correct(a, "5").unwrap();
    let shown = w.rev(node);
    w.correct(a, "6").unwrap();
    let take = |base| Edit::Copy {
        node: a,
        base: Some(base),
        from: Epoch(0),
    };
    let before = w.state.seq;
    assert_eq!(kind(w.edit(take(shown))), RefusalKind::Changed);
    assert_eq!(w.state.seq, before);
    let now = w.rev(node);
    w.edit(take(now)).unwrap();
    assert_eq!(w.runs(a).len(), 1, "the result is copied, nothing runs");
}

#[test]
fn a_branch_is_left_only_where_it_is_the_one_that_was_shown() {
    let mut w = World::new();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    let a = w.id("a");
    w.correct(a, "5").unwrap();
    let shown = w.state.epoch;
    w.correct(a, "6").unwrap();
    let switch = |epoch| {
        Command::Edit(EditCommand::Switch {
            to: Epoch(0),
            epoch: Some(epoch),
            effects_seen: None,
        })
    };
    refused(&mut w, switch(shown));
    let now = w.state.epoch;
    w.cmd(switch(now)).unwrap();
}
