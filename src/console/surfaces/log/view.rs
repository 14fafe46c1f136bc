//! Draws the log pane.
//!
//! Must not know: what is logged.

use std::fmt::Write as _;

use ratatui::layout::Rect;

use crate::ground::doc::Styled;
use crate::ground::paint::{Canvas, row_of};
use crate::ground::symbols::Symbol;
use crate::ground::theme::Role;
use crate::kernel::draw::shell;
use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::kernel::rows::view;
use crate::run::event_text;

/// The fewest columns with a time in each line.
const TIMED: u16 = 60;

/// Draws the pane.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let log = &model.log;
    let mut words = if log.decisions { "log: decisions" } else { "log" }.to_owned();
    let below = log.below();
    if below > 0 {
        // Writing into a string cannot fail.
        let _ = write!(words, ", {below} newer below");
    }
    let used = shell::title(model, canvas, area, Pane::LOG, &words);
    view::others(model, canvas, area, Pane::LOG, used);
    let body = inside(area);
    let cursor = log.cursor().filter(|_| model.screen.focus == Pane::LOG);
    let shown = log.shown().skip_while(|(no, _)| *no < log.top());
    for (at, (no, line)) in shown.take(usize::from(body.height)).enumerate() {
        let place = row_of(body, u16::try_from(at).unwrap_or(u16::MAX));
        let most = usize::from(place.width).max(1) * 2;
        let styled = match line {
            Line::Event(envelope) => {
                let mut styled = Styled::new();
                if place.width >= TIMED {
                    styled = styled.own(Role::Dim, format!("{} ", clock(envelope.at)));
                }
                styled.untrusted(Role::Text, &event_text::of(envelope), most)
            }
            Line::Note(text) => Styled::new().untrusted(Role::Accent, text, most),
            Line::Problem(text) => Styled::new().untrusted(Role::Error, text, most),
        };
        let left = 1.min(place.width);
        let words = Rect {
            x: place.x + left,
            width: place.width - left,
            ..place
        };
        let styled = match model.lower.pattern(Pane::LOG) {
            Some(find) => styled.light(find),
            None => styled,
        };
        canvas.row(words, &styled, Symbol::Ellipsis.glyph(model.settings.charset));
        if Some(no) == cursor {
            view::point(model, canvas, place);
        }
    }
}

/// The time of day, in UTC as recorded.
pub(crate) fn clock(at: i64) -> String {
    let seconds = at.div_euclid(1000).rem_euclid(86_400);
    format!(
        "{:02}:{:02}:{:02}Z",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}
