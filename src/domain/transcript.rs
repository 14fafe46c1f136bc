//! What the model is shown: the messages of a request, as a function of the active nodes.
//!
//! Must not know: wire formats.
//!
//! Every call in a transcript has exactly one result.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::NodeId;

/// One message of a request, in the order in which it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A prompt or guidance of the operator.
    User {
        /// The node.
        node: NodeId,
        /// The words.
        text: Arc<str>,
    },
    /// What the model said and called in one turn.
    Assistant {
        /// Thoughts and texts, in order.
        texts: Vec<ModelText>,
        /// Calls, in order.
        calls: Vec<CalledAs>,
    },
    /// The result of one call.
    Result {
        /// The call.
        call: NodeId,
        /// The id by which the wire refers to the call.
        wire_id: Arc<str>,
        /// The tool.
        tool: Arc<str>,
        /// Value or error as sent.
        text: Arc<str>,
        /// True for an error or a refusal.
        is_error: bool,
    },
    /// A note from the console to the model: an edit, an orphaned effect, a limit.
    Note {
        /// What it is about.
        about: NoteKind,
        /// The words.
        text: Arc<str>,
    },
}

/// What the model said in one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelText {
    /// The node.
    pub node: NodeId,
    /// The words.
    pub text: Arc<str>,
    /// True if the provider streamed it as reasoning and it was not edited.
    pub reasoning: bool,
    /// Provider's opaque block, only while the text is not edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Arc<str>>,
    /// True where a person wrote the words.
    pub by_operator: bool,
}

/// A call as the model is shown it: with the arguments that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledAs {
    /// The node.
    pub node: NodeId,
    /// The id by which the wire refers to the call; unique in a request.
    pub wire_id: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The argument text.
    pub args: Arc<str>,
    /// Members that the provider added to the call, as one JSON object; only while the call is not
    /// edited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Arc<str>>,
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// The operator rewrote a thought; the model continues from it.
    ThoughtRewritten,
    /// An answer was rejected.
    AnswerRejected,
    /// Earlier turns were left out of the request.
    LeftOut,
    /// Something happened or will happen that the model should know.
    Notice,
}

pub mod build;
pub mod bytes;
pub mod hash;
pub mod result;
pub mod sent;
