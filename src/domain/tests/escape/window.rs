//! Tests of the window of turns that are examined, by number and by time.
//!
//! Must not know: how a loop is detected.

use super::*;

/// One call with one result in every fifth turn, with other calls in between.
fn visits(config: Config) -> World {
    let mut w = World::with(rules(config));
    for n in 0..15 {
        let args = if n % 5 == 0 { 0 } else { n };
        turn(&mut w, "read", &format!(r#"{{"n":{args}}}"#));
    }
    w
}

#[test]
fn turns_of_the_time_window_are_examined_though_they_are_more_than_the_window_holds() {
    let config = Config {
        window: 6,
        visits: 3,
        ..Config::default()
    };
    let w = visits(config.clone());
    assert_eq!(incident(&w).finding.detector, Detector::Visits);
    let w = visits(Config {
        time_window_s: 0,
        ..config
    });
    assert!(w.state.learned.escape.incidents.is_empty());
}
