//! Defines the commands about the files of the workspace.
//!
//! Must not know: how a plan is made.

use serde::{Deserialize, Serialize};

use super::Command;
use crate::files::RestoreChoice;
use crate::id::{Epoch, NodeId, Seq};

/// Commands about the files of the workspace. Nothing is restored unless one of them says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FilesCommand {
    /// Restore what calls changed. The calls stay as they are.
    Restore {
        /// The calls.
        calls: Vec<NodeId>,
        /// What was chosen.
        choice: RestoreChoice,
    },
    /// Restore the files to the end of another branch. The branch does not become the current one.
    RestoreBranch {
        /// The epoch that names the branch.
        to: Epoch,
        /// What was chosen.
        choice: RestoreChoice,
    },
    /// Undo a restore. One that was interrupted is left first.
    UndoRestore {
        /// The restore.
        restore: NodeId,
        /// What was chosen.
        choice: RestoreChoice,
    },
    /// Continue a restore that was interrupted.
    Continue {
        /// The restore.
        restore: NodeId,
    },
    /// Leave a restore that was interrupted as it is.
    Leave {
        /// The restore.
        restore: NodeId,
    },
    /// Mark changes as seen.
    Seen {
        /// Up to this event.
        through: Seq,
    },
    /// An edit, an undo, a redo or a switch, and the restore of what it makes inactive: one decision.
    With {
        /// The edit, undo, redo or switch, or the command that asks the model again.
        command: Box<Command>,
        /// What was chosen.
        choice: RestoreChoice,
    },
}
