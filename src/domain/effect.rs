//! Defines requests to the outside world that follow from an event, as data.
//!
//! Must not know: how a request is carried out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::files::StepList;
use super::id::{Attempt, NodeId, Rev, Seq, ThreadId, TurnId};
use super::ladder::Timer;
use super::sandbox::KeptChange;
use super::server_question::QuestionId;

/// A request to the outside world.
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
        /// Its idempotency key.
        key: Arc<str>,
    },
    /// End a running execution.
    Cancel {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
    },
    /// Find out whether an execution with an unknown outcome happened.
    Probe {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
    },
    /// Ask the model for arguments of a call that is being repaired.
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
    /// Ask the model for a summary of old turns.
    AskSummary {
        /// Event that asked; the answer names it.
        set: Seq,
        /// Milliseconds to wait first.
        wait_ms: u64,
    },
    /// Ask the operator's approval program about a call.
    AskApprover {
        /// The call.
        call: NodeId,
        /// Event that asked; the answer names it.
        set: Seq,
    },
    /// Cancel the question to the approval program: the call was decided elsewhere.
    EndApprover {
        /// The call.
        call: NodeId,
    },
    /// Answer a question of a server.
    ReplyToServer {
        /// The question.
        question: QuestionId,
        /// The answer as JSON text; none if the operator or the policy declined.
        answer: Option<Arc<str>>,
    },
    /// Report back after a delay.
    Timer {
        /// What is reported.
        timer: Timer,
        /// Event that started or restarted the wait; the report names it.
        set: Seq,
        /// Milliseconds from now.
        ms: u64,
    },
    /// Restore the content of an undone change.
    KeepUndone {
        /// The change.
        change: KeptChange,
        /// True where an earlier process may have done it: then there is nothing to do once its content is gone.
        again: bool,
    },
    /// Restore files, step by step. It is reported how it ended.
    Restore {
        /// The restore.
        restore: NodeId,
        /// The steps. One whose path is neither `from` nor between is skipped; one that is done counts as done.
        steps: StepList,
    },
    /// Remove what an interrupted restore prepared in the workspace: it has ended as it is.
    ClearRestore {
        /// Its steps.
        steps: StepList,
    },
    /// Tell the operator that they are needed.
    Notify {
        /// Why, in a few words.
        why: String,
    },
}

impl Effect {
    /// Returns true for a request that only ends something. It is safe without a record: on resume,
    /// such an execution has an unknown outcome.
    pub const fn only_ends(&self) -> bool {
        matches!(self, Self::Cancel { .. } | Self::Abort { .. })
    }
}
