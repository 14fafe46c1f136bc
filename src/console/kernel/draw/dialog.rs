//! Draws what is on top of the panes: its frame, its document, the lines of a question.
//!
//! Must not know: which surface it draws.

use ratatui::Frame;
use ratatui::layout::Rect;
use regex::Regex;

use super::{document, frame};
use crate::ground::columns::Columns as _;
use crate::ground::doc::Doc;
use crate::ground::paint::{Canvas, row_of, start};
use crate::ground::symbols::Charset;
use crate::ground::theme::Role;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::stack::{Erases, Surface};

/// Draws the topmost surface, and the one below it where that stays on the screen.
pub(crate) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let top = model.stack.last();
    let below = top.filter(|top| top.is_over()).and_then(|_| model.stack.below());
    for surface in below.into_iter().chain(top) {
        one(model, frame, surface);
    }
}

fn one(model: &Model, frame: &mut Frame<'_>, surface: &dyn Surface) {
    match surface.erases(model) {
        Erases::Nothing => {}
        Erases::Frame => unframe(model, frame),
        Erases::Panes => blank(model, frame),
    }
    surface.draw(model, frame);
}

/// Clears an area and draws its title line; returns the rows below.
pub(crate) fn open(model: &Model, frame: &mut Frame<'_>, area: Rect, title: &str, role: Role) -> Rect {
    titled(model, frame, area, (title, ""), role)
}

/// The same without a rule, for a title of several rows.
pub(crate) fn heading(model: &Model, frame: &mut Frame<'_>, area: Rect, title: &str) -> Rect {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(area, Role::Text);
    canvas.fill(row_of(area, 0), Role::Header);
    canvas.put(area.x, area.y, area.width, &format!(" {title} "), Role::Focus);
    inside(area)
}

/// The same as [`open`], with words at the right end of the title line. The title is cut first.
pub(crate) fn titled(
    model: &Model,
    frame: &mut Frame<'_>,
    area: Rect,
    (title, right): (&str, &str),
    role: Role,
) -> Rect {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    sides(model, &mut canvas, area);
    canvas.fill(area, Role::Text);
    let rule = match model.settings.charset {
        Charset::Unicode => "━",
        Charset::Ascii => "=",
    };
    let rule = rule.repeat(usize::from(area.width));
    canvas.put(area.x, area.y, area.width, &rule, role);
    let columns = if right.is_empty() { 0 } else { right.columns() + 3 };
    let room = usize::from(area.width).saturating_sub(columns + 3);
    let title = start(title, room, model.more());
    let most = area.width.saturating_sub(1);
    canvas.put(
        area.x + 1.min(area.width),
        area.y,
        most,
        &format!(" {title} "),
        role,
    );
    let columns = u16::try_from(columns).unwrap_or(u16::MAX);
    if columns > 0 && columns + 3 < area.width {
        let x = area.right() - columns;
        canvas.put(x, area.y, columns - 1, &format!(" {right} "), role);
    }
    inside(area)
}

/// Draws borders at both sides and below, where there is room around the dialog.
fn sides(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let body = model.screen.places.body;
    let (upright, level) = match model.settings.charset {
        Charset::Unicode => ("│", "─"),
        Charset::Ascii => ("|", "-"),
    };
    if area.x > body.x {
        let outer = Rect {
            x: area.x - 1,
            width: area.width + 2,
            height: area.height,
            ..area
        };
        canvas.fill(outer, Role::Text);
        for y in area.top()..area.bottom() {
            canvas.put(area.x - 1, y, 1, upright, Role::Focus);
            canvas.put(area.right(), y, 1, upright, Role::Focus);
        }
    }
    if area.bottom() < body.bottom() {
        let rule = level.repeat(usize::from(area.width));
        canvas.fill(
            Rect {
                y: area.bottom(),
                height: 1,
                ..area
            },
            Role::Text,
        );
        canvas.put(area.x, area.bottom(), area.width, &rule, Role::Focus);
    }
}

/// Draws a document below a title.
pub(crate) fn document(
    model: &Model,
    frame: &mut Frame<'_>,
    title: &str,
    doc: &Doc,
    (top, find): (usize, Option<&Regex>),
    role: Role,
) {
    if doc.title().is_some() {
        return framed(model, frame, (title, ""), doc, (top, find));
    }
    let area = model.screen.dialog(doc.rows());
    let body = open(model, frame, area, title, role);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    document::text(&mut canvas, body, doc, (top, model.more()), find);
    document::position(&mut canvas, area, doc, top);
}

/// Draws a document in the frame of a decision. The title is why it is asked, unless the document says it; the lower edge
/// has an outcome.
pub(crate) fn framed(
    model: &Model,
    frame: &mut Frame<'_>,
    (title, outcome): (&str, &str),
    doc: &Doc,
    (top, find): (usize, Option<&Regex>),
) {
    let whole = model.screen.dialog(doc.rows() + 1);
    let area = Rect {
        height: whole.height.saturating_sub(1),
        ..whole
    };
    let edge = row_of(whole, area.height);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    let seen = model.stack.last().and_then(Surface::question);
    frame::draw(
        model,
        &mut canvas,
        &frame::Frame {
            area,
            edge: Some(edge),
            doc,
            top,
            find,
            cause: title,
            place: None,
            outcome,
            time: String::new(),
            seen: seen.and_then(|question| model.arming.find(question, true)),
        },
    );
}

/// Wraps lines that are too long.
fn wrapped(lines: &[String], width: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        let mut row = String::new();
        for word in line.split(' ') {
            if !row.is_empty() && row.columns() + 1 + word.columns() > width {
                out.push(std::mem::replace(&mut row, "   ".to_owned()));
            }
            if !row.is_empty() {
                row.push(' ');
            }
            row.push_str(word);
        }
        out.push(row);
    }
    out
}

/// Draws the lines of a question below a title.
pub(crate) fn lines(model: &Model, frame: &mut Frame<'_>, title: &str, lines: &[String]) {
    let width = usize::from(model.screen.dialog_width()).saturating_sub(1);
    let lines = wrapped(lines, width);
    let area = model.screen.dialog(lines.len());
    let body = open(model, frame, area, title, Role::Decision);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    for (at, line) in lines.iter().enumerate() {
        let place = row_of(body, u16::try_from(at).unwrap_or(u16::MAX));
        if !place.is_empty() {
            canvas.put(
                place.x + 1,
                place.y,
                place.width.saturating_sub(1),
                line,
                Role::Text,
            );
        }
    }
}

/// Erases the decision frame from the panes.
fn unframe(model: &Model, frame: &mut Frame<'_>) {
    let (Some(area), Some(_)) = (model.screen.places.inspector, model.inspector.doc.decided()) else {
        return;
    };
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(area, Role::Text);
    canvas.fill(model.screen.places.edge.unwrap_or_default(), Role::Text);
}

/// Erases all panes.
fn blank(model: &Model, frame: &mut Frame<'_>) {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(model.screen.places.body, Role::Text);
}
