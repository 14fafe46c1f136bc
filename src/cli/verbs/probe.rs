//! Inserts the call that checks or reverts an execution.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{Change, CommitArgs, On};
use super::target::committed;
use super::{Act, Session};
use crate::effects;
use crate::exit::Failure;
use overrule_domain::command::Command;
use overrule_domain::template::Purpose;

/// Insert the call that checks whether an execution happened, from its tool's probe template
#[derive(Debug, clap::Args)]
pub struct Probe {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Call, or number of an execution that `overrule effects` printed
    pub entry: String,
}

impl Act for Probe {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edit = effects::inserted(session.state, &self.entry, Purpose::Probe)?;
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}

/// Insert the call that reverts an execution, from its tool's compensate template
#[derive(Debug, clap::Args)]
pub struct Compensate {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The change
    #[command(flatten)]
    pub change: Change,
    /// Call, or number of an execution that `overrule effects` printed
    pub entry: String,
}

impl Act for Compensate {
    fn on(&self) -> &On {
        &self.on
    }

    fn planned(&self) -> Option<&CommitArgs> {
        Some(&self.change.planned)
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let edit = effects::inserted(session.state, &self.entry, Purpose::Compensate)?;
        Ok(vec![committed(&self.on, &self.change, vec![edit])])
    }
}
