//! Steps against a loop, and their outcomes.
//!
//! Must not know: how the next step is chosen.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A step against a loop, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoopStep {
    /// The model is told what repeats. In older programs the gate also denied exactly that for one
    /// turn.
    Guidance,
    /// The gate denies exactly what repeats for one turn.
    Refuse,
    /// An equivalent tool makes the failing call.
    Substitute,
    /// The turns since the loop began are superseded; the model is asked again.
    RollBack,
    /// The run pauses for the operator.
    Human,
    /// The run is restricted to reading calls.
    Restrict,
    /// The run, or the sub-agent, is ended.
    Stop,
}

impl LoopStep {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Guidance,
        Self::Refuse,
        Self::Substitute,
        Self::RollBack,
        Self::Human,
        Self::Restrict,
        Self::Stop,
    ];

    /// Its name in settings and facts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guidance => "guidance",
            Self::Refuse => "refuse",
            Self::Substitute => "substitute",
            Self::RollBack => "roll_back",
            Self::Human => "human",
            Self::Restrict => "restrict",
            Self::Stop => "stop",
        }
    }
}

impl LoopStep {
    /// Returns a short label.
    pub const fn short(self) -> &'static str {
        match self {
            Self::Guidance => "guidance",
            Self::Refuse => "refusal",
            Self::Substitute => "another tool",
            Self::RollBack => "going back",
            Self::Human => "asking the operator",
            Self::Restrict => "restricting to reading calls",
            Self::Stop => "stopping",
        }
    }

    /// Describes the step.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Guidance => "told the model to do something else",
            Self::Refuse => "refuse what repeats for a turn",
            Self::Substitute => "another tool makes the call",
            Self::RollBack => "went back to where it began",
            Self::Human => "paused for the operator",
            Self::Restrict => "restricted the run to reading calls",
            Self::Stop => "stopped",
        }
    }
}

impl fmt::Display for LoopStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    /// The run made progress.
    Helped,
    /// The run made progress for some turns, then the loop returned.
    Relapsed,
    /// The loop continued.
    Ignored,
    /// The step was not possible.
    Impossible,
    /// The operator intervened before the outcome was known.
    Overtaken,
}

impl StepOutcome {
    /// In a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Helped => "it helped",
            Self::Relapsed => "it helped for a while only",
            Self::Ignored => "it changed nothing",
            Self::Impossible => "it could not be done",
            Self::Overtaken => "the operator intervened",
        }
    }

    /// Adds an outcome to the number of times that a step was tried and helped. A step that was not
    /// possible, or was overtaken by the operator, adds nothing.
    pub(super) fn counted((tried, helped): (u32, u32), step_outcome: Self) -> (u32, u32) {
        match step_outcome {
            Self::Helped => (tried + 1, helped + 1),
            Self::Relapsed | Self::Ignored => (tried + 1, helped),
            Self::Impossible | Self::Overtaken => (tried, helped),
        }
    }
}
