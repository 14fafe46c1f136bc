//! Approves a call, and every later call with exactly its bytes.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::target::{current, digest_of};
use super::{Act, Session};
use crate::exit::Failure;
use crate::rules;
use overrule_domain::command::Command;

/// Approve a waiting call, and every later call with exactly its bytes
#[derive(Debug, clap::Args)]
pub struct Allow {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Call
    pub call: String,
    /// Digest that `overrule queue` printed
    #[arg(long)]
    pub digest: String,
}

impl Act for Allow {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = current(session.state, &self.call)?;
        let digest = digest_of(session.state, call, &self.digest);
        Ok(vec![rules::always(call, rev, digest)])
    }
}
