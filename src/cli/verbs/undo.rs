//! Undoes the newest active edit, and redoes it.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{CommitArgs, On};
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

/// Undo the newest active edit; no branch is lost
#[derive(Debug, clap::Args)]
pub struct Undo {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The plan
    #[command(flatten)]
    pub planned: CommitArgs,
    /// Current branch when you looked; refused if another one is current now
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub epoch: Option<u32>,
}

impl Act for Undo {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Edit(EditCommand::Undo {
            epoch: self.epoch.map(Epoch),
            effects_seen: self.planned.effects_seen,
        })])
    }
}

/// Redo the last undone edit
#[derive(Debug, clap::Args)]
pub struct Redo {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The plan
    #[command(flatten)]
    pub planned: CommitArgs,
    /// Current branch when you looked; refused if another one is current now
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub epoch: Option<u32>,
}

impl Act for Redo {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Edit(EditCommand::Redo {
            epoch: self.epoch.map(Epoch),
            effects_seen: self.planned.effects_seen,
        })])
    }
}
