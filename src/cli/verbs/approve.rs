//! Approves a waiting call.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{BaseArg, On};
use super::target::{current, digest_of, shown, worded};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command};

/// Approve a waiting call
#[derive(Debug, clap::Args)]
pub struct Approve {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Call, such as c5
    pub call: String,
    /// Digest that `overrule queue` printed
    #[arg(long)]
    pub digest: String,
    /// The file that it would replace.
    #[command(flatten)]
    pub base: BaseArg,
    /// Name of its tool; required if the tool is tagged irreversible
    #[arg(long, value_name = "TOOL")]
    pub word: Option<String>,
}

impl Act for Approve {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = current(session.state, &self.call)?;
        Ok(vec![Command::Call(CallCommand::Approve {
            call,
            rev,
            digest: digest_of(session.state, call, &self.digest),
            unread: 0,
            shown: shown(session.state, call, &self.base)?,
            word: worded(session.state, call, self.word.as_deref())?,
        })])
    }
}
