//! Facts derived from the arguments of a call: its shell commands, the files that it may run.
//!
//! Must not know: how a call is decided, how a shell line is parsed.
//!
//! They come below the bytes. A few rows above the bytes count the warnings among them.

use crate::ground::doc::Styled;
use crate::ground::theme::Role;
use crate::run::maker::{Maker, NAME};
use overrule_base::known_tool;
use overrule_base::shell_line::Program;
use overrule_base::text::visible;
use overrule_domain::call::{Call, FileCheck, Gate, Operand};
use overrule_present::call::{CommandView, RunFilesView, commands};
use overrule_present::many;

/// Longest arguments of a shell that are parsed.
const LINE: usize = 64 * 1024;
/// Columns before a command.
const INDENT: usize = 14;
/// The most characters of a repeated command; the frame has all of them.
const COMMAND: usize = 400;
/// The most characters of the name of a program.
const PROGRAM: usize = 60;
/// The most characters of the path of a file that may run.
const PATH: usize = 400;

/// Facts derived from the arguments of a call.
pub(crate) struct Derived<'c> {
    /// The files that it may run.
    files: RunFilesView<'c>,
    /// The commands of its shell line; empty for a single one, which is the call itself.
    commands: Vec<CommandView>,
    /// Other warnings.
    warning: Option<&'static str>,
    /// True if each command is part of the line as it is shown.
    is_written: bool,
}

impl<'c> Derived<'c> {
    /// Parses the arguments that would run.
    pub(crate) fn of(call: &'c Call, tool: &str, shown: &str) -> Self {
        let (commands, warning) = if shown.len() > LINE {
            (Vec::new(), None)
        } else {
            commands(call, tool, shown)
        };
        let mut derived = Self {
            files: RunFilesView::of(call),
            commands,
            warning,
            is_written: false,
        };
        let line = (shown.len() <= LINE).then(|| line_of(shown)).flatten();
        derived.is_written = line.is_some_and(|line| derived.written(&line).is_some());
        derived
    }

    /// Adds, above the call, the warnings.
    pub(crate) fn above(&self, maker: &mut Maker<'_>) {
        for words in self
            .files_warned_of()
            .into_iter()
            .chain(self.commands_warned_of())
        {
            maker.own(Role::Warning, words);
        }
    }

    /// The commands of a shell line as it is written, each with the sign before it, and a word where the policy decides
    /// differently about several; none if they are not all of the line.
    pub(crate) fn written(&self, line: &str) -> Option<Vec<(String, String, &'static str)>> {
        let differs = self
            .commands
            .iter()
            .any(|one| one.policy != self.commands.first().and_then(|first| first.policy));
        let mut rest = line;
        let mut found = Vec::new();
        for command in &self.commands {
            let at = rest.find(&command.text)?;
            let (sign, others) = rest.split_at_checked(at)?;
            let sign = sign.trim();
            if sign != command.after || sign.contains(['\n', '#']) || command.text.contains('\n') {
                return None;
            }
            let word = match command.policy {
                Some(Gate::Ask) if differs => "asks",
                Some(Gate::Deny) => "denied",
                _ => "",
            };
            found.push((sign.to_owned(), command.text.clone(), word));
            rest = others.strip_prefix(command.text.as_str())?;
        }
        (!found.is_empty() && rest.trim().is_empty()).then_some(found)
    }

    /// Warnings about files that it may run: changed, unknown or unread.
    fn files_warned_of(&self) -> Vec<String> {
        let seen = |seen: FileCheck| self.files.count(seen);
        let files = self.files.runs.iter().filter(|one| one.seen.is_file());
        let modified = files.filter(|one| self.files.has_changed(one)).count();
        let mut words = Vec::new();
        if modified > 0 {
            words.push(format!(
                "altered since this was asked before: {} that it may run",
                many(modified, "file")
            ));
        }
        if seen(FileCheck::Unspecified) > 0 {
            words.push(format!(
                "{} for a file that it may run cannot be read: not looked at",
                many(seen(FileCheck::Unspecified), "word")
            ));
        }
        if seen(FileCheck::Dates) > 0 {
            words.push(format!(
                "{} that it may run, too long to be read: only size and dates are compared",
                many(seen(FileCheck::Dates), "file")
            ));
        }
        words.extend(
            FileCheck::Cut
                .warning()
                .filter(|_| seen(FileCheck::Cut) > 0)
                .map(str::to_owned),
        );
        words
    }

