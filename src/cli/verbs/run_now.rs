//! Runs a scheduled call immediately.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, RevisionArg};
use super::target::seen;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, ResilienceCommand};

/// Run a call immediately that waits for its retry or for the end of a pause
#[derive(Debug, clap::Args)]
pub struct RunNow {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// Call
    pub call: String,
}

impl Act for RunNow {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = seen(session.state, &self.call, &self.seen)?;
        Ok(vec![Command::Resilience(ResilienceCommand::RunNow { call, rev })])
    }
}
