//! Adds a policy rule for the rest of the session.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, PreviewArg};
use super::{Act, Session};
use crate::exit::Failure;
use crate::rules;
use overrule_domain::command::Command;

/// Add a policy rule for the rest of the session (see docs/policy.md)
#[derive(Debug, clap::Args)]
pub struct AddRule {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// The preview: the rule as read, and the recorded calls that it matches
    #[command(flatten)]
    pub look: PreviewArg,
    /// Rule, such as: tool = "read_file", gate = "allow"
    pub rule: String,
    /// Digest that the preview printed; the rule then also decides the waiting calls
    #[arg(long)]
    pub digest: Option<String>,
}

impl Act for AddRule {
    fn on(&self) -> &On {
        &self.on
    }

    fn is_preview(&self) -> bool {
        self.look.preview
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![rules::add(
            session.state,
            &self.rule,
            self.digest.as_deref(),
        )?])
    }

    fn preview(&self, session: &Session<'_>) -> Option<Result<(), Failure>> {
        Some(rules::preview(session.common, session.state, &self.rule))
    }
}
