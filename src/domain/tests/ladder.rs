//! Tests of retries after failures: delays and further executions, within their bounds.
//!
//! Must not know: engine, clocks.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::op_sequence::{self, OpSequence};
use super::random::session_on;
use super::rules::Steps;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::call::{EffectClass, ErrorClass, Gate, Outcome, Status, ToolError};
use overrule_domain::command::{CallCommand, Command, ResilienceCommand, RunCommand};
use overrule_domain::effects;
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, Event, ResilienceEvent, RunEvent};
use overrule_domain::id::{NodeId, Rev};
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::{LedgerOutcome, State};
use overrule_resilience::ladder::Ladder;

/// The ladder of the program.
pub fn steps() -> Steps {
    let ladder = Ladder::default();
    Arc::new(move |state, call| ladder.after(state, call, None))
}

/// Lets the time of a wait pass.
pub fn elapse(w: &mut World, at: usize) {
    let (timer, _) = w.timers.remove(at);
    w.elapsed(timer);
}

fn world() -> World {
    World::with(Rules {
        steps: steps(),
        ..Rules::default()
    })
}

/// An execution that failed.
pub fn error(class: ErrorClass, executed: bool) -> Outcome {
    Outcome::err(ToolError {
        class,
        message: "no".into(),
        evidence: "test".into(),
        hint: None,
        partial: None,
        executed,
        retry_after_ms: None,
    })
}

fn fails(w: &mut World, id: NodeId) {
    w.finish_with(id, error(ErrorClass::Transient, false));
}

fn run_now(w: &mut World, id: NodeId) -> Result<(), Refusal> {
    let rev = w.rev(id);
    w.cmd(Command::Resilience(ResilienceCommand::RunNow { call: id, rev }))
}

fn given_up(w: &World, id: NodeId) -> Option<String> {
    w.state.calls[&id].failure.given_up.as_deref().map(str::to_owned)
}

#[test]
fn a_passing_failure_runs_again_after_its_wait_and_its_readers_wait_with_it() {
    let mut w = world();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("pure", r#"{"_as":"b","n":"†call.a.v"}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    fails(&mut w, a);
    assert_eq!(w.status(a), Status::Scheduled);
    assert_eq!(w.status(b), Status::Blocked);
    assert_eq!(w.starts(a), 1, "nothing runs before the wait is over");
    assert_eq!(w.asked.len(), 1, "the model does not see it yet");
    let delay = w.state.calls[&a].failure.delay.clone().unwrap();
    assert_eq!(delay.tries, Some((1, 4)));
    assert!((160..=240).contains(&delay.left_ms), "{delay:?}");
    elapse(&mut w, 0);
    assert_eq!(w.starts(a), 2);
    w.finish(a);
    w.drain();
    assert_eq!((w.status(a), w.status(b)), (Status::Succeeded, Status::Succeeded));
    assert_eq!(w.state.calls[&a].failure.retries, 0);
    assert_eq!(w.asked.len(), 2);
    assert!(w.timers.is_empty());
}

#[test]
fn after_four_retries_the_failure_is_final_and_the_model_is_notified() {
    let mut w = world();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    let mut waits = Vec::new();
    for _ in 0..4 {
        fails(&mut w, a);
        waits.push(w.timers[0].1);
        elapse(&mut w, 0);
    }
    fails(&mut w, a);
    assert_eq!(w.starts(a), 5);
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Transient));
    assert_eq!(given_up(&w, a).unwrap(), "it failed again after 4 retries (test)");
    assert!(w.timers.is_empty());
    assert_eq!(w.asked.len(), 2);
    assert!(
        w.last_request().contains(r#"attempts\":5"#),
        "{}",
        w.last_request()
    );
    for (wait, base) in waits.iter().zip([200, 400, 800, 1_600]) {
        assert!((base * 8 / 10..=base * 12 / 10).contains(wait), "{waits:?}");
    }
}

