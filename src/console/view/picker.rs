//! Draws the picker of a recorded session.
//!
//! Must not know: where sessions are stored, what a key does.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::app::picker_list::{Picker, PickerEntry};
use crate::ground::columns::Columns as _;
use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::{Look, Role};

/// Rows below the list: a rule, two facts, the last lines, the keys.
const BELOW: u16 = 11;
/// Rows of the last lines.
const TAIL: usize = 7;
/// Columns of the state and of the age.
const STATE: usize = 10;
const AGE: usize = 9;

/// Draws the picker over the whole screen.
pub fn picker(picker: &Picker, look: &Look, charset: Charset, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look,
    };
    canvas.fill(area, Role::Text);
    if area.height < 4 {
        return;
    }
    let more = Symbol::Ellipsis.glyph(charset);
    let fitting = picker.fitting();
    let head = Rect { height: 1, ..area };
    canvas.fill(head, Role::Header);
    let title = format!(" {} which session?", picker.verb);
    canvas.put(area.x, area.y, area.width, &title, Role::Title);
    let count = format!("{} of {} ", fitting.len(), picker.entries.len());
    let x = area.right().saturating_sub(count.columns() as u16);
    canvas.put(x, area.y, area.width, &count, Role::Dim);
    let typed = Styled::new()
        .own(Role::Dim, " search: ")
        .untrusted(Role::Text, &picker.query, 200)
        .own(Role::Accent, "_");
    canvas.row(row_of(area, 1), &typed, more);
    let list = Rect {
        y: area.y + 2,
        height: area.height.saturating_sub(3 + below(area)),
        ..area
    };
    let top = picker.top();
    for (row, at) in fitting
        .iter()
        .enumerate()
        .skip(top)
        .take(usize::from(list.height))
    {
        let Some(entry) = picker.entries.get(*at) else {
            continue;
        };
        let place = row_of(list, (row - top) as u16);
        canvas.row(place, &line(entry), more);
        if row == picker.selected {
            canvas.tint(place, Role::Selection);
        }
    }
    if fitting.is_empty() {
        canvas.put(list.x + 1, list.y, list.width, "no session fits", Role::Dim);
    }
    if let Some(entry) = picker.current().and_then(|at| picker.entries.get(at)) {
        let place = Rect {
            y: list.bottom(),
            height: below(area),
            ..area
        };
        details(&mut canvas, place, entry, more);
    }
    let keys = row_of(area, area.height - 1);
    let words = Styled::new()
        .own(Role::Key, " enter")
        .own(Role::Dim, format!(" {}  ", picker.verb))
        .own(Role::Key, "esc")
        .own(Role::Dim, " leave  ")
        .own(Role::Dim, "type to search");
    canvas.row(keys, &words, more);
}

/// Rows of the list on a screen of this size.
pub const fn rows(height: u16) -> u16 {
    let below = if height >= 2 * BELOW { BELOW - 1 } else { 0 };
    height.saturating_sub(3 + below)
}

/// Rows for the details; a low screen has none.
const fn below(area: Rect) -> u16 {
    if area.height >= 2 * BELOW { BELOW - 1 } else { 0 }
}

fn line(entry: &PickerEntry) -> Styled {
    let role = match entry.state.as_str() {
        "open" => Role::Awaiting,
        "finished" => Role::Ok,
        _ => Role::Warning,
    };
    Styled::new()
        .own(role, format!(" {:<STATE$} ", entry.state))
        .own(Role::Dim, format!("{:<AGE$} ", entry.age))
        .untrusted(Role::Text, &entry.name, 200)
}

fn details(canvas: &mut Canvas<'_>, place: Rect, entry: &PickerEntry, more: char) {
    canvas.row(
        row_of(place, 1),
        &Styled::new()
            .own(Role::Dim, " session  ")
            .untrusted(Role::Text, &entry.id, 60)
            .own(Role::Dim, "  ")
            .untrusted(Role::Accent, &entry.model, 60),
        more,
    );
    let workspace = Styled::new()
        .own(Role::Dim, " in       ")
        .untrusted(Role::Text, &entry.workspace, 200);
    canvas.row(row_of(place, 2), &workspace, more);
    let Some(tail) = &entry.tail else { return };
    for (at, text) in tail.iter().take(TAIL).enumerate() {
        let line = Styled::new().own(Role::Dim, "  ").untrusted(Role::Dim, text, 300);
        canvas.row(row_of(place, 3 + at as u16), &line, more);
    }
}
