//! Tests of breakers: calls let through, calls held back, ends that are too late to count.
//!
//! Must not know: engine, clocks.

use proptest::prelude::*;

use super::ladder::{self, elapse, steps};
use super::op_sequence::{self, OpSequence};
use super::random::session_on;
use super::world::*;
use overrule_domain::apply;
use overrule_domain::breaker::of_run::is_outdated;
use overrule_domain::breaker::{Phase, Scope, Source};
use overrule_domain::call::{ErrorClass, Outcome, Status};
use overrule_domain::command::{Command, ResilienceCommand, RunCommand};
use overrule_domain::event::{CallEvent, EditEvent, Event, ResilienceEvent, RunEvent};
use overrule_domain::id::{Attempt, NodeId, NodeKind, Rev};
use overrule_domain::ladder::Timer;
use overrule_domain::node::{Content, Origin};
use overrule_domain::refusal::{Refusal, RefusalKind};
use overrule_domain::state::State;
use overrule_domain::trial::try_out;
use overrule_domain::turn::StreamFaultKind;
use overrule_resilience::breaker::{Settings, WhenOpen};

fn world(settings: Settings) -> World {
    World::with(Rules {
        breakers: Some(settings),
        ..Rules::default()
    })
}

fn settings() -> Settings {
    Settings {
        consecutive: 2,
        when_open: WhenOpen::Wait,
        ..Settings::default()
    }
}

fn scope() -> Scope {
    Scope::Tool("read".into())
}

fn phase(w: &World) -> Phase {
    w.state
        .learned
        .breakers
        .get(&scope())
        .map_or(Phase::Closed, |one| one.phase)
}

fn error(class: ErrorClass) -> Outcome {
    ladder::error(class, true)
}

