//! Makes a request shorter that is too long for the model.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};

/// Shorten old results for the model, if its request is too long
#[derive(Debug, clap::Args)]
pub struct Shorten {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for Shorten {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::Shorten {})])
    }
}

/// Replace old turns with a summary by the model, if its request is too long
#[derive(Debug, clap::Args)]
pub struct Summarize {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for Summarize {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::Summarize {})])
    }
}

/// Leave out old turns for the model, if its request is too long
#[derive(Debug, clap::Args)]
pub struct DropTurns {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for DropTurns {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::DropTurns {})])
    }
}
