//! Forks of a session: what a fork records about the run that it was copied from.
//!
//! Must not know: where the other record is, who asked for the fork.
//!
//! A fork reverts no effect. It records the effects of the other run after the fork point, so that
//! an equal call needs consent and nothing has to read the other record again.

mod other_run;
mod preview;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::call::{EffectClass, Outcome};
use super::id::{NodeId, Seq};

pub use other_run::{asked_about, is_theirs};
pub use preview::{End, Flight, ForkPreview, Reading, Ready};

/// The fork point in another run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The event that records the fork.
    pub seq: Seq,
    /// The session that the facts before it were copied from.
    pub session: Arc<str>,
    /// The last of them.
    pub at: Seq,
    /// UTC milliseconds of the fork; distinguishes forks at the same point.
    pub made: i64,
    /// True once a process has resumed the fork.
    pub opened: bool,
}

/// Name for a tool whose record cannot be read.
pub const UNREADABLE: &str = "(unreadable)";

/// An effect of another run after the fork point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The session that it happened in.
    pub session: Arc<str>,
    /// The event of its intent there, or the first one that names the execution where that cannot be read.
    #[serde(default)]
    pub entry: Seq,
    /// The call there.
    pub call: NodeId,
    /// The tool.
    pub tool: Arc<str>,
    /// The exact argument bytes that ran; empty where they are not known.
    pub args: Arc<str>,
    /// Hash of both: equal effects have equal hashes. Empty where that is not known: any call of the tool may be the
    /// same.
    pub same: Arc<str>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// UTC milliseconds of its intent.
    #[serde(default)]
    pub at: i64,
    /// How it ended; none where that was not known when the fork was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl Elsewhere {
    /// Returns true if a call of this tool may be the same.
    pub fn is_of(&self, tool: &str) -> bool {
        *self.tool == *UNREADABLE || *self.tool == *tool
    }

    /// Returns true if its arguments are unknown.
    pub fn is_untold(&self) -> bool {
        self.same.is_empty()
    }
}

/// An effect of another run, as a fork keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// The effect as recorded.
    pub what: Arc<Elsewhere>,
    /// Calls that were given its result without an execution.
    pub reused_by: Vec<NodeId>,
}
