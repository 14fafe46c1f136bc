//! Draws a list with a cursor, and the details of the entry under it.
//!
//! Must not know: what is listed.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::dialog;
use super::document;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::listing::Listing;
use crate::kernel::model::Model;

/// Draws a list, with details of the entry under the cursor.
pub(crate) fn listing(model: &Model, frame: &mut Frame<'_>, listing: &Listing) {
    let (whole, rows, rest) = model.screen.listing(listing.rows.count(), listing.doc.rows());
    dialog::open(model, frame, whole, &listing.title, Role::Focus);
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
        if width + 2 < rows.width {
            canvas.put(rows.right() - width - 1, whole.y, width, &words, Role::Key);
        }
    }
    if rest.is_empty() {
        return;
    }
    let is_beside = rest.x > rows.x;
    let line = Rect {
        y: if is_beside { whole.y } else { rest.y - 1 },
        height: rest.height + 1,
        ..rest
    };
    if is_beside {
        let rule = match model.settings.charset {
            Charset::Unicode => "│",
            Charset::Ascii => "|",
        };
        for y in rest.top()..rest.bottom() {
            canvas.put(rest.x - 1, y, 1, rule, Role::Border);
        }
    } else {
        let rule = match model.settings.charset {
            Charset::Unicode => "─",
            Charset::Ascii => "-",
        };
        let rule = rule.repeat(usize::from(line.width));
        canvas.put(line.x, line.y, line.width, &rule, Role::Border);
    }
    document::position(&mut canvas, line, &listing.doc, listing.top);
    document::rows(&mut canvas, rest, &listing.doc, (listing.top, model.more()), None);
}
