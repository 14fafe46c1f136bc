//! Tests of waits for a model: how long, how often, and what a server may ask for.
//!
//! Must not know: edits of texts.

use super::*;

/// Sets for how long a model is waited for.
fn wait_for_model(w: &mut World, wait: &str) {
    w.record(vec![Event::Resilience(ResilienceEvent::PolicySet {
        version: 1,
        policy: format!(r#"{{"model":{{"wait":"{wait}"}}}}"#).into(),
        live: true,
        changed: Vec::new(),
    })]);
}

fn scheduled(w: &World) -> Vec<u64> {
    let waits = w.events().filter_map(|event| match event {
        Event::Turn(TurnEvent::RetryScheduled { wait_ms, .. }) => Some(*wait_ms),
        _ => None,
    });
    waits.collect()
}

#[test]
fn a_model_that_is_overloaded_is_waited_for() {
    let mut w = World::new();
    let turn = w.turns()[1];
    let outlast = |w: &mut World| {
        let before = scheduled(w).len();
        while !w.open.is_empty() {
            w.broke(StreamFaultKind::Overload);
        }
        scheduled(w).split_off(before)
    };
    let waits = outlast(&mut w);
    for (no, base) in [1_000_u64, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
        .into_iter()
        .enumerate()
    {
        assert!(
            (base * 4 / 5..=base * 6 / 5).contains(&waits[no]),
            "{no}: {waits:?}"
        );
    }
    assert_eq!(waits.iter().sum::<u64>(), 600_000, "ten minutes in all");
    assert_eq!(w.asked.len(), waits.len() + 1);
    assert!(!overrule_domain::pending_retry::by_itself(
        &w.state,
        &w.state.turns[&turn]
    ));
    // What the operator asks again is waited for as long as the first time.
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    let again = outlast(&mut w);
    assert_eq!(again.iter().sum::<u64>(), 600_000);
    // An answer ends the outage.
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    w.broke(StreamFaultKind::Network);
    w.reply(&[answer("done")]);
    assert!(finished(&w));
}

#[test]
fn the_time_for_which_a_model_is_waited_for_is_a_setting() {
    for wait in ["0s", "1s", "3s"] {
        let mut w = World::new();
        wait_for_model(&mut w, wait);
        while !w.open.is_empty() {
            w.broke(StreamFaultKind::Network);
        }
        let all = scheduled(&w);
        let seconds: u64 = wait.trim_end_matches('s').parse().unwrap();
        assert_eq!(all.iter().sum::<u64>(), seconds * 1_000, "{wait}: {all:?}");
    }
}

#[test]
fn a_reply_that_is_cut_each_time_is_asked_for_five_times() {
    // A model that answers is there: for how long others are waited for does not matter.
    for wait in ["0s", "10m"] {
        let mut w = World::new();
        wait_for_model(&mut w, wait);
        while !w.open.is_empty() {
            w.broke(StreamFaultKind::Truncated);
        }
        let waits = scheduled(&w);
        assert_eq!((w.asked.len(), waits.len()), (5, 4), "{wait}: {waits:?}");
        for (wait, base) in waits.iter().zip([200_u64, 400, 800, 1_600]) {
            assert!((base * 4 / 5..=base * 6 / 5).contains(wait), "{waits:?}");
        }
        let turn = w.turns()[1];
        w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
        w.broke(StreamFaultKind::Truncated);
        assert_eq!(w.asked.len(), 7, "the operator's request begins anew");
    }
    // An outage between two cuts does not reset the count, and the cuts do not end the outage.
    let mut w = World::new();
    for _ in 0..4 {
        w.broke(StreamFaultKind::Truncated);
        w.broke(StreamFaultKind::Overload);
    }
    assert_eq!(w.open.len(), 1);
    w.broke(StreamFaultKind::Truncated);
    assert!(w.open.is_empty());
}

#[test]
fn a_server_may_ask_for_more_time_than_is_left_up_to_an_hour() {
    for (wait, asked, want) in [
        ("10m", 1, Some(1_000)),
        ("10m", 1_200_000, Some(1_200_000)),
        ("2s", 3_600_000, Some(3_600_000)),
        ("2s", 3_600_001, None),
        ("10m", 7_200_000, None),
        ("3h", 7_200_000, Some(7_200_000)),
        ("0s", 1_000, None),
    ] {
        let mut w = World::new();
        wait_for_model(&mut w, wait);
        let turn = w.breaks(StreamFaultKind::RateLimit, Some(asked));
        assert_eq!(scheduled(&w), Vec::from_iter(want), "{wait}, {asked}");
        if want.is_none_or(|ms| ms < 600_000) {
            continue;
        }
        let state = &w.state;
        let pending = overrule_domain::pending_retry::of(state, &state.turns[&turn]).unwrap();
        let now = state.turns[&turn].more.outage.unwrap().since;
        let text = pending.describe(Some(now));
        assert!(
            !text.contains(" 10 min left") && !text.contains(" 2 s left"),
            "{text}"
        );
        // After that wait the time is over.
        w.waited(turn);
        w.breaks(StreamFaultKind::RateLimit, Some(asked));
        assert_eq!(scheduled(&w).len(), 1, "{wait}");
    }
}

#[test]
fn a_passing_fault_is_tried_again_only_while_nothing_is_sealed() {
    let mut w = World::new();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.broke(StreamFaultKind::Network);
    assert_eq!(w.asked.len(), 1, "a sealed block stays and the operator chooses");
    w.drain();
    let turn = w.turns()[1];
    w.run(RunCommand::AskAgain { turn, request: None }).unwrap();
    w.stream(call("read", r#"{"_as":"a"}"#));
    w.stream(call("read", r#"{"_as":"b"}"#));
    w.end(Stop::Calls);
    w.drain();
    assert_eq!(w.runs(w.id("a")).len(), 1, "an equal block keeps its result");
}
