//! Counts what the rules ask about calls that fail together: in proportion to the number of calls.
//!
//! Must not know: how long anything takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ladder::error;
use super::world::*;
use overrule_domain::call::{ErrorClass, Gate};
use overrule_domain::ladder::Next;

/// How often it is asked what follows a failure, and how many events there are, for a reply with calls that all fail.
fn failing(count: usize, gate: Gate) -> (usize, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let mut w = World::with(Rules {
        gates: [("read".to_owned(), gate)].into(),
        steps: Arc::new(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Next::Leave { why: "no".into() }
        }),
        ..Rules::default()
    });
    // The checks of the world itself are not counted.
    w.every = 1_000;
    let calls: Vec<_> = (0..count)
        .map(|no| call("read", &format!(r#"{{"_as":"a{no}","n":{no}}}"#)))
        .collect();
    w.reply(&calls);
    for no in 0..count {
        let id = w.id(&format!("a{no}"));
        if gate == Gate::Allow {
            w.finish_with(id, error(ErrorClass::NotFound, true));
        }
    }
    (asked.load(Ordering::Relaxed), w.log.len())
}

#[test]
fn twice_as_many_failing_calls_are_asked_about_twice_as_often() {
    for gate in [Gate::Allow, Gate::Deny] {
        let (asked, events) = failing(40, gate);
        let (asked_twice, events_twice) = failing(80, gate);
        assert!(asked_twice <= 2 * asked, "{gate:?}: {asked} {asked_twice}");
        assert!(events_twice <= 2 * events, "{gate:?}: {events} {events_twice}");
        assert_eq!(asked > 0, gate == Gate::Allow);
    }
}
