//! Tests when breakers change.
//!
//! Must not know: engine, state.

use serde_json::json;

use super::*;
use overrule_domain::breaker::{Sample, Source};
use overrule_domain::id::TurnId;

fn breaker(phase: Phase, runs: &[(i64, bool)]) -> Breaker {
    Breaker {
        phase,
        recent: runs
            .iter()
            .map(|(at, failed)| Sample {
                at: *at,
                failed: *failed,
                of: Source::Request(TurnId(1), 1),
            })
            .collect(),
        ..Breaker::default()
    }
}

fn to(phase: Phase, runs: &[(i64, bool)]) -> Option<(Phase, u64)> {
    turn(&Settings::default(), &breaker(phase, runs)).map(|turn| (turn.to, turn.wait_ms))
}

#[test]
fn five_failures_in_a_row_open_it() {
    let runs = |n: i64| (0..n).map(|at| (at * 100_000, true)).collect::<Vec<_>>();
    assert_eq!(to(Phase::Closed, &runs(4)), None);
    assert_eq!(to(Phase::Closed, &runs(5)), Some((Phase::Open, 30_000)));
    let mut broken = runs(4);
    broken.extend([(900_000, false), (1_000_000, true)]);
    assert_eq!(to(Phase::Closed, &broken), None, "a success ends the row");
}

#[test]
fn a_rate_needs_enough_executions_within_the_window() {
    let runs = [(0, true), (1, false), (2, true), (3, false), (4, true)];
    assert_eq!(to(Phase::Closed, &runs), Some((Phase::Open, 30_000)), "3 of 5");
    assert_eq!(to(Phase::Closed, &runs[2..]), None, "2 of 3 are too few to tell");
    let spread: Vec<(i64, bool)> = runs.iter().map(|(at, failed)| (at * 30_000, *failed)).collect();
    assert_eq!(to(Phase::Closed, &spread), None, "those of long ago do not count");
    let few = [(0, false), (1, false), (2, true), (3, false), (4, true)];
    assert_eq!(to(Phase::Closed, &few), None, "2 of 5");
}

#[test]
fn what_is_let_through_to_see_decides() {
    assert_eq!(to(Phase::HalfOpen, &[]), None);
    assert_eq!(to(Phase::HalfOpen, &[(1, false)]), Some((Phase::Closed, 0)));
    assert_eq!(to(Phase::HalfOpen, &[(1, true)]), Some((Phase::Open, 10_000)));
    assert_eq!(to(Phase::Open, &[(1, false)]), None, "only time opens the way");
}

#[test]
fn breakers_can_be_switched_off() {
    let never = Settings {
        consecutive: 0,
        rate: 0,
        ..Settings::default()
    };
    let runs: Vec<(i64, bool)> = (0..64).map(|at| (at, true)).collect();
    assert_eq!(turn(&never, &breaker(Phase::Closed, &runs)), None);
}

#[test]
fn a_call_passes_the_breaker_of_the_server_that_it_names() {
    let of = |url: &str| guards("http_request", EffectClass::Read, || json!({ "url": url }));
    let server = |name: &str| vec![Scope::Server(name.into())];
    assert_eq!(of("http://A.example/x?y"), server("a.example:80"));
    assert_eq!(of("https://a.example"), server("a.example:443"));
    assert_eq!(of("http://u:p@127.0.0.1:8080/"), server("127.0.0.1:8080"));
    assert_eq!(of("http://[::1]:9/"), server("[::1]:9"));
    assert_eq!(of("http://[::1]/"), server("[::1]:80"));
    assert_eq!(of("nonsense"), vec![Scope::Tool("http_request".into())]);
    assert_eq!(
        guards("book_flight", EffectClass::Write, || json!({})),
        vec![Scope::Tool("book_flight".into())]
    );
    assert!(guards("read_file", EffectClass::Read, || json!({"path": "a"})).is_empty());
    assert!(guards("sum", EffectClass::Pure, || json!({})).is_empty());
}
