//! Changes the policy preset of a session.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::{Code, Failure};
use overrule_domain::command::{Command, RunCommand};
use overrule_policy::Preset;

/// Change the policy preset of a session
#[derive(Debug, clap::Args)]
pub struct SetPolicy {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Preset: supervised, guarded, edits, reversible, auto or read-only
    pub preset: String,
}

impl Act for SetPolicy {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let wrong = |error| Failure::new(Code::Usage, error);
        let preset: Preset = self.preset.parse().map_err(wrong)?;
        let policy = preset.to_string();
        Ok(vec![Command::Run(RunCommand::SetPolicy { policy })])
    }
}
