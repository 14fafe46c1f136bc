//! Deletes a node.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On, RevisionArg};
use super::target::{committed, seen};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{Command, Edit};

/// Delete a node
#[derive(Debug, clap::Args)]
pub struct Delete {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Node
    pub node: String,
}

impl Act for Delete {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (node, base) = seen(session.state, &self.node, &self.seen)?;
        Ok(vec![committed(
            &self.on,
            &self.change,
            vec![Edit::Delete { node, base }],
        )])
    }
}
