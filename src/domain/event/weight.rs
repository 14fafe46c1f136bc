//! Events about the weights of tools.
//!
//! Must not know: how a weight is made.
//!
//! Weights are computed from the executions. These events record what the operator set, and the
//! consequences.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::ThreadId;
use crate::weight::{Learned, ToolOffer, WeightRecord};

/// Events about the weights of tools.
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
    /// The operator reset weights.
    Reset {
        /// The tool; none for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<Arc<str>>,
    },
    /// Weights that earlier runs learned, read once at the start.
    Imported {
        /// Where it was read.
        from: Arc<str>,
        /// What was read.
        #[serde(flatten)]
        learned: Learned,
    },
    /// The tools that are offered to a thread's model in a different way, from its next request on.
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
