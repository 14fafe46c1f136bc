//! Tests automatic retries of a request: what the screen shows meanwhile and does not ask.
//!
//! Must not know: when a request is retried.

use super::arming::ARGS;
use crate::kernel::msg::Out;
use crate::run::run_phase::RunPhase;
use crate::testing::Stage;
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::event::{Event, ResilienceEvent, RunEvent, TurnEvent};
use overrule_domain::id::TurnId;
use overrule_domain::turn::{StreamFault, StreamFaultKind, Usage};

const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (160, 50)];

/// A run whose request waits for a retry: the server asked for this delay in milliseconds.
fn held(width: u16, height: u16, wait_ms: u64) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.begin();
    stage.clock = i64::try_from(stage.now).unwrap();
    stage.broken_by(StreamFaultKind::RateLimit, "HTTP 429", Some(wait_ms));
    stage.retry_scheduled(2, 1, wait_ms);
    stage.draw();
    stage
}

fn alerts(stage: &Stage) -> Vec<&Out> {
    let alert = |out: &&Out| matches!(out, Out::Alert(_));
    stage.out.iter().filter(alert).collect()
}

#[test]
fn a_held_request_is_counted_down_and_asks_nobody() {
    for (width, height) in SIZES {
        let mut stage = held(width, height, 24_000);
        let text = stage.flat();
        assert!(text.contains("turn 2 is asked again in 24 s (rate li"), "{text}");
        assert!(text.contains("retrying"), "{text}");
        assert!(!text.contains("waiting for you"), "{text}");
        assert_eq!(stage.model.waiting(), 0);
        assert_eq!(alerts(&stage), [] as [&Out; 0], "a passing fault sends no alert");
        let soon = stage.now + 1000;
        assert!(
            stage.model.wake_at().is_some_and(|at| at <= soon),
            "it is woken to count"
        );
        stage.wait(10_000);
        let text = stage.flat();
        assert!(text.contains("turn 2 is asked again in 14 s"), "{text}");
        stage.wait(14_000);
        assert_eq!(stage.model.run.state.tally.requests, 1, "nothing was sent so far");
        stage.clock = i64::try_from(stage.now).unwrap();
        stage.turn(TurnEvent::RetryDue { turn: TurnId(2) });
        stage.request(2, 2);
        let text = stage.flat();
        assert!(
            !text.contains("asked again"),
            "the retry is over and no longer shown: {text}"
        );
        let soon = stage.now + 1000;
        assert!(
            stage.model.wake_at().is_none_or(|at| at > soon),
            "nothing is left to count"
        );
    }
}

#[test]
fn a_wait_that_nobody_would_notice_moves_nothing() {
    let mut stage = held(80, 24, 400);
    let text = stage.flat();
    assert!(!text.contains("asked again"), "{text}");
    assert_eq!((stage.model.queue.waiting(), stage.model.waiting()), (0, 0));
    assert_eq!(stage.model.run.phase(false), RunPhase::Working);
}

#[test]
fn what_comes_of_it_ends_the_wait() {
    let mut stage = held(80, 24, 24_000);
    stage.request(2, 2);
    stage.thought("t4", "here I am");
    let text = stage.flat();
    assert!(!text.contains("asked again"), "{text}");
    assert_eq!(stage.model.run.phase(false), RunPhase::Working);
}

#[test]
fn a_call_that_waits_beside_it_is_what_the_run_waits_for() {
    let mut stage = Stage::asked(80, 24, ARGS);
    stage.close();
    stage.clock = i64::try_from(stage.now).unwrap();
    stage.request(3, 1);
    stage.turn(TurnEvent::Broken {
        turn: TurnId(3),
        fault: StreamFault {
            kind: StreamFaultKind::RateLimit,
            message: "HTTP 429".into(),
            retry_after_ms: Some(24_000),
        },
        usage: Usage::default(),
    });
    stage.retry_scheduled(3, 1, 24_000);
    let text = stage.flat();
    assert!(text.contains("turn 3 is asked again after turn 2"), "{text}");
    assert!(text.contains("◎ 1 to decide"), "{text}");
    assert!(!text.contains("waiting"), "{text}");
    assert_eq!(stage.model.run.phase(false), RunPhase::Waiting);
}

