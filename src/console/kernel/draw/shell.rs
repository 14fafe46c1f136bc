//! Draws the whole screen: the panes in their places, and what is open on top of them.
//!
//! Must not know: what is in a pane.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{banner, dialog, header, replay, status};
use crate::ground::layout::gutter::Line;
use crate::ground::paint::Canvas;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;

/// Marks the selected row of the graph or the queue, whichever the inspector shows. A dialog has the pointer itself.
pub(crate) fn pointer(model: &Model, canvas: &mut Canvas<'_>, row: Rect, pane: Pane) {
    let symbol = if model.screen.lead == pane && !model.screen.docks {
        Symbol::Pointer
    } else {
        Symbol::Resting
    };
    let glyph = symbol.glyph(model.settings.charset);
    canvas.put(row.x, row.y, 1, glyph.encode_utf8(&mut [0; 4]), symbol.role());
}

/// Draws everything.
pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let whole = frame.area();
    let places = model.screen.places;
    {
        let mut canvas = Canvas {
            buf: frame.buffer_mut(),
            look: &model.settings.look,
        };
        canvas.fill(whole, Role::Text);
        header::draw(model, &mut canvas, places.header);
        if let Some(area) = places.banner {
            banner::draw(model, &mut canvas, area);
        }
        let registry = model.settings.keymap.registry();
        for pane in model.screen.panes() {
            if let (Some(area), Some(kind)) = (places.of(pane), registry.kind(pane)) {
                kind.draw(model, &mut canvas, area);
            }
        }
    }
    dialog::draw(model, frame);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    if let Some(area) = places.bar {
        replay::draw(model, &mut canvas, area);
    }
    status::draw(model, &mut canvas, places.status);
}

/// Draws the title line of a pane.
pub(crate) fn title(model: &Model, canvas: &mut Canvas<'_>, area: Rect, pane: Pane, words: &str) -> u16 {
    if area.is_empty() {
        return 0;
    }
    let role = rule(model, canvas, area, pane);
    let text = format!(" {words} ");
    let x = area.x + 1.min(area.width);
    canvas.put(x, area.y, area.width.saturating_sub(2), &text, role) + 1
}

/// Draws the title line of a pane without its text; returns the style for it.
pub(crate) fn rule(model: &Model, canvas: &mut Canvas<'_>, area: Rect, pane: Pane) -> Role {
    // Next to the frame of a decision nothing else stands out.
    let is_quiet = model.screen.places.edge.is_some() && pane == Pane::GRAPH;
    let focused = model.screen.focus == pane && model.stack.is_empty() && !is_quiet;
    let role = if focused { Role::Focus } else { Role::Border };
    let rule = match (model.settings.charset, focused, model.settings.line) {
        (Charset::Ascii, true, _) | (_, true, Line::Ascii) => "=",
        (Charset::Ascii, false, _) | (_, false, Line::Ascii) => "-",
        (Charset::Unicode, true, _) => "━",
        (Charset::Unicode, false, _) => "─",
    };
    canvas.put(
        area.x,
        area.y,
        area.width,
        &rule.repeat(usize::from(area.width)),
        role,
    );
    if focused { Role::Focus } else { Role::Title }
}
