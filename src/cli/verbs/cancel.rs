//! Cancels a running or approved call.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{AttemptArg, On};
use super::target::node;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::Attempt;

/// Cancel a running or approved call
#[derive(Debug, clap::Args)]
pub struct Cancel {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub ran: AttemptArg,
    /// Call
    pub call: String,
}

impl Act for Cancel {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Call(CallCommand::Cancel {
            call: node(&self.call)?,
            attempt: self.ran.attempt.map(Attempt),
            reason: self.on.reason_or("cancelled by the operator"),
        })])
    }
}
