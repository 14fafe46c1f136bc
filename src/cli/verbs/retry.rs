//! Runs a finished call again.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, PreviewArg, RevisionArg};
use super::target::seen;
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command};

/// Run a finished call again
#[derive(Debug, clap::Args)]
pub struct Retry {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// The preview
    #[command(flatten)]
    pub look: PreviewArg,
    /// Call
    pub call: String,
}

impl Act for Retry {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.look.preview
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = seen(session.state, &self.call, &self.seen)?;
        Ok(vec![Command::Call(CallCommand::Retry { call, rev })])
    }
}
