//! Draws one-line inputs and lists to choose from.
//!
//! Must not know: what is chosen.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::overlay;
use super::paint::{Canvas, row_of};
use crate::columns::Columns as _;
use crate::doc::{Styled, broken};
use crate::halted;
use crate::model::Model;
use crate::model::listing::Listing;
use crate::model::overlay::List;
use crate::panes::inspector::view as inspector;
use crate::prompt::Prompt;
use crate::symbols::{Charset, Symbol};
use crate::theme::Role;

/// The title of a line, with the time left where there is a deadline.
fn title(model: &Model, line: &Prompt) -> String {
    if let Some(why) = halted::typed(model) {
        return why.to_string();
    }
    let title = line.title.clone();
    let Some(call) = line.call else { return title };
    let status = model.run.state.call(call).map(|call| &call.status);
    match (model.time_left(call), status) {
        (Some(left), _) => format!("{title} ({left})"),
        (None, Some(status)) if status.is_settled() => {
            format!(
                "{title} ({call} is {} meanwhile, and can no longer be rejected)",
                status.base_label()
            )
        }
        _ => title,
    }
}

/// Draws a line to type, at the bottom of the panes.
pub(super) fn line(model: &Model, frame: &mut Frame<'_>, line: &Prompt) {
    let body = model.screen.places.body;
    // The title lists what may be typed, in as many rows as needed.
    let title = title(model, line);
    let mut titles = broken(&title, usize::from(body.width.saturating_sub(2)));
    titles.truncate(usize::from(body.height.saturating_sub(1)));
    let last = titles.pop().unwrap_or_default();
    let area = Rect {
        y: body.bottom().saturating_sub(2.min(body.height)),
        height: 2.min(body.height),
        ..body
    };
    for (above, title) in titles.iter().rev().enumerate() {
        let row = Rect {
            y: area
                .y
                .saturating_sub(u16::try_from(above + 1).unwrap_or(u16::MAX)),
            height: 1,
            ..area
        };
        overlay::open(model, frame, row, title, Role::Focus);
    }
    let field = overlay::open(model, frame, area, &last, Role::Focus);
    line.field.draw(frame, field, &model.settings.look);
}

/// Draws a list to choose from.
pub(super) fn list(model: &Model, frame: &mut Frame<'_>, list: &List) {
    let area = model.screen.list(list);
    let body = overlay::open(model, frame, area, &list.title, Role::Focus);
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

/// Draws a list, with details of the entry under the cursor.
pub(super) fn listing(model: &Model, frame: &mut Frame<'_>, listing: &Listing) {
    let (whole, rows, rest) = model.screen.listing(listing.rows.count(), listing.doc.rows());
    overlay::open(model, frame, whole, &listing.title, Role::Focus);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    let height = usize::from(rows.height);
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let shown = listing.rows.shown(listing.first..listing.first + height);
    let mut pointed = false;
    for (at, line) in shown.enumerate() {
        let place = row_of(rows, u16::try_from(at).unwrap_or(u16::MAX));
        let words = Rect {
            x: place.x + 1.min(place.width),
            width: place.width.saturating_sub(1),
            ..place
        };
        match listing.seek.as_ref().filter(|_| line.of.is_some()) {
            Some(seek) => canvas.row(words, &line.words.clone().light(&seek.regex), more),
            None => canvas.row(words, &line.words, more),
        }
        if line.of == Some(listing.at) {
            canvas.tint(place, Role::Selection);
            let pointer = Symbol::Pointer.glyph(model.settings.charset);
            if !pointed {
                canvas.put(
                    place.x,
                    place.y,
                    1,
                    pointer.encode_utf8(&mut [0; 4]),
                    Role::Accent,
                );
            }
            pointed = true;
        }
    }
    let below = listing.rows.count().saturating_sub(listing.first + height);
    if below > 0 {
        let words = match below {
            1 => " 1 row below ".to_owned(),
            below => format!(" {below} rows below "),
        };
        let width = words.len() as u16;
        if width + 2 < whole.width {
            canvas.put(whole.right() - width - 1, whole.y, width, &words, Role::Key);
        }
    }
    if rest.is_empty() {
        return;
    }
    let line = Rect {
        y: rest.y - 1,
        height: rest.height + 1,
        ..rest
    };
    let rule = match model.settings.charset {
        Charset::Unicode => "─",
        Charset::Ascii => "-",
    };
    canvas.put(
        line.x,
        line.y,
        line.width,
        &rule.repeat(usize::from(line.width)),
        Role::Border,
    );
    inspector::position(&mut canvas, line, &listing.doc, listing.top);
    inspector::rows(&mut canvas, rest, &listing.doc, (listing.top, model.more()), None);
}
