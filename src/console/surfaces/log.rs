//! The log pane: what happened, line by line.
//!
//! Must not know: how an event is described.

pub(crate) mod view;

use ratatui::layout::Rect;

use crate::ground::motion::Move;
use crate::ground::paint::Canvas;
use crate::kernel::kind::Kind;
use crate::kernel::log::Line;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;
use crate::run::event_text;
use crate::run::target::Target;
use overrule_base::text::visible;

/// The verb `log`.
pub const SHOW: Verb = Verb {
    name: "log",
    keys: &["L", "4"],
    doc: "show or hide the log",
    run: |model, _| show(model, Pane::LOG),
    ..SHOWS
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
        let text = |line: &Line| match line {
            Line::Event(envelope) => {
                format!(
                    "{} {}",
                    view::clock(envelope.at),
                    visible(&event_text::of(envelope))
                )
            }
            Line::Note(text) | Line::Problem(text) => visible(text),
        };
        let texts = model.log.shown().map(|(_, line)| text(line));
        (at.unwrap_or(0), texts.collect())
    }

    fn go(&self, model: &mut Model, row: usize) {
        model.log.go(row);
    }

    fn target(&self, model: &Model) -> Target {
        match model.log.selected() {
            Some(Line::Event(envelope)) => {
                event_text::about(&model.run.state, &envelope.event).map_or(Target::Nothing, Target::Node)
            }
            _ => Target::Nothing,
        }
    }
}
