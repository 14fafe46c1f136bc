//! Executions, as the ledger keeps them.
//!
//! Must not know: how they are shown, who repeats one.

use std::sync::Arc;

use crate::call::{EffectClass, Outcome};
use crate::id::{Attempt, Epoch, NodeId, Rev, Seq, ThreadId};

/// One execution as the ledger keeps it, whatever becomes of its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The event of its intent.
    pub seq: Seq,
    /// The call.
    pub call: NodeId,
    /// The revision.
    pub rev: Rev,
    /// Counts the executions of the call.
    pub attempt: Attempt,
    /// The tool.
    pub tool: Arc<str>,
    /// Hash of tool and final arguments: equal for equal ones.
    pub same: Arc<str>,
    /// Key for tools that can tell a repetition; none where a repetition does nothing.
    pub key: Option<Arc<str>>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// The kind of task that it ran for, where that was known.
    pub task: Option<Arc<str>>,
    /// UTC milliseconds of the intent.
    pub at: i64,
    /// The thread of the sub-agent that works in it; none where a tool runs.
    pub thread: Option<ThreadId>,
    /// How it ended.
    pub outcome: LedgerOutcome,
    /// The event that recorded its end.
    pub ended: Option<Seq>,
    /// Epoch at the launch.
    pub epoch: Epoch,
    /// What is known of few executions.
    pub more: More,
}

/// What is known of few executions: how the world was before, and what became of them afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct More {
    /// What was known of the world before it.
    pub before: Option<Arc<str>>,
    /// True once a probe could not determine its outcome.
    pub probed: bool,
    /// True once an edit superseded its call.
    pub orphaned: bool,
    /// True once an operator edited its sub-agent's work: what it gave is no result of an equal call.
    pub edited: bool,
    /// Calls that were given its result without an execution.
    pub reused_by: Vec<NodeId>,
    /// The restore with which the last of its file changes was undone; none where something of it is left.
    pub reverted_by: Option<NodeId>,
}

/// How an execution ended, for the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerOutcome {
    /// Still under way.
    Running,
    /// It gave a value or an error.
    Known(Outcome),
    /// The outcome is unknown.
    Unknown,
    /// Shown or reported not to have happened.
    DidNot,
}
