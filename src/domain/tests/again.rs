//! Tests of requests that are retried: their waits, and the ones left to the operator.
//!
//! Must not know: how a retry is shown.

use super::world::*;
use overrule_domain::breaker::{Phase, Scope};
use overrule_domain::command::RunCommand;
use overrule_domain::event::run::Limits;
use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::{NodeKind, TurnId};
use overrule_domain::ladder::{self, Timer};
use overrule_domain::pending_retry::{self, PendingRetry, Until};
use overrule_domain::refusal::RefusalKind;
use overrule_domain::state::Mode;
use overrule_domain::turn::{Stream, StreamFaultKind};
use overrule_resilience::breaker::Settings;

/// Breaks the open stream; the server asks for a wait of `retry_after_ms`.
fn limited(w: &mut World, retry_after_ms: u64) {
    w.breaks(StreamFaultKind::RateLimit, Some(retry_after_ms));
}

fn waits(w: &World) -> Vec<PendingRetry<'_>> {
    pending_retry::all(&w.state).collect()
}

#[test]
fn a_request_is_held_for_as_long_as_the_server_asked() {
    let mut w = World::new();
    assert_eq!(waits(&w), [], "a first request waits for nothing");
    limited(&mut w, 24_000);
    let requests = w.state.tally.requests;
    assert_eq!(
        (w.asked.len(), requests),
        (1, 1),
        "nothing is sent or counted before its time"
    );
    let all = waits(&w);
    let [one] = &all[..] else { panic!("{all:?}") };
    assert!(matches!(one.until, Until::Time(_)));
    assert_eq!(
        (one.left(0), one.left(23_999), one.left(24_000)),
        (Some(24_000), Some(1), Some(0))
    );
    let words = |now| one.describe(now);
    assert_eq!(
        words(Some(0)),
        "turn 2 is asked again in 24 s (rate limit, 10 min left)"
    );
    assert_eq!(
        words(Some(99_000)),
        "turn 2 is asked again now (rate limit, 9 min left)"
    );
    assert_eq!(words(None), "turn 2 is asked again after 24 s (rate limit)");
    assert!(one.is_long(24_000) && !one.is_long(24_001));
    assert!(ladder::counts_down(&w.state, 0) && !ladder::counts_down(&w.state, 24_000));
    // The request ends the wait.
    w.waited(TurnId(2));
    assert_eq!((w.asked.len(), w.state.tally.requests), (2, 2));
    assert_eq!(waits(&w), []);
    assert!(!ladder::counts_down(&w.state, 0));
}

#[test]
fn the_second_delay_restarts_its_count_and_a_complete_answer_clears_it() {
    let mut w = World::new();
    limited(&mut w, 5_000);
    w.waited(TurnId(2));
    limited(&mut w, 7_000);
    let words: Vec<String> = waits(&w).iter().map(|one| one.describe(Some(0))).collect();
    assert_eq!(words, ["turn 2 is asked again in 7 s (rate limit, 10 min left)"]);
    w.elapsed_of_old(&Timer::Request { turn: TurnId(2) });
    assert_eq!(
        w.asked.len(),
        2,
        "the report of the first wait says nothing of the second"
    );
    w.waited(TurnId(2));
    w.reply(&[answer("done")]);
    assert_eq!(waits(&w), []);
}

#[test]
fn what_is_left_to_the_operator_is_asked_again_by_nobody() {
    for kind in [
        StreamFaultKind::Garbage,
        StreamFaultKind::Auth,
        StreamFaultKind::Length,
    ] {
        let mut w = World::new();
        w.broke(kind);
        let turn = &w.state.turns[&TurnId(2)];
        assert!(matches!(turn.stream, Stream::Broken(_)), "{kind:?}");
        assert!(!pending_retry::by_itself(&w.state, turn), "{kind:?}");
        assert_eq!(waits(&w), [], "{kind:?}");
        assert_eq!(w.asked.len(), 1, "{kind:?}");
    }
    // A server that asks for more patience than there is.
    let mut w = World::new();
    limited(&mut w, 3_600_001);
    assert!(!pending_retry::by_itself(&w.state, &w.state.turns[&TurnId(2)]));
    assert_eq!((waits(&w).len(), w.asked.len()), (0, 1));
}

