//! Removes a rule of the session.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, RunCommand};

/// Remove a rule of the session
#[derive(Debug, clap::Args)]
pub struct DropRule {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Number of the rule, as `overrule sessions show` lists it
    #[arg(value_parser = number::whole::<u32>("the number of a rule, such as 1"))]
    pub rule: u32,
}

impl Act for DropRule {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Run(RunCommand::DropRule { no: self.rule })])
    }
}
