//! Sets the result of a call by hand.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, PreviewArg, RevisionArg};
use super::target::{seen, text};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command};

/// Set the result of a call by hand; the call does not run
#[derive(Debug, clap::Args)]
pub struct Answer {
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
    /// Result, as JSON
    #[arg(long)]
    pub value: String,
}

impl Act for Answer {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.look.preview
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = seen(session.state, &self.call, &self.seen)?;
        let value = text(&self.value);
        Ok(vec![Command::Call(CallCommand::Answer { call, rev, value })])
    }
}
