//! What a run knows of the agent of another program that it supervises.
//!
//! Must not know: clocks, how requests arrive.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::{NodeId, Seq};
use super::turn::Usage;

/// The agent of another program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// How long it waits for the reply to its newest request; none if that is not known.
    pub wait: Option<Wait>,
    /// The event of its newest request with a rewritten history.
    pub rewritten: Option<Seq>,
    /// Edited nodes that its history lacks: the edits do not reach the model any more.
    pub lost: BTreeSet<NodeId>,
    /// Its requests without tools. No limit counts them.
    pub side: SideRequests,
}

/// How many requests without tools an agent made, and what they used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SideRequests {
    /// Their number.
    pub count: u32,
    /// Their tokens, as far as the replies say them.
    pub usage: Usage,
}

/// A request without tools that an agent made, such as one for a title.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SideRequest {
    /// The first words of its newest message.
    #[serde(default)]
    pub words: Arc<str>,
    /// Its tokens, as far as the reply says them.
    #[serde(default)]
    pub usage: Usage,
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
