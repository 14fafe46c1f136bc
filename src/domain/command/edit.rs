//! One edit of the graph, as an operator asks for it. Must not know: what falls with it, how it is previewed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::id::{Epoch, NodeId, Rev, TurnId};

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
        /// The argument text.
        args: Arc<str>,
        /// True where the whole difference was on screen.
        shown: bool,
    },
    /// Other words for a prompt, thought or answer.
    Text {
        /// The node.
        node: NodeId,
        /// The revision that the edit is based on.
        base: Rev,
        /// The words.
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
    /// A prompt (guidance) after a turn; at the tip where none is named.
    InsertPrompt {
        /// The turn that it stands after.
        after: Option<TurnId>,
        /// The words.
        text: Arc<str>,
    },
    /// A thought after a turn, or behind something in it; the model continues from it.
    InsertThought {
        /// What it stands behind; everything where nothing is named.
        after: Option<InsertAfter>,
        /// The words.
        text: Arc<str>,
    },
    /// A call after a turn.
    InsertCall {
        /// The turn that it stands after.
        after: Option<TurnId>,
        /// The tool.
        tool: Arc<str>,
        /// The argument text.
        args: Arc<str>,
    },
    /// Refuse an answer: it is superseded, guidance is added, the model is asked again.
    RejectAnswer {
        /// The answer.
        node: NodeId,
        /// The revision that was shown; where another counts by now it is refused. None where nothing was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Rev>,
        /// What the model is told.
        reason: Arc<str>,
    },
    /// Take over what a node says on another branch: a result, an answer, words.
    Copy {
        /// The node; a call stands for its observation.
        node: NodeId,
        /// The revision of it that counts here, where one was shown; where another counts by now it is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Rev>,
        /// The epoch at whose end it says so.
        from: Epoch,
    },
    /// Take a node away.
    Delete {
        /// The node.
        node: NodeId,
        /// The revision that the edit is based on.
        base: Rev,
    },
}

/// What a thought is put in behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "it stands after the number of a turn, such as 3, or behind a node, such as \"c5\""
)]
pub enum InsertAfter {
    /// A whole turn: nothing in it falls.
    Turn(TurnId),
    /// Something in a turn: what the model said behind it falls.
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
    /// The words that a person wrote for it; none where it takes over or takes away.
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
