//! Nodes of the reasoning graph and their revisions.
//!
//! Must not know: the life cycle of calls (`call`), how content is shown.
//!
//! A node never disappears and a revision never changes: an edit adds a revision, invalidation
//! clears `active`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::Outcome;
use super::history::{History, Line};
use super::id::{Attempt, Epoch, NodeId, Rev, Seq, TurnId};

/// A node of the graph, with all its revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id; the kind is part of it.
    pub id: NodeId,
    /// The turn that it belongs to.
    pub turn: TurnId,
    /// False once it is superseded; it then stays as history.
    pub active: bool,
    /// True where an operator wrote an observation that no execution may replace.
    pub pinned: bool,
    /// Hash of the request to which the model, asked the same again, gave another reply.
    pub replaced: Option<Arc<str>>,
    /// All revisions on any branch, oldest first; never empty, numbered from 1.
    pub revisions: Vec<Revision>,
    /// Number of the current revision: the newest, or an earlier one after an undo.
    pub current: Rev,
    /// Its state at the end of earlier epochs.
    pub history: History<NodeState>,
}

/// Whether a node is active, and its current revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeState {
    /// The current revision.
    pub rev: Rev,
    /// Whether it is active.
    pub active: bool,
    /// Whether an operator's observation is pinned.
    pub pinned: bool,
}

impl Node {
    /// The event that made it.
    pub fn born(&self) -> Seq {
        self.revisions.first().map_or(Seq(0), |first| first.event)
    }

    /// Returns its current revision.
    pub fn now(&self) -> &Revision {
        // A node is made with its first revision and revisions are never removed.
        self.revision(self.current)
            .unwrap_or(&self.revisions[self.revisions.len() - 1])
    }

    /// Returns a revision by its number.
    pub fn revision(&self, rev: Rev) -> Option<&Revision> {
        self.revisions.get((rev.0 as usize).checked_sub(1)?)
    }

    /// Number of the current revision.
    pub fn rev(&self) -> Rev {
        self.current
    }

    /// Number of the next revision. No number is used twice.
    pub fn next_rev(&self) -> Rev {
        Rev(self.revisions.len() as u32).next()
    }

    /// Returns its state.
    pub fn state(&self) -> NodeState {
        NodeState {
            rev: self.current,
            active: self.active,
            pinned: self.pinned,
        }
    }

    /// Changes its state in an epoch and keeps the old one.
    pub fn set_state(&mut self, epoch: Epoch, status: NodeState) {
        let now = self.state();
        if now == status {
            return;
        }
        self.history.keep(epoch, now);
        self.current = status.rev;
        self.active = status.active;
        self.pinned = status.pinned;
    }

    /// Adds a revision, which becomes the current one.
    pub fn revise(&mut self, epoch: Epoch, revision: Revision) {
        let rev = self.next_rev();
        self.revisions.push(Revision { no: rev, ..revision });
        let status = NodeState { rev, ..self.state() };
        self.set_state(epoch, status);
    }

    /// Returns true if a person wrote the current revision.
    pub fn is_edited(&self) -> bool {
        matches!(self.now().origin, Origin::Operator { .. }) && self.current > Rev(1)
    }

    /// Returns true if an edit on a line of epochs deleted the node. The current revision does not
    /// tell: the current branch may not contain the edit.
    pub fn is_deleted_on(&self, line: &Line) -> bool {
        let newest = self
            .revisions
            .iter()
            .rev()
            .find(|output| line.holds(output.epoch));
        newest.is_some_and(|output| matches!(output.content, Content::Deleted))
    }

    /// Text of a prompt, thought, answer, repair or intervention; empty for the other kinds.
    pub fn text(&self) -> &str {
        match &self.now().content {
            Content::Text { text, .. } => text,
            _ => "",
        }
    }

    /// Tool and argument text of a call.
    pub fn as_call(&self) -> Option<(&Arc<str>, &Arc<str>)> {
        match &self.now().content {
            Content::Call { tool, args } => Some((tool, args)),
            _ => None,
        }
    }

    /// True for words that came with a request of another program's agent.
    pub fn is_from_agent(&self) -> bool {
        let first = self.revisions.first();
        first.is_some_and(|revision| matches!(revision.origin, Origin::Import))
    }

    /// Result or error of an observation.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.now().content {
            Content::Observation { outcome, .. } => Some(outcome),
            _ => None,
        }
    }
}

/// What a node said at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// From 1.
    pub no: Rev,
    /// What it said.
    pub content: Content,
    /// Who said it.
    pub origin: Origin,
    /// Epoch in which it was said.
    pub epoch: Epoch,
    /// The event that recorded it.
    pub event: Seq,
}

/// The text of a node, by kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Content {
    /// Prompt, thought, answer, repair or intervention.
    Text {
        /// The words.
        text: Arc<str>,
        /// How it was said.
        #[serde(default)]
        channel: Channel,
        /// Provider's opaque block that goes with it, as JSON text; void once the text is edited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
    },
    /// A call.
    Call {
        /// Name of the tool.
        tool: Arc<str>,
        /// The argument text, byte for byte.
        args: Arc<str>,
    },
    /// An observation.
    Observation {
        /// Revision of the call that it answers.
        #[serde(default)]
        call_rev: Rev,
        /// The execution that it came from; 0 where none ran.
        #[serde(default)]
        attempt: Attempt,
        /// Result or error.
        outcome: Outcome,
    },
    /// Deleted by the operator.
    Deleted,
}

/// How a thought was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Ordinary assistant text; sent back to the model.
    #[default]
    Spoken,
    /// The provider's reasoning stream.
    Reasoning,
}

/// Who wrote a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Origin {
    /// The model.
    Model,
    /// A tool's execution.
    Execution,
    /// A person.
    Operator {
        /// Their name.
        user: Arc<str>,
    },
    /// The repair engine, with the number of the attempt.
    Repair {
        /// From 1.
        #[serde(default)]
        attempt: u32,
    },
    /// A rule of the engine.
    Engine {
        /// Which.
        rule: Arc<str>,
    },
    /// The recorded result of an equal execution.
    Reused {
        /// The execution it came from.
        #[serde(default)]
        from: Seq,
    },
    /// A request of another program's agent.
    Import,
}
