//! Tests of calls that wait for something: the model gets a notice, and only ten equal results are a loop.
//!
//! Must not know: how a loop is detected.

use super::*;
use overrule_domain::input::Input;
use overrule_resilience::loops::Ladder;

/// One turn with one call that takes so long.
fn long_turn(w: &mut World, args: &str, ms: u64) {
    w.reply(&[call("read", args)]);
    while let Some(one) = w.running.first().cloned() {
        w.running.remove(0);
        let outcome = (w.rules.results)(&one.tool, &one.args);
        w.input(Input::Finished {
            call: one.call,
            rev: one.rev,
            attempt: one.attempt,
            outcome,
            ms,
            files: None,
        });
    }
}

fn warned(w: &World) -> usize {
    let warned = |event: &&Event| matches!(event, Event::Escape(EscapeEvent::Warned { .. }));
    w.events().filter(warned).count()
}

/// Ten turns: nothing before the third, a notice with the request after it, a loop with the tenth.
fn is_told_and_tolerated(w: &mut World, once: impl Fn(&mut World)) {
    for n in 1..=9 {
        once(w);
        assert_eq!(warned(w), usize::from(n >= 3), "after {n}");
        assert_eq!(
            w.last_request().contains("wait longer before you look again"),
            n == 3,
            "after {n}: {}",
            w.last_request()
        );
        assert!(w.state.learned.escape.incidents.is_empty(), "after {n}");
    }
    let calls = w.all(NodeKind::Call);
    assert!(calls.iter().all(|id| w.starts(*id) == 1), "every call ran");
    once(w);
    assert_eq!(
        w.state.learned.escape.incidents.len(),
        1,
        "ten equal results are a loop"
    );
    assert_eq!(w.starts(newest(w)), 1, "the tenth ran, too");
}

#[test]
fn what_is_marked_as_waiting_is_a_loop_only_after_ten_equal_results() {
    let mut w = world();
    w.tag("read", "waits");
    is_told_and_tolerated(&mut w, |w| turn(w, "read", r#"{"n":5}"#));
}

#[test]
fn so_is_what_took_longer_than_two_seconds() {
    let mut w = world();
    is_told_and_tolerated(&mut w, |w| long_turn(w, r#"{"n":5}"#, 2_001));
}

#[test]
fn what_is_quick_or_fails_is_a_loop_as_usual() {
    for (ms, args) in [(2_000, r#"{"n":5}"#), (60_000, r#"{"n":-1}"#)] {
        let mut w = world();
        for _ in 0..3 {
            long_turn(&mut w, args, ms);
        }
        assert_eq!(w.state.learned.escape.incidents.len(), 1, "{ms} {args}");
    }
}

#[test]
fn of_equal_calls_the_newest_tells_whether_they_wait() {
    let mut w = world();
    long_turn(&mut w, r#"{"n":5}"#, 60_000);
    for _ in 0..2 {
        long_turn(&mut w, r#"{"n":5}"#, 10);
    }
    assert_eq!(
        w.state.learned.escape.incidents.len(),
        1,
        "only the first one was slow"
    );
}

#[test]
fn another_result_begins_the_count_again() {
    let mut w = world();
    w.tag("read", "waits");
    for n in [5, 6, 7] {
        times(&mut w, 8, "read", &format!(r#"{{"n":{n}}}"#));
    }
    assert!(w.state.learned.escape.incidents.is_empty());
}

#[test]
fn of_calls_that_repeat_together_only_those_that_do_not_wait_are_refused() {
    let mut w = world();
    w.tag("read", "waits");
    for _ in 0..5 {
        w.reply(&[call("read", r#"{"n":5}"#), call("pure", r#"{"n":6}"#)]);
        w.drain();
    }
    let of = |tool: &str| -> Vec<NodeId> {
        let calls = w.state.calls.keys().copied();
        calls
            .filter(|id| w.state.nodes[id].as_call().is_some_and(|(own, _)| **own == *tool))
            .collect()
    };
    assert!(
        of("read").iter().all(|id| w.starts(*id) == 1),
        "awaiting calls ran each time"
    );
    let starts: Vec<usize> = of("pure").iter().map(|id| w.starts(*id)).collect();
    assert_eq!(
        starts,
        [1, 1, 1, 1, 0],
        "the other call is refused after the model was told"
    );
}

#[test]
fn an_agent_that_nobody_watches_is_refused_as_often_as_it_repeats_and_goes_on() {
    let config = Config {
        ladder: Ladder::REFUSE,
        ..Config::default()
    };
    config.check().unwrap();
    let mut w = World::with(rules(config));
    let mut ran = 0;
    for n in 0..30 {
        turn(&mut w, "read", r#"{"n":5}"#);
        assert!(
            matches!(w.state.mode, Mode::Running),
            "after {n}: {:?}",
            w.state.mode
        );
        ran += w.starts(newest(&w));
    }
    assert!(ran <= 4, "{ran} of 30 equal calls ran");
    assert!(steps(&w).iter().all(|(kind, _)| *kind == LoopStep::Refuse));
    // With other arguments it continues.
    turn(&mut w, "read", r#"{"n":9}"#);
    assert_eq!(w.starts(newest(&w)), 1);
}
