//! The log pane. Must not know: what is logged.

use ratatui::layout::Rect;

use super::paint::{Canvas, row_of};
use super::shell;
use crate::console::doc::Styled;
use crate::console::model::Model;
use crate::console::model::log::Line;
use crate::console::model::screen::{Pane, inside};
use crate::console::theme::Role;
use crate::console::words;

/// Draws the pane.
pub(super) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let log = &model.log;
    let words = if log.back > 0 {
        format!("log, {} newer below", log.back)
    } else {
        "log".to_owned()
    };
    shell::title(model, canvas, area, Pane::Log, &words);
    let body = inside(area);
    let height = usize::from(body.height);
    let end = log.lines.len().saturating_sub(log.back);
    let start = end.saturating_sub(height);
    for (at, line) in log.lines.iter().skip(start).take(end - start).enumerate() {
        let place = row_of(body, u16::try_from(at).unwrap_or(u16::MAX));
        let most = usize::from(place.width).max(1) * 2;
        let styled = match line {
            Line::Event(envelope) => Styled::new().untrusted(Role::Text, &words::of(envelope), most),
            Line::Note(text) => Styled::new().untrusted(Role::Accent, text, most),
            Line::Trouble(text) => Styled::new().untrusted(Role::Error, text, most),
        };
        canvas.line(place.x, place.y, place.width, &styled);
    }
}
