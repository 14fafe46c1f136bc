//! Draws the lines at the bottom: the last message, and the keys that work now.
//!
//! Must not know: the command table.

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, after_margin, row_of};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::first_decision;
use crate::kernel::hints;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::prompts;
use crate::kernel::status_line;
use overrule_base::text::{head, visible};

/// Draws the lines.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    // A line that confirms a decision has the first row.
    let taken = u16::from(prompts::confirms(model)).min(area.height);
    let area = Rect {
        y: area.y + taken,
        height: area.height - taken,
        ..area
    };
    canvas.fill(area, Role::Status);
    if area.is_empty() {
        return;
    }
    let hints = hints::hints(model);
    let (first, second) = (row_of(area, 0), row_of(area, 1));
    let sentences = first_decision::rows(model);
    if !sentences.is_empty() && area.height > 1 {
        let last = area.height - 1;
        let notice = visible(head(&model.message.text, usize::from(area.width)).0);
        let notice = Some(notice).filter(|text| !text.is_empty());
        for (at, words) in (0..last).zip(notice.into_iter().chain(sentences)) {
            let line = Styled::new().own(Role::Text, words);
            canvas.row(after_margin(row_of(area, at)), &line, more(model));
        }
        keys(canvas, row_of(area, last), &hints);
        return;
    }
    if model.message.text.is_empty() {
        if area.height > 1 {
            let line = default_line(model);
            canvas.row(after_margin(first), &line, more(model));
            keys(canvas, second, &hints);
        } else {
            keys(canvas, first, &hints);
        }
        return;
    }
    draw_message(model, canvas, area, &hints);
}

fn more(model: &Model) -> char {
    Symbol::Ellipsis.glyph(model.settings.charset)
}

/// Draws the last message. The keys stay in the last row.
fn draw_message(model: &Model, canvas: &mut Canvas<'_>, area: Rect, hints: &[hints::Hint]) {
    let message = &model.message;
    let role = if message.bad { Role::Error } else { Role::Text };
    let size = (
        usize::from(area.width.saturating_sub(1)),
        usize::from(area.height),
    );
    let reported = status_line::layout(&message.text, size);
    let last = reported.rows.len().saturating_sub(1);
    for (at, row) in reported.rows.iter().enumerate() {
        let mut place = after_margin(row_of(area, at as u16));
        if at == last && !reported.is_whole {
            let more = format!(" {}", rest(model));
            place.width = place.width.saturating_sub(more.columns() as u16);
            canvas.put(place.right(), place.y, area.width, &more, Role::Dim);
        }
        canvas.row(place, &Styled::new().own(role, row.clone()), self::more(model));
    }
    if size.1 > 1 {
        keys(canvas, row_of(area, area.height - 1), hints);
    }
}

/// Where a cut message can be read in full.
fn rest(model: &Model) -> String {
    let key = model.settings.keymap.first(Pane::LOG.verb());
    if model.stack.is_empty() && !key.is_empty() {
        format!("{key}: all of it")
    } else {
        "see the log".to_owned()
    }
}

/// Columns of a hint, with the gap after it.
fn wide(hint: &hints::Hint) -> u16 {
    status_line::wide(hint) as u16
}

/// The row without an event to report: where the next task goes, once nothing is left to do.
fn default_line(model: &Model) -> Styled {
    let line = Styled::new();
    if !model.screen.can_decide() {
        return line.own(Role::Dim, "too small to decide: needs 40x10");
    }
    let key = model.settings.keymap.first("guide");
    if !model.takes_task() || !model.stack.is_empty() || key.is_empty() {
        return line;
    }
    line.own(Role::Key, key).own(Role::Dim, "  type the next task")
}

/// Columns after a hint.
const GAP: u16 = 2;

fn keys(canvas: &mut Canvas<'_>, area: Rect, hints: &[hints::Hint]) {
    let mut x = area.x + 1.min(area.width);
    let reserved: u16 = hints.iter().filter(|hint| hint.stays).map(wide).sum();
    // With nothing to decide on screen, the way to waiting calls comes first.
    let decides = hints
        .iter()
        .any(|hint| matches!(hint.word, "approve" | "choices"));
    let is_first = |hint: &&hints::Hint| {
        !hint.stays && (hint.leads || hint.word == "done" || (!decides && hint.word == "next pending"))
    };
    // The main key of the focused pane comes first.
    let leads = hints.iter().filter(|hint| !hint.stays && hint.leads);
    let first = leads.chain(hints.iter().filter(|hint| is_first(hint) && !hint.leads));
    let others = hints.iter().filter(|hint| !hint.stays && !is_first(hint));
    let last = hints.iter().filter(|hint| hint.stays);
    // The last hint needs no gap after it.
    let mut room = (area.right() + GAP).saturating_sub(reserved);
    for hint in first.chain(others).chain(last) {
        if hint.stays {
            room = area.right() + GAP;
        }
        let need = wide(hint);
        if x + need > room {
            continue;
        }
        let (key, word) = match (hint.refused, hint.decides) {
            (true, _) => (Role::Dim, Role::Dim),
            (false, true) => (Role::DecisionKey, Role::Title),
            (false, false) => (Role::Key, Role::Status),
        };
        x += canvas.put(x, area.y, need, &hint.key, key);
        x += canvas.put(x, area.y, need, &format!(" {}{}  ", hint.word, hint.more), word);
    }
}
