//! Plans a restore: what happens to each path, and why one is left as it is.
//!
//! Must not know: how a file is read or written, how a plan is shown.

use super::{Execution, FilePath, FileState, HeadMove, StepList};
use crate::call::Digest;
use crate::id::{NodeId, Seq};

/// What a restore would do. Only `steps` is carried out, and the digest is of all that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The paths that the selected executions changed, in their order.
    pub rows: Vec<Row>,
    /// Ignored directories in which selected calls wrote: nothing in them is restored.
    pub ignored: Vec<(NodeId, FilePath)>,
    /// Selected executions that moved `HEAD`. It stays where it is.
    pub heads: Vec<HeadRow>,
    /// Selected calls of whose changes something is not known, with the reason.
    pub untracked: Vec<(NodeId, String)>,
    /// Selected executions with other effects than changes of files, by the event of their intent. They stay.
    pub stays: Vec<Seq>,
    /// Executions whose changes are undone.
    pub undone: Vec<Execution>,
    /// Executions whose changes are made again.
    pub redone: Vec<Execution>,
    /// The steps, in the order in which they are carried out.
    pub steps: StepList,
    /// Hash of everything that is carried out.
    pub digest: Digest,
}

/// One path of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The path.
    pub path: FilePath,
    /// What restoring it does.
    pub what: What,
    /// The selected calls that changed it, in their order.
    pub calls: Vec<NodeId>,
    /// What it is now.
    pub now: FileState,
    /// What it becomes.
    pub target: FileState,
    /// Whether it can be restored.
    pub status: RowStatus,
    /// True if it is carried out: it can be restored, or the operator chose it in spite of a conflict, and did not leave it
    /// out.
    pub is_chosen: bool,
}

/// What restoring a path does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Its content, its permissions or its kind is the earlier one again.
    Restore,
    /// It was created, and is deleted.
    Delete,
    /// It was deleted, and is created again.
    Recreate,
}

/// Whether a path can be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowStatus {
    /// It can.
    Restore,
    /// Something else changed it: it is restored only if the operator chooses that.
    Conflict {
        /// Why, such as `c9 changed it later and stays`.
        why: String,
    },
    /// It cannot.
    NotRestorable {
        /// Why, such as `not saved (9.1 MiB, limit 8 MiB)`.
        why: String,
    },
    /// It is already what it would become.
    Nothing,
}

/// An execution that moved `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadRow {
    /// The call.
    pub call: NodeId,
    /// From where to where.
    pub moved: HeadMove,
    /// The command with which a person moves it back, such as `git reset --soft a1b2c3d`.
    pub hint: String,
}
