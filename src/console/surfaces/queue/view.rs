//! Draws the queue pane: one line for each waiting entry.
//!
//! Must not know: how entries come and go.

use std::fmt::Write as _;
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::draw::shell;
use crate::kernel::model::screen::inside;
use crate::kernel::model::{Model, idle};
use crate::kernel::pane::Pane;
use crate::kernel::queue::{Item, QueueEntry};
use crate::run::refusal;
use crate::run::summary;
use overrule_base::text::visible;
use overrule_domain::call::{Call, FileCheck, Status};
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::id::{NodeId, Rev, TurnId};
use overrule_domain::node::Node;
use overrule_domain::pending_retry;
use overrule_domain::ready;
use overrule_domain::thread;
use overrule_domain::turn::{Stream, StreamFaultKind};
use overrule_policy::DangerKind;
use overrule_present::call::RunFilesView;
use overrule_present::danger;
use overrule_present::many;
use overrule_present::question;
use overrule_present::sandbox;

/// Columns of the name of the operator's program.
const APPROVER: usize = 20;

/// Columns of an entry in the row that stands for the pane.
const ENTRY: usize = 32;

/// Draws the row that stands for the pane: what waits besides the entry that is looked at.
fn line(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let state = &model.run.state;
    let conflicts = model.cached.conflicts().len();
    let mut line = Styled::new().own(Role::Title, " queue");
    if conflicts > 0 {
        line = line.own(Role::Warning, format!("  {}", many(conflicts, "write conflict")));
    }
    let waiting = model.queue.items.iter().filter(|item| !item.gone);
    let here = model.queue.selected.filter(|_| model.is_selected_in_queue());
    let others: Vec<&Item> = waiting.filter(|item| Some(item.entry) != here).collect();
    let mut left = others.len();
    for item in others {
        let more = format!("  {left} more");
        let room = usize::from(area.width).saturating_sub(line.columns() + more.columns() + 1);
        let entry = match item.entry {
            QueueEntry::Call { call, .. } => {
                let node = state.node(call).and_then(Node::as_call);
                let (name, words) = node.map_or_else(Default::default, |(tool, args)| {
                    let name = question::tool_name(state, tool);
                    (name, summary::object(state, tool, args))
                });
                let entry = Styled::new()
                    .own(Role::Dim, format!("  {call} "))
                    .untrusted(Role::Title, &name, 40)
                    .own(Role::Text, " ");
                let rest = ENTRY.max(entry.columns() + 6) - entry.columns();
                entry.summary(Role::Text, &words, rest)
            }
            QueueEntry::Turn { turn, .. } => Styled::new().own(Role::Error, format!("  {turn}")),
        };
        if entry.columns() > room {
            line = line.own(Role::Dim, more);
            break;
        }
        line.0.extend(entry.0);
        left -= 1;
    }
    canvas.row(area, &line, Symbol::Ellipsis.glyph(model.settings.charset));
}

/// Draws the pane.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    if area.height == 1 {
        return line(model, canvas, area);
    }
    let queue = &model.queue;
    let waiting = model.waiting();
    let body = inside(area);
    let (above, below) = queue.beyond();
    let mut words = "queue".to_owned();
    if waiting > 0 {
        let _ = write!(words, " {waiting}");
        for (count, word) in [(above, "above"), (below, "below")] {
            if count > 0 {
                let _ = write!(words, ", {count} {word}");
            }
        }
    }
    if waiting > 0 && model.is_halted() {
        words = format!("{words}; {}", refusal::UNDECIDABLE);
    }
    let conflicts = model.cached.conflicts();
    if !conflicts.is_empty() {
        let _ = write!(words, ", {}", many(conflicts.len(), "write conflict"));
    }
    shell::title(model, canvas, area, Pane::QUEUE, &words);
    if body.is_empty() {
        return;
    }
    let rows = usize::from(body.height);
    let rows = rows - conflict_rows(model, rows);
    draw_conflicts(model, canvas, body, rows);
    if queue.items.is_empty() {
        canvas.put(
            body.x + 1,
            body.y,
            body.width.saturating_sub(1),
            &if model.run.arrived {
                idle(model)
            } else {
                "not known yet".to_owned()
            },
            Role::Dim,
        );
        return;
    }
    let cursor = queue.position().filter(|_| model.is_selected_in_queue());
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    for (line, item) in queue.items.iter().enumerate().skip(queue.top).take(rows) {
        let place = row_of(body, u16::try_from(line - queue.top).unwrap_or(u16::MAX));
        let words = Rect {
            x: place.x + 1.min(place.width),
            width: place.width.saturating_sub(1),
            ..place
        };
        let shown = entry(model, item, usize::from(words.width));
        match model.lower.pattern(Pane::QUEUE) {
            Some(find) => canvas.row(words, &shown.light(find), more),
            None => canvas.row(words, &shown, more),
        }
        if Some(line) == cursor {
            canvas.tint(place, Role::Selection);
            shell::pointer(model, canvas, place, Pane::QUEUE);
        }
    }
}

