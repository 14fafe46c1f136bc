//! The section of a preview about files, and the list of a restore alone: a row for each path, with what becomes of it.
//!
//! Must not know: how a plan is made, what a key does.

use std::ops::Range;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::run::changes::reason;
use crate::run::file_look::LineCount;
use crate::run::interrupted_restore::InterruptedRestore;
use crate::run::link::Replaced;
use crate::run::maker::Maker;
use crate::run::restore_preview::{Looks, RestorePreview, versions};
use crate::run::summary::{Keep, Summary, UntrustedText};
use overrule_domain::files::plan::{Plan, Row, RowStatus, What};
use overrule_domain::files::{FilePath, FileState, Progress, Step};
use overrule_domain::id::NodeId;

use super::changed_lines;

/// Columns of the mark and the sign of a row.
const SIGN: usize = 4;
/// Columns between two parts of a row.
const GAP: usize = 2;
/// The fewest columns of a path.
const PATH: usize = 12;
/// The most calls that are named.
const CALLS: usize = 3;
/// Why a step of an interrupted restore is not carried out.
const BY_SOMETHING_ELSE: &str = "changed since by something else";

/// A row: a path or something like it.
struct Line {
    sign: (Role, char),
    role: Role,
    /// Untrusted.
    path: String,
    calls: String,
    /// Why it is not restored, or only in spite of that. Safe to show.
    why: String,
    outcome: Styled,
}

/// Adds the section: its heading, then its rows. `switch` is the key that switches all of it; empty for none. Returns the
/// rows of the marked path.
pub fn section(
    maker: &mut Maker<'_>,
    preview: &RestorePreview,
    (name, columns): (&str, usize),
    switch: &str,
) -> Range<usize> {
    let Some(plan) = preview.known() else {
        return 0..0;
    };
    heading(maker, preview, plan, (name, columns), switch);
    let mut marked = 0..0;
    if matches!(preview.looks, Looks::Known) {
        let of_paths: Vec<Line> = plan
            .rows
            .iter()
            .map(|row| path_line(maker, row, preview.is_on()))
            .collect();
        let others = other_lines(maker, plan);
        let widths = Widths::of(maker, of_paths.iter().chain(&others));
        let marked_at = preview.at();
        let is_marked = |at: usize| at == marked_at;
        for (at, line) in of_paths.into_iter().enumerate() {
            let first = maker.doc.rows();
            add(maker, line, is_marked(at), widths);
            if is_marked(at) {
                marked = first..maker.doc.rows();
            }
        }
        for line in others {
            add(maker, line, false, widths);
        }
    }
    marked
}

/// Adds the effects of the selected calls that are no files. They stay.
pub fn also_happened(maker: &mut Maker<'_>, plan: &Plan, columns: usize) {
    for (at, seq) in plan.stays.iter().enumerate() {
        let name = if at == 0 { "also happened" } else { "" };
        let mut line = Styled::new().own(Role::Dim, format!("{name:<columns$}"));
        line.0.extend(super::effects::named(&maker.run.state, *seq).0);
        maker.over(line.own(Role::Warning, " (stays)"), columns);
    }
}

fn heading(
    maker: &mut Maker<'_>,
    preview: &RestorePreview,
    plan: &Plan,
    (name, columns): (&str, usize),
    switch: &str,
) {
    let all = plan.rows.len().saturating_add(plan.ignored.len());
    let chosen = plan.steps.0.len();
    let (role, words, other) = match &preview.looks {
        Looks::Waiting => (Role::Dim, "looking at the files…".to_owned(), String::new()),
        Looks::Failed(why) => {
            let words = format!("cannot be restored here: {}", reason(why));
            (Role::Warning, words, String::new())
        }
        Looks::Known if preview.is_on() => {
            let other = "keep the files instead".to_owned();
            match plan.still_runs {
                Some(call) => (
                    Role::Warning,
                    format!("{call} still runs: cancel it before {chosen} of {all} are restored"),
                    other,
                ),
                None => (Role::Title, format!("restore {chosen} of {all}"), other),
            }
        }
        Looks::Known => {
            let other = match chosen {
                0 => "choose what to restore".to_owned(),
                _ => format!("restore {chosen} of {all} instead"),
            };
            (Role::Title, "keep all".to_owned(), other)
        }
    };
    let left = Styled::new()
        .own(Role::Dim, format!("{name:<columns$}"))
        .own(role, words);
    let is_switchable = |row: &Row| matches!(row.status, RowStatus::Restore | RowStatus::Conflict { .. });
    if switch.is_empty() || other.is_empty() || !plan.rows.iter().any(is_switchable) {
        return maker.over(left, columns);
    }
    let right = Styled::new()
        .own(Role::Key, switch)
        .own(Role::Dim, format!(" {other}"));
    ends_with(maker, left, right, columns);
}

