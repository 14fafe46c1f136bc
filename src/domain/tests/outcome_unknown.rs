//! Tests of the operator's decision about an execution with an unknown outcome.
//!
//! Must not know: how the operator is asked.
//!
//! The decision can be left open. It is refused while the execution still runs.

use super::world::*;
use overrule_domain::call::{ConsentCause, Decision, ErrorClass, Outcome, Status};
use overrule_domain::command::{CallCommand, Command, Resolution};
use overrule_domain::event::{CallEvent, Event};
use overrule_domain::id::{Attempt, NodeId, Rev};
use overrule_domain::input::Input;
use overrule_domain::orphan_process::OrphanProcess;
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::LedgerOutcome;

/// A write that the program died over, the process that it ran in, and a call that reads it.
fn doubtful() -> (World, NodeId) {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.a.v"}"#),
    ]);
    let a = w.id("a");
    w.input(Input::Spawned {
        call: a,
        attempt: Attempt(1),
        pid: 7,
        ticks: 9,
    });
    w.rules.alive.lock().unwrap().insert(7, OrphanProcess::Process);
    w.crash();
    assert_eq!(w.status(a), Status::OutcomeUnknown(Attempt(1)));
    (w, a)
}

fn resolve(call: NodeId, what: Resolution) -> Command {
    Command::Call(CallCommand::Resolve {
        call,
        attempt: Some(Attempt(1)),
        what,
    })
}

fn leave(reason: &str) -> Resolution {
    Resolution::Abandon {
        reason: reason.into(),
    }
}

fn fate(w: &World) -> Vec<LedgerOutcome> {
    w.state
        .ledger
        .values()
        .map(|entry| entry.outcome.clone())
        .collect()
}

#[test]
fn an_abandoned_call_does_not_rerun_and_the_model_gets_the_reason() {
    let (mut w, a) = doubtful();
    w.cmd(resolve(a, leave(" the office checks "))).unwrap();
    assert_eq!((w.status(a), w.starts(a)), (Status::Abandoned, 1));
    assert_eq!(w.status(w.id("r")), Status::Skipped, "there is no value to read");
    assert_eq!(fate(&w), [LedgerOutcome::Unknown], "the outcome is still open");
    assert!(!w.state.nodes.contains_key(&a.observation()));
    let decided = w.events().any(|event| {
        matches!(event, Event::Call(CallEvent::Decided { decision: Decision::Abandon { reason }, .. })
            if reason == "the office checks")
    });
    assert!(decided);
    w.drain();
    let text = w.last_request();
    assert!(text.contains("nobody knows whether it happened"), "{text}");
    assert!(
        text.contains("does not let it run again: the office checks"),
        "{text}"
    );
    assert!(!text.contains("rejected"), "{text}");
    // Another process neither asks again nor runs it.
    w.crash();
    assert_eq!((w.status(a), w.starts(a)), (Status::Abandoned, 1));
    assert_eq!(kind(w.cmd(resolve(a, leave("")))), RefusalKind::Status);
}

#[test]
fn an_equal_effect_asks_for_consent_and_a_later_word_is_still_taken() {
    let (mut w, a) = doubtful();
    w.cmd(resolve(a, leave(""))).unwrap();
    w.drain();
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    let b = w.id("b");
    assert_eq!(w.status(b), Status::Consent(ConsentCause::Unknown));
    w.rules.alive.lock().unwrap().clear();
    w.cmd(resolve(a, Resolution::DidNot)).unwrap();
    assert_eq!(
        (w.status(a), w.starts(a)),
        (Status::Abandoned, 1),
        "it stays as it was left"
    );
    assert_eq!(fate(&w)[0], LedgerOutcome::DidNot);
}

#[test]
fn a_call_cannot_be_resolved_as_not_executed_while_its_process_runs() {
    let (mut w, a) = doubtful();
    let refusal = w.cmd(resolve(a, Resolution::DidNot)).unwrap_err();
    assert_eq!(refusal.kind, RefusalKind::Status);
    assert!(
        refusal.message.contains("still runs as process 7"),
        "{}",
        refusal.message
    );
    assert_eq!(
        (w.status(a), w.starts(a)),
        (Status::OutcomeUnknown(Attempt(1)), 1)
    );
    // Where the process has ended, it is not said to run: what it started does, and may make it happen.
    w.rules.alive.lock().unwrap().insert(7, OrphanProcess::Group);
    let refusal = w.cmd(resolve(a, Resolution::DidNot)).unwrap_err();
    let output = &refusal.message;
    assert_eq!(refusal.kind, RefusalKind::Status);
    assert!(
        output.contains("has ended, but what it started still runs as process group 7"),
        "{output}"
    );
    assert!(output.contains("end that with `kill -- -7`"), "{output}");
    assert!(!output.contains(&format!("{a} still runs")), "{output}");
    assert_eq!(
        (w.status(a), w.starts(a)),
        (Status::OutcomeUnknown(Attempt(1)), 1)
    );
    // It is looked at when it is decided, not before.
    w.rules.alive.lock().unwrap().clear();
    w.cmd(resolve(a, Resolution::DidNot)).unwrap();
    assert_eq!((w.status(a), w.starts(a)), (Status::Running(Attempt(2)), 2));
}

