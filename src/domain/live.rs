//! What is never recorded: open parts of streams, output of running calls, what an agent of another program does.
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

/// What an agent of another program does, as its connection shows it. It is never recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentStatus {
    /// A request of it waits for its reply.
    #[default]
    Connected,
    /// The same, after its user interrupted it.
    Interrupted,
    /// It closed its connection before it had its reply.
    HungUp,
    /// It executes calls.
    Works,
    /// It has its reply, and waits for words of its user.
    WaitsForUser,
    /// Its process ended.
    Ended,
}

impl AgentStatus {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Connected,
        Self::Interrupted,
        Self::HungUp,
        Self::Works,
        Self::WaitsForUser,
        Self::Ended,
    ];

    /// Returns words for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Connected => "agent connected",
            Self::Interrupted => "agent interrupted",
            Self::HungUp => "agent hung up",
            Self::Works => "agent works",
            Self::WaitsForUser => "agent waits for its user",
            Self::Ended => "agent ended",
        }
    }
}