    /// Warnings about commands that only a shell can resolve, or that the policy denies.
    fn commands_warned_of(&self) -> Vec<String> {
        let all = self.commands.len();
        let count = |is: &dyn Fn(&CommandView) -> bool| self.commands.iter().filter(|one| is(one)).count();
        let denied = count(&|one| one.policy == Some(Gate::Deny));
        let unread = count(&|one| one.more || one.program == Program::Unknown);
        let found = [(denied, "the policy denies"), (unread, "cannot be read fully")];
        let found = found.into_iter().filter(|(count, _)| *count > 0);
        let found = found.map(|(count, words)| format!("{words}: {count} of {all} commands"));
        found.chain(self.warning.map(str::to_owned)).collect()
    }

    /// Adds each command with its program and the policy's decision, and each file that it may run. Below the exact bytes
    /// the commands are always listed: there the line is not written command by command.
    pub(crate) fn below(&self, maker: &mut Maker<'_>, is_exact: bool) {
        if is_exact || !self.is_written {
            self.each_command(maker);
        }
        // Their contents are part of the decision, and are checked again before the launch.
        for row in file_rows(&self.files, 0) {
            maker.over(row, usize::from(NAME));
        }
    }

    /// Adds the commands of a shell line, each on its own lines: first the program, which no width can hide, and
    /// the policy's decision on the command alone.
    fn each_command(&self, maker: &mut Maker<'_>) {
        if self.commands.is_empty() {
            return;
        }
        maker.fact(
            "commands",
            Role::Text,
            format!("{} in this line:", self.commands.len()),
        );
        for (at, segment) in self.commands.iter().enumerate() {
            let mut row = Styled::new()
                .own(Role::Dim, format!("{:>8}   ", at + 1))
                .own(Role::Title, format!("{:<3}", segment.after));
            row = match &segment.program {
                Program::Named(program) => row.untrusted(Role::Accent, program, PROGRAM),
                Program::Unknown => row.own(Role::Warning, "a program that cannot be read"),
                Program::None => row.own(Role::Text, "no program"),
            };
            if let Some(gate) = segment.policy {
                let role = match gate {
                    Gate::Allow => Role::Ok,
                    Gate::Ask => Role::Awaiting,
                    Gate::Deny => Role::Failed,
                };
                row = row.own(role, format!("  the policy {}", gate.alone()));
            }
            if segment.more {
                row = row.own(Role::Warning, "  cannot be read fully");
            }
            maker.over(row, INDENT);
            let row = Styled::new().own(Role::Dim, " ".repeat(INDENT)).untrusted(
                Role::Text,
                &segment.text,
                COMMAND,
            );
            maker.over(row, INDENT);
        }
    }
}

/// The line of a shell call.
fn line_of(args: &str) -> Option<String> {
    let args: serde_json::Value = serde_json::from_str(args).ok()?;
    Some(
        known_tool::value_in(&args, known_tool::LINE)?
            .as_str()?
            .to_owned(),
    )
}

/// Adds an indented row for each file that a call may run. Only the shell knows which of them it runs.
pub(crate) fn file_rows(files: &RunFilesView<'_>, indent: usize) -> Vec<Styled> {
    let row = |(at, one): (usize, &Operand)| {
        let name = if at == 0 { "may run" } else { "" };
        let row = Styled::new().own(Role::Dim, format!("{:indent$}{name:<10} ", ""));
        let message = one.seen.warning().unwrap_or_default();
        match one.seen {
            FileCheck::Unspecified => {
                let row = row.untrusted(Role::Accent, &one.path, PATH);
                row.own(Role::Warning, format!("  {message}"))
            }
            FileCheck::Cut => row.own(Role::Warning, format!("more: {message}")),
            FileCheck::Whole | FileCheck::Dates => file(row, one, files.has_changed(one)),
        }
    };
    files.runs.iter().enumerate().map(row).collect()
}

/// A row for a file that may run, as it was read.
fn file(row: Styled, one: &Operand, modified: bool) -> Styled {
    let hash = visible(one.hash.get(..12).unwrap_or(&one.hash));
    let mut row = row
        .untrusted(Role::Accent, &one.path, PATH)
        .own(Role::Text, format!("  {} bytes, {hash}", one.bytes));
    if let Some(message) = one.seen.warning() {
        row = row.own(Role::Warning, format!("  {message}"));
    }
    if modified {
        row = row.own(
            Role::Warning,
            "  it holds something else than when this was asked before",
        );
    }
    row
}
