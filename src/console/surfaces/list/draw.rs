//! Draws a list to choose from.
//!
//! Must not know: what is chosen.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::List;
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::draw::dialog;
use crate::kernel::model::Model;

/// Draws a list to choose from.
pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, list: &List) {
    let area = list.area(&model.screen);
    let body = dialog::open(model, frame, area, &list.title, Role::Focus);
    list.field.draw(frame, row_of(body, 0), &model.settings.look);
    let rows = usize::from(body.height.saturating_sub(1));
    let top = (list.at + 1).saturating_sub(rows);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    if rows > 0 && list.found.len() > rows {
        let words = format!(" {}-{} of {} ", top + 1, top + rows, list.found.len());
        let width = words.len() as u16;
        if width + 2 < area.width {
            canvas.put(area.right() - width - 1, area.y, width, &words, Role::Key);
        }
    }
    for (line, index) in list.found.iter().enumerate().skip(top).take(rows) {
        let Some(choice) = list.choices.get(*index) else {
            continue;
        };
        let place = row_of(body, u16::try_from(line - top + 1).unwrap_or(u16::MAX));
        let right = u16::try_from(choice.right.columns()).unwrap_or(u16::MAX);
        let room = place.width.saturating_sub(right.saturating_add(3));
        let mut x = place.x + 2.min(place.width);
        x += canvas.put(
            x,
            place.y,
            place.width.saturating_sub(2).min(24),
            &choice.name,
            if choice.now { Role::Accent } else { Role::Dim },
        ) + 2;
        for typed in list.typed.get(line).into_iter().flatten() {
            let at = choice
                .name
                .chars()
                .take(*typed as usize)
                .collect::<String>()
                .columns();
            let at = place.x + 2 + u16::try_from(at).unwrap_or(u16::MAX);
            let cell = Rect {
                x: at,
                width: u16::from(at < place.right().min(place.x + 26)),
                ..place
            };
            canvas.tint(cell, Role::Match);
        }
        x = x.max(place.x + 20.min(place.width));
        let words = Rect {
            x,
            width: (place.x + room).saturating_sub(x),
            ..place
        };
        let more = Symbol::Ellipsis.glyph(model.settings.charset);
        canvas.row(words, &Styled::new().own(Role::Dim, &*choice.detail), more);
        if right + 1 < place.width {
            canvas.put(
                place.right() - right - 1,
                place.y,
                right,
                &choice.right,
                Role::Key,
            );
        }
        if line == list.at {
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
    }
    if list.found.is_empty() {
        let place = row_of(body, 1);
        if !place.is_empty() {
            canvas.put(
                place.x + 2,
                place.y,
                place.width.saturating_sub(2),
                "no matches",
                Role::Dim,
            );
        }
    }
}
