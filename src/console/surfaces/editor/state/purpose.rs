//! Purpose of the text of an editor.
//!
//! Must not know: the text, its faults.

use std::sync::Arc;

use overrule_domain::command::InsertAfter;
use overrule_domain::id::{Attempt, NodeId, Rev, TurnId};

/// Purpose of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Arguments of a call, perhaps for another tool.
    Call {
        /// The call.
        node: NodeId,
        /// The revision that it is based on.
        base: Rev,
        /// The tool.
        tool: Arc<str>,
    },
    /// Arguments of a new call.
    NewCall {
        /// The turn before it.
        after: Option<TurnId>,
        /// The tool.
        tool: Arc<str>,
    },
    /// Text of a prompt, thought or answer.
    Words {
        /// The node.
        node: NodeId,
        /// The revision that it is based on.
        base: Rev,
    },
    /// A corrected result.
    Observation {
        /// The observation.
        node: NodeId,
        /// The revision that it is based on.
        base: Rev,
    },
    /// The result of a call, typed instead of running it.
    Answer {
        /// The call.
        call: NodeId,
        /// The revision that it answers.
        rev: Rev,
    },
    /// The result of an execution whose outcome is unknown.
    Happened {
        /// The call.
        call: NodeId,
        /// The execution that was shown.
        attempt: Option<Attempt>,
    },
    /// Guidance.
    Guide {
        /// The turn before it; the tip if none.
        after: Option<TurnId>,
    },
    /// A rule of the session.
    Rule,
    /// A new thought.
    NewThought {
        /// The turn or node before it; none for the end.
        after: Option<InsertAfter>,
    },
}

impl Purpose {
    /// The tool whose schema the text must fit.
    pub fn tool(&self) -> Option<&Arc<str>> {
        match self {
            Self::Call { tool, .. } | Self::NewCall { tool, .. } => Some(tool),
            _ => None,
        }
    }

    /// True for an edit, which is previewed before it is committed.
    pub const fn previews(&self) -> bool {
        matches!(
            self,
            Self::Call { .. }
                | Self::NewCall { .. }
                | Self::Words { .. }
                | Self::Observation { .. }
                | Self::NewThought { .. }
        )
    }

    /// True for a value that can be typed as plain text or as JSON.
    pub const fn is_value(&self) -> bool {
        matches!(
            self,
            Self::Observation { .. } | Self::Answer { .. } | Self::Happened { .. }
        )
    }
}
