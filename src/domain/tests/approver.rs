//! Tests of an external approver program that is asked about calls.
//!
//! Must not know: how the program is asked.

use super::world::*;
use overrule_domain::approver;
use overrule_domain::call::{Answer, Consequence, Decision, Gate, Status};
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::{NodeId, Rev, Seq};
use overrule_domain::input::Input;
use overrule_domain::ladder::Timer;

/// A run with such a program, whose policy asks before these tools.
fn world(tools: &[&str], deadline: Option<(u64, Consequence)>) -> World {
    let gate = |tool: &&str| ((*tool).to_owned(), Gate::Ask);
    World::with(Rules {
        gates: tools.iter().map(gate).collect(),
        approver: Some("guard".into()),
        deadline,
        ..Rules::default()
    })
}

/// A call that waits, with the question about it.
fn asked(deadline: Option<(u64, Consequence)>) -> (World, NodeId, Seq) {
    let mut w = world(&["write"], deadline);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    assert_eq!(w.status(id), Status::AwaitingApproval);
    let [(of, set)] = w.approvers[..] else {
        panic!("asked once: {:?}", w.approvers)
    };
    assert_eq!(of, id);
    (w, id, set)
}

fn answered(w: &mut World, (call, set): (NodeId, Seq), answer: Answer) {
    w.input(Input::ApproverAnswered {
        call,
        set,
        answer,
        reason: "because".to_owned(),
    });
}

fn last(w: &World, id: NodeId) -> Option<Decision> {
    let (_, _, decision) = w.state.calls[&id].decisions.last()?;
    Some(Decision::clone(decision))
}

