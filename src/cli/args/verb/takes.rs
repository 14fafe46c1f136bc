//! What operator verbs take in common. Must not know: the verbs.

use clap::{Args as ClapArgs, ValueEnum};

use super::number;

/// What every operator verb takes.
#[derive(Debug, Clone, ClapArgs)]
pub struct On {
    /// Session: id, beginning of it, or `last`
    pub session: String,
    /// Go on with the run afterwards
    #[arg(long)]
    pub resume: bool,
    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
}

/// What every verb takes whose impact can be shown before.
#[derive(Debug, Clone, ClapArgs)]
pub struct PreviewArg {
    /// Print what it would do, and do nothing
    #[arg(long)]
    pub preview: bool,
}

/// What every verb takes that is committed as it was previewed.
#[derive(Debug, Clone, ClapArgs)]
pub struct CommitArgs {
    /// The preview.
    #[command(flatten)]
    pub preview: PreviewArg,
    /// Effects that the preview named; refused if there are more by now
    #[arg(long, value_name = "N", value_parser = number::whole::<usize>("a whole number of effects, such as 1"))]
    pub effects_seen: Option<usize>,
}

/// What every edit takes.
#[derive(Debug, Clone, ClapArgs)]
pub struct Change {
    /// The plan.
    #[command(flatten)]
    pub planned: CommitArgs,
    /// Let later turns stand although what they were asked with changes; they are marked as drifted
    #[arg(long)]
    pub keep_later: bool,
}

/// What every verb takes that names a node.
#[derive(Debug, Clone, ClapArgs)]
pub struct RevisionArg {
    /// Revision of the node that you saw; refused with the difference if it is another one by now
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of a revision, such as 2"))]
    pub rev: Option<u32>,
}

/// What a verb takes that names an execution.
#[derive(Debug, Clone, ClapArgs)]
pub struct AttemptArg {
    /// Execution that you saw, counted from 1; refused if it is another one by now
    #[arg(long, value_name = "N", value_parser = number::whole::<u32>("the number of an execution, such as 1"))]
    pub attempt: Option<u32>,
}

/// What to do with an effect that may already have happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// Take the recorded result
    Reuse,
    /// Run it again
    RunAgain,
    /// Do not run it
    Reject,
}