/// Rows for write conflicts at the end of a queue of some rows: at most a third of it while anything waits. Their number is
/// in the title.
pub(crate) fn conflict_rows(model: &Model, rows: usize) -> usize {
    // The row that says that nothing waits stays.
    let entries = model.queue.items.len().max(1);
    let free = rows.saturating_sub(entries).max(rows / 3);
    model.cached.conflicts().len().min(free)
}

/// Draws write conflicts below the entries, from a row on.
fn draw_conflicts(model: &Model, canvas: &mut Canvas<'_>, body: Rect, from: usize) {
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let shown = usize::from(body.height).saturating_sub(from);
    for (line, words) in (from..).zip(model.cached.conflicts().iter().take(shown)) {
        let place = row_of(body, u16::try_from(line).unwrap_or(u16::MAX));
        let words = Styled::new().own(Role::Warning, format!("! {words}"));
        let place = Rect {
            x: place.x + 1.min(place.width),
            width: place.width.saturating_sub(1),
            ..place
        };
        canvas.row(place, &words, more);
    }
}

/// The entry under the cursor, and the text of each entry as shown.
pub(crate) fn texts(model: &Model) -> (usize, Vec<String>) {
    let width = model.screen.places.of(Pane::QUEUE).unwrap_or_default().width;
    let room = usize::from(width.saturating_sub(1));
    let texts = model
        .queue
        .items
        .iter()
        .map(|item| entry(model, item, room).plain());
    (model.queue.position().unwrap_or_default(), texts.collect())
}

fn entry(model: &Model, item: &Item, width: usize) -> Styled {
    match item.entry {
        QueueEntry::Call { call, rev, .. } if item.gone => gone_entry(model, call, rev, width),
        QueueEntry::Call { call, rev, .. } => call_entry(model, call, rev, width),
        QueueEntry::Turn { turn, .. } => {
            let again = model.run.state.turns.get(&turn);
            let again = again.and_then(|turn| pending_retry::of(&model.run.state, turn));
            let again = again.filter(|_| !item.gone);
            let role = match (item.gone, &again) {
                (true, _) => Role::Dim,
                (false, Some(_)) => Role::Warning,
                (false, None) => Role::Error,
            };
            let glyph = Symbol::Failed.glyph(model.settings.charset);
            let words = match again {
                Some(again) => visible(&again.describe(model.utc())),
                None if unfit(model, turn) => format!("{turn}: invalid answer"),
                None => format!("{turn}: its stream broke"),
            };
            Styled::new().own(role, format!("{glyph} {words}"))
        }
    }
}

/// True for a turn whose answer breaks the output schema.
fn unfit(model: &Model, turn: TurnId) -> bool {
    let turn = model.run.state.turns.get(&turn);
    turn.is_some_and(
        |turn| matches!(&turn.stream, Stream::Broken(fault) if fault.kind == StreamFaultKind::Invalid),
    )
}

/// The warning about files that a call may run.
fn files(call: &Call) -> Option<&'static str> {
    let files = RunFilesView::of(call);
    if !files.changed.is_empty() {
        return Some("(its file changed)");
    }
    let unread = files.runs.iter().any(|one| one.seen != FileCheck::Whole);
    unread.then_some("(its file was not read)")
}

