//! Defines the arguments that several operator verbs share.
//!
//! Must not know: the verbs.

use clap::{Args as ClapArgs, ValueEnum};

use crate::args::number;

/// Arguments of every operator verb.
#[derive(Debug, Clone, ClapArgs)]
pub struct On {
    /// Session: id, unique prefix, or `last`
    pub session: String,
    /// Resume the run afterwards
    #[arg(long)]
    pub resume: bool,
    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

impl On {
    /// The reason; empty for none.
    pub fn reason(&self) -> String {
        self.reason.clone().unwrap_or_default()
    }

    /// The reason, or another one if it is empty.
    pub fn reason_or(&self, otherwise: &str) -> String {
        match self.reason() {
            reason if reason.is_empty() => otherwise.to_owned(),
            reason => reason,
        }
    }
}

/// Argument of every verb that approves a call.
#[derive(Debug, Clone, ClapArgs)]
pub struct BaseArg {
    /// Base that `overrule queue` printed; refused if the file is another one now
    #[arg(long, value_name = "HASH")]
    pub base: Option<String>,
}

/// Argument of every verb with a preview.
#[derive(Debug, Clone, ClapArgs)]
pub struct PreviewArg {
    /// Print what the verb would do, and change nothing
    #[arg(long)]
    pub preview: bool,
}

/// Arguments of every verb that commits a previewed plan.
#[derive(Debug, Clone, ClapArgs)]
pub struct CommitArgs {
    /// The preview.
    #[command(flatten)]
    pub preview: PreviewArg,
    /// Number of effects that the preview named; refused if there are more now
    #[arg(long, value_name = "N", value_parser = number::whole::<usize>("a whole number of effects, such as 1"))]
    pub effects_seen: Option<usize>,
    /// What happens to the files that calls changed which become inactive: `restore` those that nothing else changed
    #[arg(long, value_enum, value_name = "WHAT")]
    pub files: Option<Files>,
}

/// What happens to the files of calls that become inactive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Files {
    /// Restore them
    Restore,
    /// Leave them as they are
    Keep,
}

/// Arguments of every edit.
#[derive(Debug, Clone, ClapArgs)]
pub struct Change {
    /// The plan.
    #[command(flatten)]
    pub planned: CommitArgs,
    /// Keep later turns active although their context changes; marks them as drifted
    #[arg(long)]
    pub keep_later: bool,
}

/// Argument of every verb on a node.
#[derive(Debug, Clone, ClapArgs)]
pub struct RevisionArg {
    /// Revision of the node that you saw; refused if it changed, with the difference
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a revision, such as 2"))]
    pub rev: Option<u32>,
}

/// Argument of every verb on an execution.
#[derive(Debug, Clone, ClapArgs)]
pub struct AttemptArg {
    /// Execution that you saw, from 1; refused if there is a newer one
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of an execution, such as 1"))]
    pub attempt: Option<u32>,
}

/// Decision about an effect that may already have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Use the recorded result
    Reuse,
    /// Run it again
    RunAgain,
    /// Do not run it
    Reject,
}
