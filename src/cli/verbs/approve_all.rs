//! Approves all calls that can be approved together.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::{Code, Failure};
use overrule_domain::bulk;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::state::State;

/// Approve all calls that can be approved together
#[derive(Debug, clap::Args)]
pub struct ApproveAll {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Digest of all these calls that `overrule queue` printed
    #[arg(long)]
    pub digest: String,
}

impl Act for ApproveAll {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        together(session.state, &self.digest)
    }
}

/// Approves all calls that can be approved together, if the digest still matches them.
fn together(state: &State, given: &str) -> Result<Vec<Command>, Failure> {
    let all = bulk::together(state);
    let now = bulk::digest(&all);
    if given.len() < 12 || !now.starts_with(given) {
        return Err(Failure::new(
            Code::Halted,
            if all.is_empty() {
                "cannot approve calls together: no waiting calls allow it".to_owned()
            } else {
                format!(
                    "cannot approve: other calls are waiting now (digest {now}); hint: run `overrule queue` again"
                )
            },
        ));
    }
    Ok(all
        .into_iter()
        .map(|item| {
            Command::Call(CallCommand::Approve {
                call: item.call,
                rev: item.rev,
                digest: item.digest,
                unread: 0,
                shown: None,
                word: None,
            })
        })
        .collect())
}