/// A run whose stream broke while its endpoint's breaker stays open for this many milliseconds.
fn shut(width: u16, height: u16, wait_ms: u64) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.begin();
    let mut started = stage.model.run.state.started.as_deref().cloned().unwrap();
    started.wire = "openai-chat".into();
    started.model = "m".into();
    stage.engine(Event::Run(RunEvent::Refitted {
        started: Box::new(started),
    }));
    stage.clock = i64::try_from(stage.now).unwrap();
    stage.broken_by(StreamFaultKind::Server, "HTTP 503", None);
    stage.engine(Event::Resilience(ResilienceEvent::BreakerChanged {
        scope: Scope::Model("m".into()),
        generation: 1,
        to: Phase::Open,
        wait_ms,
        why: "5 failures in a row".into(),
        instead: Vec::new(),
    }));
    stage.draw();
    stage
}

#[test]
fn a_shut_endpoint_is_named_and_can_still_be_decided() {
    for (width, height) in SIZES {
        let mut stage = shut(width, height, 30_000);
        let text = stage.flat();
        assert!(text.contains("turn 2 is asked again in 30 s"), "{text}");
        assert!(text.contains("retrying"), "{text}");
        assert!(
            !text.contains("waiting for you") && !text.contains("◎ 1 to decide"),
            "{text}"
        );
        assert_eq!((stage.model.waiting(), stage.model.queue.waiting()), (0, 1));
        assert_eq!(alerts(&stage), [] as [&Out; 0]);
        // The operator can retry without waiting.
        stage.press("t");
        stage.wait(1_000);
        stage.press("enter");
        let text = stage.flat();
        assert!(text.contains("ask again"), "{text}");
    }
    let mut stage = shut(160, 50, 30_000);
    let text = stage.flat();
    assert!(
        text.contains("(server error, 10 min left): breaker open, model:m"),
        "{text}"
    );
    assert!(!text.contains("its stream broke"), "{text}");
}

#[test]
fn what_is_left_to_the_operator_calls_for_them() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.broken();
    let text = stage.flat();
    assert!(text.contains("turn 2 broke (unreadable answer)"), "{text}");
    assert!(text.contains("◎ 1 to decide"), "{text}");
    assert!(
        !text.contains("asked again") && !text.contains("retrying"),
        "{text}"
    );
    assert_eq!(alerts(&stage), [&Out::Alert("1 to decide".into())]);
}

#[test]
fn the_page_on_why_the_run_waits_names_it() {
    let mut stage = held(80, 24, 24_000);
    stage.press("W");
    let text = stage.flat();
    assert!(text.contains("The run does not need you now."), "{text}");
    assert!(
        text.contains("turn 2 is asked again after 24 s (rate limit)"),
        "{text}"
    );
}

#[test]
fn a_retry_suspended_by_an_edit_does_not_resume_by_itself() {
    let mut stage = Stage::new(80, 24);
    stage.begin();
    stage.press("g g e");
    stage.carry_out();
    assert!(
        !stage.model.run.state.operator.editing.is_empty(),
        "{}",
        stage.text()
    );
    stage.broken_by(StreamFaultKind::Server, "HTTP 503", None);
    assert_eq!(
        stage.model.run.phase(false),
        RunPhase::HeldByEdit,
        "{}",
        stage.text()
    );
    assert!(!stage.text().contains("retrying"), "{}", stage.text());
    // Without the edit the request is retried immediately.
    stage.press("esc");
    stage.carry_out();
    assert!(
        stage.model.run.state.operator.editing.is_empty(),
        "{}",
        stage.text()
    );
    assert_ne!(stage.model.run.phase(false), RunPhase::HeldByEdit);
}
