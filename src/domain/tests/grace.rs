//! Tests of the delay between approval and launch, and of withdrawing the approval.
//!
//! Must not know: who sets the delay.

use super::rules::Rules;
use super::world::*;
use overrule_domain::apply::apply;
use overrule_domain::call::{Decision, Gate, Status};
use overrule_domain::command::{CallCommand, Command, ResilienceCommand, RunCommand};
use overrule_domain::event::{CallEvent, Event, RunEvent};
use overrule_domain::id::{Attempt, NodeId};
use overrule_domain::ladder::Timer;
use overrule_domain::refusal::{Refusal, RefusalKind};

const WAIT: u64 = 5_000;

/// A run whose policy has this to say of `write`, which has a pause.
fn paused(gate: Gate) -> World {
    World::with(Rules {
        gates: [("write".to_owned(), gate)].into(),
        pauses: [("write".to_owned(), WAIT)].into(),
        ..Rules::default()
    })
}

/// A call of a tool with a launch delay, approved by the operator.
fn approved() -> (World, NodeId) {
    let mut w = paused(Gate::Ask);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.approve(id).unwrap();
    (w, id)
}

fn over(w: &mut World, id: NodeId) {
    let timer = Timer::Grace {
        call: id,
        rev: w.rev(id),
    };
    w.elapsed(timer);
}

fn cancel(w: &mut World, id: NodeId, attempt: Option<Attempt>) -> Result<(), Refusal> {
    w.cmd(Command::Call(CallCommand::Cancel {
        call: id,
        attempt,
        reason: "a slip".into(),
    }))
}

fn now(w: &mut World, id: NodeId) -> Result<(), Refusal> {
    let rev = w.rev(id);
    w.cmd(Command::Resilience(ResilienceCommand::RunNow { call: id, rev }))
}

#[test]
fn a_scheduled_call_starts_when_its_delay_is_over() {
    let (mut w, id) = approved();
    assert_eq!(w.status(id), Status::Scheduled);
    assert!(w.executed.is_empty(), "not yet");
    let wait = w.timers.last().unwrap().clone();
    assert_eq!(
        wait,
        (
            Timer::Grace {
                call: id,
                rev: w.rev(id)
            },
            WAIT
        )
    );
    over(&mut w, id);
    assert_eq!(w.runs(id).len(), 1);
    over(&mut w, id);
    w.drain();
    assert_eq!(w.runs(id).len(), 1, "once");
}

