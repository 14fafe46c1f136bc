//! Starts one call or model request of a paused session.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};

/// Start one call or model request of a paused session
#[derive(Debug, clap::Args)]
pub struct Step {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for Step {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::Step {})])
    }
}
