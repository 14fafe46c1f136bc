//! Commits several edits of a file as one.
//!
//! Must not know: how a command is decided, where it is recorded.

use std::path::PathBuf;

use super::takes::{Change, CommitArgs, On};
use super::target::committed;
use super::{Act, Session};
use crate::edits;
use crate::exit::Failure;
use overrule_domain::command::Command;

/// Commit several edits of a JSON file as one (see docs/branches.md)
#[derive(Debug, clap::Args)]
pub struct Commit {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// File with the edits, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub edits: PathBuf,
}

impl Act for Commit {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edits = edits::read(session.state, &self.edits)?;
        Ok(vec![committed(&self.on, &self.change, edits)])
    }
}