#[test]
fn abandoned_calls_cannot_be_resolved_as_not_executed_but_as_executed() {
    let (mut w, a) = doubtful();
    w.cmd(resolve(a, leave(""))).unwrap();
    assert_eq!(kind(w.cmd(resolve(a, Resolution::DidNot))), RefusalKind::Status);
    assert_eq!(fate(&w), [LedgerOutcome::Unknown]);
    let happened = Resolution::Happened {
        value: r#"{"v":3}"#.into(),
    };
    w.cmd(resolve(a, happened.clone())).unwrap();
    assert!(matches!(fate(&w)[..], [LedgerOutcome::Known(_)]));
    let (mut w, a) = doubtful();
    w.cmd(resolve(a, happened)).unwrap();
    assert_eq!(w.status(a), Status::Succeeded);
}

/// A write that the operator cancelled while it ran, and a call that reads it.
fn cancelled() -> (World, NodeId) {
    let mut w = World::new();
    w.reply(&[
        call("write", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"r","n":"†call.a.v"}"#),
    ]);
    let a = w.id("a");
    w.input(Input::Spawned {
        call: a,
        attempt: Attempt(1),
        pid: 7,
        ticks: 9,
    });
    w.cmd(Command::Call(CallCommand::Cancel {
        call: a,
        attempt: Some(Attempt(1)),
        reason: "enough".into(),
    }))
    .unwrap();
    w.input(Input::Finished {
        call: a,
        rev: Rev(1),
        attempt: Attempt(1),
        outcome: Outcome::Cancelled { executed: true },
        ms: 5,
        files: None,
    });
    assert_eq!(w.status(a), Status::OutcomeUnknown(Attempt(1)));
    (w, a)
}

#[test]
fn a_cancelled_unfinished_call_ends_and_its_effect_stays_unknown() {
    let (mut w, a) = cancelled();
    w.cmd(resolve(a, Resolution::DidNotFinish)).unwrap();
    assert_eq!(
        (w.status(a), w.starts(a)),
        (Status::Failed(ErrorClass::Cancelled), 1),
        "it does not run again"
    );
    assert_eq!(w.status(w.id("r")), Status::Skipped, "there is no value to read");
    assert_eq!(fate(&w), [LedgerOutcome::Unknown], "part of it may have happened");
    w.drain();
    let text = w.last_request();
    assert!(
        text.contains("stopped by the operator before it ended; part of it may have happened"),
        "{text}"
    );
    // Another process asks no second time, and an equal effect asks for consent.
    w.crash();
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Cancelled));
    assert_eq!(
        kind(w.cmd(resolve(a, Resolution::DidNotFinish))),
        RefusalKind::Status
    );
    w.reply(&[call("write", r#"{"_as":"b","n":1}"#)]);
    assert_eq!(w.status(w.id("b")), Status::Consent(ConsentCause::Unknown));
}

#[test]
fn only_cancelled_calls_without_a_process_can_be_resolved_as_unfinished() {
    let (mut w, a) = doubtful();
    let refusal = w.cmd(resolve(a, Resolution::DidNotFinish)).unwrap_err();
    assert!(
        refusal.message.contains("it was not cancelled"),
        "{}",
        refusal.message
    );
    assert_eq!(w.status(a), Status::OutcomeUnknown(Attempt(1)));
    let (mut w, a) = cancelled();
    w.rules.alive.lock().unwrap().insert(7, OrphanProcess::Session);
    assert_eq!(
        kind(w.cmd(resolve(a, Resolution::DidNotFinish))),
        RefusalKind::Status,
        "something of it still runs"
    );
    assert_eq!(w.status(a), Status::OutcomeUnknown(Attempt(1)));
    w.rules.alive.lock().unwrap().clear();
    let other = CallCommand::Resolve {
        call: a,
        attempt: Some(Attempt(2)),
        what: Resolution::DidNotFinish,
    };
    assert!(w.cmd(Command::Call(other)).is_err(), "another execution was seen");
    w.cmd(resolve(a, Resolution::DidNotFinish)).unwrap();
}
