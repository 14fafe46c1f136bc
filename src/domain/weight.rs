//! Recorded data about the weights of tools.
//!
//! Must not know: how a weight is made.
//!
//! Weights are thousandths here: a record holds no fractions, which different machines could write
//! differently.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::ErrorClass;
use super::escape::{Detector, LoopStep};
use super::id::Seq;
use super::repair_stats::RepairStats;

/// The highest weight.
pub const MOST: u16 = 1_000;

/// A change of weights by the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// Sets a weight.
    Set {
        /// The event.
        seq: Seq,
        /// The kind of task.
        kind: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// Thousandths.
        weight: u16,
    },
    /// Resets weights.
    Reset {
        /// The event.
        seq: Seq,
        /// The tool; none for all.
        tool: Option<Arc<str>>,
    },
}

impl Word {
    /// Returns the event that recorded it.
    pub const fn seq(&self) -> Seq {
        match self {
            Self::Set { seq, .. } | Self::Reset { seq, .. } => *seq,
        }
    }
}

/// What a run was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Where it was read.
    pub from: Arc<str>,
    /// What was read.
    pub learned: Learned,
}

/// What a run learned of its tools, for later runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Learned {
    /// The weights.
    #[serde(default)]
    pub weights: Vec<WeightRecord>,
    /// The health of each tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub health: Vec<ToolRecord>,
    /// How the steps against loops did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRecord>,
    /// How repairs did, by tool and strategy.
    #[serde(default, skip_serializing_if = "RepairStats::is_empty")]
    pub repairs: RepairStats,
}

impl Learned {
    /// True if there is nothing in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The health of a tool in earlier sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRecord {
    /// The tool.
    pub tool: Arc<str>,
    /// Executions that gave a value.
    #[serde(default)]
    pub succeeded: u64,
    /// Executions that failed, by class of failure.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<ErrorClass, u64>,
    /// Executions beyond the first with the same arguments.
    #[serde(default)]
    pub retries: u64,
}

/// How a step against a kind of loop did in earlier sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The detector of the loops.
    pub detector: Detector,
    /// The tools in the loops, sorted.
    #[serde(default)]
    pub tools: Vec<Arc<str>>,
    /// The step.
    #[serde(alias = "rung")]
    pub step: LoopStep,
    /// How often it was taken to its end.
    #[serde(default)]
    pub tried: u32,
    /// How often it helped.
    #[serde(default)]
    pub helped: u32,
}

/// A tool that is not offered to the model like the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolOffer {
    /// The tool.
    pub tool: Arc<str>,
    /// Note to the model besides the description. A tool with a note comes after the tools without
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Arc<str>>,
    /// True where it is not offered at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// A weight that was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WeightRecord {
    /// The kind of task.
    pub kind: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// Thousandths.
    #[serde(default)]
    pub weight: u16,
    /// Executions that it rests on.
    #[serde(default)]
    pub samples: u32,
}
