//! Builds the view of what a call would run: the commands of its shell line and the files they run.
//!
//! Must not know: how a shell line is parsed, who decides.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::ser;
use overrule_base::shell_line::{Command, Program};
use overrule_base::text::{survey, visible};
use overrule_domain::call::{Call, FileCheck, Gate, Operand};
use overrule_policy::shell::ShellCall;

/// What a call would run.
#[derive(Debug, Clone, Serialize)]
pub struct CallLaunchView<'s> {
    /// The files that it may run.
    #[serde(flatten)]
    pub files: RunFilesView<'s>,
    /// The commands of its shell line; empty if there are fewer than two.
    pub commands: Vec<CommandView>,
    /// Warnings about arguments that are not what they look like.
    pub look_out: Vec<String>,
    /// The process that is left of an execution with an unknown outcome; none if there is none.
    pub orphan_process: Option<u32>,
    /// A warning about the whole line.
    #[serde(skip)]
    pub warning: Option<&'static str>,
}

/// The files that a call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunFilesView<'s> {
    /// Each as it was read.
    pub runs: &'s [Operand],
    /// The paths of those that changed since the same was asked before.
    #[serde(skip)]
    pub changed: &'s [Arc<str>],
}

impl<'s> RunFilesView<'s> {
    /// Builds the view.
    pub fn of(call: &'s Call) -> Self {
        Self {
            runs: call.operands(),
            changed: call.runs.as_ref().map_or(&[], |runs| &runs.changed),
        }
    }

    /// True for a file that changed since the same was asked before.
    pub fn has_changed(&self, one: &Operand) -> bool {
        self.changed.contains(&one.path)
    }

    /// How many were read like this.
    pub fn count(&self, seen: FileCheck) -> usize {
        self.runs.iter().filter(|one| one.seen == seen).count()
    }
}

/// A command of a shell line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandView {
    /// The sign before it; empty for the first.
    pub after: &'static str,
    /// The program; none if there is none, or only a shell can tell.
    #[serde(serialize_with = "program")]
    pub program: Program,
    /// The command as written.
    #[serde(serialize_with = "ser::shown")]
    pub text: String,
    /// True if a shell finds more in it than the visible words.
    pub more: bool,
    /// What the policy decides on it alone; none if the record has other commands.
    pub policy: Option<Gate>,
}

fn program<S: Serializer>(program: &Program, to: S) -> Result<S::Ok, S::Error> {
    match program {
        Program::Named(name) => to.serialize_some(&visible(name)),
        Program::Unknown | Program::None => to.serialize_none(),
    }
}

impl<'s> CallLaunchView<'s> {
    /// Builds the view of a call of a tool; `shown` are the arguments that would run.
    pub fn of(call: &'s Call, tool: &str, shown: &str) -> Self {
        let (commands, warning) = commands(call, tool, shown);
        Self {
            files: RunFilesView::of(call),
            commands,
            look_out: survey(shown).lines(),
            orphan_process: None,
            warning,
        }
    }
}

/// The commands of a shell line, none if there are fewer than two, and a warning about the line.
pub fn commands(call: &Call, tool: &str, shown: &str) -> (Vec<CommandView>, Option<&'static str>) {
    let shell = ShellCall::of(tool, shown);
    let found: Vec<&Command> = shell.commands().collect();
    if found.len() < 2 {
        return (Vec::new(), shell.warning());
    }
    let parts = call.verdict.as_ref().map_or(&[][..], |verdict| &verdict.parts);
    // Of other commands the record says nothing.
    let parts = if parts.len() == found.len() { parts } else { &[] };
    let commands = found.into_iter().enumerate().map(|(at, one)| CommandView {
        after: one.after,
        program: one.program.clone(),
        text: one.text.clone(),
        more: one.is_more(),
        policy: parts.get(at).map(|part| part.gate),
    });
    (commands.collect(), shell.warning())
}
