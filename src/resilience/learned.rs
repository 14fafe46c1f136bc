//! Derives what later sessions of a workspace can start with from what a run learned.
//!
//! Must not know: files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::health::ToolHealth;
use super::routing::Row;
use super::watch::Watch;
use overrule_domain::repair_stats::RepairStats;
use overrule_domain::state::State;
use overrule_domain::weight::{Learned, StepRecord, ToolRecord, WeightRecord};

/// Maximum number of rows of each kind.
const MOST: usize = 1_000;
/// Maximum number of executions that a weight counts as being based on.
const SAMPLES: u32 = 100;

/// Returns what a run learned, with what it started with unless `alone`.
pub fn of(state: &State, watch: &Watch, alone: bool) -> Learned {
    let imported = state.learned.weights.imported.as_ref().filter(|_| !alone);
    let earlier = imported.map(|one| one.learned.clone()).unwrap_or_default();
    let own = watch.weights.rows().map(|row| {
        let mut own = row.noted();
        let mut same = earlier.weights.iter().filter(|one| one.tool == own.tool);
        if let Some(was) = same.find(|one| one.kind == own.kind) {
            own.samples = own.samples.saturating_add(was.samples).min(SAMPLES);
        }
        own
    });
    let before = watch.weights.learnt_before().map(Row::noted);
    let mut weights: Vec<WeightRecord> = own.chain(before.filter(|_| !alone)).collect();
    weights.truncate(MOST);
    Learned {
        weights,
        health: health(watch, earlier.health),
        steps: steps(state.learned.escape.records(), earlier.steps),
        repairs: {
            let mut repairs = earlier.repairs.halved();
            repairs.add(&state.learned.repair_stats);
            repairs
        },
    }
}

/// Returns how repairs did in this session and in earlier ones.
pub fn repairs(state: &State) -> RepairStats {
    let mut all = state.learned.repair_stats.clone();
    if let Some(imported) = &state.learned.weights.imported {
        all.add(&imported.learned.repairs);
    }
    all
}

/// Describes it in a phrase.
pub fn describe(learned: &Learned) -> String {
    let repairs = learned.repairs.tools.values().flatten();
    let counted = [
        (learned.weights.len(), "weight"),
        (learned.health.len(), "tool record"),
        (learned.steps.len(), "result of steps against loops"),
        (repairs.count(), "result of repairs"),
    ];
    let words = counted.into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = words
        .map(|(count, what)| match (count, what.split_once(' ')) {
            (1, _) => format!("1 {what}"),
            (_, Some((noun @ "result", rest))) => format!("{count} {noun}s {rest}"),
            _ => format!("{count} {what}s"),
        })
        .collect();
    if words.is_empty() {
        "nothing".to_owned()
    } else {
        words.join(", ")
    }
}

/// Returns the health of each tool in earlier sessions.
pub fn earlier(state: &State) -> &[ToolRecord] {
    let imported = state.learned.weights.imported.as_ref();
    imported.map_or(&[], |one| &one.learned.health)
}

/// Describes the health of a tool in earlier sessions in a phrase.
pub fn health_words(record: &ToolRecord) -> String {
    let failures = record
        .failed
        .values()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    let all = record.succeeded.saturating_add(failures);
    let mut words = format!("{} of {all} executions succeeded", record.succeeded);
    for (class, count) in &record.failed {
        words = format!("{words}, {count} {}", class.label());
    }
    match record.retries {
        0 => words,
        1 => format!("{words}; 1 retry"),
        retries => format!("{words}; {retries} retries"),
    }
}

/// Adds the executions of a run to those of earlier ones. Tools that ran last come first.
fn health(watch: &Watch, earlier: Vec<ToolRecord>) -> Vec<ToolRecord> {
    let mut all: Vec<ToolRecord> = watch
        .health
        .tools()
        .map(|(tool, own)| record(tool, own))
        .collect();
    for was in earlier {
        match all.iter_mut().find(|one| one.tool == was.tool) {
            Some(one) => add(one, was),
            None => all.push(was),
        }
    }
    all.truncate(MOST);
    all
}

fn record(tool: &Arc<str>, own: &ToolHealth) -> ToolRecord {
    ToolRecord {
        tool: tool.clone(),
        succeeded: own.succeeded,
        failed: own.failed.clone(),
        retries: own.retries,
    }
}

/// Returns the records of several tools together, such as those of a server; `None` if none of them ever ran.
pub fn together(name: &str, records: impl IntoIterator<Item = ToolRecord>) -> Option<ToolRecord> {
    records.into_iter().fold(None, |all, record| {
        let mut all = all.unwrap_or_else(|| ToolRecord {
            tool: name.into(),
            succeeded: 0,
            failed: BTreeMap::new(),
            retries: 0,
        });
        add(&mut all, record);
        Some(all)
    })
}

fn add(one: &mut ToolRecord, was: ToolRecord) {
    one.succeeded = one.succeeded.saturating_add(was.succeeded);
    one.retries = one.retries.saturating_add(was.retries);
    for (class, count) in was.failed {
        let sum = one.failed.entry(class).or_default();
        *sum = sum.saturating_add(count);
    }
}

/// Adds the steps of a run to half of those of earlier ones, so that a step that never helped is tried again some
/// sessions later.
fn steps(own: Vec<StepRecord>, earlier: Vec<StepRecord>) -> Vec<StepRecord> {
    let mut all = own;
    for was in earlier {
        let (tried, helped) = (was.tried / 2, was.helped / 2);
        let like = all
            .iter_mut()
            .find(|one| (one.detector, one.step, &one.tools) == (was.detector, was.step, &was.tools));
        match like {
            Some(one) => {
                one.tried = one.tried.saturating_add(tried);
                one.helped = one.helped.saturating_add(helped);
            }
            None if tried > 0 => all.push(StepRecord { tried, helped, ..was }),
            None => {}
        }
    }
    all.truncate(MOST);
    all
}

#[cfg(test)]
mod tests;
