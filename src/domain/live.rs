//! Open parts of streams: text of blocks that are not complete.
//!
//! Must not know: who sends it, who shows it.

use std::sync::Arc;

use super::id::{Attempt, TurnId};

/// The open parts of one turn's stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Live {
    /// The turn.
    pub turn: TurnId,
    /// Parts that are not sealed, in order.
    pub parts: Vec<LivePart>,
    /// Bytes received so far.
    pub bytes: u64,
}

/// One part that is still arriving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LivePart {
    /// Text or reasoning.
    Text {
        /// True for reasoning.
        reasoning: bool,
        /// The newest part of its text.
        text: Arc<str>,
        /// Bytes that came before that.
        before: u64,
    },
    /// A call.
    Call {
        /// The tool.
        tool: Arc<str>,
        /// The newest part of its argument text.
        args: Arc<str>,
        /// Bytes that came before that.
        before: u64,
    },
}

/// The newest output of a call that runs. It is never recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveOutput {
    /// The execution.
    pub attempt: Attempt,
    /// The end of the output so far. Untrusted text.
    pub text: Arc<str>,
    /// Bytes printed so far.
    pub bytes: u64,
}
