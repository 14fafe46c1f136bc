//! Events about loops: findings, steps and their outcomes.
//!
//! Must not know: how a loop is found, how a step is chosen.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::escape::{Detector, Finding, LoopStep, Signature, Skipped, StepOutcome};
use crate::id::{NodeId, TurnId};

/// Events about loops.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum EscapeEvent {
    /// One more repetition would be a loop; or a tool keeps failing. The next request reports a
    /// failing tool.
    Warned {
        /// The newest turn that belongs to it.
        #[serde(default)]
        turn: TurnId,
        /// What repeats.
        finding: Finding,
    },
    /// A thread is in a loop: an incident begins.
    Found {
        /// Counts the incidents of a run, from 1.
        #[serde(default)]
        incident: u32,
        /// What repeats.
        finding: Finding,
    },
    /// A step is about to be taken.
    Proposed {
        /// The incident.
        #[serde(default)]
        incident: u32,
        /// The node of the step in the graph.
        node: NodeId,
        /// Which.
        #[serde(alias = "rung")]
        step: LoopStep,
        /// Why this step was chosen.
        why: Arc<str>,
        /// The newest turn of the thread.
        #[serde(default)]
        after: TurnId,
        /// The milder steps that were skipped.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skipped: Vec<Skipped>,
    },
    /// The step was taken.
    Applied {
        /// The incident.
        #[serde(default)]
        incident: u32,
        /// The node.
        node: NodeId,
        /// Calls that the gate denies in the next turn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        forbidden: Vec<Signature>,
        /// Notice to the model, sent with the next request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(alias = "told")]
        notice: Option<Arc<str>>,
    },
    /// The outcome of a step is known.
    #[serde(alias = "came")]
    StepEnded {
        /// The incident.
        #[serde(default)]
        incident: u32,
        /// The node.
        node: NodeId,
        /// The outcome.
        #[serde(alias = "upshot")]
        outcome: StepOutcome,
    },
    /// An incident is over: no further step is taken.
    #[serde(alias = "over")]
    Ended {
        /// The incident.
        #[serde(default)]
        incident: u32,
        /// Why.
        why: Arc<str>,
    },
    /// The operator allows these calls to repeat, or withdraws that.
    Allowed {
        /// Which.
        #[serde(default)]
        signatures: Vec<Signature>,
        /// False withdraws the permission.
        #[serde(default)]
        allowed: bool,
    },
    /// The operator mutes or unmutes a detector.
    Muted {
        /// Which.
        detector: Detector,
        /// False unmutes it.
        #[serde(default)]
        muted: bool,
    },
}
