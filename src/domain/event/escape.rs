//! Facts about repetition without progress: what was noticed, what was done, what came of it. Must
//! not know: how a repetition is found, how a step is chosen.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::escape::{Detector, Finding, LoopStep, Signature, Skipped, StepOutcome};
use crate::domain::id::{NodeId, TurnId};

/// Facts about repetition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum EscapeEvent {
    /// One repetition more would be too many; or a tool keeps failing, which the next request tells the model.
    Warned {
        /// The newest turn that belongs to it.
        #[serde(default)]
        turn: TurnId,
        /// What repeats.
        finding: Finding,
    },
    /// A thread goes round: an incident begins.
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
        /// The node that stands for it in the graph.
        node: NodeId,
        /// Which.
        #[serde(alias = "rung")]
        step: LoopStep,
        /// Why this one, in words.
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
        /// What the gate refuses in the next turn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        forbidden: Vec<Signature>,
        /// What the model is told with the next request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[serde(alias = "told")]
        notice: Option<Arc<str>>,
    },
    /// What came of a step.
    #[serde(alias = "came")]
    StepEnded {
        /// The incident.
        #[serde(default)]
        incident: u32,
        /// The node.
        node: NodeId,
        /// What.
        #[serde(alias = "upshot")]
        outcome: StepOutcome,
    },
    /// Nothing more is to be done about an incident.
    #[serde(alias = "over")]
    Ended {
        /// The incident.
        #[serde(default)]
        incident: u32,
        /// Why.
        why: Arc<str>,
    },
    /// The operator says whether these calls may repeat.
    Allowed {
        /// Which.
        #[serde(default)]
        signatures: Vec<Signature>,
        /// False takes an earlier word back.
        #[serde(default)]
        allowed: bool,
    },
    /// The operator says whether a detector is listened to.
    Muted {
        /// Which.
        detector: Detector,
        /// False takes an earlier word back.
        #[serde(default)]
        muted: bool,
    },
}
