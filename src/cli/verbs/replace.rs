//! Replaces the tool of a call.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On, RevisionArg};
use super::target::{committed, rewritten, seen, text};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::Command;

/// Replace the tool of a call
#[derive(Debug, clap::Args)]
pub struct Replace {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Call
    pub call: String,
    /// New tool
    pub tool: String,
    /// Arguments, as JSON; _as, _out and _after stay unless named, null removes one
    #[arg(long)]
    pub args: String,
}

impl Act for Replace {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (node, base) = seen(session.state, &self.call, &self.seen)?;
        let edit = rewritten(node, base, text(&self.tool), text(&self.args));
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}
