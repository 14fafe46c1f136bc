//! Draws the inspector: tabs, the document of the chosen tab, and the frame of a decision.
//!
//! Must not know: how a document is made.

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::paint::Canvas;
use crate::ground::theme::Role;
use crate::kernel::decide;
use crate::kernel::draw::document::{place_in, text};
use crate::kernel::draw::frame::{self, Frame};
use crate::kernel::draw::shell;
use crate::kernel::graph::Pick;
use crate::kernel::inspector::{Subject, Tab};
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::kernel::queue::{Item, QueueEntry};

/// Draws the pane: the frame of a decision, or the tabs.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inspector = &model.inspector;
    let find = inspector.seek.as_ref().map(|seek| &seek.regex);
    if inspector.doc.title().is_some() {
        let question = decide::question(model);
        let frame = Frame {
            area,
            edge: model.screen.places.edge,
            doc: &inspector.doc,
            top: inspector.first_row(),
            find,
            cause: "",
            place: place_in_queue(model),
            outcome: "",
            time: time_left(model),
            seen: question
                .as_ref()
                .and_then(|question| model.arming.find(question, false)),
        };
        return frame::draw(model, canvas, &frame);
    }
    let role = shell::rule(model, canvas, area, Pane::INSPECTOR);
    let body = inside(area);
    let bar = inspector.bar(area.width, model.settings.charset.around());
    let mut put = |x: u16, words: &str, role: Role| {
        let room = area.width.saturating_sub(x + 1);
        canvas.put(area.x + x, area.y, room, words, role);
    };
    for (tab, x, words) in &bar.tabs {
        put(*x, words, if *tab == inspector.tab { role } else { Role::Dim });
    }
    if let Some((x, words)) = &bar.mark {
        put(*x, words, Role::Key);
    }
    if let Some((x, words)) = bar.note {
        put(x, words, role);
    }
    text(
        canvas,
        body,
        &inspector.doc,
        (inspector.first_row(), model.more()),
        find,
    );
    let shown = inspector.shown(usize::from(body.height));
    let x = place_in(canvas, area, &shown, inspector.doc.rows());
    let x = running(model, canvas, area, x);
    if let Some(who) = unnamed(model) {
        let width = who.columns() as u16;
        if width + 2 < x.saturating_sub(area.x) {
            canvas.put(x - width, area.y, width, &who, role);
        }
    }
}

/// The time left to decide about the call; empty without a limit.
fn time_left(model: &Model) -> String {
    let call = match model.inspector.subject {
        Some(Subject::Pick(Pick::Node(id))) => model.run.state.call(id.call()),
        _ => None,
    };
    let words = call.and_then(|call| model.deadline_words(call).or_else(|| model.agent_words(call)));
    words.unwrap_or_default()
}

/// The number of the call among those that wait, and how many these are.
fn place_in_queue(model: &Model) -> Option<(usize, usize)> {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return None;
    };
    let waiting = model.queue.items.iter().filter(|item| !item.gone);
    let is_its = |item: &Item| matches!(item.entry, QueueEntry::Call { call, .. } if call == id.call());
    let at = waiting.clone().position(is_its)?;
    Some((at + 1, waiting.count()))
}

/// Draws how long the shown call has been running, to the left of a column. Returns its first column.
fn running(model: &Model, canvas: &mut Canvas<'_>, area: Rect, x: u16) -> u16 {
    let call = match model.inspector.subject {
        Some(Subject::Pick(Pick::Node(id))) => model.run.state.call(id.call()),
        _ => None,
    };
    let Some(words) = call.and_then(|call| model.running_words(call)) else {
        return x;
    };
    let words = format!(" {words} ");
    let width = words.columns() as u16;
    if width + 2 >= x.saturating_sub(area.x) {
        return x;
    }
    canvas.put(x - width, area.y, width, &words, Role::Running);
    x - width
}

/// The id of the selected row, where no row on screen shows it. The first row of the content does, and the head
/// of a decision stays.
fn unnamed(model: &Model) -> Option<String> {
    let inspector = &model.inspector;
    let is_named = inspector.tab == Tab::Content && inspector.first_row() == 0;
    if is_named {
        return None;
    }
    Some(match inspector.subject? {
        Subject::Pick(Pick::Node(id)) => format!(" {id} "),
        Subject::Pick(Pick::Live(turn, _)) | Subject::Broken(turn) => format!(" {turn} "),
    })
}