#[test]
fn a_paused_run_retries_once_it_resumes() {
    let mut w = World::new();
    let reason = String::new();
    w.run(RunCommand::Pause { reason }).unwrap();
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.asked.len(), 1, "nothing is asked while the run is paused");
    let words: Vec<String> = waits(&w).iter().map(|one| one.describe(Some(0))).collect();
    assert_eq!(
        words,
        ["turn 2 is asked again when the run resumes (network error)"]
    );
    assert!(!ladder::counts_down(&w.state, 0), "the time is not known");
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.asked.len(), 2, "its time had passed meanwhile");
}

#[test]
fn a_shut_endpoint_is_waited_for_and_named() {
    let mut w = World::with(Rules {
        breakers: Some(Settings {
            consecutive: 2,
            ..Settings::default()
        }),
        ..Rules::default()
    });
    let mut real = started(w.state.settings.limits);
    real.wire = "openai-chat".into();
    w.record(vec![Event::Run(RunEvent::Refitted {
        started: Box::new(real),
    })]);
    // The first was made before there was an endpoint.
    for _ in 0..3 {
        w.broke(StreamFaultKind::Network);
    }
    let scope = Scope::Model("script".into());
    let breaker = &w.state.learned.breakers[&scope];
    assert_eq!((breaker.phase, w.asked.len()), (Phase::Open, 3));
    let all = waits(&w);
    let [one] = &all[..] else { panic!("{all:?}") };
    let left = u64::try_from(breaker.until).unwrap();
    assert_eq!(one.left(0), Some(left));
    assert_eq!(
        one.describe(Some(0)),
        format!(
            "turn 2 is asked again in {} (network error, 10 min left): breaker open, model:script",
            ladder::span(left)
        )
    );
    assert!(ladder::counts_down(&w.state, 0));
}

#[test]
fn a_crash_of_the_program_does_not_count_against_the_endpoint() {
    let mut w = World::new();
    w.crash();
    assert_eq!(waits(&w), [], "an interrupted request is sent again immediately");
}

#[test]
fn a_pause_within_the_wait_lets_nothing_be_sent_when_it_ends() {
    let mut w = World::new();
    limited(&mut w, 15_000);
    let reason = String::new();
    w.run(RunCommand::Pause { reason }).unwrap();
    let words = waits(&w)[0].describe(Some(0));
    assert_eq!(words, "turn 2 is asked again when the run resumes (rate limit)");
    w.waited(TurnId(2));
    assert_eq!(
        (w.asked.len(), w.state.tally.requests),
        (1, 1),
        "the run is paused"
    );
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!((w.asked.len(), w.state.tally.requests), (2, 2));
    // A run that is resumed before the end of the wait still waits for it.
    let mut w = World::new();
    limited(&mut w, 15_000);
    let reason = String::new();
    w.run(RunCommand::Pause { reason }).unwrap();
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.asked.len(), 1);
    assert_eq!(waits(&w)[0].left(5_000), Some(10_000));
    w.waited(TurnId(2));
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn a_limit_that_is_reached_within_the_wait_lets_nothing_be_sent() {
    let mut w = World::new();
    limited(&mut w, 15_000);
    w.record(vec![Event::Run(RunEvent::LimitReached {
        which: "time".into(),
        message: "5 s of working time, 5 s allowed".into(),
    })]);
    w.waited(TurnId(2));
    assert_eq!((w.asked.len(), w.state.tally.requests), (1, 1));
}

