//! The inspector pane: tabs and the document of the chosen one; for a call that waits, the frame of
//! the decision. Must not know: how a document is made.

use ratatui::layout::Rect;
use regex::Regex;

use super::paint::{Canvas, row_of};
use super::shell;
use crate::console::doc::Doc;
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
    let place = (inspector.first_row(), model.more());
    rows(canvas, body, &inspector.doc, place, find);
    position(canvas, area, &inspector.doc, inspector.first_row());
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
    let height = usize::from(inside(area).height);
    if doc.rows() <= height || area.is_empty() {
        return;
    }
    let end = (top + height).min(doc.rows());
    let words = format!(" {}-{end}/{} ", top + 1, doc.rows());
    let width = words.len() as u16;
    if width + 2 < area.width {
        let role = if end < doc.rows() { Role::Key } else { Role::Dim };
        canvas.put(area.right() - width - 1, area.y, width, &words, role);
    }
}
