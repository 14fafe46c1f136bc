//! Tests the health figures.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use overrule_domain::id::{Attempt, NodeId, NodeKind, Rev, Seq};

fn run(call: u32, attempt: u32, at: i64, ms: u64, error: Option<ErrorClass>) -> Execution {
    Execution {
        seq: Seq(u64::from(call) * 10 + u64::from(attempt)),
        call: NodeId::new(NodeKind::Call, call),
        rev: Rev(1),
        attempt: Attempt(attempt),
        tool: Arc::from("http"),
        kind: Arc::from("look"),
        at,
        ms,
        error,
        complexity: 0.0,
    }
}

#[test]
fn a_call_that_finally_succeeds_is_a_hit_regardless_of_retries() {
    let busy = Some(ErrorClass::Transient);
    let health = Health::fold(&[
        run(1, 1, 0, 5, busy),
        run(1, 2, 10, 5, busy),
        run(1, 3, 20, 5, None),
        run(2, 1, 30, 5, Some(ErrorClass::Param)),
    ]);
    let http = health.tool("http").unwrap();
    assert_eq!(
        (http.executions(), http.succeeded, http.retries, http.failures()),
        (4, 1, 2, 3)
    );
    assert_eq!(http.success_rate(), Some(0.25));
    assert_eq!(http.hit_rate(), Some(0.5));
    assert_eq!(health.hit_rate(), Some(0.5));
    assert_eq!(http.failed.get(&ErrorClass::Transient), Some(&2));
    assert_eq!(
        http.last_failure,
        Some((NodeId::new(NodeKind::Call, 2), Attempt(1), ErrorClass::Param))
    );
}

#[test]
fn success_over_time_has_a_value_for_each_slice_in_which_the_tool_ran() {
    let auth = Some(ErrorClass::Auth);
    let health = Health::fold(&[
        run(1, 1, 1_000, 5, None),
        run(2, 1, 1_010, 5, auth),
        run(3, 1, 1_399, 5, auth),
    ]);
    assert_eq!(health.over_time("http", 4), [Some(0.5), None, None, Some(0.0)]);
    assert_eq!(health.over_time("other", 2), [None, None]);
    assert_eq!(health.over_time("http", 0), []);
}

#[test]
fn percentiles_are_values_that_were_measured() {
    let hundred: Vec<u64> = (1..=100).collect();
    let of = |percent| percentile(&hundred, percent);
    assert_eq!(
        [of(50), of(95), of(99), of(100)],
        [Some(50), Some(95), Some(99), Some(100)]
    );
    assert_eq!(of(0), Some(1));
    assert_eq!(percentile(&[7], 50), Some(7));
    assert_eq!(percentile(&[], 50), None);
}

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn sums_agree_whatever_ran(
        runs in prop::collection::vec((0u32..9, 1u32..4, -50i64..50, any::<u64>(), any::<bool>()), 0..60),
        slices in 0usize..20,
    ) {
        let runs: Vec<Execution> = runs
            .into_iter()
            .map(|(call, attempt, at, ms, ok)| run(call, attempt, at, ms, (!ok).then_some(ErrorClass::Internal)))
            .collect();
        let health = Health::fold(&runs);
        let Some(http) = health.tool("http") else {
            prop_assert!(runs.is_empty());
            return Ok(());
        };
        prop_assert_eq!(http.executions() as usize, runs.len());
        let over = health.over_time("http", slices);
        prop_assert_eq!(over.len(), slices);
        prop_assert!(over.iter().flatten().all(|rate| (0.0..=1.0).contains(rate)));
        prop_assert!(slices == 0 || over.iter().any(Option::is_some));
        prop_assert!(http.latency(50) <= http.latency(95) && http.latency(95) <= http.latency(100));
        let calls: std::collections::BTreeSet<NodeId> = runs.iter().map(|run| run.call).collect();
        prop_assert_eq!(http.retries as usize, runs.len() - calls.len());
    }
}
