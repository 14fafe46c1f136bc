//! Rejects a call that has not run.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, RevisionArg};
use super::target::seen;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command};

/// Reject a call that has not run
#[derive(Debug, clap::Args)]
pub struct Reject {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// Call
    pub call: String,
}

impl Act for Reject {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = seen(session.state, &self.call, &self.seen)?;
        let reason = self.on.reason();
        Ok(vec![Command::Call(CallCommand::Reject { call, rev, reason })])
    }
}
