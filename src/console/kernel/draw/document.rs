//! Draws the rows of a document, below the fixed rows of its head, and its position.
//!
//! Must not know: what is written in it.

use std::ops::Range;

use ratatui::layout::Rect;
use regex::Regex;

use crate::ground::doc::{Doc, Styled};
use crate::ground::paint::{Canvas, row_of};
use crate::ground::theme::Role;
use crate::kernel::model::screen::inside;

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
    rows(canvas, rest, doc, (top, more), find);
}

/// Draws the fixed rows of the head of a decision.
fn fixed(canvas: &mut Canvas<'_>, body: Rect, head: &[Styled], more: char) {
    for (at, line) in head.iter().enumerate() {
        canvas.row(row_of(body, at as u16), line, more);
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
pub(crate) fn place_in(canvas: &mut Canvas<'_>, area: Rect, shown: &Range<usize>, all: usize) -> u16 {
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
