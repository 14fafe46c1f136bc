//! Events about the files of the workspace: what executions and others changed, and what was restored.
//!
//! Must not know: how a change is found, how a file is written.

use serde::{Deserialize, Serialize};

use crate::files::{ChangeList, ChangeSet};
use crate::id::{Attempt, NodeId};

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
        set: ChangeSet,
    },
    /// Something else than a call changed files since the run last looked.
    ChangedOutside {
        /// What.
        changes: ChangeList,
    },
}