/// Adds a row with a part at its right end; on two rows where one has no room.
fn ends_with(maker: &mut Maker<'_>, left: Styled, right: Styled, indent: usize) {
    let width = usize::from(maker.width);
    let used = left.columns().saturating_add(right.columns());
    if used.saturating_add(GAP) <= width {
        let mut line = left.own(Role::Text, " ".repeat(width.saturating_sub(used)));
        line.0.extend(right.0);
        maker.doc.line(line);
    } else {
        maker.over(left, indent);
        let mut line = Styled::new().own(Role::Text, " ".repeat(indent));
        line.0.extend(right.0);
        maker.over(line, indent);
    }
}

fn path_line(maker: &Maker<'_>, row: &Row, is_on: bool) -> Line {
    let restores = is_on && row.is_chosen;
    let glyph = |symbol: Symbol| (symbol.role(), maker.glyph(symbol));
    let kept = || Styled::new().own(Role::Dim, "kept");
    let dot = (Role::Dim, maker.charset.dot());
    let (sign, role, why, outcome) = match &row.status {
        RowStatus::Restore if restores => (glyph(Symbol::Restore), Role::Text, "", change(maker, row)),
        RowStatus::Restore => (dot, Role::Dim, "", kept()),
        RowStatus::Conflict { why } if restores => {
            let saved = Styled::new().own(Role::Warning, "present content saved first");
            (glyph(Symbol::Restore), Role::Text, why.as_str(), saved)
        }
        RowStatus::Conflict { why } => (glyph(Symbol::Exited), Role::Text, why.as_str(), kept()),
        RowStatus::NotRestorable { why } => (dot, Role::Dim, why.as_str(), kept()),
        RowStatus::Nothing => (dot, Role::Dim, "already so", Styled::new()),
    };
    Line {
        sign,
        role,
        path: path_text(&row.path),
        calls: calls(&row.calls),
        why: reason(why),
        outcome,
    }
}

/// What of the selected calls is not restored, and why.
fn other_lines(maker: &Maker<'_>, plan: &Plan) -> Vec<Line> {
    let warns = (Role::Warning, maker.glyph(Symbol::Exited));
    let ignored = plan.ignored.iter().map(|(call, path)| Line {
        sign: (Role::Dim, maker.charset.dot()),
        role: Role::Dim,
        path: format!("{}/", path_text(path)),
        calls: call.to_string(),
        why: "ignored: cannot be restored".to_owned(),
        outcome: Styled::new().own(Role::Dim, "kept"),
    });
    let heads = plan.heads.iter().map(|head| Line {
        sign: warns,
        role: Role::Text,
        path: "HEAD".to_owned(),
        calls: head.call.to_string(),
        why: format!("moved and stays; {} moves it back", reason(&head.hint)),
        outcome: Styled::new(),
    });
    let untracked = plan.untracked.iter().map(|(call, why)| Line {
        sign: warns,
        role: Role::Text,
        path: "not known".to_owned(),
        calls: call.to_string(),
        why: reason(why),
        outcome: Styled::new(),
    });
    ignored.chain(heads).chain(untracked).collect()
}

/// Adds the paths of an interrupted restore that are not restored, with what continuing it does.
pub fn left_paths(maker: &mut Maker<'_>, restore: &InterruptedRestore<'_>) {
    let mut left = [Progress::Open, Progress::Conflict]
        .into_iter()
        .flat_map(|one| restore.that_are(one));
    if matches!(restore.steps, Some(Ok(_))) && left.next().is_none() {
        return;
    }
    maker.doc.line(Styled::new());
    maker.own(Role::Title, "left to restore");
    match &restore.steps {
        None => maker.own(Role::Dim, "  looking at the files…"),
        Some(Err(why)) => maker.own(Role::Warning, format!("  not known: {}", reason(why))),
        Some(Ok(_)) => {
            let glyph = |symbol: Symbol| (symbol.role(), maker.glyph(symbol));
            let line = |step: &Step, sign, (why, outcome): (&str, Styled)| Line {
                sign,
                role: Role::Text,
                path: path_text(&step.path),
                calls: String::new(),
                why: why.to_owned(),
                outcome,
            };
            let open = restore.that_are(Progress::Open).map(|step| {
                let words = match (&step.from, &step.to) {
                    (_, FileState::Missing {}) => "deleted",
                    (FileState::Missing {}, _) => "created",
                    _ => "restored",
                };
                let outcome = Styled::new().own(Role::Text, words);
                line(step, glyph(Symbol::Restore), ("", outcome))
            });
            let conflicts = restore.that_are(Progress::Conflict).map(|step| {
                let kept = Styled::new().own(Role::Dim, "kept");
                line(step, glyph(Symbol::Exited), (BY_SOMETHING_ELSE, kept))
            });
            let lines: Vec<Line> = open.chain(conflicts).collect();
            let widths = Widths::of(maker, lines.iter());
            for line in lines {
                add(maker, line, false, widths);
            }
        }
    }
}

