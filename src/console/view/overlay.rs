//! What is open on top of the panes. Must not know: what its keys do.

use ratatui::Frame;
use ratatui::layout::Rect;
use regex::Regex;

use super::paint::{Canvas, row_of};
use super::{editor, inspector, lists};
use crate::console::columns::Columns as _;
use crate::console::doc::Doc;
use crate::console::model::Model;
use crate::console::model::overlay::{DialogKind, LinePurpose, ListPurpose, Overlay};
use crate::console::model::screen::inside;
use crate::console::symbols::Charset;
use crate::console::theme::Role;

/// Draws the topmost overlay.
pub(super) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let below = model
        .overlays
        .len()
        .checked_sub(2)
        .and_then(|at| model.overlays.get(at));
    match (model.overlays.last(), below) {
        // What is typed into stays in sight.
        (Some(Overlay::List(list)), Some(editor)) if matches!(list.purpose, ListPurpose::Complete { .. }) => {
            one(model, frame, editor);
        }
        (Some(Overlay::Line(line)), Some(editor)) if line.purpose == LinePurpose::Find => {
            one(model, frame, editor);
        }
        _ => {}
    }
    if let Some(overlay) = model.overlays.last() {
        one(model, frame, overlay);
    }
}

fn one(model: &Model, frame: &mut Frame<'_>, overlay: &Overlay) {
    match overlay {
        Overlay::Page(page) => {
            let find = page.find.as_ref().map(|(find, _)| &find.regex);
            let place = (page.top, find);
            document(model, frame, &page.title, &page.doc, place, Role::Focus);
        }
        Overlay::Review(review) => {
            let words = if model.run.committing {
                "sent, waiting for the run"
            } else {
                &review.title
            };
            // No frame of an older revision may stand beside what is about to run.
            blank(model, frame);
            document(
                model,
                frame,
                words,
                &review.doc,
                (review.top, None),
                Role::Decision,
            );
        }
        Overlay::Listing(list) => lists::listing(model, frame, list),
        Overlay::Bulk(bulk) => document(
            model,
            frame,
            "approve all of these",
            &bulk.doc,
            (bulk.top, None),
            Role::Decision,
        ),
        Overlay::Rule(view) => {
            // No frame of another decision may stand beside this one.
            blank(model, frame);
            let title = "a rule of the session";
            document(model, frame, title, &view.doc, (view.top, None), Role::Decision);
        }
        Overlay::Dialog(dialog) => {
            let title = match dialog.kind {
                DialogKind::Consent => "this effect may have happened already",
                DialogKind::Doubt => "did it happen?",
                DialogKind::Broken(_) => "the stream broke: ask again, keep what arrived, or stop",
            };
            document(
                model,
                frame,
                title,
                &dialog.doc,
                (dialog.top, None),
                Role::Decision,
            );
        }
        Overlay::Stop => words(
            model,
            frame,
            "emergency stop",
            &[
                "Everything stops: the open stream, running calls, whatever waits.".to_owned(),
                "A call that is cut off may have had an effect; it is marked so.".to_owned(),
                format!(
                    "{} stops everything now, esc goes back.",
                    model.settings.keymap.first("stop-now")
                ),
            ],
        ),
        Overlay::Leave => leave(model, frame),
        Overlay::Editor(open) => editor::draw(model, frame, open),
        Overlay::Line(line) => lists::line(model, frame, line),
        Overlay::List(list) => lists::list(model, frame, list),
    }
}

fn leave(model: &Model, frame: &mut Frame<'_>) {
    let running = model.run.state.agenda.running.len();
    let keymap = &model.settings.keymap;
    let mut lines = Vec::new();
    let kept = model.settings.drafts;
    match model.collected.len() {
        0 => {}
        1 if kept => lines.push("1 collected edit is not committed: it waits here for you.".to_owned()),
        count if kept => lines.push(format!(
            "{count} collected edits are not committed: they wait here for you."
        )),
        1 => lines.push("1 collected edit is not committed: it is lost when you leave.".to_owned()),
        count => lines.push(format!(
            "{count} collected edits are not committed: they are lost when you leave."
        )),
    }
    lines.push(match running {
        0 => "No call runs.".to_owned(),
        1 => "1 call runs.".to_owned(),
        count => format!("{count} calls run."),
    });
    lines.push(format!(
        "{}  wait for what runs, then leave",
        keymap.first("leave-wait")
    ));
    lines.push(format!(
        "{}  cancel what runs, then leave",
        keymap.first("leave-cancel")
    ));
    lines.push(format!(
        "{}  leave now; what is cut off is settled when you resume",
        keymap.first("quit")
    ));
    lines.push("esc  stay".to_owned());
    words(model, frame, "leave?", &lines);
}

/// Takes everything off the panes.
fn blank(model: &Model, frame: &mut Frame<'_>) {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    canvas.fill(model.screen.places.body, Role::Text);
}

/// Clears an area and draws its title line; gives the rows below.
pub(super) fn open(model: &Model, frame: &mut Frame<'_>, area: Rect, title: &str, role: Role) -> Rect {
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    sides(model, &mut canvas, area);
    canvas.fill(area, Role::Text);
    canvas.fill(row_of(area, 0), Role::Header);
    canvas.put(area.x, area.y, area.width, &format!(" {title} "), role);
    inside(area)
}

/// Lines at both sides and below, where there is room beside what is open.
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

fn document(
    model: &Model,
    frame: &mut Frame<'_>,
    title: &str,
    doc: &Doc,
    (top, find): (usize, Option<&Regex>),
    role: Role,
) {
    let area = model.screen.overlay(doc.rows());
    let body = open(model, frame, area, title, role);
    let mut canvas = Canvas {
        buf: frame.buffer_mut(),
        look: &model.settings.look,
    };
    inspector::rows(&mut canvas, body, doc, top, find);
    inspector::position(&mut canvas, area, doc, top);
}

/// Lines of words, broken where they are too long.
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

fn words(model: &Model, frame: &mut Frame<'_>, title: &str, lines: &[String]) {
    let width = usize::from(model.screen.overlay_width()).saturating_sub(1);
    let lines = wrapped(lines, width);
    let area = model.screen.overlay(lines.len());
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