#[test]
fn a_call_that_it_allows_runs_once_and_the_record_names_it() {
    let (mut w, id, set) = asked(None);
    assert!(w.executed.is_empty());
    let digest = w.digest(id);
    answered(&mut w, (id, set), Answer::Allow);
    assert_eq!(w.runs(id), [r#"{"n":1}"#]);
    let text = last(&w, id).unwrap();
    assert_eq!(approver::of(&text).as_deref(), Some("guard"));
    assert_eq!(w.state.calls[&id].digest, Some(digest));
    answered(&mut w, (id, set), Answer::Allow);
    answered(&mut w, (id, set), Answer::Deny);
    assert_eq!(w.runs(id).len(), 1);
    w.drain();
    assert_eq!(w.status(id), Status::Succeeded);
}

#[test]
fn a_denied_call_does_not_run_and_the_model_gets_the_reason() {
    let (mut w, id, set) = asked(None);
    answered(&mut w, (id, set), Answer::Deny);
    assert_eq!(w.status(id), Status::Rejected);
    assert!(w.runs(id).is_empty());
    let problems_found = &w.state.calls[&id].validation;
    assert_eq!(problems_found.because.as_deref(), Some("because"));
    assert_eq!(problems_found.denied_by.as_deref(), Some("approver guard"));
}

#[test]
fn a_call_that_it_leaves_to_the_operator_waits_for_them_and_its_time_begins_then() {
    let (mut w, id, set) = asked(Some((5_000, Consequence::Deny)));
    assert!(w.timers.is_empty(), "the deadline has not begun");
    w.elapsed(Timer::Deadline { call: id });
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert!(
        approver::describe(&w.state.calls[&id])
            .unwrap()
            .contains("guard is being asked")
    );
    answered(&mut w, (id, set), Answer::Ask);
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert_eq!(w.timers, [(Timer::Deadline { call: id }, 5_000)]);
    let words = approver::describe(&w.state.calls[&id]).unwrap();
    assert_eq!(words, "guard leaves it to you: because");
    answered(&mut w, (id, set), Answer::Allow);
    assert!(w.runs(id).is_empty(), "it has answered already");
    let mut other = w.state.clone();
    std::mem::swap(&mut w.state, &mut other);
    w.elapsed(Timer::Deadline { call: id });
    assert_eq!(w.status(id), Status::Expired);
}

#[test]
fn the_first_answer_wins() {
    // The operator approves first.
    let (mut w, id, set) = asked(None);
    w.approve(id).unwrap();
    assert!(w.approvers.is_empty(), "the program is not asked any more");
    answered(&mut w, (id, set), Answer::Deny);
    assert_eq!(w.runs(id).len(), 1);
    assert!(matches!(last(&w, id), Some(Decision::Approve { .. })));
    // The operator rejects first.
    let (mut w, id, set) = asked(None);
    w.reject(id).unwrap();
    answered(&mut w, (id, set), Answer::Allow);
    assert!(w.runs(id).is_empty());
    assert_eq!(w.status(id), Status::Rejected);
    // The program answers first: who comes later is refused.
    let (mut w, id, set) = asked(None);
    answered(&mut w, (id, set), Answer::Deny);
    assert!(w.approve(id).is_err());
    assert!(w.runs(id).is_empty());
}

#[test]
fn an_answer_counts_for_the_call_that_it_was_asked_about_only() {
    let (mut w, id, set) = asked(None);
    // An edit is the approval of what it says: ask again by an edit of a call before it.
    w.args(id, r#"{"_as":"a","n":2}"#).unwrap();
    answered(&mut w, (id, set), Answer::Allow);
    assert!(
        w.runs(id).iter().all(|args| args == r#"{"n":2}"#),
        "{:?}",
        w.runs(id)
    );
    assert_eq!(w.runs(id).len(), 1);

    let mut w = world(&["write"], None);
    w.reply(&[
        call("pure", r#"{"_as":"s","n":1}"#),
        call("write", r#"{"_as":"r","n":"†call.s.v"}"#),
    ]);
    w.drain();
    let id = w.id("r");
    let old = w.approvers[0];
    w.correct(w.id("s"), r#"{"v":5}"#).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    let new = *w.approvers.last().unwrap();
    assert_ne!(old, new, "other bytes are asked about again");
    answered(&mut w, old, Answer::Allow);
    assert!(w.runs(id).is_empty());
    answered(&mut w, new, Answer::Allow);
    assert_eq!(w.runs(id), [r#"{"n":5}"#]);
}

#[test]
fn it_is_not_asked_about_what_is_denied_allowed_or_cannot_be_undone() {
    let mut w = world(&["write", "shell"], None);
    w.rules.gates.insert("idem".to_owned(), Gate::Deny);
    w.tag("shell", "irreversible");
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("idem", r#"{"_as":"b","n":1}"#),
        call("shell", r#"{"_as":"c","n":1}"#),
    ]);
    assert!(w.approvers.is_empty(), "{:?}", w.approvers);
    assert_eq!(w.status(w.id("b")), Status::Rejected);
    let id = w.id("c");
    assert_eq!(w.status(id), Status::AwaitingApproval);
    let set = w.state.calls[&id].approval.due_set;
    answered(&mut w, (id, set), Answer::Allow);
    assert!(w.runs(id).is_empty(), "an answer without a question");
}

#[test]
fn consent_to_repeat_an_effect_stays_with_the_operator() {
    let (mut w, id, set) = asked(None);
    answered(&mut w, (id, set), Answer::Allow);
    w.crash();
    assert!(matches!(w.status(id), Status::OutcomeUnknown(_)));
    assert!(w.approvers.is_empty());
    answered(&mut w, (id, set), Answer::Allow);
    assert_eq!(w.starts(id), 1);
}

#[test]
fn who_resumes_asks_it_again_and_an_edit_before_it_holds_its_answer() {
    let (mut w, id, set) = asked(None);
    w.crash();
    assert_eq!(w.approvers, [(id, set)]);
    answered(&mut w, (id, set), Answer::Allow);
    assert_eq!(w.runs(id).len(), 1);
    // In a process that has no such program the operator is asked.
    let (mut w, id, set) = asked(None);
    w.rules.approver = None;
    w.crash();
    answered(&mut w, (id, set), Answer::Ask);
    assert_eq!(w.status(id), Status::AwaitingApproval);
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn a_stopped_run_takes_no_answer() {
    let (mut w, id, set) = asked(None);
    w.cmd(Command::Run(overrule_domain::command::RunCommand::Stop {
        reason: "enough".into(),
    }))
    .unwrap();
    answered(&mut w, (id, set), Answer::Allow);
    assert!(w.runs(id).is_empty());
    let approve = CallCommand::Approve {
        call: id,
        rev: Rev(1),
        digest: w.digest(id),
        unread: 0,
        shown: None,
        word: None,
    };
    assert!(w.cmd(Command::Call(approve)).is_err());
}

#[test]
fn it_is_not_asked_about_what_only_the_operator_may_decide() {
    let mut w = world(&["write"], None);
    w.rules.operator_only = true;
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert_eq!(w.approvers, []);
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
}
