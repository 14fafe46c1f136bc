//! Operator verbs about failures, repetition and what is learnt of tools. Must not know: what they do.

use clap::{Subcommand, ValueEnum};

use super::{On, RevisionArg, number};

/// About repetition.
#[derive(Debug, Subcommand)]
pub enum LoopVerb {
    /// Let what repeats in an incident repeat (`overrule loops` lists them); a run paused for it goes on
    AllowLoop {
        /// The session
        #[command(flatten)]
        on: On,
        /// Number of the incident
        #[arg(value_parser = number::whole::<u32>("the number of an incident, such as 1"))]
        incident: u32,
        /// Let it repeat no more
        #[arg(long)]
        take_back: bool,
    },
    /// Do not listen to a detector of repetition: sequence, same_error, no_progress or failing_tool
    MuteLoops {
        /// The session
        #[command(flatten)]
        on: On,
        /// The detector
        detector: String,
        /// Listen to it again
        #[arg(long)]
        listen: bool,
    },
}

impl LoopVerb {
    /// The session, and what goes with it.
    pub fn on(&self) -> &On {
        match self {
            Self::AllowLoop { on, .. } | Self::MuteLoops { on, .. } => on,
        }
    }
}

/// About failures and how they are met.
#[derive(Debug, Subcommand)]
pub enum FailureVerb {
    /// Let a call that waits for a time run at once: to be tried again, or for the end of a pause before its launch
    RunNow {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The call
        call: String,
    },
    /// Take one of the repairs that are offered for a call, as `overrule queue` numbers them
    ChooseRepair {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The call
        call: String,
        /// Which repair, from 1
        #[arg(value_parser = number::whole::<usize>("the number of a repair, such as 1"))]
        option: usize,
    },
    /// Repair a call no more: its failure stands, and the model is told
    SkipRepair {
        /// The session
        #[command(flatten)]
        on: On,
        /// What was seen
        #[command(flatten)]
        seen: RevisionArg,
        /// The call
        call: String,
    },
    /// Let everything through a breaker again
    ResetBreaker {
        /// The session
        #[command(flatten)]
        on: On,
        /// Of what: tool:NAME, server:HOST:PORT or model:NAME, as `overrule queue` lists it
        scope: String,
    },
    /// Correct the class of an error, kept as a rule for its tool in your settings file and used from the next failure on
    Classify {
        /// The session
        #[command(flatten)]
        on: On,
        /// The call whose newest execution failed
        call: String,
        /// What errors like that one are
        #[arg(value_enum, value_name = "permanent|temporary")]
        error: ErrorIs,
        /// Regular expression for errors like it [default: its first words, with numbers left open]
        #[arg(long, value_name = "PATTERN")]
        pattern: Option<String>,
    },
    /// Change how failures are met in a session: KEY=VALUE, such as retry.retries=2 or breaker.open=1m
    SetResilience {
        /// The session
        #[command(flatten)]
        on: On,
        /// One or more settings (docs/resilience.md lists them)
        #[arg(value_name = "KEY=VALUE", required = true)]
        settings: Vec<String>,
    },
}

/// What an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ErrorIs {
    /// Do not retry it
    Permanent,
    /// Retry it where that is harmless
    Temporary,
}

impl FailureVerb {
    /// The session, and what goes with it.
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

/// About what is learnt of tools.
#[derive(Debug, Subcommand)]
pub enum WeightVerb {
    /// Set the weight of a tool: how well it serves a kind of task, 0 to 1
    SetWeight {
        /// The session
        #[command(flatten)]
        on: On,
        /// The tool
        tool: String,
        /// The weight, 0 to 1
        #[arg(value_parser = number::share)]
        weight: f64,
        /// The kind of task, as `overrule weights` lists it
        #[arg(long, value_name = "KIND", default_value = "general")]
        kind: String,
    },
    /// Begin the weights of a tool anew, or all of them
    ResetWeights {
        /// The session
        #[command(flatten)]
        on: On,
        /// The tool; leave out for all
        tool: Option<String>,
    },
}

impl WeightVerb {
    /// The session, and what goes with it.
    pub fn on(&self) -> &On {
        match self {
            Self::SetWeight { on, .. } | Self::ResetWeights { on, .. } => on,
        }
    }
}
