//! Lines to type and lists to choose from. Must not know: what is chosen.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::paint::{Canvas, row_of};
use super::{inspector, overlay};
use crate::console::doc::Styled;
use crate::console::model::Model;
use crate::console::model::overlay::{Gathered, LinePrompt, List};
use crate::console::symbols::{Charset, Symbol};
use crate::console::theme::Role;
use crate::console::update::collected_words;

/// Draws a line to type, at the bottom of the panes.
pub(super) fn line(model: &Model, frame: &mut Frame<'_>, line: &LinePrompt) {
    let body = model.screen.places.body;
    let area = Rect {
        y: body.bottom().saturating_sub(2.min(body.height)),
        height: 2.min(body.height),
        ..body
    };
    let field = overlay::open(model, frame, area, &line.title, Role::Focus);
    line.field
        .draw(frame, field, model.settings.look.full(Role::Text));
}

/// Draws a list to choose from.
pub(super) fn list(model: &Model, frame: &mut Frame<'_>, list: &List) {
    let area = model.screen.overlay(list.choices.len() + 1);
    let body = overlay::open(model, frame, area, &list.title, Role::Focus);
    let style = model.settings.look.full(Role::Text);
    list.field.draw(frame, row_of(body, 0), style);
    let rows = usize::from(body.height.saturating_sub(1));
    let top = (list.at + 1).saturating_sub(rows);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    for (line, index) in list.found.iter().enumerate().skip(top).take(rows) {
        let Some(choice) = list.choices.get(*index) else {
            continue;
        };
        let place = row_of(body, u16::try_from(line - top + 1).unwrap_or(u16::MAX));
        let room = place.width.saturating_sub(14);
        let mut x = place.x + 2.min(place.width);
        x += canvas.put(
            x,
            place.y,
            place.width.saturating_sub(2).min(24),
            &choice.name,
            Role::Accent,
        ) + 2;
        x = x.max(place.x + 20.min(place.width));
        canvas.put(
            x,
            place.y,
            (place.x + room).saturating_sub(x),
            &choice.detail,
            Role::Dim,
        );
        let right = choice.right.chars().count() as u16;
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
                "nothing fits",
                Role::Dim,
            );
        }
    }
}

/// Draws the collected edits: one line each, and more about the one under the cursor.
pub(super) fn gathered(model: &Model, frame: &mut Frame<'_>, gathered: &Gathered) {
    let area = model
        .screen
        .overlay(gathered.rows.len() + gathered.doc.rows() + 1);
    let title = format!("{}, not committed", collected_words(gathered.rows.len()));
    overlay::open(model, frame, area, &title, Role::Focus);
    let (rows, rest) = model.screen.gathered(gathered.rows.len(), gathered.doc.rows());
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    let height = usize::from(rows.height);
    let top = (gathered.at + 1).saturating_sub(height);
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    for (at, row) in gathered.rows.iter().enumerate().skip(top).take(height) {
        let place = row_of(rows, u16::try_from(at - top).unwrap_or(u16::MAX));
        let words = Rect {
            x: place.x + 1.min(place.width),
            width: place.width.saturating_sub(1),
            ..place
        };
        let mut line = Styled::new().own(Role::Dim, format!("{} ", at + 1));
        if row.trouble.is_some() {
            line = line.own(Role::Error, "! redo  ");
        }
        line = line.untrusted(Role::Text, &row.words, usize::from(place.width));
        canvas.row(words, &line, more);
        if at == gathered.at {
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
    if rest.y > 0 && !rest.is_empty() {
        let line = Rect {
            y: rest.y - 1,
            height: rest.height + 1,
            ..rest
        };
        let rule = match model.settings.charset {
            Charset::Unicode => "─",
            Charset::Ascii => "-",
        };
        let words = rule.repeat(usize::from(line.width));
        canvas.put(line.x, line.y, line.width, &words, Role::Border);
        inspector::position(&mut canvas, line, &gathered.doc, gathered.top);
        inspector::rows(&mut canvas, rest, &gathered.doc, gathered.top);
    }
}