fn read(label: &str, n: u32) -> overrule_domain::input::Block {
    call("read", &format!(r#"{{"_as":"{label}","n":{n}}}"#))
}

/// A breaker that two failures have opened, with a call that waits for it.
fn open(settings: Settings) -> (World, NodeId) {
    let mut w = world(settings);
    w.reply(&[read("a", 1), read("b", 2)]);
    for label in ["a", "b"] {
        let id = w.id(label);
        w.finish_with(id, error(ErrorClass::Transient));
    }
    assert_eq!(phase(&w), Phase::Open);
    w.reply(&[
        read("c", 3),
        call("pure", r#"{"_as":"p","n":1}"#),
        call("idem", r#"{"_as":"i","n":1}"#),
    ]);
    let c = w.id("c");
    (w, c)
}

fn reset(w: &mut World, scope: Scope) -> Result<(), Refusal> {
    w.cmd(Command::Resilience(ResilienceCommand::ResetBreaker { scope }))
}

#[test]
fn an_open_breaker_holds_back_its_own_calls_and_no_others() {
    let (mut w, c) = open(settings());
    assert_eq!((w.status(c), w.starts(c)), (Status::Queued, 0));
    assert_eq!(w.starts(w.id("i")), 1, "another tool runs");
    w.drain();
    assert_eq!(w.asked.len(), 2, "the turn waits for the call that waits");
    let (timer, ms) = w.timers[0].clone();
    assert_eq!(
        (timer, ms),
        (
            Timer::Breaker {
                scope: scope(),
                generation: 1
            },
            30_000
        )
    );
    elapse(&mut w, 0);
    assert_eq!((phase(&w), w.starts(c)), (Phase::HalfOpen, 1));
    w.finish(c);
    assert_eq!(phase(&w), Phase::Closed);
    assert_eq!(w.asked.len(), 3);
}

#[test]
fn one_is_let_through_to_see_and_no_more() {
    let (mut w, _) = open(settings());
    w.drain();
    // Others come to wait for it as well.
    let first = w.id("a");
    w.retry(first).unwrap();
    let second = w.id("b");
    w.retry(second).unwrap();
    elapse(&mut w, 0);
    let running = || w.running.iter().filter(|one| one.tool == "read").count();
    assert_eq!(running(), 1);
    let probe = w.state.learned.breakers[&scope()].probe;
    assert!(matches!(probe, Some(Source::Call(_, Attempt(_)))), "{probe:?}");
    let seen = w.running.iter().find(|one| one.tool == "read").unwrap().call;
    w.finish_with(seen, error(ErrorClass::Transient));
    assert_eq!(phase(&w), Phase::Open, "it failed as well");
    assert!(w.running.iter().all(|one| one.tool != "read"));
    assert_eq!(w.timers.last().unwrap().1, 10_000, "the next look comes sooner");
    elapse(&mut w, 0);
    let seen = w.running.iter().find(|one| one.tool == "read").unwrap().call;
    w.finish(seen);
    assert_eq!(phase(&w), Phase::Closed);
}

#[test]
fn a_late_end_does_not_affect_a_changed_breaker() {
    let mut w = world(settings());
    w.reply(&[read("late", 9), read("a", 1), read("b", 2)]);
    let late = w.id("late");
    for label in ["a", "b"] {
        let id = w.id(label);
        w.finish_with(id, error(ErrorClass::Transient));
    }
    assert_eq!(phase(&w), Phase::Open);
    w.finish(late);
    assert_eq!(phase(&w), Phase::Open, "a late success does not close it");
    elapse(&mut w, 0);
    assert_eq!(phase(&w), Phase::HalfOpen);
    assert!(w.state.learned.breakers[&scope()].recent.is_empty());
}

#[test]
fn arguments_that_are_wrong_do_not_speak_against_a_tool() {
    let mut w = world(settings());
    w.reply(&[read("a", 1), read("b", 2), read("c", 3), read("d", 4)]);
    for (label, class) in [
        ("a", ErrorClass::Transient),
        ("b", ErrorClass::Param),
        ("c", ErrorClass::NotFound),
        ("d", ErrorClass::Transient),
    ] {
        let id = w.id(label);
        w.finish_with(id, error(class));
    }
    assert_eq!(phase(&w), Phase::Closed);
}

#[test]
fn calls_of_an_open_breaker_fail_immediately_if_configured() {
    let (w, c) = open(Settings {
        when_open: WhenOpen::Fail,
        ..settings()
    });
    assert_eq!(
        (w.status(c), w.starts(c)),
        (Status::Failed(ErrorClass::Transient), 0)
    );
    let output = w.state.observation(c).unwrap();
    assert!(matches!(output.now().origin, Origin::Engine { .. }));
    let Some(Outcome::Err(error)) = output.outcome() else {
        panic!("{output:?}")
    };
    assert_eq!(
        error.message,
        "not run: the tool read keeps failing (2 failures in a row); it can be tried again in 30 s"
    );
    assert_eq!(
        error.hint.as_deref(),
        Some("use pure instead, or call it again later")
    );
    let breaker = &w.state.learned.breakers[&scope()];
    assert!(
        breaker.recent.is_empty(),
        "what did not run is no failure of the tool"
    );
    assert_eq!(breaker.trips, 1);
}

#[test]
fn a_call_beside_the_probe_waits_for_it() {
    let (mut w, _) = open(Settings {
        when_open: WhenOpen::Fail,
        ..settings()
    });
    elapse(&mut w, 0);
    assert_eq!(phase(&w), Phase::HalfOpen);
    for label in ["p", "i"] {
        let id = w.id(label);
        w.finish(id);
    }
    w.reply(&[read("d", 4), read("e", 5)]);
    let (d, e) = (w.id("d"), w.id("e"));
    assert_eq!((w.starts(d), w.starts(e)), (1, 0));
    assert_eq!(w.status(e), Status::Queued);
    w.finish(d);
    assert_eq!((phase(&w), w.starts(e)), (Phase::Closed, 1));
}

#[test]
fn the_operator_resets_a_breaker() {
    let (mut w, c) = open(settings());
    let other = Scope::Server("x:1".into());
    assert_eq!(kind(reset(&mut w, other)), RefusalKind::Unknown);
    reset(&mut w, scope()).unwrap();
    assert_eq!((phase(&w), w.starts(c)), (Phase::Closed, 1));
    assert_eq!(kind(reset(&mut w, scope())), RefusalKind::NoChange);
    let timers = w.timers.len();
    elapse(&mut w, 0);
    assert_eq!(
        (phase(&w), w.timers.len()),
        (Phase::Closed, timers - 1),
        "the old wait opens nothing"
    );
}

#[test]
fn a_crash_keeps_what_is_open_and_forgets_what_was_let_through() {
    let (mut w, c) = open(settings());
    w.crash();
    assert_eq!((phase(&w), w.starts(c)), (Phase::Open, 0));
    assert_eq!(w.timers.len(), 1);
    elapse(&mut w, 0);
    assert_eq!(w.starts(c), 1);
    w.crash();
    // The one that was let through went down with the process; the next shows.
    assert_eq!(phase(&w), Phase::HalfOpen);
    assert_eq!(w.starts(c), 2);
    w.finish(c);
    assert_eq!(phase(&w), Phase::Closed);
}

#[test]
fn a_retry_waits_for_the_breaker_as_well() {
    let mut w = World::with(Rules {
        breakers: Some(settings()),
        steps: steps(),
        ..Rules::default()
    });
    w.reply(&[read("a", 1)]);
    let a = w.id("a");
    w.finish_with(a, error(ErrorClass::Transient));
    elapse(&mut w, 0);
    w.finish_with(a, error(ErrorClass::Transient));
    assert_eq!((phase(&w), w.status(a)), (Phase::Open, Status::Scheduled));
    let retry = w
        .timers
        .iter()
        .position(|(one, _)| matches!(one, Timer::Retry { .. }))
        .unwrap();
    elapse(&mut w, retry);
    assert_eq!((w.status(a), w.starts(a)), (Status::Queued, 2), "held back");
    elapse(&mut w, 0);
    assert_eq!(w.starts(a), 3);
}

#[test]
fn the_endpoint_of_the_model_has_a_breaker_of_its_own() {
    let mut w = world(settings());
    let mut real = started(w.state.settings.limits);
    real.wire = "openai-chat".into();
    w.record(vec![Event::Run(overrule_domain::event::RunEvent::Refitted {
        started: Box::new(real),
    })]);
    // The request that is open was made before there was an endpoint.
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.asked.len(), 2);
    w.broke(StreamFaultKind::Network);
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.asked.len(), 3, "nothing is asked while it is open");
    let scope = Scope::Model("script".into());
    assert_eq!(w.state.learned.breakers[&scope].phase, Phase::Open);
    elapse(&mut w, 0);
    assert_eq!(w.asked.len(), 4);
    w.reply(&[answer("done")]);
    assert_eq!(w.state.learned.breakers[&scope].phase, Phase::Closed);
}

#[test]
fn settings_are_counted_and_checked() {
    let mut w = World::new();
    let set = |w: &mut World, key: &str| {
        let (key, value) = (key.into(), "1".into());
        w.cmd(Command::Resilience(ResilienceCommand::Configure { key, value }))
    };
    assert_eq!(kind(set(&mut w, "")), RefusalKind::Invalid);
    set(&mut w, "a").unwrap();
    assert_eq!(kind(set(&mut w, "a")), RefusalKind::NoChange);
    set(&mut w, "b").unwrap();
    let now = w.state.settings.resilience.clone().unwrap();
    assert_eq!((now.version, &*now.policy, now.live), (2, r#"{"b":1}"#, true));
}

proptest! {
    #![proptest_config(overrule_testing::cases(3))]

    #[test]
    fn nothing_passes_a_shut_breaker(numbers in prop::collection::vec(any::<u16>(), 0..400)) {
        let mut w = session_on(OpSequence::with_breakers(&numbers));
        prop_assert_eq!(apply::fold(&w.log), w.state.clone());
        fenced(&w);
        op_sequence::bring_home(&mut w);
        w.crash();
    }
}

/// Every start was let through, at most one at a time by a half-open breaker, and no breaker changed on
/// what it had let through in an earlier generation.
fn fenced(w: &World) {
    let mut state = State::default();
    for envelope in &w.log {
        match &envelope.event {
            Event::Call(CallEvent::Started { call, guards, .. }) => {
                for scope in guards {
                    let admits = state
                        .learned
                        .breakers
                        .get(scope)
                        .is_none_or(overrule_domain::breaker::Breaker::admits);
                    assert!(admits, "{call} starts although {scope} lets nothing through");
                }
            }
            Event::Resilience(ResilienceEvent::BreakerChanged {
                scope,
                generation,
                to,
                ..
            }) => {
                let before = state.learned.breakers.get(scope).map_or(0, |one| one.generation);
                assert_eq!(*generation, before + 1);
                let was = state
                    .learned
                    .breakers
                    .get(scope)
                    .map(|one| one.phase)
                    .unwrap_or_default();
                assert_ne!(was, *to, "{scope} changes to what it is");
            }
            _ => {}
        }
        apply::apply(&mut state, envelope);
    }
}

#[test]
fn a_pause_makes_no_failure_older() {
    // Nothing opens by itself: the times come in afterwards.
    let mut w = world(Settings {
        consecutive: 0,
        rate: 0,
        ..Settings::default()
    });
    w.reply(&[read("a", 1), read("b", 2), read("c", 3)]);
    let reason = String::new();
    w.run(RunCommand::Pause { reason }).unwrap();
    for label in ["a", "b"] {
        let id = w.id(label);
        w.finish_with(id, error(ErrorClass::Transient));
    }
    w.finish(w.id("c"));
    w.run(RunCommand::Resume {}).unwrap();
    w.reply(&[read("d", 4), read("e", 5)]);
    w.finish(w.id("d"));
    w.finish_with(w.id("e"), error(ErrorClass::Transient));
    let timed = |pause: i64, under_way: bool| {
        let mut log = w.log.clone();
        let mut now = 0;
        for envelope in &mut log {
            let resumes = matches!(envelope.event, Event::Run(RunEvent::Resumed { .. }));
            let ends = matches!(envelope.event, Event::Call(CallEvent::Finished { .. }));
            now += if if under_way { ends } else { resumes } {
                pause
            } else {
                10
            };
            envelope.at = now;
        }
        let state = apply::fold(&log);
        overrule_resilience::breaker::turn(&Settings::default(), &state.learned.breakers[&scope()])
    };
    let opened = timed(3_600_000, false).expect("three of five, an hour of pause between them");
    assert_eq!(opened.to, Phase::Open);
    assert!(opened.why.contains("3 of 5 failed"), "{}", opened.why);
    // Time in which they ran counts.
    assert_eq!(timed(3_600_000, true), None);
}

#[test]
fn what_an_edit_replaced_keeps_no_breaker_open() {
    let half_open = |w: &World| phase(w) == Phase::HalfOpen;
    // One of the two failures counts on: it stays open. Then none does.
    let (mut w, c) = open(settings());
    w.args(w.id("a"), r#"{"_as":"a","n":7}"#).unwrap();
    assert_eq!(phase(&w), Phase::Open, "b failed, and counts");
    assert_eq!(w.starts(c), 0);
    w.args(w.id("b"), r#"{"_as":"b","n":8}"#).unwrap();
    assert!(
        !half_open(&w) || w.state.learned.breakers[&scope()].probe.is_some(),
        "one goes through to see"
    );
    let changed = w.events().filter_map(|event| match event {
        Event::Resilience(ResilienceEvent::BreakerChanged { to, why, .. }) => Some((*to, why.clone())),
        _ => None,
    });
    let changed: Vec<_> = changed.collect();
    assert_eq!(
        changed.last().unwrap(),
        &(
            Phase::HalfOpen,
            "the executions that opened it are superseded".into()
        )
    );
    let began = ["a", "b", "c"]
        .map(|label| w.starts(w.id(label)))
        .iter()
        .sum::<usize>();
    assert_eq!(began, 3, "two before, and one to see");

    // A revision of the engine (a repair, a substitute) supersedes nothing; one of the operator does.
    let user = Origin::Operator { user: "me".into() };
    let rule = Origin::Engine {
        rule: "substitute".into(),
    };
    for (origin, superseded) in [(rule, false), (user, true)] {
        let (w, _) = open(settings());
        let mut state = w.state.clone();
        for label in ["a", "b"] {
            let revised = EditEvent::Revised {
                node: w.id(label),
                rev: Rev(2),
                content: Content::Call {
                    tool: "pure".into(),
                    args: "{}".into(),
                },
                origin: origin.clone(),
                approves: None,
            };
            try_out(&mut state, &[Event::Edit(revised)]);
        }
        assert_eq!(is_outdated(&state, &state.learned.breakers[&scope()]), superseded);
    }

    // An undo does the same, a redo of what failed opens nothing by itself.
    let mut w = world(settings());
    w.reply(&[think("one"), read("x", 1)]);
    w.drain();
    w.text(w.all(NodeKind::Thought)[0], "another").unwrap();
    w.reply(&[read("a", 11), read("b", 12)]);
    for label in ["a", "b"] {
        let id = w.id(label);
        w.finish_with(id, error(ErrorClass::Transient));
    }
    assert_eq!(phase(&w), Phase::Open);
    w.undo().unwrap();
    assert_eq!(phase(&w), Phase::HalfOpen);
    w.redo().unwrap();
    assert_eq!(phase(&w), Phase::HalfOpen);
}
