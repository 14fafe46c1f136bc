//! Tests of the metrics of sessions.
//!
//! Must not know: how they are printed.

use super::*;

fn counts(times: &[u64], failed: u64) -> ToolCounts {
    let succeeded = times.len() as u64 - failed;
    ToolCounts {
        calls: 2,
        succeeded,
        failed: BTreeMap::from([(ErrorClass::NotFound, failed)]),
        retries: 1,
        alerts: 0,
        choices: (1, 2),
        times: times.to_vec(),
        hours: BTreeMap::from([(HOUR, (succeeded, times.len() as u64))]),
    }
}

#[test]
fn tools_of_a_server_count_for_it_together_and_others_do_not() {
    let mut metrics = Metrics::default();
    let name = |tool: &str, server: Option<&str>| (tool.to_owned(), server.map(str::to_owned));
    metrics
        .tools
        .insert(name("a", Some("docs")), counts(&[10, 20, 30], 1));
    metrics.tools.insert(name("b", Some("docs")), counts(&[1000], 0));
    metrics.tools.insert(name("a", None), counts(&[5], 1));
    let view = metrics.view();
    let tools: Vec<(&str, Option<&str>)> = (view.tools.iter())
        .map(|one| (&*one.name, one.server.as_deref()))
        .collect();
    assert_eq!(tools, [("a", None), ("a", Some("docs")), ("b", Some("docs"))]);
    let [docs] = view.servers.as_slice() else {
        panic!("{:?}", view.servers);
    };
    assert_eq!(
        (&*docs.name, docs.calls, docs.executions, docs.succeeded),
        ("docs", 4, 4, 3)
    );
    assert_eq!(docs.failed, BTreeMap::from([("not_found".to_owned(), 1)]));
    assert_eq!(
        (docs.latency.p50_ms, docs.latency.p99_ms, docs.latency.sum_ms),
        (Some(20), Some(1000), 1060)
    );
    assert_eq!(
        docs.hours,
        [HourView {
            from: HOUR,
            executions: 4,
            succeeded: 3
        }]
    );
    assert_eq!(
        (docs.success_rate, docs.hit_rate, view.hit_rate),
        (Some(0.75), Some(0.5), Some(0.5))
    );
}

#[test]
fn a_session_without_events_and_an_unreadable_one_are_counted() {
    let mut metrics = Metrics::default();
    metrics.add(&[], true);
    metrics.add_unreadable();
    let view = metrics.view();
    assert_eq!((view.sessions, view.damaged), (2, 2));
    assert_eq!(
        (view.hit_rate, view.decisions.p50_ms, view.decisions.count),
        (None, None, 0)
    );
    assert!(view.tools.is_empty() && view.servers.is_empty() && view.loops.is_empty());
}

#[test]
fn names_are_visible_and_cut() {
    assert_eq!(short("a\u{202e}\n"), "a⟨U+202E⟩⟨LF⟩");
    assert!(short(&"x".repeat(10_000)).chars().count() <= NAME + 1);
}
