//! Facts of a decision that stand beside the arguments: the rule that asks, in whose words; what to look out for.
//!
//! Must not know: how a call is decided, how rules are written.

use super::{Maker, NAME};
use crate::console::doc::Styled;
use crate::console::theme::Role;
use crate::domain::call::{Call, Gate, Operand, Quoted, Seen, Status, Verdict};
use crate::domain::ladder::span;
use crate::policy::shell;
use crate::text::{Survey, head, in_ascii, visible};

/// Longest arguments of a shell that are taken apart.
const LINE: usize = 64 * 1024;
/// Columns before a command.
const INDENT: usize = 14;
/// Characters of a command that are repeated; all of them stand in the frame.
const COMMAND: usize = 400;
/// Characters of the name of a program.
const PROGRAM: usize = 60;
/// Characters of the path of a file that runs.
const PATH: usize = 400;
/// Characters of somebody else's words that are repeated.
const SAID: usize = 220;

/// The rule that decided. What a file of the workspace says is told as its words, never as the console's own.
pub(super) fn rule(maker: &mut Maker<'_>, verdict: &Verdict) {
    let Some(quoted) = quoted(verdict) else {
        maker.field("rule", &format!("{}: {}", verdict.rule, verdict.reason));
        return;
    };
    let does = verdict.gate.does();
    let place = match quoted.place.as_str() {
        "" => String::new(),
        place => format!(" ({})", visible(place)),
    };
    maker.fact(
        "rule",
        Role::Text,
        format!("a rule of the workspace{place} {does}"),
    );
    let Some(words) = &quoted.words else { return };
    let line = Styled::new()
        .own(Role::Dim, format!("{:<10} ", ""))
        .own(Role::Text, "the workspace's rule says \"");
    let line = between_marks(line, words).own(Role::Text, "\"");
    maker.over(line, usize::from(NAME));
}

/// How long there is for an answer, and what then.
pub(super) fn deadline(maker: &mut Maker<'_>, call: &Call) {
    let Some(verdict) = call.verdict.as_ref().filter(|_| call.status == Status::Awaiting) else {
        return;
    };
    let Some(ms) = verdict.deadline_ms else { return };
    let then = verdict.on_expiry.word();
    let words = if call.asking.overdue {
        format!("over: nobody answered within {}; it goes on waiting", span(ms))
    } else {
        format!("{} to answer, then: {then}", span(ms))
    };
    maker.fact("deadline", Role::Warning, words);
}

/// That its launch comes some time after the word, where the tool is so.
pub(super) fn pause(maker: &mut Maker<'_>, call: &Call, tool: &str) {
    let ms = maker.run.tool(tool).map_or(0, |card| card.pause_ms);
    if ms > 0 && call.status.needs_operator() {
        let words = format!(
            "it begins {} after it is let run; until then it can be cancelled",
            span(ms)
        );
        maker.fact("pause", Role::Text, words);
    }
}

/// What the workspace says; of a run that an older program recorded, all that it did not say itself.
fn quoted(verdict: &Verdict) -> Option<Quoted> {
    let is_old = verdict.quoted.is_none() && verdict.rule.starts_with("workspace ");
    verdict.quoted.clone().or_else(|| {
        is_old.then(|| Quoted {
            place: String::new(),
            words: Some(verdict.reason.clone()),
        })
    })
}

/// Adds somebody else's words, in a look of their own, in which no quotation mark can end the quotation.
fn between_marks(mut line: Styled, words: &str) -> Styled {
    let mark = if in_ascii() { "<U+0022>" } else { "⟨U+0022⟩" };
    let (words, cut) = head(words, SAID);
    for (at, part) in words.split('"').enumerate() {
        if at > 0 {
            line = line.own(Role::Escaped, mark);
        }
        line = line.untrusted(Role::Dim, part, SAID);
    }
    if cut { line.own(Role::Dim, "…") } else { line }
}

