//! Requests to the world that follow from an event. Data, so that a replay can leave them undone.
//!
//! Must not know: how a request is carried out.

use serde::{Deserialize, Serialize};

use super::id::{Attempt, NodeId, Rev, Seq, ThreadId, TurnId};
use super::ladder::Timer;

/// A request to the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    /// Ask the model.
    Ask {
        /// The turn.
        turn: TurnId,
        /// Its thread.
        thread: ThreadId,
        /// Counts the requests of this turn.
        request: u32,
    },
    /// Close the stream of a turn.
    Abort {
        /// The turn.
        turn: TurnId,
    },
    /// Run a call. Only what was decided can be run: the engine builds the approval from the decision.
    Launch {
        /// The call.
        call: NodeId,
        /// The revision.
        rev: Rev,
        /// The execution.
        attempt: Attempt,
    },
    /// End a running execution.
    Cancel {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
    },
    /// Find out whether an execution in doubt happened.
    Probe {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
    },
    /// Ask the model for values of a call that is repaired; its words come back.
    AskRepair {
        /// The call.
        call: NodeId,
        /// The revision that is repaired.
        rev: Rev,
        /// The round of repair.
        round: u32,
        /// Milliseconds to wait first.
        wait_ms: u64,
    },
    /// Ask the operator's program about a call; its answer comes back.
    AskApprover {
        /// The call.
        call: NodeId,
        /// Event with which it was asked: the answer names it.
        set: Seq,
    },
    /// End the question to the operator's program: somebody else has decided.
    EndApprover {
        /// The call.
        call: NodeId,
    },
    /// Report back once time has passed.
    Timer {
        /// What is reported.
        timer: Timer,
        /// Event with which the wait began, or began anew: the report names it.
        set: Seq,
        /// Milliseconds from now.
        ms: u64,
    },
    /// Tell the operator that they are needed.
    Notify {
        /// Why, in a few words.
        why: String,
    },
}

impl Effect {
    /// True for what only ends something. It needs no record to be safe: who resumes finds in doubt what was under
    /// way.
    pub const fn only_ends(&self) -> bool {
        matches!(self, Self::Cancel { .. } | Self::Abort { .. })
    }
}
