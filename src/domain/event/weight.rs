//! Facts about how well tools serve. Weights themselves are read off the executions; what somebody said of
//! them, and what followed from them, stands here. Must not know: how a weight is made.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::id::ThreadId;
use crate::domain::weight::{Learned, ToolOffer, WeightRecord};

/// Facts about how well tools serve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum WeightEvent {
    /// The operator set a weight.
    Set {
        /// The kind of task.
        kind: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// Thousandths.
        #[serde(default)]
        weight: u16,
    },
    /// The operator had weights begun anew.
    Reset {
        /// The tool; none for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<Arc<str>>,
    },
    /// What the run starts with, learned by earlier runs: read once, at the start.
    Imported {
        /// Where it was read.
        from: Arc<str>,
        /// What was read.
        #[serde(flatten)]
        learned: Learned,
    },
    /// The tools that a thread's model is offered otherwise than the rest, from its next request on.
    Offered {
        /// The thread.
        #[serde(default)]
        thread: ThreadId,
        /// In the order in which they come.
        #[serde(default)]
        tools: Vec<ToolOffer>,
    },
    /// All weights, as they follow from the executions so far.
    Noted {
        /// Executions that ended by themselves.
        #[serde(default)]
        executions: u64,
        /// Each.
        #[serde(default)]
        weights: Vec<WeightRecord>,
    },
}
