//! Inserts a thought after a turn or a node.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On};
use super::target::{committed, node, text};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, Edit, InsertAfter};
use overrule_domain::id::TurnId;

/// Insert a thought after a turn or a node; the model continues from it
#[derive(Debug, clap::Args)]
pub struct InsertThought {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Text
    pub text: String,
    /// Turn to insert after, or node: the rest of its turn is superseded [default: the last turn]
    #[arg(long, value_name = "TURN|NODE")]
    pub after: Option<String>,
}

impl Act for InsertThought {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edit = Edit::InsertThought {
            after: self.after.as_deref().map(insert_after).transpose()?,
            text: text(&self.text),
        };
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}

/// A turn by its number, or a node by its id.
fn insert_after(text: &str) -> Result<InsertAfter, Failure> {
    match text.parse() {
        Ok(number) => Ok(InsertAfter::Turn(TurnId(number))),
        Err(_) => node(text).map(InsertAfter::Node),
    }
}
