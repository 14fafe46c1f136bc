//! Advice to the rules about loops.
//!
//! Must not know: how the advice is made.

use std::sync::Arc;

use super::{Finding, LoopStep, Signature, Skipped, StepOutcome};
use crate::id::{NodeId, TurnId};

/// One action. The advice is asked for again after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advised {
    /// Record that one more repetition would start an incident.
    Warn {
        /// The newest turn.
        turn: TurnId,
        /// What repeats.
        finding: Finding,
    },
    /// Begin an incident.
    Find(Finding),
    /// Record the outcome of the newest step.
    Note(StepOutcome),
    /// Take a step.
    Take(Plan),
    /// End the incident.
    End(Arc<str>),
}

/// A step with all data needed to take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which.
    pub step: LoopStep,
    /// Why this step was chosen.
    pub why: Arc<str>,
    /// The newest turn of the thread.
    pub after: TurnId,
    /// Calls that the gate denies in the next turn.
    pub forbidden: Vec<Signature>,
    /// Notice to the model, sent with the next request.
    pub notice: Option<Arc<str>>,
    /// Calls that another tool makes.
    pub substitutes: Vec<(NodeId, Arc<str>)>,
    /// The turn that is asked for again.
    pub back_to: Option<TurnId>,
    /// The milder steps that were skipped.
    pub skipped: Vec<Skipped>,
}
