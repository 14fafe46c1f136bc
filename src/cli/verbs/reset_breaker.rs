//! Resets a breaker.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::{Act, Session};
use crate::exit::{Code, Failure};
use overrule_base::text::visible;
use overrule_domain::breaker::BadScope;
use overrule_domain::command::{Command, ResilienceCommand};

/// Reset a breaker
#[derive(Debug, clap::Args)]
pub struct ResetBreaker {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Scope, as `overrule queue` lists it: tool:NAME, server:HOST:PORT or model:NAME
    pub scope: String,
}

impl Act for ResetBreaker {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let wrong = |error: BadScope| Failure::new(Code::Usage, visible(&error.to_string()));
        let scope = self.scope.parse().map_err(wrong)?;
        Ok(vec![Command::Resilience(ResilienceCommand::ResetBreaker {
            scope,
        })])
    }
}
