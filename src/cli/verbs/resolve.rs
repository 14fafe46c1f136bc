//! Records the outcome of a call whose outcome is unknown.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{AttemptArg, On};
use super::target::{node, text};
use super::{Act, Session};
use crate::exit::Failure;
use overrule_domain::command::{CallCommand, Command, Resolution};
use overrule_domain::id::Attempt;

/// Record the outcome of a call whose outcome is unknown, or --abandon it
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("outcome").required(true).args(["happened", "did_not", "did_not_finish", "abandon"])))]
pub struct Resolve {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Call
    pub call: String,
    /// What was seen
    #[command(flatten)]
    pub ran: AttemptArg,
    /// It happened, with this result (JSON)
    #[arg(long, value_name = "JSON")]
    pub happened: Option<String>,
    /// It did not happen; it may run
    #[arg(long)]
    pub did_not: bool,
    /// It did not finish: it ends as cancelled and does not run again
    #[arg(long)]
    pub did_not_finish: bool,
    /// The outcome stays unknown: it ends without a result; the model sees this and --reason
    #[arg(long, alias = "leave")]
    pub abandon: bool,
}

impl Act for Resolve {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let what = match self.happened.as_deref() {
            Some(value) => Resolution::Happened { value: text(value) },
            None if self.did_not_finish => Resolution::DidNotFinish,
            None if self.abandon => Resolution::Abandon {
                reason: self.on.reason(),
            },
            None => Resolution::DidNot,
        };
        Ok(vec![Command::Call(CallCommand::Resolve {
            call: node(&self.call)?,
            attempt: self.ran.attempt.map(Attempt),
            what,
        })])
    }
}
