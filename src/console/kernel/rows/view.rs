//! Draws a pane of rows with a cursor.
//!
//! Must not know: what is in the rows.

use ratatui::layout::Rect;

use crate::ground::columns::Columns as _;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::draw::shell;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;

/// Draws the pane.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect, pane: Pane) {
    let Some(rows) = model.lower.of(pane) else { return };
    let words = format!("{} {}", pane.name(), rows.title);
    let used = shell::title(model, canvas, area, pane, words.trim_end());
    others(model, canvas, area, pane, used);
    let body = inside(area);
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let shown = rows.rows.iter().enumerate().skip(rows.top);
    for (at, row) in shown.take(usize::from(body.height)) {
        let place = row_of(body, u16::try_from(at - rows.top).unwrap_or(u16::MAX));
        let words = Rect {
            x: place.x + 1.min(place.width),
            width: place.width.saturating_sub(1),
            ..place
        };
        match model.lower.pattern(pane) {
            Some(find) => canvas.row(words, &row.words.clone().light(find), more),
            None => canvas.row(words, &row.words, more),
        }
        if at == rows.at && model.screen.focus == pane {
            point(model, canvas, place);
        }
    }
}

/// Marks the row under the cursor.
pub(crate) fn point(model: &Model, canvas: &mut Canvas<'_>, place: Rect) {
    canvas.tint(place, Role::Selection);
    let pointer = Symbol::Pointer.glyph(model.settings.charset);
    canvas.put(
        place.x,
        place.y,
        1,
        pointer.encode_utf8(&mut [0; 4]),
        Role::Accent,
    );
}

/// Draws the names and keys of the other panes in this place, as far as there is room.
pub(crate) fn others(model: &Model, canvas: &mut Canvas<'_>, area: Rect, pane: Pane, used: u16) {
    let mut x = area.x + used + 1;
    let keymap = &model.settings.keymap;
    for other in keymap
        .registry()
        .lower()
        .into_iter()
        .filter(|other| *other != pane)
    {
        let key = keymap.first(other.verb());
        let word = format!(" {key} {} ", other.name());
        let width = u16::try_from(word.columns()).unwrap_or(u16::MAX);
        if x.saturating_add(width) > area.right() {
            break;
        }
        canvas.put(x, area.y, width, &word, Role::Dim);
        x += width;
    }
}
