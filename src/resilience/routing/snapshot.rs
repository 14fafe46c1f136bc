//! Weights written down, and what another run begins with. Everything in a snapshot can be derived from the
//! journal of its run; it spares another run the reading. Must not know: files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Executions after which the weights are written down again.
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
    /// Executions that it rests on.
    #[serde(default)]
    pub samples: u32,
}

/// The weights of a run at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Of the form.
    pub version: u32,
    /// Executions that they were folded from.
    pub executions: u64,
    /// Each, by tool and kind.
    pub weights: Vec<Row>,
}

impl Snapshot {
    /// The form that this program writes and reads.
    pub const VERSION: u32 = 1;

    /// As JSON text, with a line end.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads one; the message says what is wrong with it, and where.
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
                    crate::text::visible(&row.tool),
                    crate::text::visible(&row.kind),
                    row.weight
                ));
            }
        }
        Ok(snapshot)
    }
}

/// True where weights were last written after `written` executions and it is time to write them again.
pub fn due(written: u64, executions: u64) -> bool {
    executions / EVERY > written / EVERY
}

/// Where weights begin, learnt by another run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Priors(BTreeMap<String, BTreeMap<String, f64>>);

impl Priors {
    /// The weights of another run. What rests on few executions counts little: it begins between that and the
    /// middle.
    pub fn of_snapshot(snapshot: &Snapshot) -> Self {
        let mut priors = Self::default();
        for row in &snapshot.weights {
            let known = f64::from(row.samples) / (f64::from(row.samples) + super::cell::BLEND);
            let start = super::weights::START;
            let weight = start + known * (row.weight - start);
            priors
                .0
                .entry(row.tool.clone())
                .or_default()
                .insert(row.kind.clone(), weight.clamp(0.0, 1.0));
        }
        priors
    }

    /// Where the weight of a tool for a kind of task begins.
    pub fn of(&self, kind: &str, tool: &str) -> Option<f64> {
        self.0.get(tool)?.get(kind).copied()
    }
}