/// The commands of a shell line, each on lines of its own: its program first, which no width can hide, and what the
/// policy says of it alone.
pub(super) fn commands(maker: &mut Maker<'_>, call: &Call, tool: &str, shown: &str) {
    let segments = handed(tool, shown);
    if segments.len() < 2 {
        return;
    }
    let parts = call.verdict.as_ref().map_or(&[][..], |verdict| &verdict.parts);
    let parts = if parts.len() == segments.len() { parts } else { &[] };
    maker.fact(
        "commands",
        Role::Text,
        format!("{} in this line:", segments.len()),
    );
    for (at, segment) in segments.iter().enumerate() {
        let mut row = Styled::new()
            .own(Role::Dim, format!("{:>8}   ", at + 1))
            .own(Role::Title, format!("{:<3}", segment.after));
        row = match &segment.program {
            Some(program) => row.untrusted(Role::Accent, program, PROGRAM),
            None => row.own(Role::Warning, "which program only a shell can tell"),
        };
        if let Some(part) = parts.get(at) {
            let role = match part.gate {
                Gate::Allow => Role::Ok,
                Gate::Ask => Role::Awaiting,
                Gate::Deny => Role::Failed,
            };
            row = row.own(role, format!("  the policy {}", part.gate.alone()));
        }
        if segment.more {
            row = row.own(Role::Warning, "  only a shell can tell all that it does");
        }
        maker.over(row, INDENT);
        let row =
            Styled::new()
                .own(Role::Dim, " ".repeat(INDENT))
                .untrusted(Role::Text, &segment.text, COMMAND);
        maker.over(row, INDENT);
    }
}

/// The commands that a call hands to a shell.
fn handed(tool: &str, args: &str) -> Vec<shell::Command> {
    if args.len() > LINE {
        return Vec::new();
    }
    shell::of_call(tool, args).commands
}

/// The files that it runs. What is in them is part of what is decided, and is looked at once more before it begins.
pub(super) fn operands(maker: &mut Maker<'_>, call: &Call) {
    for row in files(call, 0) {
        maker.over(row, usize::from(NAME));
    }
}

/// A row for each file that a call runs, so many columns in.
pub(super) fn files(call: &Call, indent: usize) -> Vec<Styled> {
    let Some(runs) = &call.runs else {
        return Vec::new();
    };
    let row = |(at, one): (usize, &Operand)| {
        let name = if at == 0 { "runs" } else { "" };
        let row = Styled::new().own(Role::Dim, format!("{:indent$}{name:<10} ", ""));
        let told = one.seen.told().unwrap_or_default();
        match one.seen {
            Seen::Untold => {
                let row = row.untrusted(Role::Accent, &one.path, PATH);
                row.own(Role::Warning, format!("  {told}"))
            }
            Seen::Cut => row.own(Role::Warning, format!("more: {told}")),
            Seen::Whole | Seen::Dates => file(row, one, runs.altered.contains(&one.path)),
        }
    };
    runs.operands.iter().enumerate().map(row).collect()
}

/// A file that runs, as it was looked at.
fn file(row: Styled, one: &Operand, altered: bool) -> Styled {
    let hash = visible(one.hash.get(..12).unwrap_or(&one.hash));
    let mut row = row
        .untrusted(Role::Accent, &one.path, PATH)
        .own(Role::Text, format!("  {} bytes, {hash}", one.bytes));
    if let Some(told) = one.seen.told() {
        row = row.own(Role::Warning, format!("  {told}"));
    }
    if altered {
        row = row.own(
            Role::Warning,
            "  it holds something else than when this was asked before",
        );
    }
    row
}

/// What of the arguments is not what it looks like, in all that is approved.
pub(super) fn look_out(maker: &mut Maker<'_>, survey: &Survey) {
    for (at, words) in survey.words().into_iter().enumerate() {
        // The last line is about all of them, where there are more.
        let name = if at < survey.first.len() { "look out" } else { "" };
        maker.fact(name, Role::Warning, words);
    }
}
