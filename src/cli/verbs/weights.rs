//! Sets and resets the weights of tools.
//!
//! Must not know: how a command is decided, where it is recorded.

use super::takes::On;
use super::target::text;
use super::{Act, Session};
use crate::args::number;
use crate::exit::Failure;
use overrule_domain::command::{Command, WeightCommand};
use overrule_domain::weight::MOST;

/// Set the weight of a tool for a kind of task, from 0 to 1
#[derive(Debug, clap::Args)]
pub struct SetWeight {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Tool
    pub tool: String,
    /// Weight, from 0 to 1
    #[arg(value_parser = number::share)]
    pub weight: f64,
    /// Kind of task, as `overrule weights` lists it
    #[arg(long, value_name = "KIND", default_value = "general")]
    pub kind: String,
}

impl Act for SetWeight {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        Ok(vec![Command::Weight(WeightCommand::Set {
            kind: text(&self.kind),
            tool: text(&self.tool),
            weight: (self.weight * f64::from(MOST)).round() as u16,
        })])
    }
}

/// Reset the weights of a tool, or of all tools
#[derive(Debug, clap::Args)]
pub struct ResetWeights {
    /// The session
    #[command(flatten)]
    pub on: On,
    /// Tool [default: all]
    pub tool: Option<String>,
}

impl Act for ResetWeights {
    fn on(&self) -> &On {
        &self.on
    }

    fn commands(&self, _: &Session<'_>) -> Result<Vec<Command>, Failure> {
        let tool = self.tool.as_deref().map(text);
        Ok(vec![Command::Weight(WeightCommand::Reset { tool })])
    }
}
