//! Committed edits, and the epochs that they began.
//!
//! Must not know: how an edit is decided.

use std::sync::Arc;

use crate::event::edit::EpochOrigin;
use crate::id::{Epoch, NodeId, Seq, ThreadId, TurnId};

/// A committed edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditRecord {
    /// The event.
    pub seq: Seq,
    /// The epoch that it began.
    pub epoch: Epoch,
    /// The node that stands for it.
    pub intervention: NodeId,
    /// The node that was edited.
    pub target: Option<NodeId>,
    /// The thread of what was edited or inserted.
    pub thread: ThreadId,
    /// Description of the edit.
    pub what: Arc<str>,
    /// The rule of the engine that made it; none for an operator's.
    pub by: Option<Arc<str>>,
    /// The answer that it rejects, with the calls that gave it. The model sees them before the reason.
    pub rejected: Vec<NodeId>,
    /// Calls whose results it shortens for the model.
    pub shortened: Vec<NodeId>,
    /// Turns that it leaves out for the model.
    pub left_out: Vec<TurnId>,
    /// The summary that stands for these turns.
    pub summary: Option<Arc<str>>,
    /// The turn after which it was made; none for an edit of a node.
    pub after: Option<TurnId>,
}

/// How an epoch began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpochRecord {
    /// The epoch.
    pub epoch: Epoch,
    /// The epoch from whose end it began.
    pub base: Epoch,
    /// The epoch that was left for it: the one before it.
    pub left: Epoch,
    /// By what.
    pub began: EpochOrigin,
    /// The event.
    pub seq: Seq,
    /// Description of what was done.
    pub what: Arc<str>,
    /// What the operator calls it.
    pub name: Option<Arc<str>>,
    /// The branch that it begins or continues, named by the epoch of the edit that began it.
    pub branch: Epoch,
}
