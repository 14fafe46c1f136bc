//! What the text of an editor will be once it is finished.
//!
//! Must not know: the text, what is wrong with it.

use std::sync::Arc;

use crate::domain::command::InsertAfter;
use crate::domain::id::{Attempt, NodeId, Rev, TurnId};

/// What the text will be.
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
        /// The turn that it stands after.
        after: Option<TurnId>,
        /// The tool.
        tool: Arc<str>,
    },
    /// Words of a prompt, thought or answer.
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
    /// The result of an execution that nobody saw the end of.
    Happened {
        /// The call.
        call: NodeId,
        /// The execution that was shown.
        attempt: Option<Attempt>,
    },
    /// Guidance.
    Guide {
        /// The turn that it stands after; the tip where none is named.
        after: Option<TurnId>,
    },
    /// A rule of the session.
    Rule,
    /// A new thought.
    NewThought {
        /// What it stands behind; everything where nothing is named.
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

    /// True where the text is a value that can be given as plain text or as JSON.
    pub const fn is_value(&self) -> bool {
        matches!(
            self,
            Self::Observation { .. } | Self::Answer { .. } | Self::Happened { .. }
        )
    }
}
