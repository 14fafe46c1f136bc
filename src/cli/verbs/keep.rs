//! Accepts a broken turn as complete.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::TurnId;

/// Accept a broken turn as complete
#[derive(Debug, clap::Args)]
pub struct Keep {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Number of the turn
    #[arg(value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
    pub turn: u32,
    /// Request of the turn that you saw, from 1; refused if a newer one was made
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a request, such as 2"))]
    pub request: Option<u32>,
}

impl Act for Keep {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::KeepArrived {
            turn: TurnId(self.turn),
            request: self.request,
        })])
    }
}
