//! Corrects the class of an error.
//!
//! Must not know: how a command is decided, where it is recorded.

use clap::ValueEnum;

use super::takes::On;
use super::target::node;
use super::{Act, Session};
use crate::classify;
use crate::exit::Failure;
use overrule_domain::command::Command;

/// Correct the class of an error, as a rule for its tool in your settings file
#[derive(Debug, clap::Args)]
pub struct Classify {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Call whose newest execution failed
    pub call: String,
    /// Class of errors like this one
    #[arg(value_enum, value_name = "permanent|temporary")]
    pub error: ErrorIs,
    /// Regular expression for these errors [default: the first words, any numbers]
    #[arg(long, value_name = "PATTERN")]
    pub pattern: Option<String>,
}

impl Act for Classify {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let saved = (self.error, self.pattern.as_deref());
        let of = (session.place, session.state);
        let command = classify::command(session.common, session.context, of, node(&self.call)?, saved)?;
        Ok(vec![command])
    }
}

/// Class of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ErrorIs {
    /// Do not retry it
    Permanent,
    /// Retry it where that is harmless
    Temporary,
}
