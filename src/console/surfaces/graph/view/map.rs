//! The map: boxes around the selected node, with the lines between them.
//!
//! Must not know: how boxes are placed.

use ratatui::layout::Rect;

use super::lines;
use super::margins::Margins;
use crate::ground::doc::Styled;
use crate::ground::layout::gutter::Glyphs;
use crate::ground::layout::map::NodeBox;
use crate::ground::paint::Canvas;
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::graph::map::Spot;
use crate::kernel::model::Model;
use crate::run::summary;
use crate::run::summary::Summary;

/// Draws the part of the map that is around the selected box. Returns the signs before boxes.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) -> Margins {
    let mut margins = Margins::default();
    let pane = &model.graph.map;
    let sheet = &pane.sheet;
    let selected = pane.spot(model.graph.selected);
    let (left, top) = pane.window(model.graph.selected, (area.width, area.height));
    let glyphs = Glyphs::of(model.settings.line);
    for row in 0..area.height {
        for column in 0..area.width {
            let cell = sheet.cell(left + usize::from(column), top + usize::from(row));
            if !cell.is_blank() {
                let glyph = glyphs.of_cell(cell, None);
                let (x, y) = (area.x + column, area.y + row);
                canvas.put(x, y, 1, glyph.encode_utf8(&mut [0; 4]), Role::Line);
            }
        }
    }
    for one in &sheet.boxes {
        let (Some(x), Some(y)) = (one.x.checked_sub(left), one.y.checked_sub(top)) else {
            continue;
        };
        let (x, y) = (
            u16::try_from(x).unwrap_or(u16::MAX),
            u16::try_from(y).unwrap_or(u16::MAX),
        );
        if x >= area.width || y >= area.height {
            continue;
        }
        let place = Rect::new(area.x + x, area.y + y, (one.width as u16).min(area.width - x), 1);
        margins.add(draw_box(model, canvas, place, one, selected));
    }
    margins
}

fn draw_box(
    model: &Model,
    canvas: &mut Canvas<'_>,
    place: Rect,
    one: &NodeBox<Spot>,
    selected: Option<Spot>,
) -> Option<Symbol> {
    let state = &model.run.state;
    let charset = model.settings.charset;
    let (symbol, looks) = match one.key {
        Spot::Node(id) => lines::looks(state, id),
        Spot::Broken(_) => (Symbol::Failed, None),
    };
    let is_selected = selected == Some(one.key);
    let frame = if is_selected { Role::Accent } else { Role::Border };
    let role = |usual: Role| looks.unwrap_or(usual);
    let highlighted = match one.key {
        Spot::Node(id) if model.graph.highlight.is_above(state, id) => {
            Some((Symbol::Ancestor, Role::Ancestor))
        }
        Spot::Node(id) if model.graph.highlight.is_below(state, id) => {
            Some((Symbol::Descendant, Role::Descendant))
        }
        Spot::Node(_) | Spot::Broken(_) => None,
    };
    // The sign repeats the tint, for operators who do not see it.
    let open = match highlighted {
        _ if is_selected => Symbol::Pointer.glyph(charset),
        Some((symbol, _)) => symbol.glyph(charset),
        None => '[',
    };
    let mut line = Styled::new()
        .own(frame, open.to_string())
        .own(role(symbol.role()), format!("{} ", symbol.glyph(charset)))
        .own(role(Role::Dim), format!("{} ", one.key));
    let chip = Glyphs::of(model.settings.line).chip;
    for parent in one.chips.iter().take(2) {
        line = line.own(Role::Reference, format!("{chip}{parent} "));
    }
    if let Some(more) = one.chips.len().checked_sub(3) {
        line = line.own(Role::Reference, format!("{chip}+{} ", more + 1));
    }
    let words = match one.key {
        Spot::Node(id) => state.node(id).map(|node| match node.as_call() {
            Some((tool, args)) => Summary::default()
                .name(tool)
                .own(" ")
                .and(summary::arguments_in(state, args)),
            None => summary::of(state, node),
        }),
        Spot::Broken(turn) => lines::why_broken(state, turn).map(|why| summary::text_of(&why)),
    };
    let room = usize::from(place.width).saturating_sub(line.columns() + 1);
    line = line.summary(role(Role::Text), &words.unwrap_or_default(), room);
    // A short text needs no wide box.
    let used = u16::try_from(line.columns() + 1).unwrap_or(u16::MAX);
    let place = Rect {
        width: place.width.min(used),
        ..place
    };
    canvas.fill(place, Role::Text);
    let inner = Rect {
        width: place.width.saturating_sub(1),
        ..place
    };
    canvas.row(inner, &line, Symbol::Ellipsis.glyph(charset));
    if let Some((_, role)) = highlighted {
        canvas.tint(inner, role);
    }
    if is_selected {
        canvas.tint(inner, Role::Selection);
    }
    if place.width > 1 {
        canvas.put(place.right() - 1, place.y, 1, "]", frame);
    }
    highlighted.filter(|_| !is_selected).map(|(symbol, _)| symbol)
}
