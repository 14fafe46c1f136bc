//! Restricts a session to reading calls, or lifts that.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};

/// Restrict a session to reading calls; denies all other calls that have not started
#[derive(Debug, clap::Args)]
pub struct Restrict {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Lift the restriction
    #[arg(long)]
    pub lift: bool,
}

impl Act for Restrict {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let command = if self.lift {
            RunCommand::LiftRestriction {}
        } else {
            RunCommand::Restrict {
                reason: self.on.reason_or("by the operator").into(),
            }
        };
        Ok(vec![Command::Run(command)])
    }
}
