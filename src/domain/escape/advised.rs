//! What the rules are advised to do about repetition. Must not know: how the advice comes about.

use std::sync::Arc;

use super::{Finding, LoopStep, Signature, Skipped, StepOutcome};
use crate::domain::id::{NodeId, TurnId};

/// One thing to do; asked again after it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advised {
    /// Say that one repetition more would be too many.
    Warn {
        /// The newest turn.
        turn: TurnId,
        /// What repeats.
        finding: Finding,
    },
    /// Begin an incident.
    Find(Finding),
    /// Record what came of the newest step.
    Note(StepOutcome),
    /// Take a step.
    Take(Plan),
    /// End the incident.
    End(Arc<str>),
}

/// A step with all that is needed to take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Which.
    pub step: LoopStep,
    /// Why this one.
    pub why: Arc<str>,
    /// The newest turn of the thread.
    pub after: TurnId,
    /// What the gate refuses in the next turn.
    pub forbidden: Vec<Signature>,
    /// What the model is told with the next request.
    pub notice: Option<Arc<str>>,
    /// Calls that another tool makes.
    pub substitutes: Vec<(NodeId, Arc<str>)>,
    /// The turn that is asked for anew.
    pub back_to: Option<TurnId>,
    /// The milder steps that were skipped.
    pub skipped: Vec<Skipped>,
}
