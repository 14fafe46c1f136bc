//! Refuses a verb because of the state of a call, a turn or a question.
//!
//! Must not know: how a state comes about.

use std::sync::Arc;

use overrule_base::text::visible;
use overrule_domain::id::{NodeId, TurnId};

/// Why the state of a node or its question does not allow a verb.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NodeState {
    /// A branch without the node is active.
    #[error("{node} is superseded: {by}")]
    Superseded {
        /// The node.
        node: NodeId,
        /// What replaced it.
        by: &'static str,
    },
    /// The node was deleted by an edit.
    #[error("{0} was deleted")]
    Deleted(NodeId),
    /// The call does not need the operator.
    #[error("cannot decide {call}: its status is {status}")]
    Undecidable {
        /// The call.
        call: NodeId,
        /// Its status.
        status: &'static str,
    },
    /// An edit may change the call.
    #[error("cannot decide {0}: suspended by an open edit before it")]
    Suspended(NodeId),
    /// The call has not begun, or has ended.
    #[error("Cannot cancel {call}: its status is {status}")]
    NotCancellable {
        /// The call.
        call: NodeId,
        /// Its status.
        status: &'static str,
    },
    /// The call has no digest yet.
    #[error("{0} is not ready yet")]
    NotReady(NodeId),
    /// The queue does not list the call.
    #[error("{0} is not in the queue")]
    NotQueued(NodeId),
    /// The verb needs a call that awaits approval.
    #[error("{0} does not await approval: \"always\" needs a call that does")]
    NotAwaiting(NodeId),
    /// The call or its question changed.
    #[error("{0} asks a new question: close this and open it again")]
    NewQuestion(NodeId),
    /// The server published other definitions.
    #[error("{} has other definitions now: close this and open it again", visible(.0))]
    NewDefinitions(Arc<str>),
    /// The execution ended by itself, or still runs.
    #[error("{0} was not cancelled")]
    NotCancelled(NodeId),
    /// A process of the execution still runs.
    #[error("{0}: it may happen yet")]
    StillRuns(String),
    /// The call starts when it can, or has started.
    #[error("{0} is not scheduled")]
    NotScheduled(NodeId),
    /// The call failed for good, or not at all.
    #[error("{0} is not being repaired")]
    NotRepairing(NodeId),
    /// No repair is offered for the call.
    #[error("{0}: no repair is offered")]
    NoRepair(NodeId),
    /// The outcome is recorded.
    #[error("Its outcome is known: nothing to resolve")]
    Resolved,
    /// The call must be resolved first.
    #[error("Outcome of {call} unknown. {key} in the queue resolves it first")]
    UnknownOutcome {
        /// The call.
        call: NodeId,
        /// The key that opens the choices.
        key: String,
    },
    /// The call has no result to correct.
    #[error("{call} has no result yet. {key} answers for it")]
    NoResult {
        /// The call.
        call: NodeId,
        /// The key that answers.
        key: String,
    },
    /// The call is a question to the operator.
    #[error("Cannot approve {call}: it asks you a question. {key} answers it")]
    AsksOperator {
        /// The call.
        call: NodeId,
        /// The key that answers.
        key: String,
    },
    /// Other keys decide about the call.
    #[error("{}", keys.describe())]
    OtherKeys {
        /// The keys.
        keys: OtherKeys,
    },
}

/// Why the state of a turn does not allow a verb.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TurnState {
    /// Another branch is active, or an edit is open.
    #[error("{0} is superseded or suspended. Choose an active turn")]
    Inactive(TurnId),
    /// The stream of the turn broke.
    #[error("The stream of {turn} broke. {keys} shows the choices")]
    Broken {
        /// The turn.
        turn: TurnId,
        /// The keys that open the choices.
        keys: String,
    },
    /// The stream of the turn is asked for again, or complete.
    #[error("the stream of {0} is no longer broken")]
    NotBroken(TurnId),
    /// The operator wrote the turn.
    #[error("Cannot ask again for {0}: it is yours, not the model's")]
    Own(TurnId),
}

/// The keys that decide about a call which has no dialog of choices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OtherKeys {
    /// For a call that awaits approval.
    Approval {
        /// Approves it.
        approve: String,
        /// Rejects it.
        reject: String,
        /// Edits it.
        edit: String,
    },
    /// For a call in repair.
    Repair {
        /// The call.
        call: NodeId,
        /// Chooses a repair; `None` where none is offered.
        choose: Option<String>,
        /// Lets the call fail.
        skip: String,
        /// Edits it.
        edit: String,
    },
}

impl OtherKeys {
    fn describe(&self) -> String {
        match self {
            Self::Approval {
                approve,
                reject,
                edit,
            } => {
                format!("{approve} approves, {reject} rejects, {edit} edits")
            }
            Self::Repair {
                call,
                choose,
                skip,
                edit,
            } => {
                let choose = choose.as_deref().map(|key| format!("{key} chooses a repair, "));
                let choose = choose.unwrap_or_default();
                format!("{call} cannot run as it is: {choose}{skip} lets the call fail, {edit} edits")
            }
        }
    }
}
