//! Switches to another branch.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{CommitArgs, On};
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

/// Switch to another branch
#[derive(Debug, clap::Args)]
pub struct Switch {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The plan
    #[command(flatten)]
    pub planned: CommitArgs,
    /// Number of the branch, as `overrule branches` lists it
    #[arg(value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub branch: u32,
    /// Current branch when you looked; refused if another one is current now
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub epoch: Option<u32>,
}

impl Act for Switch {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Edit(EditCommand::Switch {
            to: Epoch(self.branch),
            epoch: self.epoch.map(Epoch),
            effects_seen: self.planned.effects_seen,
        })])
    }
}
