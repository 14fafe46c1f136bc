//! Reason why a command was not carried out.
//!
//! Must not know: how it is shown.
//!
//! It is a value to show, not an error to propagate.

use serde::{Deserialize, Serialize};

use super::call::Fault;

/// Why a command was not carried out, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Kind, for programs.
    pub kind: RefusalKind,
    /// What was refused, why, and what to do.
    pub message: String,
    /// What is wrong with the arguments, where that is the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Kinds of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// No such node, turn or call, or one of another kind.
    Unknown,
    /// It changed since it was shown.
    Changed,
    /// It is superseded.
    Superseded,
    /// Its status does not allow this.
    Status,
    /// The content is not valid.
    Invalid,
    /// The policy forbids it.
    Denied,
    /// More effects happened since the plan was shown.
    Effects,
    /// Nothing would change.
    NoChange,
    /// The run is over or stopped.
    Over,
    /// The session cannot be written.
    Journal,
    /// The run has no room for another message now.
    Busy,
}

impl Refusal {
    /// A refusal without faults.
    pub fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            faults: Vec::new(),
        }
    }
}
