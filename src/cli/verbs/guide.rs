//! Inserts a prompt at the end, or after a turn.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On};
use super::target::{committed, text};
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, Edit};
use overrule_domain::id::TurnId;

/// Insert a prompt at the end, or after a turn
#[derive(Debug, clap::Args)]
#[command(visible_alias = "insert-prompt")]
pub struct Guide {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Text
    pub text: String,
    /// Number of the turn to insert after [default: the last]
    #[arg(long, value_parser = number::whole::<u32>("the number of a turn, such as 4"))]
    pub after: Option<u32>,
}

impl Act for Guide {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edit = Edit::InsertPrompt {
            after: self.after.map(TurnId),
            text: text(&self.text),
        };
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}
