//! Ends the current reply of the model, or the whole session.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};

/// End the current model reply, keep its complete blocks, and pause the session
#[derive(Debug, clap::Args)]
pub struct StopTurn {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for StopTurn {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::StopTurn {})])
    }
}

/// Stop a session and its running calls until it is unpaused
#[derive(Debug, clap::Args)]
pub struct Stop {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for Stop {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::Stop {
            reason: self.on.reason_or("stopped by the operator"),
        })])
    }
}
