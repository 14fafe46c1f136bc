//! Events about the sandbox: what it refused, and what the operator allowed in addition.
//!
//! Must not know: how a child is confined.

use serde::{Deserialize, Serialize};

use crate::id::{Attempt, NodeId};
use crate::sandbox::{Refused, Widening};

/// Events about the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum SandboxEvent {
    /// The sandbox refused accesses of an execution.
    Confined {
        /// The call.
        call: NodeId,
        /// The execution.
        #[serde(default)]
        attempt: Attempt,
        /// What was refused; never empty.
        #[serde(default)]
        refused: Vec<Refused>,
    },
    /// The operator allowed the children of the run more, for the rest of the session.
    Widened {
        /// What.
        by: Widening,
    },
    /// The operator keeps a change of a protected path that was undone.
    Kept {
        /// The call.
        call: NodeId,
        /// The path, as it was told.
        path: String,
        /// Where the changed content lies.
        from: String,
    },
    /// The change could not be given back.
    NotKept {
        /// The call.
        call: NodeId,
        /// The path, as it was told.
        path: String,
        /// Where the changed content lies.
        from: String,
        /// Why, in its visible form.
        why: String,
    },
}

impl SandboxEvent {
    /// The call that it is about, if any.
    pub const fn call(&self) -> Option<NodeId> {
        match self {
            Self::Confined { call, .. } | Self::Kept { call, .. } | Self::NotKept { call, .. } => Some(*call),
            Self::Widened { .. } => None,
        }
    }
}
