//! What a run knows of the agent of another program that it supervises.
//!
//! Must not know: clocks, how requests arrive.

mod withheld;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::id::{NodeId, Seq, TurnId};
use super::turn::Usage;

pub use withheld::held_behind;

/// The agent of another program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// How long it waits for the reply to its newest request; none if that is not known.
    pub wait: Option<Wait>,
    /// The event of its newest request with a rewritten history.
    pub rewritten: Option<Seq>,
    /// Where its history was rewritten: every turn from one of these on is after that.
    pub seams: BTreeSet<TurnId>,
    /// Edited nodes that its history lacks: the edits do not reach the model any more.
    pub lost: BTreeSet<NodeId>,
    /// The sessions of its sub-agents, and the one that began this one.
    pub links: Vec<LinkedSession>,
    /// Its requests without tools. No limit counts them.
    pub side: SideRequests,
}

impl Agent {
    /// Its sub-agents, in the order in which they began.
    pub fn sub_agents(&self) -> impl Iterator<Item = &LinkedSession> {
        self.links.iter().filter(|link| link.role == LinkRole::SubAgent)
    }

    /// The sub-agents of a call.
    pub fn sub_agents_of(&self, call: NodeId) -> impl Iterator<Item = &LinkedSession> {
        self.sub_agents().filter(move |link| link.call == Some(call))
    }

    /// The session of the agent that began this sub-agent.
    pub fn begun_by(&self) -> Option<&LinkedSession> {
        self.links.iter().find(|link| link.role == LinkRole::Parent)
    }
}

/// A session of another conversation of the same agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkedSession {
    /// Its id.
    pub session: Arc<str>,
    /// What it is to this one.
    pub role: LinkRole,
    /// The call that the sub-agent works for; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<NodeId>,
}

/// What a linked session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkRole {
    /// A sub-agent that this one began.
    SubAgent,
    /// The one that began this sub-agent.
    Parent,
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
