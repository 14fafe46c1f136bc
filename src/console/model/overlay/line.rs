//! One line to type, and what it is for. Must not know: what becomes of it, how it is drawn.

use std::sync::Arc;

use crate::console::field::Field;
use crate::domain::call::Digest;
use crate::domain::id::{Attempt, Epoch, NodeId, Rev};

/// One line to type.
#[derive(Debug, Clone)]
pub struct LinePrompt {
    /// What it is for.
    pub purpose: LinePurpose,
    /// The question.
    pub title: String,
    /// The text.
    pub field: Field,
}

/// What a line is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinePurpose {
    /// The file into which this text is written.
    Save(Arc<str>),
    /// Why a call is refused.
    Reject {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// The name of the tool, typed to let something run that cannot be undone.
    Irreversible {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
        /// Bytes of it that had not been on screen.
        unread: u64,
        /// True where its effect may have happened before, and is to happen once more.
        again: bool,
    },
    /// Why a repeated effect is refused.
    RefuseEffect {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
    },
    /// What the model is told beside that nobody knows what came of an execution.
    LeaveUnknown {
        /// The call.
        call: NodeId,
        /// The execution that was shown.
        attempt: Option<Attempt>,
    },
    /// Which of the offered repairs is taken.
    Repair {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Why a sub-agent is ended.
    EndAgent {
        /// The call that it works for.
        call: NodeId,
    },
    /// Why an answer is refused.
    RejectAnswer(NodeId, Option<Rev>),
    /// What to look for in the graph, or in what is read.
    Search,
    /// What alone is shown of the graph.
    Filter,
    /// What to look for in the open text.
    Find,
    /// The policy preset.
    Policy,
    /// Limits.
    Limits,
    /// How failures are met.
    Resilience,
    /// A breaker to reset.
    ResetBreaker,
    /// A tool whose weights begin anew, or all.
    ForgetWeights,
    /// Name of the session.
    Title,
    /// The weight of a tool for a kind of task.
    Weight {
        /// The tool.
        tool: Arc<str>,
        /// The kind of task.
        kind: Arc<str>,
    },
    /// The detector to mute, or to listen to again.
    Detector,
    /// Why the previewed edits are made.
    Reason,
    /// The pattern of the rule that corrects the class of an error.
    ErrorPattern,
    /// What a branch is called.
    BranchName(Epoch),
}

/// Bytes of the words that are looked for.
pub(super) const WORDS: usize = 1024;
/// Bytes of a reason: the model reads it.
const REASON: usize = 16 * 1024;
/// Bytes of any other line.
const OTHER: usize = 4 * 1024;

impl LinePurpose {
    /// True for a text in somebody's own words, which nobody likes to lose.
    pub const fn is_prose(&self) -> bool {
        matches!(
            self,
            Self::Reject { .. }
                | Self::RefuseEffect { .. }
                | Self::LeaveUnknown { .. }
                | Self::EndAgent { .. }
                | Self::RejectAnswer(..)
                | Self::Reason
        )
    }

    /// True where what is typed would have to be recorded to count. What ends a sub-agent ends it all the same.
    pub const fn must_be_recorded(&self) -> bool {
        !matches!(
            self,
            Self::Save(_) | Self::Search | Self::Filter | Self::Find | Self::Reason | Self::EndAgent { .. }
        )
    }

    /// Bytes that the line takes at most.
    pub const fn most(&self) -> usize {
        match self {
            Self::Search | Self::Filter | Self::Find => WORDS,
            _ if self.is_prose() => REASON,
            _ => OTHER,
        }
    }
}
