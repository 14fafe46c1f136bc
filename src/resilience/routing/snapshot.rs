//! Recorded weights, and the initial weights of another run.
//!
//! Must not know: files.
//!
//! A snapshot can be derived from the journal of its run; it saves another run from reading that.

use std::collections::BTreeMap;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use overrule_domain::repair_stats::RepairStats;
use overrule_domain::weight::{MOST, WeightRecord};

/// Number of executions after which the weights are recorded again.
const EVERY: u64 = 100;

/// One weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The kind of task.
    pub kind: String,
    /// The tool.
    pub tool: String,
    /// The weight, 0 to 1.
    pub weight: f64,
    /// Number of executions that it is based on.
    #[serde(default)]
    pub samples: u32,
}

impl Row {
    /// Converts the row to its recorded form.
    pub fn noted(&self) -> WeightRecord {
        WeightRecord {
            kind: Arc::from(self.kind.as_str()),
            tool: Arc::from(self.tool.as_str()),
            weight: (self.weight * f64::from(MOST)).round() as u16,
            samples: self.samples,
        }
    }
}

/// The weights of a run at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Version of the format.
    pub version: u32,
    /// Number of executions that were folded.
    pub executions: u64,
    /// All weights, by tool and kind.
    pub weights: Vec<Row>,
    /// What the run itself started with, for readers only.
    #[serde(default, skip_serializing)]
    pub started_with: Option<serde::de::IgnoredAny>,
    /// How repairs did, by tool and strategy.
    #[serde(default, skip_serializing_if = "RepairStats::is_empty")]
    pub repairs: RepairStats,
}

impl Snapshot {
    /// The version of the format that this program reads and writes.
    pub const VERSION: u32 = 1;

    /// Parses a snapshot; the error names the fault and its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let snapshot: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if snapshot.version != Self::VERSION {
            return Err(format!(
                "it is of version {}, and this program reads version {}",
                snapshot.version,
                Self::VERSION
            ));
        }
        for row in &snapshot.weights {
            if !(0.0..=1.0).contains(&row.weight) {
                return Err(format!(
                    "the weight of {} for {} is {}, and it must be 0 to 1",
                    overrule_base::text::visible(&row.tool),
                    overrule_base::text::visible(&row.kind),
                    row.weight
                ));
            }
        }
        Ok(snapshot)
    }
}

/// Returns true if the weights were last recorded after `written` executions and are due again.
pub fn due(written: u64, executions: u64) -> bool {
    executions / EVERY > written / EVERY
}

/// The starting weights, learned by another run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Priors(BTreeMap<String, BTreeMap<String, Prior>>);

/// The start of one weight.
#[derive(Debug, Clone, PartialEq)]
struct Prior {
    start: f64,
    /// What the other run had learned, to pass on to the next.
    learnt: Row,
}

impl Priors {
    /// Derives starting weights from those that another run recorded. A weight based on few executions counts
    /// little: it starts between its value and the middle.
    pub fn of_noted(noted: &[WeightRecord]) -> Self {
        let mut priors = Self::default();
        for one in noted {
            let known = f64::from(one.samples) / (f64::from(one.samples) + super::cell::BLEND);
            let start = super::weights::START;
            let weight = start + known * (f64::from(one.weight) / f64::from(MOST) - start);
            let row = priors.0.entry(one.tool.to_string()).or_default();
            let prior = Prior {
                start: weight.clamp(0.0, 1.0),
                learnt: Row {
                    kind: one.kind.to_string(),
                    tool: one.tool.to_string(),
                    weight: f64::from(one.weight) / f64::from(MOST),
                    samples: one.samples,
                },
            };
            row.insert(one.kind.to_string(), prior);
        }
        priors
    }

    /// Removes what was learned of a tool; of all tools if none is named.
    pub(super) fn remove(&mut self, only: Option<&str>) {
        self.0.retain(|tool, _| only.is_some_and(|only| only != tool));
    }

    /// Returns the starting weight of a tool for a kind of task.
    pub fn of(&self, kind: &str, tool: &str) -> Option<f64> {
        Some(self.0.get(tool)?.get(kind)?.start)
    }

    /// Iterates over what the other run had learned, by tool and kind.
    pub fn learnt(&self) -> impl Iterator<Item = &Row> {
        self.0
            .values()
            .flat_map(BTreeMap::values)
            .map(|prior| &prior.learnt)
    }
}
