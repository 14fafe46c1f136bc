//! Draws an open editor: its text and the faults in it.
//!
//! Must not know: what its keys do.

mod fields;

use std::fmt::Write as _;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::ground::doc::{Styled, broken};
use crate::ground::pager::{Pager, Wrap};
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::draw::dialog;
use crate::kernel::halted;
use crate::kernel::model::Model;
use crate::surfaces::editor::state::{ArgFields, Editor, Form};
use overrule_base::text::{head, visible};
use overrule_present::question;

/// The number of listed faults.
const MOST: u16 = 5;

/// Shown bytes of a text that is too long to edit here.
const HEAD: usize = 8 * 1024;

/// Draws the choices for a text that is too long to edit here, and its beginning.
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

/// Draws a change of the node or of the run since the editor opened, or the time left for an answer. Returns the
/// rows used.
fn meanwhile(model: &Model, frame: &mut Frame<'_>, editor: &Editor, body: Rect) -> u16 {
    let words = match (halted::typed(model), editor.edit_base.since(&model.run.state)) {
        // This text does not change the node, so its state does not matter.
        (Some(why), _) => Some(why.to_string()),
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

/// What is edited: the node, the tool and its file.
fn title(model: &Model, editor: &Editor) -> String {
    let mut title = editor.title.clone();
    if let Some(tool) = editor.purpose.tool() {
        let name = question::tool_name(&model.run.state, tool);
        // Writing into a string cannot fail.
        let _ = write!(title, " ━ {}", visible(&name));
        let path = editor.fields.as_ref().and_then(ArgFields::path);
        if let Some(path) = path {
            let _ = write!(title, " {}", visible(&path));
        }
    }
    match model.settings.charset {
        Charset::Unicode => title,
        Charset::Ascii => title.replace('━', "="),
    }
}

/// What is typed in, for the right end of the title line.
fn right(editor: &Editor) -> String {
    if editor.sent {
        return "sent, waiting for a reply".to_owned();
    }
    if let Some(long) = &editor.long {
        return format!("{} bytes", long.len());
    }
    if let Some(all) = &editor.fields {
        return match all.active() {
            Some(active) if fields::is_alone(editor, all) => format!("text of `{}`", visible(&active.name)),
            _ => all.describe(&editor.for_external()),
        };
    }
    let (line, column) = editor.field.cursor();
    let form = match editor.form {
        Form::Json => "JSON ",
        Form::Text | Form::Fields => "",
    };
    let state = if editor.is_unchanged() { "" } else { ", changed" };
    format!("{form}{line}:{column}{state}")
}

/// Draws the editor.
pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>, editor: &Editor) {
    let area = model.screen.dialog(usize::from(u16::MAX - 1));
    let title = title(model, editor);
    let right = right(editor);
    let body = dialog::titled(model, frame, area, (&title, &right), Role::Focus);
    let more = Symbol::Ellipsis.glyph(model.settings.charset);
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
    } else if let Some(all) = &editor.fields {
        fields::draw(model, frame, editor, all, text);
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
