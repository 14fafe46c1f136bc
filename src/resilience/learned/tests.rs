//! Tests what a run passes on to later ones.
//!
//! Must not know: files.

use std::sync::Arc;

use super::*;
use crate::routing::Settings;
use overrule_domain::call::ErrorClass;
use overrule_domain::escape::{Detector, LoopStep};
use overrule_domain::repair::Strategy;
use overrule_domain::repair_stats::StrategyCount;
use overrule_domain::weight::Imported;

fn noted(tool: &str, weight: u16) -> WeightRecord {
    WeightRecord {
        kind: Arc::from("look"),
        tool: Arc::from(tool),
        weight,
        samples: 10,
    }
}

fn step(tried: u32, helped: u32) -> StepRecord {
    StepRecord {
        detector: Detector::Sequence,
        tools: vec![Arc::from("search")],
        step: LoopStep::Refuse,
        tried,
        helped,
    }
}

/// Repairs of one tool by one strategy.
fn counts(succeeded: u32, failed: u32) -> RepairStats {
    let count = StrategyCount {
        tried: succeeded + failed,
        succeeded,
        failed,
        ..StrategyCount::default()
    };
    RepairStats {
        tools: [(Arc::from("book"), [(Strategy::TextCleanup, count)].into())].into(),
    }
}

fn started_with(learned: Learned) -> (State, Watch) {
    let mut state = State::default();
    state.learned.escape.earlier.clone_from(&learned.steps);
    state.learned.weights.imported = Some(Imported {
        from: Arc::from("earlier sessions"),
        learned,
    });
    let watch = Watch::of(&state, Settings::default());
    (state, watch)
}

fn record(succeeded: u64, transient: u64) -> ToolRecord {
    ToolRecord {
        tool: Arc::from("search"),
        succeeded,
        failed: [(ErrorClass::Transient, transient)].into(),
        retries: 1,
    }
}

#[test]
fn a_run_that_learned_nothing_passes_on_what_it_started_with() {
    let learned = Learned {
        weights: vec![noted("search", 700)],
        health: vec![record(40, 4)],
        steps: vec![step(4, 2)],
        repairs: counts(6, 2),
    };
    let (state, watch) = started_with(learned.clone());
    let stored = of(&state, &watch, false);
    assert_eq!(
        (&stored.weights, &stored.health),
        (&learned.weights, &learned.health)
    );
    assert_eq!(
        stored.steps,
        [step(2, 1)],
        "each session halves what earlier ones counted"
    );
    assert!(of(&state, &watch, true).is_empty());
}

#[test]
fn a_step_that_never_helped_is_tried_again_some_sessions_later() {
    let mut steps = vec![step(6, 0)];
    let mut sessions = 0;
    while !steps.is_empty() {
        steps = super::steps(Vec::new(), steps);
        sessions += 1;
    }
    assert_eq!(sessions, 3);
    assert_eq!(super::steps(vec![step(2, 1)], vec![step(5, 0)]), [step(4, 1)]);
    let mut other = step(3, 0);
    other.step = LoopStep::Substitute;
    assert_eq!(super::steps(vec![step(2, 1)], vec![other.clone()]).len(), 2);
}

#[test]
fn health_is_added_up_by_tool_and_class() {
    let mut one = record(3, 1);
    add(
        &mut one,
        ToolRecord {
            failed: [(ErrorClass::Transient, 2), (ErrorClass::Auth, u64::MAX)].into(),
            ..record(u64::MAX, 0)
        },
    );
    assert_eq!(
        one.succeeded,
        u64::MAX,
        "a number that is too great does not overflow"
    );
    assert_eq!(one.failed[&ErrorClass::Transient], 3);
    assert_eq!(one.retries, 2);
    assert!(health_words(&record(40, 4)).starts_with("40 of 44 executions succeeded, 4 transient"));
    health_words(&one);
}

#[test]
fn a_description_counts_what_is_there() {
    assert_eq!(describe(&Learned::default()), "nothing");
    let learned = Learned {
        weights: vec![noted("a", 1), noted("b", 2)],
        health: vec![record(1, 0)],
        steps: vec![step(1, 0), step(2, 0)],
        repairs: counts(1, 0),
    };
    assert_eq!(
        describe(&learned),
        "2 weights, 1 tool record, 2 results of steps against loops, 1 result of repairs"
    );
}
