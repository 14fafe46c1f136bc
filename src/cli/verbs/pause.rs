//! Pauses a session, and continues it.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};

/// Pause a session: running calls finish, nothing new starts
#[derive(Debug, clap::Args)]
pub struct Pause {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for Pause {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::Pause {
            reason: self.on.reason_or("paused by the operator"),
        })])
    }
}

/// Continue a paused or stopped session
#[derive(Debug, clap::Args)]
pub struct Unpause {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for Unpause {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::Resume {})])
    }
}
