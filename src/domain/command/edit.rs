//! Defines one edit of the graph, as the operator requests it.
//!
//! Must not know: what it invalidates, how it is previewed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{Epoch, NodeId, Rev, TurnId};

/// One edit of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Edit {
    /// Other arguments, or another tool.
    Call {
        /// The call.
        node: NodeId,
        /// The revision that the edit is based on.
        base: Rev,
        /// The tool.
        tool: Arc<str>,
        /// The argument text. Members `_as`, `_out`, `_after`, `_why` and `_outside` that it lacks stay as they are;
        /// `null` removes one. With another tool, `_why` and `_outside` go.
        args: Arc<str>,
        /// True where the whole difference was on screen.
        shown: bool,
    },
    /// Another text for a prompt, thought or answer.
    Text {
        /// The node.
        node: NodeId,
        /// The revision that the edit is based on.
        base: Rev,
        /// The text.
        text: Arc<str>,
    },
    /// Another result for a call; the call does not run again.
    Observation {
        /// The observation.
        node: NodeId,
        /// The revision that the edit is based on.
        base: Rev,
        /// JSON text of the value.
        value: Arc<str>,
    },
    /// A prompt (guidance) after a turn, or at the end of the run.
    InsertPrompt {
        /// The turn before it.
        after: Option<TurnId>,
        /// The text.
        text: Arc<str>,
    },
    /// A thought after a turn, or after a node in it; the model continues from it.
    InsertThought {
        /// What it follows; none for everything.
        after: Option<InsertAfter>,
        /// The text.
        text: Arc<str>,
    },
    /// A call after a turn.
    InsertCall {
        /// The turn before it.
        after: Option<TurnId>,
        /// The tool.
        tool: Arc<str>,
        /// The argument text.
        args: Arc<str>,
    },
    /// Rejects an answer: it is superseded, guidance is added, and the model is asked again.
    RejectAnswer {
        /// The answer.
        node: NodeId,
        /// The revision that was shown. The edit is refused if another one is active now. None if
        /// nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Rev>,
        /// The reason that the model sees.
        reason: Arc<str>,
    },
    /// Copies the content of a node from another branch: a result, an answer, a text.
    #[serde(alias = "take")]
    Copy {
        /// The node; a call stands for its observation.
        node: NodeId,
        /// Its active revision here, if one was shown. The edit is refused if another one is active
        /// now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Rev>,
        /// The epoch at whose end the node has that content.
        from: Epoch,
    },
    /// Deletes a node.
    Delete {
        /// The node.
        node: NodeId,
        /// The revision that the edit is based on.
        base: Rev,
    },
}

/// The place of an inserted thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the number of a turn, such as 3, or a node, such as \"c5\""
)]
pub enum InsertAfter {
    /// After a whole turn: all of it stays active.
    Turn(TurnId),
    /// After a node of a turn: the later part of the turn is superseded.
    Node(NodeId),
}

impl std::fmt::Display for InsertAfter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Turn(id) => id.fmt(out),
            Self::Node(id) => id.fmt(out),
        }
    }
}

impl Edit {
    /// The text that the operator wrote for it; none if it copies or deletes.
    pub fn text(&self) -> Option<&Arc<str>> {
        match self {
            Self::Call { args, .. } | Self::InsertCall { args, .. } => Some(args),
            Self::Text { text, .. } | Self::InsertPrompt { text, .. } | Self::InsertThought { text, .. } => {
                Some(text)
            }
            Self::Observation { value, .. } => Some(value),
            Self::RejectAnswer { reason, .. } => Some(reason),
            Self::Copy { .. } | Self::Delete { .. } => None,
        }
    }
}
