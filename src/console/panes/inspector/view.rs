//! Draws the inspector: tabs, the document of the chosen tab, and the frame of a decision.
//!
//! Must not know: how a document is made.

use std::ops::Range;

use ratatui::layout::Rect;
use regex::Regex;

use crate::columns::Columns as _;
use crate::doc::{Doc, Styled};
use crate::model::Model;
use crate::model::screen::inside;
use crate::panes::Pane;
use crate::panes::graph::model::Pick;
use crate::panes::inspector::model::{Subject, Tab};
use crate::theme::Role;
use crate::view::paint::{Canvas, row_of};
use crate::view::shell;

/// Draws the pane.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inspector = &model.inspector;
    let role = shell::rule(model, canvas, area, Pane::INSPECTOR);
    let body = inside(area);
    let bar = inspector.bar(area.width, model.settings.charset.around());
    let mut put = |x: u16, words: &str, role: Role| {
        let room = area.width.saturating_sub(x + 1);
        canvas.put(area.x + x, area.y, room, words, role);
    };
    for (tab, x, words) in &bar.tabs {
        put(*x, words, if *tab == inspector.tab { role } else { Role::Dim });
    }
    if let Some((x, words)) = &bar.mark {
        put(*x, words, Role::Key);
    }
    if let Some((x, words)) = bar.note {
        put(x, words, role);
    }
    let find = inspector.seek.as_ref().map(|seek| &seek.regex);
    text(
        canvas,
        body,
        &inspector.doc,
        (inspector.first_row(), model.more()),
        find,
    );
    let shown = inspector.shown(usize::from(body.height));
    let x = place_in(canvas, area, &shown, inspector.doc.rows());
    let x = running(model, canvas, area, x);
    if let Some(who) = unnamed(model) {
        let width = who.columns() as u16;
        if width + 2 < x.saturating_sub(area.x) {
            canvas.put(x - width, area.y, width, &who, role);
        }
    }
}

/// Draws how long the shown call has been running, to the left of a column. Returns its first column.
fn running(model: &Model, canvas: &mut Canvas<'_>, area: Rect, x: u16) -> u16 {
    let call = match model.inspector.subject {
        Some(Subject::Pick(Pick::Node(id))) => model.run.state.call(id.call()),
        _ => None,
    };
    let Some(words) = call.and_then(|call| model.running_words(call)) else {
        return x;
    };
    let words = format!(" {words} ");
    let width = words.columns() as u16;
    if width + 2 >= x.saturating_sub(area.x) {
        return x;
    }
    canvas.put(x - width, area.y, width, &words, Role::Running);
    x - width
}

/// The id of the selected row, where no row on screen shows it. The first row of the content does, and the head
/// of a decision stays.
fn unnamed(model: &Model) -> Option<String> {
    let inspector = &model.inspector;
    let is_named = inspector.tab == Tab::Content && inspector.first_row() == 0;
    if is_named || inspector.doc.decided().is_some() {
        return None;
    }
    Some(match inspector.subject? {
        Subject::Pick(Pick::Node(id)) => format!(" {id} "),
        Subject::Pick(Pick::Live(turn, _)) | Subject::Broken(turn) => format!(" {turn} "),
    })
}

/// Draws a document from a row, below the fixed rows of its head; cut rows have a sign.
pub(crate) fn text(
    canvas: &mut Canvas<'_>,
    body: Rect,
    doc: &Doc,
    (top, more): (usize, char),
    find: Option<&Regex>,
) {
    let head = doc.head(top, usize::from(body.height));
    let rest = Rect {
        y: body.y.saturating_add(head.len() as u16),
        height: body.height.saturating_sub(head.len() as u16),
        ..body
    };
    fixed(canvas, body, &head, more);
    if let Some(last) = head.last() {
        let line = row_of(body, head.len() as u16 - 1);
        read_of(canvas, line, last, doc, &doc.shown(top, usize::from(body.height)));
    }
    rows(canvas, rest, doc, (top, more), find);
}

/// Draws the fixed rows of the head of a decision.
fn fixed(canvas: &mut Canvas<'_>, body: Rect, head: &[Styled], more: char) {
    for (at, line) in head.iter().enumerate() {
        canvas.row(row_of(body, at as u16), line, more);
    }
}

/// Draws the range of visible argument rows at the end of the last line of a head.
fn read_of(canvas: &mut Canvas<'_>, place: Rect, last: &Styled, doc: &Doc, shown: &Range<usize>) {
    let Some((rows, of)) = doc.decided_rows(shown).filter(|(rows, _)| !rows.is_empty()) else {
        return;
    };
    let words = format!("  rows {}-{} of {of}", rows.start + 1, rows.end);
    if last.columns() + words.len() <= usize::from(place.width) {
        let width = words.len() as u16;
        canvas.put(place.right() - width, place.y, width, &words, Role::Dim);
    }
}

/// Draws the rows of a document from one; cut rows have a sign.
pub(crate) fn rows(
    canvas: &mut Canvas<'_>,
    body: Rect,
    doc: &Doc,
    (top, more): (usize, char),
    find: Option<&Regex>,
) {
    let lines = doc.window(top, usize::from(body.height), find);
    for (at, line) in lines.iter().enumerate() {
        let place = row_of(body, u16::try_from(at).unwrap_or(u16::MAX));
        canvas.row(place, line, more);
    }
}

/// Draws the range of visible rows at the right end of the title line.
pub(crate) fn position(canvas: &mut Canvas<'_>, area: Rect, doc: &Doc, top: usize) {
    let shown = doc.shown(top, usize::from(inside(area).height));
    place_in(canvas, area, &shown, doc.rows());
}

/// Returns its first column.
fn place_in(canvas: &mut Canvas<'_>, area: Rect, shown: &Range<usize>, all: usize) -> u16 {
    let end = area.right().saturating_sub(1);
    if shown.len() >= all || area.is_empty() {
        return end;
    }
    let words = format!(" {}-{}/{all} ", shown.start + 1, shown.end);
    let width = words.len() as u16;
    if width + 2 < area.width {
        let role = if shown.end < all { Role::Key } else { Role::Dim };
        canvas.put(end - width, area.y, width, &words, role);
        return end - width;
    }
    end
}