/// A row of an entry that no longer waits. If the call has a newer revision, the text of that is not shown next to
/// the number of the old one.
fn gone_entry(model: &Model, id: NodeId, rev: Rev, width: usize) -> Styled {
    let state = &model.run.state;
    let (Some(call), Some(node)) = (state.call(id), state.node(id)) else {
        return Styled::new().own(Role::Dim, format!("{id} is gone"));
    };
    let effective = EffectiveStatus::of_call(state, call);
    let glyph = Symbol::of_effective_status(effective).glyph(model.settings.charset);
    let again = model
        .queue
        .items
        .iter()
        .any(|item| matches!(item.entry, QueueEntry::Call { call, .. } if call == id && !item.gone));
    let words = match (node.rev() == rev, again) {
        (_, true) => "asked again below".to_owned(),
        (true, false) => match sandbox::refused(call) {
            Some(refused) => format!("{}, {refused}", effective.describe()),
            None => effective.describe(),
        },
        (false, false) => format!("now revision {}: {}", node.rev().0, effective.describe()),
    };
    let mut line = Styled::new().own(Role::Dim, format!("{glyph} {id} ({words}) "));
    if let Some((tool, args)) = node.as_call() {
        line = line.untrusted(Role::Dim, &question::tool_name(state, tool), 40);
        if node.rev() == rev {
            line = line.own(Role::Dim, " ");
            let room = left(&line, width);
            line = line.summary(Role::Dim, &summary::object(state, tool, args), room);
        }
    }
    line
}

fn call_entry(model: &Model, id: NodeId, rev: Rev, width: usize) -> Styled {
    let state = &model.run.state;
    let (Some(call), Some(node)) = (state.call(id), state.node(id)) else {
        return Styled::new().own(Role::Dim, format!("{id} is gone"));
    };
    let symbol = Symbol::of_status(&call.status);
    let glyph = symbol.glyph(model.settings.charset);
    let named = thread::named(state, id);
    let mut line = Styled::new()
        .own(symbol.role(), format!("{glyph} "))
        .own(Role::Dim, format!("{named} "));
    if rev.0 > 1 {
        line = line.own(Role::Edited, format!("revision {} ", rev.0));
    }
    if model.staged_edits.touches(id) {
        line = line.own(Role::Edited, "(edit staged) ");
    }
    if !matches!(call.status, Status::AwaitingApproval) {
        line = line.own(Role::Warning, format!("{} ", model.status_words(call)));
    }
    if let Some(by) = effective_status::suspended_by(state, call) {
        line = line.own(Role::Warning, format!("({by}) "));
    }
    if let Some(name) = call
        .approval
        .approver
        .as_deref()
        .filter(|_| call.status == Status::AwaitingApproval)
    {
        line = line
            .own(Role::Warning, "(asking ")
            .untrusted(Role::Warning, name, APPROVER)
            .own(Role::Warning, ") ");
    }
    if let Some(words) = model.deadline_words(call) {
        line = line.own(Role::Warning, format!("({words}) "));
    }
    if let Some(words) = model.agent_words(call) {
        line = line.own(Role::Warning, format!("({words}) "));
    }
    if let Some(other) = model.cached.same_target(id) {
        line = line.own(Role::Warning, format!("(writes the same as {other}) "));
    }
    let Some((tool, args)) = node.as_call() else {
        return line;
    };
    let name = question::tool_name(state, tool);
    line = line.untrusted(Role::Title, &name, 40).own(Role::Text, " ");
    let args = ready::resolved_args(state, call).unwrap_or_else(|| Arc::clone(args));
    if let Some(words) = summary::describe_change(node) {
        line = line.own(Role::Edited, format!("({words}) "));
    }
    if let Some(words) = files(call) {
        line = line.own(Role::Warning, format!("{words} "));
    }
    // What its newest execution was refused.
    if let Some(words) = sandbox::refused(call) {
        line = line.own(Role::Warning, format!("({words}) "));
    }
    let words = match model.queue.call_groups.get(&id) {
        Some(similar) => {
            if similar.is_like() {
                let sign = Symbol::Fan.glyph(model.settings.charset);
                line = line.own(Role::Accent, format!("{sign} "));
            }
            similar.describe()
        }
        None => summary::object(state, tool, &args),
    };
    // The dangers are at the right end.
    let kinds = danger::kinds(&model.run.danger_of(id));
    let kinds: Vec<&str> = kinds.into_iter().map(DangerKind::label).collect();
    let kinds = kinds.join(", ");
    let end = match kinds.columns() {
        0 => 0,
        columns => columns + 3,
    };
    let room = left(&line, width).saturating_sub(end);
    line = line.summary(Role::Text, &words, room);
    if end > 0 {
        let gap = left(&line, width).saturating_sub(end - 2).max(1);
        line = line.own(Role::Text, " ".repeat(gap)).own(Role::Danger, kinds);
    }
    line
}

/// The columns left after a line.
fn left(line: &Styled, width: usize) -> usize {
    width.saturating_sub(line.columns())
}
