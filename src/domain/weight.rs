//! What is recorded of how well tools serve: the operator's word on a weight, what a model was told of a tool
//! that keeps failing, weights written down. Must not know: how a weight is made.
//!
//! Weights are thousandths here: a record holds no fractions, which different machines could write
//! differently.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::Seq;

/// The highest weight.
pub const MOST: u16 = 1_000;

/// A word of the operator about weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// A weight is to be this.
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
    /// Weights begin anew.
    Reset {
        /// The event.
        seq: Seq,
        /// The tool; none for all.
        tool: Option<Arc<str>>,
    },
}

impl Word {
    /// The event with which it was said.
    pub const fn seq(&self) -> Seq {
        match self {
            Self::Set { seq, .. } | Self::Reset { seq, .. } => *seq,
        }
    }
}

/// Weights of another run, with which this one began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Where they were read.
    pub from: Arc<str>,
    /// Each.
    pub weights: Vec<Noted>,
}

/// A tool that is not offered to the model like the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// The tool.
    pub tool: Arc<str>,
    /// What the model is told of it beyond its description. It comes after the tools of which nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Arc<str>>,
    /// True where it is not offered at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// A weight that was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
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
