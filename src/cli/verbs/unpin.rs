//! Allows executions to replace a corrected result again.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, PreviewArg, RevisionArg};
use super::target::node;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::Rev;

/// Allow executions to replace a corrected result again
#[derive(Debug, clap::Args)]
pub struct Unpin {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The preview
    #[command(flatten)]
    pub look: PreviewArg,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// Result, such as o5
    pub node: String,
}

impl Act for Unpin {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.look.preview
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (node, rev) = (node(&self.node)?, self.seen.rev.map(Rev));
        Ok(vec![Command::Call(CallCommand::Unpin { node, rev })])
    }
}
