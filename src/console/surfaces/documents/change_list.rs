//! The rows of the changes by call, and the difference of one file.
//!
//! Must not know: how a change is found, keys.

use std::ops::Range;

use crate::ground::doc::Styled;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::listing::{Line, Rows};
use crate::run::changes::{is_markable, reason, restored_by, set_of, skipped, versions};
use crate::run::file_look::{FileVersions, LineCount};
use crate::run::maker::Maker;
use crate::run::summary::{self, Summary};
use crate::run::target::Target;
use overrule_base::known_tool::{self, Kind};
use overrule_base::text::visible;
use overrule_domain::files::{Execution, FileState, FilesChange};
use overrule_domain::id::Seq;
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_present::many;

use super::files::{count_words, looked_up, path_summary, path_text};

/// Columns between the parts of a row.
const GAP: usize = 2;
/// The fewest columns of what a row is about.
const OBJECT: usize = 8;
/// Columns of the mark and the call of a row.
const CALL: usize = 4;

/// The title: how many are not seen.
pub fn title(state: &State, items: &[Target]) -> String {
    let seqs = items.iter().filter_map(|item| match item {
        Target::Changed(seq) if is_markable(state, *seq) => Some(*seq),
        _ => None,
    });
    let (mut all, mut new) = (0_usize, 0_usize);
    for seq in seqs {
        all += 1;
        new += usize::from(seq > state.operator.files.seen);
    }
    match new {
        0 => "changes, newest first".to_owned(),
        new => format!("changes, newest first: {new} of {all} not seen"),
    }
}

/// One row for each change.
pub fn rows(maker: &mut Maker<'_>, count: usize) -> Rows {
    let mut head = Vec::new();
    if count == 0 {
        let words = Styled::new().own(Role::Dim, "no change of files is recorded");
        head.push(Line { of: None, words });
    }
    maker.doc = crate::ground::doc::Doc::default();
    Rows::sparse(head, std::iter::repeat_n(1, count))
}

/// The rows of some of the changes.
pub fn lines(maker: &Maker<'_>, items: &[Target], which: Range<usize>) -> Vec<Line> {
    let items = which.filter_map(|at| Some((at, items.get(at)?)));
    items
        .map(|(at, item)| {
            let words = match item {
                Target::Changed(seq) => line(maker, *seq),
                _ => Styled::new(),
            };
            Line { of: Some(at), words }
        })
        .collect()
}

fn line(maker: &Maker<'_>, seq: Seq) -> Styled {
    let state = &maker.run.state;
    match state.operator.files.log.get(&seq) {
        Some(FilesChange::Execution(execution)) => of_call(maker, seq, *execution),
        Some(FilesChange::Outside(changes)) => {
            let first = changes.0.first().map(|change| path_text(&change.path));
            let object = path_summary(&first.unwrap_or_default());
            let object = match changes.0.len().saturating_sub(1) {
                0 => object,
                more => object.own(format!(" and {more} more")),
            };
            let left = Styled::new().own(Role::Dim, format!("  {} {:CALL$} ", maker.charset.dot(), ""));
            let right = Styled::new().own(Role::Dim, "changed by something else");
            fitted(maker, left, (Role::Dim, &object), right)
        }
        Some(FilesChange::Restore(restore)) => {
            let record = state.operator.files.restores.get(restore);
            let words = record.map_or_else(String::new, |record| {
                let done = many(record.done().count(), "path");
                let done = match record.started.of {
                    Some(of) => format!("undid the restore {of}: {done}"),
                    None => format!("restored {done}"),
                };
                match skipped(state, *restore).len() {
                    0 => done,
                    count => format!("{done}, {count} not"),
                }
            });
            let name = restore.to_string();
            let left = Styled::new()
                .own(Role::Edited, format!("  {} ", maker.glyph(Symbol::Restore)))
                .own(Role::Accent, format!("{name:<CALL$} "));
            fitted(
                maker,
                left,
                (Role::Text, &Summary::default().own(words)),
                Styled::new(),
            )
        }
        None => Styled::new(),
    }
}

/// A row with what it is about between its beginning and its end.
fn fitted(maker: &Maker<'_>, left: Styled, (role, object): (Role, &Summary), right: Styled) -> Styled {
    // The first column is for the cursor.
    let width = usize::from(maker.width).saturating_sub(1);
    let used = left.columns().saturating_add(right.columns());
    let room = width.saturating_sub(used + GAP).max(OBJECT);
    let line = left.summary(role, object, room);
    let gap = width.saturating_sub(line.columns() + right.columns()).max(1);
    let mut line = line.own(Role::Text, " ".repeat(gap));
    line.0.extend(right.0);
    line
}

