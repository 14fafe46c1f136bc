//! Requests that are made again by themselves: what they wait for, and which are left to the operator. Must not know:
//! how it is shown.

use super::world::*;
use crate::domain::again::{self, Again, Until};
use crate::domain::breaker::{Phase, Scope};
use crate::domain::command::RunCommand;
use crate::domain::event::{Event, RunEvent};
use crate::domain::id::TurnId;
use crate::domain::input::Input;
use crate::domain::ladder;
use crate::domain::turn::{Stream, StreamFault, StreamFaultKind, Usage};
use crate::resilience::breaker::Settings;

/// The open stream breaks; the server asks to wait so many milliseconds.
fn limited(w: &mut World, retry_after_ms: u64) {
    let (turn, request) = w.open.pop().expect("a stream is open");
    w.input(Input::Broke {
        turn,
        request,
        fault: StreamFault {
            kind: StreamFaultKind::RateLimit,
            message: "HTTP 429".into(),
            retry_after_ms: Some(retry_after_ms),
        },
        usage: Usage::default(),
    });
}

fn waits(w: &World) -> Vec<Again<'_>> {
    again::all(&w.state).collect()
}

#[test]
fn a_request_is_held_for_as_long_as_the_server_asked() {
    let mut w = World::new();
    assert_eq!(waits(&w), [], "a first request waits for nothing");
    limited(&mut w, 24_000);
    assert_eq!(
        w.asked.len(),
        2,
        "it is recorded, and sent once its time has come"
    );
    let all = waits(&w);
    let [one] = &all[..] else { panic!("{all:?}") };
    assert!(matches!(one.until, Until::Time(_)));
    assert_eq!(
        (one.left(0), one.left(23_999), one.left(24_000)),
        (Some(24_000), Some(1), Some(0))
    );
    let words = |now| one.words(now);
    assert_eq!(
        words(Some(0)),
        "turn 2 is asked again in 24 s (rate limit, 1 of 4)"
    );
    assert_eq!(
        words(Some(99_000)),
        "turn 2 is asked again now (rate limit, 1 of 4)"
    );
    assert_eq!(
        words(None),
        "turn 2 is asked again after 24 s (rate limit, 1 of 4)"
    );
    assert!(one.is_long(24_000) && !one.is_long(24_001));
    assert!(ladder::counts_down(&w.state, 0) && !ladder::counts_down(&w.state, 24_000));
    // What comes of it ends the wait.
    w.stream(think("here I am"));
    assert_eq!(waits(&w), []);
    assert!(!ladder::counts_down(&w.state, 0));
}

#[test]
fn the_second_wait_counts_anew_and_a_whole_answer_leaves_none() {
    let mut w = World::new();
    limited(&mut w, 5_000);
    limited(&mut w, 7_000);
    let words: Vec<String> = waits(&w).iter().map(|one| one.words(Some(0))).collect();
    assert_eq!(words, ["turn 2 is asked again in 7 s (rate limit, 2 of 4)"]);
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
        assert!(!again::by_itself(&w.state, turn), "{kind:?}");
        assert_eq!(waits(&w), [], "{kind:?}");
        assert_eq!(w.asked.len(), 1, "{kind:?}");
    }
    // A server that asks for more patience than there is.
    let mut w = World::new();
    limited(&mut w, 3_600_000);
    assert!(!again::by_itself(&w.state, &w.state.turns[&TurnId(2)]));
    assert_eq!((waits(&w).len(), w.asked.len()), (0, 1));
}

#[test]
fn a_paused_run_asks_again_once_it_goes_on() {
    let mut w = World::new();
    let reason = String::new();
    w.run(RunCommand::Pause { reason }).unwrap();
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.asked.len(), 1, "nothing is asked while the run is paused");
    let words: Vec<String> = waits(&w).iter().map(|one| one.words(Some(0))).collect();
    assert_eq!(
        words,
        ["turn 2 is asked again when the run goes on (network error)"]
    );
    assert!(!ladder::counts_down(&w.state, 0), "nobody knows when");
    w.run(RunCommand::Resume {}).unwrap();
    assert_eq!(w.asked.len(), 2);
    assert!(matches!(waits(&w)[0].until, Until::Time(_)));
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
    let mut real = started(w.state.limits);
    real.wire = "openai-chat".into();
    w.record(vec![Event::Run(RunEvent::Refitted {
        started: Box::new(real),
    })]);
    // The first was made before there was an endpoint.
    for _ in 0..3 {
        w.broke(StreamFaultKind::Network);
    }
    let scope = Scope::Model("script".into());
    let breaker = &w.state.breakers[&scope];
    assert_eq!((breaker.phase, w.asked.len()), (Phase::Open, 3));
    let all = waits(&w);
    let [one] = &all[..] else { panic!("{all:?}") };
    let left = u64::try_from(breaker.until).unwrap();
    assert_eq!(one.left(0), Some(left));
    assert_eq!(
        one.words(Some(0)),
        format!(
            "turn 2 is asked again in {} (network error): breaker open, model:script",
            ladder::span(left)
        )
    );
    assert!(ladder::counts_down(&w.state, 0));
}

#[test]
fn a_program_that_died_says_nothing_of_the_endpoint() {
    let mut w = World::new();
    w.crash();
    assert_eq!(waits(&w), [], "what was cut off is asked again at once");
}
