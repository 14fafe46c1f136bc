//! Tests which failures are retried, how often, after which backoff.
//!
//! Must not know: engine, files.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Ms, Settings, after, wait};
use overrule_domain::call::{Call, EffectClass, ErrorClass, ToolError};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::ladder::Next;
use overrule_domain::state::State;

proptest! {
    #![proptest_config(overrule_testing::cases(64))]

    #[test]
    fn waits_double_stay_near_and_have_an_end(no in 1_u32..200, draw in any::<u64>()) {
        let settings = Settings::default();
        let base = (200.0 * 2_f64.powi(no as i32 - 1)).min(10_000.0);
        let got = wait(&settings, no, draw) as f64;
        prop_assert!(got >= base * 0.8 - 1.0 && got <= base * 1.2 + 1.0, "{got} for {base}");
    }

    #[test]
    fn any_settings_give_a_wait(first in any::<u64>(), longest in any::<u64>(), percent in any::<u64>(), no in any::<u32>(), draw in any::<u64>()) {
        let settings = Settings { first: Ms(first), longest: Ms(longest), jitter: percent, ..Settings::default() };
        let got = wait(&settings, no, draw);
        prop_assert!(got <= longest.saturating_mul(2));
    }
}

#[test]
fn four_waits_are_about_three_seconds_together() {
    let plain = Settings {
        jitter: 0,
        ..Settings::default()
    };
    let waits: Vec<u64> = (1..=4).map(|no| wait(&plain, no, 7)).collect();
    assert_eq!(waits, [200, 400, 800, 1_600]);
    assert_eq!(wait(&plain, 12, 7), 10_000);
}

fn failed(class: ErrorClass, executed: bool) -> ToolError {
    ToolError {
        class,
        message: "no".into(),
        evidence: "HTTP 503".into(),
        hint: None,
        partial: None,
        executed,
        retry_after_ms: None,
    }
}

fn call(effect: EffectClass, retries: u32) -> Call {
    let mut call = Call {
        effect,
        ..Call::new(NodeId::new(NodeKind::Call, 5))
    };
    call.failure.retries = retries;
    call
}

fn step(effect: EffectClass, retries: u32, error: &ToolError) -> Next {
    after(
        &Settings::default(),
        &State::default(),
        &call(effect, retries),
        error,
        1,
    )
}

#[test]
fn what_changes_the_world_runs_again_only_if_nothing_happened() {
    for effect in [
        EffectClass::Pure,
        EffectClass::Read,
        EffectClass::Idempotent,
        EffectClass::Write,
        EffectClass::Unknown,
    ] {
        let harmless = effect <= EffectClass::Idempotent;
        let executed = step(effect, 0, &failed(ErrorClass::Transient, true));
        assert_eq!(matches!(executed, Next::Retry(_)), harmless, "{effect:?}");
        let not = step(effect, 0, &failed(ErrorClass::Transient, false));
        assert!(matches!(not, Next::Retry(_)), "{effect:?}");
    }
}

#[test]
fn four_times_and_no_more() {
    let error = failed(ErrorClass::Transient, false);
    for retries in 0..4 {
        let Next::Retry(retry) = step(EffectClass::Read, retries, &error) else {
            panic!("{retries} retries")
        };
        assert_eq!((retry.no, retry.of), (retries + 1, 4));
    }
    let Next::Leave { why } = step(EffectClass::Read, 4, &error) else {
        panic!("a fifth retry")
    };
    assert_eq!(&*why, "it failed again after 4 retries (HTTP 503)");
}

#[test]
fn an_unclassified_error_is_retried_once_for_reads() {
    let error = failed(ErrorClass::Unknown, true);
    assert!(matches!(step(EffectClass::Read, 0, &error), Next::Retry(retry) if retry.of == 1));
    assert!(matches!(step(EffectClass::Read, 1, &error), Next::Leave { .. }));
    assert!(matches!(
        step(EffectClass::Idempotent, 0, &error),
        Next::Leave { .. }
    ));
    let not = failed(ErrorClass::Unknown, false);
    assert!(matches!(step(EffectClass::Write, 0, &not), Next::Leave { .. }));
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    for class in [
        ErrorClass::Structural,
        ErrorClass::Param,
        ErrorClass::Auth,
        ErrorClass::NotFound,
        ErrorClass::Conflict,
        ErrorClass::Business,
        ErrorClass::Internal,
        ErrorClass::Cancelled,
    ] {
        let next = step(EffectClass::Pure, 0, &failed(class, false));
        assert!(matches!(next, Next::Leave { .. }), "{class:?}");
    }
}

#[test]
fn what_the_other_side_asks_for_is_waited_unless_it_is_too_long() {
    let asked = |ms| ToolError {
        retry_after_ms: Some(ms),
        ..failed(ErrorClass::Transient, false)
    };
    let waits = |ms| match step(EffectClass::Read, 0, &asked(ms)) {
        Next::Retry(retry) => Some(retry.wait_ms),
        _ => None,
    };
    assert_eq!(waits(7_000), Some(7_000));
    assert!(
        waits(1).is_some_and(|ms| ms >= 160),
        "never sooner than by itself"
    );
    assert_eq!(waits(60_000), Some(60_000));
    assert_eq!(waits(60_001), None);
}

#[test]
fn runs_and_calls_that_fail_together_do_not_knock_together() {
    let error = failed(ErrorClass::Transient, false);
    let wait = |no, seed| {
        let call = Call {
            effect: EffectClass::Read,
            ..Call::new(NodeId::new(NodeKind::Call, no))
        };
        match after(&Settings::default(), &State::default(), &call, &error, seed) {
            Next::Retry(retry) => retry.wait_ms,
            _ => 0,
        }
    };
    let waits: BTreeSet<u64> = (0..40)
        .map(|no| wait(no, 1))
        .chain((2..40).map(|seed| wait(1, seed)))
        .collect();
    assert!(waits.len() > 20, "{waits:?}");
    assert_eq!(wait(3, 9), wait(3, 9));
}
