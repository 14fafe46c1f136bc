//! Copies a node of another branch to the current branch.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On};
use super::target::{committed, node};
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, Edit};
use overrule_domain::id::{Epoch, Rev};

/// Copy a result, answer or text of another branch to the current branch
#[derive(Debug, clap::Args)]
#[command(alias = "take")]
pub struct Copy {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Node, such as o5; for a call, its result is copied
    pub node: String,
    /// Active revision of the node that you saw; refused if another one is active now
    #[arg(long, value_parser = number::whole::<u32>("the number of a revision, such as 2"))]
    pub rev: Option<u32>,
    /// Number of the branch to copy from
    #[arg(long, value_name = "BRANCH", value_parser = number::whole::<u32>("the number of a branch, such as 2"))]
    pub from: u32,
}

impl Act for Copy {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edit = Edit::Copy {
            node: node(&self.node)?,
            base: self.rev.map(Rev),
            from: Epoch(self.from),
        };
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}