#[test]
fn a_request_that_was_never_sent_uses_up_no_limit() {
    let mut w = World::limited(
        Rules::default(),
        Limits {
            turns: Some(2),
            ..Limits::default()
        },
    );
    limited(&mut w, 15_000);
    w.crash();
    w.crash();
    assert_eq!(w.state.tally.requests, 1);
    assert!(w.state.tally.limit_reached.is_none());
    w.waited(TurnId(2));
    assert_eq!((w.asked.len(), w.state.tally.requests), (2, 2));
    w.reply(&[answer("done")]);
}

#[test]
fn resuming_after_a_crash_waits_for_the_remaining_time() {
    let mut w = World::new();
    limited(&mut w, 20_000);
    w.crash();
    assert_eq!(w.asked.len(), 1, "what the server asked for still counts");
    let timer = Timer::Request { turn: TurnId(2) };
    let left = w.timers.iter().find(|(one, _)| *one == timer).map(|(_, ms)| *ms);
    assert!(left.is_some_and(|ms| (1..=20_000).contains(&ms)), "{left:?}");
    w.waited(TurnId(2));
    assert_eq!(w.asked.len(), 2);
}

#[test]
fn the_operator_may_ask_at_once_and_the_wait_is_over_then() {
    let mut w = World::new();
    limited(&mut w, 20_000);
    let (turn, request) = (TurnId(2), Some(1));
    w.run(RunCommand::AskAgain { turn, request }).unwrap();
    assert_eq!((w.asked.len(), waits(&w).len()), (2, 0));
    w.waited(turn);
    assert_eq!(w.asked.len(), 2, "once");
}

#[test]
fn a_turn_that_falls_within_the_wait_is_never_asked() {
    let mut w = World::new();
    limited(&mut w, 20_000);
    let prompt = w.all(NodeKind::Prompt)[0];
    w.text(prompt, "something else").unwrap();
    let asked = w.asked.len();
    w.waited(TurnId(2));
    assert_eq!(w.asked.len(), asked);
    assert!(!w.state.turns[&TurnId(2)].is_active());
}

#[test]
fn guidance_within_the_wait_is_part_of_the_request_that_follows() {
    let mut w = World::new();
    limited(&mut w, 20_000);
    w.guide("never use the shell").unwrap();
    assert_eq!(w.asked.len(), 1, "the server is still left alone");
    assert!(w.state.turns[&TurnId(2)].is_active(), "the turn is the same");
    w.waited(TurnId(2));
    assert_eq!(w.asked.len(), 2);
    assert!(
        w.last_request().contains("never use the shell"),
        "{}",
        w.last_request()
    );
    w.reply(&[answer("done")]);
    assert_eq!(w.asked.len(), 2, "it is asked once");
    assert!(matches!(w.state.mode, Mode::Finished(_)));
    // It counts among the turns before the one that was asked with it.
    let order: Vec<TurnId> = w.turns();
    assert_eq!(order, [TurnId(1), TurnId(3), TurnId(2)]);
    // The undo supersedes that reply too: the turn is broken again and waits as before.
    w.undo().unwrap();
    assert_eq!((w.asked.len(), waits(&w).len()), (2, 1));
    w.waited(TurnId(2));
    assert_eq!(w.asked.len(), 3);
    assert!(!w.last_request().contains("never use the shell"));
}

#[test]
fn who_stops_the_turn_within_the_wait_is_not_asked_for() {
    let mut w = World::new();
    limited(&mut w, 20_000);
    w.run(RunCommand::StopTurn {}).unwrap();
    assert!(matches!(w.state.turns[&TurnId(2)].stream, Stream::Aborted(_)));
    assert!(matches!(w.state.mode, Mode::Paused(_)));
    w.waited(TurnId(2));
    assert_eq!((w.asked.len(), waits(&w).len()), (1, 0));
    assert_eq!(kind(w.run(RunCommand::StopTurn {})), RefusalKind::Status);
}