fn of_call(maker: &Maker<'_>, seq: Seq, execution: Execution) -> Styled {
    let state = &maker.run.state;
    let is_seen = seq <= state.operator.files.seen;
    let call = execution.call;
    let node = state.node(call);
    let (tool, args) = node
        .and_then(Node::as_call)
        .map_or(("", ""), |(tool, args)| (&**tool, &**args));
    let role = if is_seen { Role::Dim } else { Role::Text };
    let name = call.to_string();
    let left = Styled::new()
        .own(role, if is_seen { "[x] " } else { "[ ] " })
        .own(Role::Accent, format!("{name:<CALL$} "))
        .untrusted(if is_seen { Role::Dim } else { Role::Title }, tool, 40)
        .own(Role::Text, " ");
    let mut right: Vec<(Role, String)> = Vec::new();
    let set = set_of(state, execution);
    let changes = set.map_or(&[][..], |set| &set.changes.0);
    let all = versions(state, seq);
    let kind = known_tool::kind(tool);
    let is_one = changes.len() == 1 && matches!(kind, Some(Kind::Edit | Kind::Write));
    match changes.len() {
        0 => right.push((Role::Warning, "not known".to_owned())),
        _ if is_one => {}
        count => right.push((role, many(count, "file"))),
    }
    if let Some(words) = counted(maker, &all, is_one) {
        right.push((role, words));
    }
    let by = restored_by(state, execution);
    if let Some(by) = by {
        right.push((Role::Edited, format!("restored by {by}")));
    } else if kind == Some(Kind::Shell) {
        let outcome = state.observation(call).and_then(Node::outcome);
        let word = outcome.map(|outcome| summary::result_line(tool, args, outcome).word);
        right.extend(word.filter(|word| !word.is_empty()).map(|word| {
            let is_warning = !matches!(word.as_str(), "exit 0" | "cancelled");
            (if is_warning { Role::Warning } else { role }, word)
        }));
    }
    let mut end = Styled::new();
    for (at, (role, words)) in right.into_iter().enumerate() {
        let gap = if at == 0 { "" } else { "  " };
        end = end.own(role, format!("{gap}{words}"));
    }
    // The counts of an edit are at the end already.
    let object = match all.first().filter(|_| is_one) {
        Some(one) => path_summary(&path_text(&one.path)),
        None => summary::object(state, tool, args),
    };
    fitted(maker, left, (role, &object), end)
}

/// The lines that all files differ in; none while none of them is known.
fn counted(maker: &Maker<'_>, all: &[FileVersions], is_one: bool) -> Option<String> {
    let mut sum: Option<LineCount> = None;
    for one in all {
        if let Some(count) = maker.run.files.lines(one) {
            let sum = sum.get_or_insert_with(LineCount::default);
            sum.removed = sum.removed.saturating_add(count.removed);
            sum.added = sum.added.saturating_add(count.added);
        }
    }
    let sum = sum?;
    let is_new = is_one && all.iter().all(|one| one.before == FileState::Missing {});
    Some(if is_new {
        format!("new, {}", many(sum.added, "line"))
    } else {
        count_words(sum, maker.charset)
    })
}

/// Adds the difference of one file of a change, and what is not known of it or was not restored.
pub fn details(maker: &mut Maker<'_>, seq: Seq, file: usize) {
    let state = &maker.run.state;
    let mut noun = "file";
    match state.operator.files.log.get(&seq) {
        Some(FilesChange::Execution(execution)) => not_known(maker, *execution),
        Some(FilesChange::Restore(restore)) => {
            noun = "path";
            for one in skipped(state, *restore) {
                let path = visible(&path_text(&one.path));
                let words = format!("not restored: {path}: {}", reason(&one.why));
                maker.own(Role::Warning, words);
            }
        }
        Some(FilesChange::Outside(_)) | None => {}
    }
    let all = versions(state, seq);
    let at = file.min(all.len().saturating_sub(1));
    if let Some(of) = all.get(at) {
        let mut line = Styled::new();
        if all.len() > 1 {
            line = line.own(Role::Dim, format!("{} of {}  ", at + 1, many(all.len(), noun)));
        }
        let room = usize::from(maker.width).saturating_sub(line.columns());
        let path = path_text(&of.path);
        maker
            .doc
            .line(line.summary(Role::Title, &path_summary(&path), room.max(OBJECT)));
        let run = maker.run;
        looked_up(maker, run.files.difference(of));
    }
}

/// Adds what is not known of an execution.
fn not_known(maker: &mut Maker<'_>, execution: Execution) {
    let Some(set) = set_of(&maker.run.state, execution) else {
        return;
    };
    if let Some(why) = &set.untracked {
        maker.own(Role::Warning, format!("not all is known: {}", reason(why)));
    }
    for path in &set.ignored {
        let path = visible(&path_text(path));
        let words = format!("wrote in {path}/ (ignored; not restorable)");
        maker.own(Role::Warning, words);
    }
}
