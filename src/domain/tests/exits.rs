//! Tests of commands that end with an exit code: a result, but no value.
//!
//! Must not know: how a command runs.

use super::ladder::error;
use super::world::*;
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::call::{ErrorClass, Outcome, Status, ToolError};
use overrule_domain::event::{CallEvent, Event, ResilienceEvent};
use overrule_domain::id::NodeId;
use overrule_domain::{apply, ledger};
use overrule_resilience::breaker::Settings;
use overrule_resilience::execution;

fn exited(code: i32) -> Outcome {
    Outcome::Ok {
        value: r#""2 failed""#.into(),
        meta: Some(r#"{"exit":1}"#.into()),
        discarded: 0,
        exit: Some(code),
    }
}

/// A world in which a call labelled `a` has ended with an exit code.
fn world(others: &[(&str, &str)]) -> (World, NodeId) {
    let mut w = World::new();
    let mut blocks = vec![call("read", r#"{"_as":"a","n":1}"#)];
    blocks.extend(others.iter().map(|(tool, args)| call(tool, args)));
    w.reply(&blocks);
    let a = w.id("a");
    w.finish_with(a, exited(1));
    w.drain();
    (w, a)
}

#[test]
fn a_nonzero_exit_succeeds_and_the_model_gets_the_code() {
    let (w, a) = world(&[]);
    assert_eq!(
        (w.status(a), w.status(a).label().as_ref()),
        (Status::Exited(1), "exit 1")
    );
    let request = w.last_request();
    assert!(
        request.contains("[exit 1]") && request.contains("2 failed"),
        "{request}"
    );
    assert!(
        !request.contains("refused by the tool") && !request.contains("class"),
        "{request}"
    );
    assert_eq!(w.starts(a), 1, "nothing is tried again");
    let resilience = |event: &&Event| {
        matches!(
            event,
            Event::Resilience(ResilienceEvent::GaveUp { .. } | ResilienceEvent::RepairStarted { .. })
        )
    };
    assert_eq!(w.events().filter(resilience).count(), 0);
    assert_eq!(apply::fold(&w.log), w.state);
    w.remembers();
}

#[test]
fn what_reads_it_gets_no_value() {
    let (w, _) = world(&[
        ("pure", r#"{"_as":"d","n":5}"#),
        ("pure", r#"{"_as":"b","n":"†call.a"}"#),
        ("pure", r#"{"_as":"c","n":"†call.a || †call.d.v"}"#),
        ("pure", r#"{"_as":"e","n":"†call.a && †call.d.v"}"#),
    ]);
    assert_eq!(w.status(w.id("b")), Status::Skipped);
    let because = w.state.calls[&w.id("b")].validation.because.clone().unwrap();
    assert_eq!(&*because, "c3 (a) ended with exit 1");
    assert_eq!(w.status(w.id("c")), Status::Succeeded);
    assert_eq!(w.status(w.id("e")), Status::Skipped);
}

#[test]
fn an_output_path_with_two_ways_takes_the_second() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","_out":"state.good || state.bad","n":1}"#),
        call("pure", r#"{"_as":"b","why":"†state.bad.message"}"#),
        call("pure", r#"{"_as":"c","n":"†state.good"}"#),
    ]);
    let a = w.id("a");
    w.finish_with(a, exited(3));
    w.drain();
    assert_eq!(w.runs(w.id("b")), [r#"{"why":"exit 3"}"#]);
    assert_ne!(w.status(w.id("c")), Status::Succeeded);
}

#[test]
fn a_failure_in_the_state_has_the_words_that_the_tool_printed_and_keeps_what_was_bound() {
    let mut w = World::new();
    w.reply(&[
        call("read", r#"{"_as":"a","_out":"state.good || state.bad","n":1}"#),
        call(
            "pure",
            r#"{"_as":"b","why":"†state.bad.message","kind":"†state.bad.class"}"#,
        ),
    ]);
    let a = w.id("a");
    let Outcome::Err(failed) = error(ErrorClass::Business, true) else {
        unreachable!("an error is one")
    };
    let failed = ToolError {
        message: "answered 400".into(),
        partial: Some(r#""passengers is required, key sk-abcdefghijklmnop0123""#.into()),
        ..*failed
    };
    w.finish_with(a, Outcome::err(failed));
    w.drain();
    let expected =
        r#"{"why":"answered 400\npassengers is required, key [redacted 23 bytes]","kind":"business"}"#;
    assert_eq!(w.runs(w.id("b")), [expected]);
    // A session whose journal has other words for it keeps them: they are recorded, not computed again.
    let mut log = w.log.clone();
    for envelope in &mut log {
        if let Event::Call(CallEvent::Ready { call, resolved, .. }) = &mut envelope.event
            && *call == w.id("b")
        {
            *resolved = Some(r#"{"why":"answered 400"}"#.into());
        }
    }
    let old = apply::fold(&log);
    let bound = old.calls[&w.id("b")].resolved.as_deref();
    assert_eq!(bound, Some(r#"{"why":"answered 400"}"#));
}

#[test]
fn a_person_can_make_it_a_value() {
    let (mut w, a) = world(&[]);
    w.correct(a, r#""fine""#).unwrap();
    assert_eq!(w.status(a), Status::Succeeded);
    w.undo().unwrap();
    assert_eq!(w.status(a), Status::Exited(1));
}

#[test]
fn a_nonzero_exit_does_not_affect_tool_health() {
    let mut w = World::with(Rules {
        breakers: Some(Settings {
            consecutive: 2,
            ..Settings::default()
        }),
        ..Rules::default()
    });
    let mut ends = |outcomes: &[Outcome]| {
        for outcome in outcomes {
            w.reply(&[call("read", &format!(r#"{{"n":{}}}"#, w.asked.len()))]);
            let id = *w.all(overrule_domain::id::NodeKind::Call).last().unwrap();
            w.finish_with(id, outcome.clone());
            w.drain();
        }
        let breaker = w.state.learned.breakers.get(&Scope::Tool("read".into()));
        (breaker.map(|one| one.phase), execution::all(&w.state).count())
    };
    let none = ends(&[exited(1), exited(2), exited(1)]);
    assert!(none.0.is_none_or(|phase| phase == Phase::Closed), "{none:?}");
    assert_eq!(none.1, 0, "neither a success nor a failure");
    // It does not break off a row of failures either.
    let auth = || error(ErrorClass::Auth, false);
    assert_eq!(ends(&[auth(), exited(1), auth()]).0, Some(Phase::Open));
}

#[test]
fn an_effect_that_ended_so_happened() {
    let mut w = World::new();
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.finish_with(a, exited(1));
    let entry = ledger::rows(&w.state).next().unwrap().entry;
    assert!(ledger::may_have_happened(entry));
    assert_eq!(
        ledger::ledger_outcome(&exited(1), entry.effect),
        overrule_domain::state::LedgerOutcome::Known(exited(1))
    );
    assert!(exited(1).is_ok() && !exited(1).has_value());
}
