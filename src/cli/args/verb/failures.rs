//! Defines the operator verbs about loops, failures and tool weights.
//!
//! Must not know: what they do.

use clap::{Subcommand, ValueEnum};

use super::{On, RevisionArg, number};

/// Verbs about loops.
#[derive(Debug, Subcommand)]
pub enum LoopVerb {
    /// Allow the repetition of an incident; a run that paused for it continues
    AllowLoop {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the incident, as `overrule loops` lists it
        #[arg(value_parser = number::whole::<u32>("the number of an incident, such as 1"))]
        incident: u32,
        /// Withdraw the permission
        #[arg(long, alias = "take-back")]
        withdraw: bool,
    },
    /// Mute a loop detector: sequence, same_error, no_progress or failing_tool
    MuteLoops {
        /// The session
        #[command(flatten)]
        on: On,
        /// Name of the detector
        detector: String,
        /// Unmute the detector
        #[arg(long, alias = "listen")]
        unmute: bool,
    },
}

impl LoopVerb {
    /// The session arguments of the verb.
    pub fn on(&self) -> &On {
        match self {
            Self::AllowLoop { on, .. } | Self::MuteLoops { on, .. } => on,
        }
    }
}

/// Verbs about failures and how the run handles them.
#[derive(Debug, Subcommand)]
pub enum FailureVerb {
    /// Run a call immediately that waits for its retry or for the end of a pause
    RunNow {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// Call
        call: String,
    },
    /// Choose one of the repairs that are offered for a call
    ChooseRepair {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// Call
        call: String,
        /// Number of the repair, as `overrule queue` lists it
        #[arg(value_parser = number::whole::<usize>("the number of a repair, such as 1"))]
        option: usize,
    },
    /// Stop repairing a call; the model sees its failure
    SkipRepair {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// Call
        call: String,
    },
    /// Reset a breaker
    ResetBreaker {
        /// The session
        #[command(flatten)]
        on: On,
        /// Scope, as `overrule queue` lists it: tool:NAME, server:HOST:PORT or model:NAME
        scope: String,
    },
    /// Correct the class of an error, as a rule for its tool in your settings file
    Classify {
        /// The session
        #[command(flatten)]
        on: On,
        /// Call whose newest execution failed
        call: String,
        /// Class of errors like this one
        #[arg(value_enum, value_name = "permanent|temporary")]
        error: ErrorIs,
        /// Regular expression for these errors [default: the first words, any numbers]
        #[arg(long, value_name = "PATTERN")]
        pattern: Option<String>,
    },
    /// Change how a session handles failures, such as retry.retries=2 or breaker.open=1m
    SetResilience {
        /// The session
        #[command(flatten)]
        on: On,
        /// One or more settings (see docs/resilience.md)
        #[arg(value_name = "KEY=VALUE", required = true)]
        settings: Vec<String>,
    },
}

/// Class of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ErrorIs {
    /// Do not retry it
    Permanent,
    /// Retry it where that is harmless
    Temporary,
}

impl FailureVerb {
    /// The session arguments of the verb.
    pub fn on(&self) -> &On {
        match self {
            Self::RunNow { on, .. }
            | Self::ChooseRepair { on, .. }
            | Self::SkipRepair { on, .. }
            | Self::ResetBreaker { on, .. }
            | Self::Classify { on, .. }
            | Self::SetResilience { on, .. } => on,
        }
    }
}

/// Verbs about tool weights.
#[derive(Debug, Subcommand)]
pub enum WeightVerb {
    /// Set the weight of a tool for a kind of task, from 0 to 1
    SetWeight {
        /// The session
        #[command(flatten)]
        on: On,
        /// Tool
        tool: String,
        /// Weight, from 0 to 1
        #[arg(value_parser = number::share)]
        weight: f64,
        /// Kind of task, as `overrule weights` lists it
        #[arg(long, value_name = "KIND", default_value = "general")]
        kind: String,
    },
    /// Reset the weights of a tool, or of all tools
    ResetWeights {
        /// The session
        #[command(flatten)]
        on: On,
        /// Tool [default: all]
        tool: Option<String>,
    },
}

impl WeightVerb {
    /// The session arguments of the verb.
    pub fn on(&self) -> &On {
        match self {
            Self::SetWeight { on, .. } | Self::ResetWeights { on, .. } => on,
        }
    }
}
