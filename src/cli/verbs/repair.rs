//! Chooses a repair of a call, or stops repairing it.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::{On, RevisionArg};
use super::target::seen;
use super::{Act, Session};
use crate::args::number;
use crate::exit::{Code, Failure};
use overrule_domain::command::{Command, ResilienceCommand};

/// Choose one of the repairs that are offered for a call
#[derive(Debug, clap::Args)]
pub struct ChooseRepair {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// Call
    pub call: String,
    /// Number of the repair, as `overrule queue` lists it
    #[arg(value_parser = number::whole::<usize>("the number of a repair, such as 1"))]
    pub option: usize,
}

impl Act for ChooseRepair {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = seen(session.state, &self.call, &self.seen)?;
        let Some(option) = self.option.checked_sub(1) else {
            return Err(Failure::new(
                Code::Usage,
                "cannot choose repair 0: repairs are numbered from 1",
            ));
        };
        Ok(vec![Command::Resilience(ResilienceCommand::ChooseRepair {
            call,
            rev,
            option,
        })])
    }
}

/// Stop repairing a call; the model sees its failure
#[derive(Debug, clap::Args)]
pub struct SkipRepair {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// What was seen
    #[command(flatten)]
    pub seen: RevisionArg,
    /// Call
    pub call: String,
}

impl Act for SkipRepair {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, session: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let (call, rev) = seen(session.state, &self.call, &self.seen)?;
        Ok(vec![Command::Resilience(ResilienceCommand::SkipRepair {
            call,
            rev,
        })])
    }
}
