//! Asks the model again for a turn.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, PreviewArg};
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::TurnId;

/// Ask the model again: continues a broken turn, or replaces a complete one and all after it
#[derive(Debug, clap::Args)]
pub struct AskAgain {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The preview
    #[command(flatten)]
    pub look: PreviewArg,
    /// Number of the turn
    #[arg(value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
    pub turn: u32,
    /// Request of the turn that you saw, from 1; refused if a newer one was made
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a request, such as 2"))]
    pub request: Option<u32>,
}

impl Act for AskAgain {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.look.preview
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::AskAgain {
            turn: TurnId(self.turn),
            request: self.request,
        })])
    }
}
