//! Changes the limits of a session.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::{Code, Failure};
use crate::resume;
use overrule_domain::command::{Command, RunCommand};

/// Change limits: --max-turns, --max-tokens, --max-time, --max-price, --parallel
#[derive(Debug, clap::Args)]
pub struct SetLimits {
    /// The session
    #[command(flatten)]
    pub on: On,
}

impl Act for SetLimits {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let before = session.state.settings.limits;
        let limits = resume::limits(session.common, session.context, before);
        if limits == before {
            return Err(Failure::new(
                Code::Usage,
                "cannot set limits: no limit was given that differs; hint: --max-turns, --max-tokens, --max-time, \
                 --max-price, --parallel",
            ));
        }
        Ok(vec![Command::Run(RunCommand::SetLimits { limits })])
    }
}
