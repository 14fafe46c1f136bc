//! One line to type, and its purpose.
//!
//! Must not know: what is done with the text, how it is drawn.

use std::sync::Arc;

use crate::field::Field;
use overrule_domain::call::{Digest, Shown};
use overrule_domain::id::{Attempt, Epoch, NodeId, Rev};

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
    /// Why a call is rejected.
    Reject {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Why a call is rejected, to continue without it.
    Skip {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// The name of the tool, typed to run a call that is irreversible.
    Irreversible {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
        /// Bytes of it that were not on screen.
        unread: u64,
        /// The form in which it was shown.
        shown: Option<Shown>,
        /// True if its effect may have happened before and would be repeated.
        again: bool,
    },
    /// Why the consent to a repeated effect is refused.
    RefuseEffect {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
        /// Hash of what was shown.
        digest: Digest,
    },
    /// Text for the model next to the report that an outcome is unknown.
    LeaveUnknown {
        /// The call.
        call: NodeId,
        /// The execution that was shown.
        attempt: Option<Attempt>,
    },
    /// Which of the offered repairs to use.
    Repair {
        /// The call.
        call: NodeId,
        /// The revision that was shown.
        rev: Rev,
    },
    /// Why a sub-agent is cancelled.
    EndAgent {
        /// The call that it works for.
        call: NodeId,
    },
    /// Why an answer is rejected.
    RejectAnswer(NodeId, Option<Rev>),
    /// Search text for the graph or the open text.
    Search,
    /// Filter of the graph.
    Filter,
    /// Search text for the open text.
    Find,
    /// The policy preset.
    Policy,
    /// Limits.
    Limits,
    /// Resilience settings.
    Resilience,
    /// A breaker to reset.
    ResetBreaker,
    /// A tool whose weights are reset, or all.
    ForgetWeights,
    /// Title of the session.
    Title,
    /// The weight of a tool for a kind of task.
    Weight {
        /// The tool.
        tool: Arc<str>,
        /// The kind of task.
        kind: Arc<str>,
    },
    /// The detector to mute or unmute.
    Detector,
    /// Why the previewed edits are made.
    Reason,
    /// The pattern of the rule that corrects the class of an error.
    ErrorPattern,
    /// Name of a branch.
    BranchName(Epoch),
}

/// Maximum length of a search text, in bytes.
pub(super) const WORDS: usize = 1024;
/// Maximum length of a reason, in bytes. The model reads it.
const REASON: usize = 16 * 1024;
/// Maximum length of any other line, in bytes.
const OTHER: usize = 4 * 1024;

impl LinePurpose {
    /// True for prose of the operator, which must not get lost.
    pub const fn is_prose(&self) -> bool {
        matches!(
            self,
            Self::Reject { .. }
                | Self::Skip { .. }
                | Self::RefuseEffect { .. }
                | Self::LeaveUnknown { .. }
                | Self::EndAgent { .. }
                | Self::RejectAnswer(..)
                | Self::Reason
        )
    }

    /// True if the text has an effect only once it is recorded. A sub-agent ends in any case.
    pub const fn must_be_recorded(&self) -> bool {
        !matches!(
            self,
            Self::Save(_) | Self::Search | Self::Filter | Self::Find | Self::Reason | Self::EndAgent { .. }
        )
    }

    /// What the finished line does, in a word or two.
    pub const fn act(&self) -> &'static str {
        match self {
            Self::Save(_) => "save",
            Self::Reject { .. } | Self::RefuseEffect { .. } => "reject",
            Self::Skip { .. } => "skip",
            Self::Irreversible { again: false, .. } => "approve",
            Self::Irreversible { again: true, .. } => "run again",
            Self::LeaveUnknown { .. } => "abandon",
            Self::Repair { .. } => "repair",
            Self::EndAgent { .. } => "end the sub-agent",
            Self::Search => "search",
            Self::Filter => "filter",
            Self::Find => "find",
            Self::Policy | Self::Limits | Self::Resilience | Self::Weight { .. } => "set",
            Self::ResetBreaker | Self::ForgetWeights => "reset",
            Self::Title | Self::BranchName(_) => "name",
            Self::Detector => "mute or unmute",
            Self::Reason => "record",
            Self::RejectAnswer(..) | Self::ErrorPattern => "preview",
        }
    }

    /// Maximum length of the line, in bytes.
    pub const fn most(&self) -> usize {
        match self {
            Self::Search | Self::Filter | Self::Find => WORDS,
            _ if self.is_prose() => REASON,
            _ => OTHER,
        }
    }
}