/// What restoring a path does, in a few words.
fn change(maker: &Maker<'_>, row: &Row) -> Styled {
    let arrow = match maker.charset {
        Charset::Unicode => "→",
        Charset::Ascii => "->",
    };
    let words = match (row.what, &row.now, &row.target) {
        (What::Delete, ..) => format!("created {arrow} deleted"),
        (What::Recreate, ..) => format!("deleted {arrow} created"),
        (
            What::Restore,
            FileState::File { hash, mode, .. },
            FileState::File {
                hash: other,
                mode: to,
                ..
            },
        ) if hash == other => {
            format!("mode {:o} {arrow} {:o}", mode & 0o7777, to & 0o7777)
        }
        (What::Restore, ..) => match maker.run.files.lines(&versions(row)) {
            Some(count) => count_words(count, maker.charset),
            None => "changed".to_owned(),
        },
    };
    Styled::new().own(Role::Text, words)
}

/// The number of lines that differ, such as `−4 +1`.
pub(crate) fn count_words(count: LineCount, charset: Charset) -> String {
    format!("{}{} +{}", charset.minus(), count.removed, count.added)
}

fn calls(all: &[NodeId]) -> String {
    let mut named: Vec<String> = all.iter().take(CALLS).map(ToString::to_string).collect();
    if all.len() > CALLS {
        named.push(format!("{} more", all.len() - CALLS));
    }
    named.join(", ")
}

/// A path as text. Untrusted.
pub(crate) fn path_text(path: &FilePath) -> String {
    path.text().into_owned()
}

/// A path in a line; its end stays.
pub(crate) fn path_summary(text: &str) -> Summary {
    Summary::default().text(UntrustedText::new(text, Keep::End))
}

/// Columns of the parts of all rows.
#[derive(Debug, Clone, Copy)]
struct Widths {
    path: usize,
    calls: usize,
}

impl Widths {
    fn of<'l>(maker: &Maker<'_>, lines: impl Iterator<Item = &'l Line>) -> Self {
        let width = usize::from(maker.width);
        let most = (width / 3).max(PATH);
        let (mut path, mut calls) = (PATH, 0);
        for line in lines {
            path = path.max(path_summary(&line.path).columns(most).min(most));
            calls = calls.max(line.calls.columns());
        }
        Self { path, calls }
    }
}

fn add(maker: &mut Maker<'_>, line: Line, is_marked: bool, widths: Widths) {
    let width = usize::from(maker.width);
    let mark = if is_marked {
        format!("{} ", maker.glyph(Symbol::Pointer))
    } else {
        "  ".to_owned()
    };
    let role = if is_marked { Role::Title } else { line.role };
    let path = Styled::new().summary(role, &path_summary(&line.path), widths.path);
    let gap = " ".repeat(widths.path.saturating_sub(path.columns()) + GAP);
    let mut left = Styled::new()
        .own(Role::Accent, mark)
        .own(line.sign.0, format!("{} ", line.sign.1));
    left.0.extend(path.0);
    let calls = format!("{:<columns$}", line.calls, columns = widths.calls);
    let left = left.own(Role::Text, gap).own(Role::Dim, calls);
    let of_why = if line.why.is_empty() {
        0
    } else {
        line.why.columns() + GAP
    };
    let used = left.columns() + of_why + GAP + line.outcome.columns();
    if of_why == 0 || used <= width {
        let left = match line.why.as_str() {
            "" => left,
            why => left.own(Role::Warning, format!("{}{why}", " ".repeat(GAP))),
        };
        ends_with(maker, left, line.outcome, SIGN);
        return;
    }
    ends_with(maker, left, line.outcome, SIGN);
    let why = Styled::new().own(Role::Warning, format!("{}{}", " ".repeat(SIGN + GAP), line.why));
    maker.over(why, SIGN + GAP);
}

/// Adds a difference that was looked up, or why there is none.
pub fn looked_up(maker: &mut Maker<'_>, found: Option<&Replaced>) {
    match found {
        None => maker.own(Role::Dim, "loading…"),
        Some(Replaced::Nothing) => maker.own(Role::Dim, "no difference"),
        Some(Replaced::Text(lines)) => changed_lines::add(maker, lines, true),
        Some(Replaced::Unreadable(why)) => {
            maker.own(Role::Dim, format!("no difference to show: {}", reason(why)));
        }
    }
}
