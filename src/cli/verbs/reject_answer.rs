//! Rejects an answer; the model continues with the reason.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On, RevisionArg};
use super::target::{committed, node};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, Edit};
use overrule_domain::id::Rev;

/// Reject an answer; the model continues with your --reason (required)
#[derive(Debug, clap::Args)]
pub struct RejectAnswer {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// Answer
    pub node: String,
}

impl Act for RejectAnswer {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edit = Edit::RejectAnswer {
            node: node(&self.node)?,
            base: self.seen.rev.map(Rev),
            reason: self.on.reason().into(),
        };
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}