#[test]
fn a_write_is_tried_again_only_if_it_is_proven_not_to_have_happened() {
    for (executed, again) in [(false, true), (true, false)] {
        let mut w = world();
        w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
        let a = w.id("a");
        w.finish_with(a, error(ErrorClass::Transient, executed));
        assert_eq!(w.status(a) == Status::Scheduled, again);
        assert_eq!(w.timers.len(), usize::from(again));
        if !again {
            let why = given_up(&w, a).unwrap();
            assert!(why.starts_with("it may have happened"), "{why}");
        }
    }
}

#[test]
fn a_permanent_failure_is_final_immediately() {
    let mut w = world();
    w.reply(&[
        call("read", r#"{"_as":"a","n":1}"#),
        call("read", r#"{"_as":"b","bad":1}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.finish_with(a, error(ErrorClass::NotFound, true));
    assert_eq!(w.status(a), Status::Failed(ErrorClass::NotFound));
    assert_eq!(w.status(b), Status::Invalid);
    assert!(given_up(&w, a).is_some() && given_up(&w, b).is_some());
    assert_eq!((w.starts(a), w.starts(b)), (1, 0));
    let edit_base = |event: &&Event| matches!(event, Event::Resilience(ResilienceEvent::GaveUp { .. }));
    assert_eq!(w.events().filter(edit_base).count(), 2, "each is decided once");
    assert!(w.state.agenda.failures.is_empty());
}

#[test]
fn the_operator_can_skip_the_wait_refuse_answer_or_edit() {
    let begun = || {
        let mut w = world();
        w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
        let a = w.id("a");
        fails(&mut w, a);
        (w, a)
    };
    let (mut w, a) = begun();
    run_now(&mut w, a).unwrap();
    assert_eq!((w.starts(a), w.status(a).base_label()), (2, "running"));
    elapse(&mut w, 0);
    assert_eq!(w.starts(a), 2, "the wait that was skipped starts nothing");
    assert_eq!(kind(run_now(&mut w, a)), RefusalKind::Status);
    w.finish(a);
    assert_eq!(w.status(a), Status::Succeeded);

    let (mut w, a) = begun();
    let command = ResilienceCommand::RunNow { call: a, rev: Rev(7) };
    assert_eq!(kind(w.cmd(Command::Resilience(command))), RefusalKind::Changed);
    w.reject(a).unwrap();
    elapse(&mut w, 0);
    assert_eq!((w.starts(a), w.status(a)), (1, Status::Rejected));

    let (mut w, a) = begun();
    w.answer_for(a, r#"{"v":9}"#).unwrap();
    elapse(&mut w, 0);
    assert_eq!((w.starts(a), w.value(a)), (1, r#"{"v":9}"#.to_owned()));

    let (mut w, a) = begun();
    w.args(a, r#"{"_as":"a","n":2}"#).unwrap();
    assert_eq!(w.starts(a), 2, "the edited call runs immediately");
    elapse(&mut w, 0);
    assert_eq!(w.starts(a), 2);
    fails(&mut w, a);
    assert_eq!(w.state.calls[&a].failure.retries, 1, "an edit resets the count");
}

#[test]
fn one_approval_covers_the_retries_of_the_same_bytes() {
    let mut w = World::with(Rules {
        steps: steps(),
        gates: [("write".to_owned(), Gate::Ask)].into(),
        ..Rules::default()
    });
    w.reply(&[call("write", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.approve(a).unwrap();
    fails(&mut w, a);
    elapse(&mut w, 0);
    assert_eq!((w.starts(a), w.status(a).base_label()), (2, "running"));
    // The outcome of the second one is unknown: the operator is asked, nothing is repeated.
    w.finish_with(a, error(ErrorClass::Transient, true));
    assert!(w.timers.is_empty());
    let last = w.state.ledger.values().next_back().unwrap();
    assert_eq!(last.outcome, LedgerOutcome::Unknown);
}

#[test]
fn a_backoff_survives_a_crash_and_pauses_with_the_run() {
    let mut w = world();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    fails(&mut w, a);
    let (timer, ms) = w.timers[0].clone();
    w.crash();
    assert_eq!(w.timers, [(timer.clone(), ms)], "the wait continues");
    w.run(RunCommand::Pause {
        reason: "look".into(),
    })
    .unwrap();
    assert_eq!(w.state.calls[&a].failure.delay.as_ref().unwrap().since, None);
    elapse(&mut w, 0);
    assert_eq!(
        w.status(a),
        Status::Scheduled,
        "a paused run does not count waits"
    );
    w.crash();
    assert!(w.timers.is_empty(), "no wait in a session that is resumed paused");
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.timers, [(timer.clone(), ms)]);
    w.elapsed_of_old(&timer);
    assert_eq!(w.starts(a), 1, "the time that it shows is not over");
    elapse(&mut w, 0);
    assert_eq!(w.starts(a), 2);
}

#[test]
fn a_pause_takes_nothing_from_a_wait() {
    let mut w = world();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    fails(&mut w, a);
    let whole = w.timers[0].1;
    let mut state = w.state.clone();
    let at = |state: &mut State, ms: i64, event: RunEvent| {
        let envelope = Envelope {
            seq: state.seq.next(),
            at: ms,
            event: Event::Run(event),
            ..w.log[0].clone()
        };
        apply::apply(state, &envelope);
        effects::effects(state, &envelope)
    };
    let paused = RunEvent::Paused { reason: "x".into() };
    assert!(at(&mut state, 50, paused).is_empty());
    let left = |state: &State, now| state.calls[&a].failure.delay.as_ref().unwrap().left(now);
    assert_eq!(left(&state, 9_999), whole - 50);
    let timers = at(&mut state, 10_000, RunEvent::Resumed {});
    assert!(
        format!("{timers:?}").contains(&format!("ms: {}", whole - 50)),
        "{timers:?}"
    );
    assert_eq!(left(&state, 10_020), whole - 70);
}

#[test]
fn a_failed_call_of_a_suspended_turn_is_retried_once_the_turn_is_active() {
    let mut w = world();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    w.drain();
    w.reply(&[call("read", r#"{"_as":"b","n":2}"#)]);
    let (a, b) = (w.id("a"), w.id("b"));
    w.retry(a).unwrap();
    fails(&mut w, b);
    assert_eq!(w.status(b), Status::Failed(ErrorClass::Transient));
    assert!(w.timers.is_empty());
    w.finish(a);
    assert_eq!(
        w.status(b),
        Status::Scheduled,
        "an equal result makes the turn active again"
    );
    elapse(&mut w, 0);
    assert_eq!(w.starts(b), 2);
}

#[test]
fn the_place_of_a_write_is_that_of_the_execution_that_gave_it() {
    let mut w = world();
    w.reply(&[
        call("read", r#"{"_as":"a","_out":"state.s","n":1}"#),
        call("read", r#"{"_as":"b","_out":"state.s","n":5}"#),
        call("pure", r#"{"_as":"c","n":"†call.a.v"}"#),
    ]);
    let (a, b) = (w.id("a"), w.id("b"));
    fails(&mut w, a);
    w.finish(b);
    elapse(&mut w, 0);
    w.finish(a);
    let slot = |id| w.state.calls[&id].slot;
    assert!(slot(a) > slot(b), "who completed last wrote last");
}

proptest! {
    #![proptest_config(overrule_testing::cases(3))]

    #[test]
    fn sessions_with_retries_keep_the_rules_and_their_bounds(numbers in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut w = session_on(OpSequence::with_ladder(&numbers));
        prop_assert_eq!(apply::fold(&w.log), w.state.clone());
        bounded(&w);
        op_sequence::bring_home(&mut w);
        w.crash();
        w.remembers();
    }
}

/// At most the allowed number of retries between two actions of a person, and no retry of a call
/// that may have changed the world.
fn bounded(w: &World) {
    let mut retries: BTreeMap<NodeId, u32> = BTreeMap::new();
    // Numbers continue from these, or restart where an event in between may have ended the count.
    let mut numbers: BTreeMap<NodeId, (u32, bool)> = BTreeMap::new();
    let mut last: BTreeMap<NodeId, Outcome> = BTreeMap::new();
    for envelope in &w.log {
        match &envelope.event {
            Event::Call(CallEvent::Finished { call, outcome, .. }) => {
                last.insert(*call, outcome.clone());
            }
            Event::Call(CallEvent::Started { call, effect, .. }) if retries.contains_key(call) => {
                let before = last.get(call);
                let proven = matches!(before, Some(Outcome::Err(error)) if !error.executed);
                assert!(
                    *effect <= EffectClass::Idempotent || proven,
                    "{call} was tried again after {before:?}"
                );
            }
            Event::Resilience(ResilienceEvent::RetryScheduled { call, no, of, .. }) => {
                *retries.entry(*call).or_default() += 1;
                let (count, fresh) = numbers.get(call).copied().unwrap_or((0, true));
                assert!(
                    *no == count + 1 || (fresh && *no == 1),
                    "{call}: retry {no} follows {count}"
                );
                numbers.insert(*call, (*no, false));
                assert!(no <= of && *of <= 4);
            }
            Event::Call(
                CallEvent::Woken { call } | CallEvent::Given { call, .. } | CallEvent::Checked { call, .. },
            ) => {
                retries.remove(call);
                numbers.entry(*call).and_modify(|(_, fresh)| *fresh = true);
            }
            // A success ends the count, and so does another branch.
            Event::Edit(_) | Event::Turn(_) => {
                retries.clear();
                for (_, fresh) in numbers.values_mut() {
                    *fresh = true;
                }
            }
            _ => {}
        }
        if let Event::Call(CallEvent::Finished { call, outcome, .. }) = &envelope.event
            && outcome.is_ok()
        {
            retries.remove(call);
            numbers.remove(call);
        }
    }
}

#[test]
fn a_cancelled_execution_is_not_tried_again() {
    let mut w = world();
    w.reply(&[call("read", r#"{"_as":"a","n":1}"#)]);
    let a = w.id("a");
    w.cmd(Command::Call(CallCommand::Cancel {
        attempt: None,
        call: a,
        reason: "slow".into(),
    }))
    .unwrap();
    w.finish_with(a, Outcome::Cancelled { executed: false });
    assert_eq!(w.status(a), Status::Failed(ErrorClass::Cancelled));
    assert!(w.timers.is_empty() && given_up(&w, a).is_none());
}

#[test]
fn an_error_that_keeps_coming_back_is_not_taken_for_one_that_passes() {
    let mut w = world();
    let blocks: Vec<_> = (0..4)
        .map(|n| call("read", &format!(r#"{{"_as":"l{n}","n":{n}}}"#)))
        .collect();
    w.reply(&blocks);
    // Two calls use up their retries: ten times the same error.
    for label in ["l0", "l1"] {
        let id = w.id(label);
        for _ in 0..4 {
            fails(&mut w, id);
            elapse(&mut w, 0);
        }
        fails(&mut w, id);
    }
    let (c, d) = (w.id("l2"), w.id("l3"));
    fails(&mut w, c);
    assert_eq!(w.status(c), Status::Scheduled, "the eleventh");
    fails(&mut w, d);
    assert_eq!(w.status(d), Status::Failed(ErrorClass::Transient));
    assert!(given_up(&w, d).unwrap().contains("12 times in a row"));
    elapse(&mut w, 0);
    w.finish(c);
    assert_eq!(w.status(c), Status::Succeeded);
}
