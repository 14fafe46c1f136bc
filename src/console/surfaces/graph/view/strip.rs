//! Draws the whole run in one column: waiting and failed parts, and the part on screen.
//!
//! Must not know: how rows come to be.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::ground::paint::Canvas;
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::graph::Mark;
use crate::kernel::model::Model;

/// Draws the column; `shown` are the rows on screen. Returns whether there are numbers in it.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect, shown: Range<usize>) -> bool {
    let mut counts = false;
    let graph = &model.graph;
    let (rows, height) = (graph.len(), usize::from(area.height));
    for line in 0..height {
        let part = line * rows / height..((line + 1) * rows / height).max(line * rows / height + 1);
        let end = part.end.min(graph.rows.len());
        let here = part.start.min(end)..end;
        let (most, failed) = graph.rows.marks(here.clone());
        // An open stream is below all rows.
        let streams = part.end > graph.rows.len();
        let mark = most.max(if streams { Mark::Running } else { Mark::None });
        let is_shown = part.start < shown.end && shown.start < part.end;
        let (mut glyph, role) = look(model, mark, is_shown);
        if mark == Mark::Failed {
            let digit = few(failed, here.len());
            counts |= digit.is_some();
            glyph = digit.unwrap_or(glyph);
        }
        let y = area.y + line as u16;
        canvas.put(area.x, y, 1, glyph.encode_utf8(&mut [0; 4]), role);
        if is_shown && mark != Mark::None {
            canvas.tint(Rect { y, height: 1, ..area }, Role::Selection);
        }
    }
    counts
}

/// The number of failures in a part that mostly succeeded; `None` if the symbol alone is enough.
fn few(failed: usize, of: usize) -> Option<char> {
    let digit = u32::try_from(failed)
        .ok()
        .and_then(|failed| char::from_digit(failed, 10));
    digit.filter(|_| failed > 0 && 2 * failed < of)
}

fn look(model: &Model, mark: Mark, shown: bool) -> (char, Role) {
    let charset = model.settings.charset;
    let symbol = match mark {
        Mark::Waiting => Symbol::Awaiting,
        Mark::Failed => Symbol::Failed,
        Mark::Running => Symbol::Running,
        Mark::Edited => Symbol::Edited,
        Mark::None if shown => Symbol::Bar,
        Mark::None => {
            let track = match charset {
                Charset::Unicode => '│',
                Charset::Ascii => '|',
            };
            return (track, Role::Line);
        }
    };
    let role = if mark == Mark::None {
        Role::Line
    } else {
        symbol.role()
    };
    (symbol.glyph(charset), role)
}