#[test]
fn what_is_taken_back_does_not_run_and_is_asked_for_again() {
    let (mut w, id) = approved();
    cancel(&mut w, id, None).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    over(&mut w, id);
    assert!(w.executed.is_empty());
    assert!(w.state.ledger.is_empty(), "nothing was begun");
    w.approve(id).unwrap();
    assert_eq!(w.status(id), Status::Scheduled, "another approval, another delay");
    over(&mut w, id);
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn a_cancelled_rule_approval_needs_a_decision_by_the_operator() {
    let mut w = paused(Gate::Allow);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    assert_eq!(
        w.status(id),
        Status::Scheduled,
        "the delay applies to policy approvals too"
    );
    cancel(&mut w, id, None).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    w.approve(id).unwrap();
    over(&mut w, id);
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn what_waits_for_a_place_can_be_taken_back_too() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    w.approve(id).unwrap();
    assert_eq!(w.status(id), Status::Queued);
    assert_eq!(
        kind(cancel(&mut w, id, Some(Attempt(1)))),
        RefusalKind::Changed,
        "no execution is there"
    );
    cancel(&mut w, id, None).unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert!(w.executed.is_empty());
    assert_eq!(
        kind(cancel(&mut w, id, None)),
        RefusalKind::Status,
        "it was not approved"
    );
}

#[test]
fn the_operator_need_not_wait() {
    let (mut w, id) = approved();
    now(&mut w, id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn the_delay_pauses_with_the_run_and_restarts_in_another_process() {
    let (mut w, id) = approved();
    w.run(RunCommand::Pause {
        reason: "a look".into(),
    })
    .unwrap();
    over(&mut w, id);
    assert!(w.executed.is_empty());
    w.timers.clear();
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.timers.len(), 1);
    let wait = w.timers[0].0.clone();
    // The report of the first wait was on its way when the wait restarted.
    w.elapsed_of_old(&wait);
    assert!(w.executed.is_empty(), "it is shown as one that can be withdrawn");
    w.timers.clear();
    w.crash();
    assert!(
        w.timers
            .iter()
            .any(|(timer, _)| matches!(timer, Timer::Grace { .. }))
    );
    w.elapsed_of_old(&wait);
    assert!(w.executed.is_empty());
    over(&mut w, id);
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn time_in_which_nobody_could_take_it_back_does_not_count() {
    let (mut w, id) = approved();
    let mut reopened = w.log.last().unwrap().clone();
    reopened.seq = reopened.seq.next();
    // The program died; an hour later the operator resumes the session.
    reopened.at = 3_600_000;
    reopened.event = Event::Run(RunEvent::Reopened {
        interrupted: Vec::new(),
        version: "test".into(),
    });
    apply(&mut w.state, &reopened);
    let delay = w.state.calls[&id].failure.delay.as_ref().unwrap();
    assert_eq!(delay.left(reopened.at), WAIT);
    assert_eq!(delay.left(reopened.at + 1_000), WAIT - 1_000);
}

#[test]
fn rejected_or_edited_meanwhile_it_does_not_run_as_it_was() {
    let (mut w, id) = approved();
    w.reject(id).unwrap();
    over(&mut w, id);
    assert!(w.executed.is_empty());
    let (mut w, id) = approved();
    w.args(id, r#"{"_as":"a","n":2}"#).unwrap();
    let first = Timer::Grace {
        call: id,
        rev: overrule_domain::id::Rev(1),
    };
    w.elapsed(first);
    assert!(w.executed.is_empty());
    over(&mut w, id);
    assert_eq!(w.runs(id), [r#"{"n":2}"#]);
}

#[test]
fn consent_that_was_taken_back_is_asked_for_again() {
    let mut w = paused(Gate::Ask);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.approve(id).unwrap();
    over(&mut w, id);
    w.drain();
    w.retry(id).unwrap();
    assert!(matches!(w.status(id), Status::Consent(_)));
    w.consent(id, overrule_domain::command::ConsentChoice::RunAgain)
        .unwrap();
    assert_eq!(w.status(id), Status::Scheduled);
    cancel(&mut w, id, None).unwrap();
    assert!(matches!(w.status(id), Status::Consent(_)), "{:?}", w.status(id));
    assert_eq!(w.runs(id).len(), 1);
}

#[test]
fn without_a_delay_no_delay_event_is_recorded() {
    let mut w = World::asking(&["write"]);
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let id = w.id("a");
    w.approve(id).unwrap();
    assert_eq!(w.runs(id).len(), 1);
    assert!(
        !w.events()
            .any(|event| matches!(event, Event::Call(CallEvent::Graced { .. })))
    );
    let decisions = &w.state.calls[&id].decisions;
    assert!(matches!(*decisions.last().unwrap().2, Decision::Approve { .. }));
}

#[test]
fn work_for_a_sub_agent_waits_its_moment_too() {
    let mut w = World::with(Rules {
        pauses: [("delegate".to_owned(), WAIT)].into(),
        ..Rules::default()
    });
    w.reply(&[call("delegate", r#"{"_as":"a","task":"tidy up"}"#)]);
    let id = w.id("a");
    assert_eq!(w.status(id), Status::Scheduled);
    assert!(
        w.state.threads.children.is_empty(),
        "no sub-agent works on it yet"
    );
    cancel(&mut w, id, None).unwrap();
    assert_eq!(w.status(id), Status::AwaitingApproval);
    assert!(w.state.threads.children.is_empty());
    w.approve(id).unwrap();
    assert_eq!(w.status(id), Status::Scheduled);
    over(&mut w, id);
    assert!(matches!(w.status(id), Status::Running(_)));
    assert_eq!(w.state.threads.children.len(), 1);
}
