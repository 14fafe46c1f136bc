//! Events about the files of the workspace: what executions and others changed, and what was restored.
//!
//! Must not know: how a change is found, how a file is written.

use serde::{Deserialize, Serialize};

use crate::files::{ChangeList, ChangeSet, RestoreStarted, Skipped};
use crate::id::{Attempt, NodeId, Seq};

/// Events about the files of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum FilesEvent {
    /// An execution has ended: what it changed. It follows the outcome, in the same decision.
    Changed {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
        /// What it changed.
        #[serde(flatten)]
        set: Box<ChangeSet>,
    },
    /// Something else than a call changed files since the run last looked.
    ChangedOutside {
        /// What.
        #[serde(default)]
        changes: ChangeList,
    },
    /// A restore begins. Until it ends, no call is launched and no model is asked.
    RestoreStarted(Box<RestoreStarted>),
    /// The operator continues a restore that was interrupted.
    RestoreContinued {
        /// The restore.
        restore: NodeId,
    },
    /// A restore has ended, or the operator leaves it as it is.
    Restored {
        /// The restore.
        restore: NodeId,
        /// Steps that were carried out.
        #[serde(default)]
        done: u32,
        /// Steps that were not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skipped: Vec<Skipped>,
    },
    /// The operator has seen what changed.
    Seen {
        /// Up to this event.
        #[serde(default)]
        through: Seq,
    },
}

impl FilesEvent {
    /// The node that it is about, if any: a call or a restore.
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Changed { call, .. } => Some(*call),
            Self::RestoreStarted(started) => Some(started.restore),
            Self::RestoreContinued { restore } | Self::Restored { restore, .. } => Some(*restore),
            Self::ChangedOutside { .. } | Self::Seen { .. } => None,
        }
    }

    /// The call that it is about, if any.
    pub const fn call(&self) -> Option<NodeId> {
        match self {
            Self::Changed { call, .. } => Some(*call),
            Self::ChangedOutside { .. }
            | Self::RestoreStarted(_)
            | Self::RestoreContinued { .. }
            | Self::Restored { .. }
            | Self::Seen { .. } => None,
        }
    }
}
