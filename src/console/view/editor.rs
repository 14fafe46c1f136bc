//! An open editor: its text, and what is wrong with it. Must not know: what its keys do.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::overlay;
use super::paint::{Canvas, row_of, start};
use crate::console::columns::Columns as _;
use crate::console::doc::{Styled, broken};
use crate::console::halted;
use crate::console::model::Model;
use crate::console::model::editor::{Editor, Form};
use crate::console::pager::{Pager, Wrap};
use crate::console::symbols::Symbol;
use crate::console::theme::Role;
use crate::text::{head, visible};

/// Faults that are listed.
const MOST: u16 = 5;

/// Bytes of a text that is too long to be typed in that are shown.
const HEAD: usize = 8 * 1024;

/// Says what can be done with a text that is too long to be typed in, and shows its beginning.
fn draw_long(model: &Model, frame: &mut Frame<'_>, editor: &Editor, long: &str, place: Rect) {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    let words = editor.ways_out(&model.settings.keymap);
    let (x, width) = (place.x + 1, place.width.saturating_sub(1));
    canvas.put(x, place.y, width, &words, Role::Warning);
    let pager = Pager::new(head(long, HEAD).0.into(), width.max(1), Wrap::Chars);
    let rows = pager.window(0, usize::from(place.height.saturating_sub(1)), None);
    for (y, row) in (place.y + 1..).zip(rows) {
        let mut line = Styled::new();
        line.push_row(row, Role::Dim);
        canvas.line(x, y, width, &line);
    }
}

/// Says what became of the node or of the run while the text was typed, or how long it is still asked about; gives the
/// rows that it takes.
fn meanwhile(model: &Model, frame: &mut Frame<'_>, editor: &Editor, body: Rect) -> u16 {
    let words = match (halted::typed(model), editor.edit_base.since(&model.run.state)) {
        // Whatever became of the node, this text changes nothing about it.
        (Some(why), _) => Some(why),
        (None, Some(meanwhile)) => Some(meanwhile.describe()),
        (None, None) => editor.edit_base.call().and_then(|call| model.time_left(call)),
    };
    let Some(words) = words else { return 0 };
    let mut rows = broken(&words, usize::from(body.width.saturating_sub(1)));
    rows.truncate(usize::from(body.height / 2));
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    for (at, row) in (0..).zip(&rows) {
        let place = row_of(body, at);
        let (x, width) = (place.x + 1.min(place.width), place.width.saturating_sub(1));
        canvas.put(x, place.y, width, row, Role::Warning);
    }
    u16::try_from(rows.len()).unwrap_or_default()
}

/// Draws the editor.
pub(super) fn draw(model: &Model, frame: &mut Frame<'_>, editor: &Editor) {
    let area = model.screen.overlay(usize::from(u16::MAX - 1));
    let (line, column) = editor.field.cursor();
    let tool = editor
        .purpose
        .tool()
        .map(|tool| format!(" of {}", visible(tool)))
        .unwrap_or_default();
    let form = match editor.form {
        Form::Json => ", JSON",
        Form::Text if editor.purpose.is_value() => ", text",
        Form::Text => "",
    };
    let state = if editor.sent {
        "  sent, waiting for the run"
    } else if editor.is_unchanged() {
        ""
    } else {
        "  changed"
    };
    // There is no cursor in what is too long to be typed in.
    let place = match &editor.long {
        Some(long) => format!("{} bytes", long.len()),
        None => format!("{line}:{column}"),
    };
    // Where the cursor stands is looked for here: what gives way first is what the text is.
    let name = format!("{}{tool}{form}", editor.title);
    let place = format!("  {place}{state}");
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
    let room = usize::from(area.width).saturating_sub(place.columns() + 2);
    let title = format!("{}{place}", start(&name, room, more));
    let body = overlay::open(model, frame, area, &title, Role::Focus);
    let faults = u16::try_from(editor.faults.len())
        .unwrap_or(MOST)
        .min(MOST)
        .min(body.height / 3);
    let reported = meanwhile(model, frame, editor, body);
    let text = Rect {
        y: body.y + reported,
        height: body.height.saturating_sub(faults + reported),
        ..body
    };
    if let Some(long) = &editor.long {
        draw_long(model, frame, editor, long, text);
    } else {
        let marks: Vec<(usize, usize)> = editor.marks.iter().flatten().copied().collect();
        editor
            .field
            .draw_marked(frame, text, &model.settings.look, &marks);
    }
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    for (at, fault) in editor.faults.iter().take(usize::from(faults)).enumerate() {
        let place = row_of(body, reported + text.height + u16::try_from(at).unwrap_or(0));
        let mut words = Styled::new();
        let mark = editor.marks.get(at).copied().flatten();
        if let Some((line, _)) = mark.filter(|_| !fault.path.is_empty()) {
            words = words.own(Role::Dim, format!("line {}: ", line + 1));
        }
        words = words
            .untrusted(Role::Accent, &fault.path, 60)
            .own(Role::Error, " ")
            .untrusted(Role::Error, &fault.message, usize::from(place.width));
        let place = Rect {
            x: place.x + 1.min(place.width),
            width: place.width.saturating_sub(1),
            ..place
        };
        canvas.row(place, &words, more);
    }
}
