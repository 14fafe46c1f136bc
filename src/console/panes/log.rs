//! The log pane: what happened, line by line.
//!
//! Must not know: how an event is described.

pub mod model;
mod view;

use ratatui::layout::Rect;

use super::rows::Target;
use super::{Kind, Pane};
use crate::event_text;
use crate::model::Model;
use crate::model::screen::inside;
use crate::motion::Move;
use crate::verbs::Verb;
use crate::view::paint::Canvas;
use overrule_base::text::visible;

/// The verb `log`.
pub const SHOW: Verb = Verb {
    name: "log",
    keys: &["L", "4"],
    doc: "show or hide the log",
    run: |model, _| super::show(model, Pane::LOG),
    ..super::SHOWS
};

/// How it behaves.
pub struct Log;

impl Kind for Log {
    fn pane(&self) -> Pane {
        Pane::LOG
    }

    fn prepare(&self, model: &mut Model, area: Rect) {
        model.log.scroll(usize::from(inside(area).height));
    }

    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(model, canvas, area);
    }

    fn step(&self, model: &mut Model, to: Move, page: usize) {
        model.log.step(to, page);
    }

    fn point(&self, model: &mut Model, _column: u16, row: u16) {
        model.log.point(usize::from(row));
    }

    fn texts(&self, model: &Model) -> (usize, Vec<String>) {
        let cursor = model.log.cursor();
        let at = model.log.shown().position(|(no, _)| Some(no) == cursor);
        let text = |line: &model::Line| match line {
            model::Line::Event(envelope) => {
                format!(
                    "{} {}",
                    view::clock(envelope.at),
                    visible(&event_text::of(envelope))
                )
            }
            model::Line::Note(text) | model::Line::Problem(text) => visible(text),
        };
        let texts = model.log.shown().map(|(_, line)| text(line));
        (at.unwrap_or(0), texts.collect())
    }

    fn go(&self, model: &mut Model, row: usize) {
        model.log.go(row);
    }

    fn target(&self, model: &Model) -> Target {
        match model.log.selected() {
            Some(model::Line::Event(envelope)) => {
                event_text::about(&model.run.state, &envelope.event).map_or(Target::Nothing, Target::Node)
            }
            _ => Target::Nothing,
        }
    }
}
