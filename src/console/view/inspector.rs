//! The inspector pane: tabs and the document of the chosen one; for a call that waits, the frame of
//! the decision. Must not know: how a document is made.

use std::ops::Range;

use ratatui::layout::Rect;
use regex::Regex;

use super::paint::{Canvas, row_of};
use super::shell;
use crate::console::doc::{Doc, Styled};
use crate::console::model::Model;
use crate::console::model::screen::{Pane, inside};
use crate::console::theme::Role;

/// Draws the pane.
pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inspector = &model.inspector;
    let role = shell::rule(model, canvas, area, Pane::Inspector);
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
    let height = usize::from(body.height);
    let head = inspector.head(height);
    let rest = Rect {
        y: body.y.saturating_add(head.len() as u16),
        height: body.height.saturating_sub(head.len() as u16),
        ..body
    };
    fixed(model, canvas, body, &head);
    let place = (inspector.first_row(), model.more());
    rows(canvas, rest, &inspector.doc, place, find);
    place_in(canvas, area, &inspector.shown(height), inspector.doc.rows());
}

/// Draws what stays of the head of a decision, and at its end which rows of the arguments are on screen.
fn fixed(model: &Model, canvas: &mut Canvas<'_>, body: Rect, head: &[Styled]) {
    for (at, line) in head.iter().enumerate() {
        canvas.row(row_of(body, at as u16), line, model.more());
    }
    let (Some(last), Some(row)) = (head.last(), head.len().checked_sub(1)) else {
        return;
    };
    let inspector = &model.inspector;
    let shown = inspector.shown(usize::from(body.height));
    let Some((rows, of)) = inspector
        .doc
        .decided_rows(&shown)
        .filter(|(rows, _)| !rows.is_empty())
    else {
        return;
    };
    let words = format!("  rows {}-{} of {of}", rows.start + 1, rows.end);
    if last.columns() + words.len() <= usize::from(body.width) {
        let width = words.len() as u16;
        let place = row_of(body, row as u16);
        canvas.put(place.right() - width, place.y, width, &words, Role::Dim);
    }
}

/// Draws the rows of a document from one on; what is cut off has a sign.
pub(super) fn rows(
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

/// Says at the right end of the title line which rows are on screen.
pub(super) fn position(canvas: &mut Canvas<'_>, area: Rect, doc: &Doc, top: usize) {
    let end = (top + usize::from(inside(area).height)).min(doc.rows());
    place_in(canvas, area, &(top..end), doc.rows());
}

fn place_in(canvas: &mut Canvas<'_>, area: Rect, shown: &Range<usize>, all: usize) {
    if shown.len() >= all || area.is_empty() {
        return;
    }
    let words = format!(" {}-{}/{all} ", shown.start + 1, shown.end);
    let width = words.len() as u16;
    if width + 2 < area.width {
        let role = if shown.end < all { Role::Key } else { Role::Dim };
        canvas.put(area.right() - width - 1, area.y, width, &words, role);
    }
}
