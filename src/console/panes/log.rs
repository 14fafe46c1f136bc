//! The log pane: what happened, line by line.
//!
//! Must not know: how an event is described.

pub mod model;
mod view;

use ratatui::layout::Rect;

use super::rows::Target;
use super::{Kind, Pane};
use crate::console::event_text;
use crate::console::model::Model;
use crate::console::model::screen::inside;
use crate::console::motion::Move;
use crate::console::verbs::Verb;
use crate::console::view::paint::Canvas;

/// The pane.
pub const PANE: Pane = Pane::new(&Log);

/// The verb `log`.
pub const SHOW: Verb = Verb {
    name: "log",
    keys: &["L", "4"],
    doc: "show or hide the log",
    run: |model, _| super::show(model, PANE),
    ..super::SHOWS
};

struct Log;

impl Kind for Log {
    fn name(&self) -> &'static str {
        "log"
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

    fn target(&self, model: &Model) -> Target {
        match model.log.selected() {
            Some(model::Line::Event(envelope)) => {
                event_text::about(&model.run.state, &envelope.event).map_or(Target::Nothing, Target::Node)
            }
            _ => Target::Nothing,
        }
    }
}
