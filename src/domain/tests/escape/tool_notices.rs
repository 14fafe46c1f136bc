//! Tests of notices to the model about failing tools, and of what is known of outputs.
//!
//! Must not know: how a loop is detected.

use super::*;

#[test]
fn a_tool_failing_for_any_arguments_is_reported_once_and_is_no_loop() {
    let mut w = world();
    let message = |w: &World| {
        let turns = w.state.turns.values();
        turns
            .flat_map(|turn| &turn.more.notices)
            .filter(|message| message.contains("the same error"))
            .count()
    };
    for n in 1..=2 {
        turn(&mut w, "read", &format!(r#"{{"n":-{n}}}"#));
    }
    assert_eq!(message(&w), 0);
    for n in 3..=9 {
        turn(&mut w, "read", &format!(r#"{{"n":-{n}}}"#));
        assert_eq!(message(&w), 1, "after {n}");
    }
    assert!(
        w.all(NodeKind::Call).iter().all(|id| w.starts(*id) == 1),
        "nothing is refused"
    );
    assert!(w.state.learned.escape.incidents.is_empty());
    assert_eq!(w.state.mode, Mode::Running);
    assert_eq!(apply::fold(&w.log), w.state);
}

#[test]
fn digests_are_recorded_and_recomputed_only_where_there_is_none() {
    let mut w = world();
    times(&mut w, 2, "read", r#"{"n":5}"#);
    let digests: Vec<_> = w
        .state
        .calls
        .values()
        .filter_map(|call| call.last_attempt()?.digest)
        .collect();
    assert!(digests.len() == 2 && digests[0] == digests[1], "{digests:?}");
    // A journal of an older program has none: the same is found.
    let mut old = w.log.clone();
    for envelope in &mut old {
        if let Event::Call(overrule_domain::event::CallEvent::Finished { digest, .. }) = &mut envelope.event {
            *digest = None;
        }
    }
    let state = apply::fold(&old);
    assert!(
        state
            .calls
            .values()
            .all(|call| call.attempts.iter().all(|one| one.digest.is_none()))
    );
    let mut watch = overrule_resilience::loops::Watch::new(Config::default());
    let looked = watch.look(&state, ThreadId(0));
    assert_eq!(
        looked,
        overrule_resilience::loops::Watch::new(Config::default()).look(&w.state, ThreadId(0))
    );
    assert!(!looked.is_empty(), "two copies are a warning");
}
