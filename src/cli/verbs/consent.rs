//! Decides a call whose effect may already have happened.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{BaseArg, Choice, On};
use super::target::{current, digest_of, no_call, shown, worded};
use super::{Act, Session};
use crate::exit::{Code, Failure};
use overrule_domain::command::{CallCommand, Command, ConsentChoice};
use overrule_domain::id::NodeId;
use overrule_domain::repeat;
use overrule_domain::state::State;

/// Decide a call whose effect may already have happened
#[derive(Debug, clap::Args)]
pub struct Consent {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Call
    pub call: String,
    /// Digest that `overrule queue` printed
    #[arg(long)]
    pub digest: String,
    /// The file that it would replace.
    #[command(flatten)]
    pub base: BaseArg,
    /// What to do
    #[arg(value_enum)]
    pub choice: Choice,
    /// Name of its tool; required to run an irreversible call again
    #[arg(long, value_name = "TOOL")]
    pub word: Option<String>,
}

impl Act for Consent {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = current(session.state, &self.call)?;
        let (shown, word) = match self.choice {
            Choice::RunAgain => (
                shown(session.state, call, &self.base)?,
                worded(session.state, call, self.word.as_deref())?,
            ),
            Choice::Reuse | Choice::Reject => (None, None),
        };
        Ok(vec![Command::Call(CallCommand::Consent {
            call,
            rev,
            digest: digest_of(session.state, call, &self.digest),
            choice: self.choice(session.state, call)?,
            shown,
            word,
        })])
    }
}

impl Consent {
    fn choice(&self, state: &State, id: NodeId) -> Result<ConsentChoice, Failure> {
        Ok(match self.choice {
            Choice::RunAgain => ConsentChoice::RunAgain,
            Choice::Reject => ConsentChoice::Reject {
                reason: self.on.reason(),
            },
            Choice::Reuse => {
                let call = state.calls.get(&id).ok_or_else(|| no_call(id))?;
                let (entry, _) = repeat::reusable_result(state, call)
                    .ok_or_else(|| Failure::new(Code::Halted, repeat::no_result(call)))?;
                ConsentChoice::Reuse { entry }
            }
        })
    }
}
