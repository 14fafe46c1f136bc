//! Draws the bar of a recorded run: marks, position, and the current event as text.
//!
//! Must not know: keys, how a recording is read.

use ratatui::layout::Rect;

use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::{Charset, Symbol};
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::run::event_text;
use crate::run::replay::{MarkKind, column};

/// The signs of a part that is played, of the rest, and of the position.
const LINE: [char; 3] = ['━', '─', '╋'];
const LINE_ASCII: [char; 3] = ['=', '-', '+'];
/// The fewest columns with room for the legend.
const WIDE: u16 = 70;

/// The sign of a mark.
const fn sign(kind: MarkKind, charset: Charset) -> (char, Role) {
    match kind {
        MarkKind::Exit => (Symbol::Exited.glyph(charset), Symbol::Exited.role()),
        MarkKind::Failure => (Symbol::Failed.glyph(charset), Role::Failed),
        MarkKind::Edit => (Symbol::Edited.glyph(charset), Role::Edited),
        MarkKind::Decision => (
            match charset {
                Charset::Unicode => '◆',
                Charset::Ascii => 'D',
            },
            Role::Accent,
        ),
        MarkKind::Turn => (' ', Role::Dim),
    }
}

/// Draws the bar and the row below it.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(at) = model.run.at else { return };
    let charset = model.settings.charset;
    let [played, rest, here] = match charset {
        Charset::Unicode => LINE,
        Charset::Ascii => LINE_ASCII,
    };
    let line = model.screen.bar_line();
    let now = column(at.event, at.of, line.width);
    let mut put = |x: u16, sign: char, role: Role| {
        canvas.put(line.x + x, line.y, 1, sign.encode_utf8(&mut [0; 4]), role);
    };
    for x in 0..line.width {
        let (sign, role) = if x < now {
            (played, Role::Accent)
        } else {
            (rest, Role::Dim)
        };
        put(x, sign, role);
    }
    // Of the marks of a column the gravest is drawn.
    let mut gravest: Vec<Option<MarkKind>> = vec![None; usize::from(line.width)];
    for mark in model.run.marks.iter().filter(|mark| mark.kind != MarkKind::Turn) {
        let x = column(mark.event, at.of, line.width);
        if let Some(found) = gravest.get_mut(usize::from(x)) {
            *found = (*found).max(Some(mark.kind));
        }
    }
    for (x, kind) in (0..).zip(gravest) {
        if let Some(kind) = kind {
            let (sign, role) = sign(kind, charset);
            put(x, sign, role);
        }
    }
    put(now, here, Role::Focus);
    words(model, canvas, row_of(area, 1));
}

/// Draws the current event as text, and the legend.
fn words(model: &Model, canvas: &mut Canvas<'_>, row: Rect) {
    if row.is_empty() {
        return;
    }
    let charset = model.settings.charset;
    let mut legend = Styled::new();
    for kind in [
        MarkKind::Decision,
        MarkKind::Exit,
        MarkKind::Failure,
        MarkKind::Edit,
    ] {
        let (sign, role) = sign(kind, charset);
        legend = legend
            .own(role, format!("  {sign}"))
            .own(Role::Dim, format!(" {}", kind.label()));
    }
    let width = if row.width >= WIDE {
        legend.columns() as u16 + 1
    } else {
        0
    };
    let event = model.run.at.map_or(0, |at| at.event);
    let what = match model.log.newest(1).first() {
        _ if event == 0 => "before the first event".to_owned(),
        Some(envelope) => event_text::short(envelope),
        None => String::new(),
    };
    let line = Styled::new()
        .own(Role::Text, " ")
        .untrusted(Role::Text, &what, 400);
    let place = Rect {
        width: row.width.saturating_sub(width),
        ..row
    };
    canvas.row(place, &line, Symbol::Ellipsis.glyph(charset));
    if width > 0 {
        canvas.line(row.right().saturating_sub(width), row.y, width, &legend);
    }
}
