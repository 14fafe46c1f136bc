//! What a run knows of the agent of another program that it supervises.
//!
//! Must not know: clocks, how requests arrive.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::id::{NodeId, Seq};

/// The agent of another program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// How long it waits for the reply to its newest request; none if that is not known.
    pub wait: Option<Wait>,
    /// The event of its newest request with a rewritten history.
    pub rewritten: Option<Seq>,
    /// Edited nodes that its history lacks: the edits do not reach the model any more.
    pub lost: BTreeSet<NodeId>,
}

/// How long an agent waits for a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Milliseconds from its request on.
    pub ms: u64,
    /// The end of that, in UTC milliseconds since 1970.
    pub due: i64,
}

/// What an agent changed of the history that it sent before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Rewriting {
    /// The first node that is not in the history as it was; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<NodeId>,
    /// Edited nodes that the history lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<NodeId>,
}
