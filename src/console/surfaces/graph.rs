//! The graph pane: the nodes of the run as rows, turns, times or a map.
//!
//! Must not know: how a node is edited.

pub(crate) mod call_text;
pub(crate) mod transcript;
pub(crate) mod update;
pub(crate) mod view;

use ratatui::layout::Rect;

use crate::ground::motion::{Move, by};
use crate::ground::paint::Canvas;
use crate::kernel::graph::{Form, GraphPane, body};
use crate::kernel::kind::Kind;
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::Pane;
use crate::kernel::show::{SHOWS, show};
use crate::kernel::verb::Verb;

/// The verb `graph`.
pub const SHOW: Verb = Verb {
    name: "graph",
    keys: &["1"],
    doc: "go to the graph",
    run: |model, _| show(model, Pane::GRAPH),
    ..SHOWS
};

/// How it behaves.
pub struct Graph;

impl Kind for Graph {
    fn pane(&self) -> Pane {
        Pane::GRAPH
    }

    fn prepare(&self, model: &mut Model, area: Rect) {
        let area = inside(area);
        if model.graph.is_transcript() {
            return transcript::prepare(model, area);
        }
        let height = usize::from(area.height);
        let state = &model.run.state;
        let tall = |pane: &GraphPane, row| body::tall(state, pane, row, area.width);
        model.graph.scroll(height, tall);
        view::keep_texts(model, area);
        view::free::prepare(model, area);
    }

    fn draw(&self, model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
        view::draw(model, canvas, area);
    }

    fn step(&self, model: &mut Model, to: Move, page: usize) {
        if model.graph.form == Form::Map && update::step(model, to) {
            return;
        }
        if model.graph.is_transcript() && !matches!(to, Move::Left | Move::Right) {
            return model.graph.read_on(to, page);
        }
        let at = model.graph.cursor().unwrap_or(0);
        match to {
            Move::Left => model.graph.toggle(Some(false), &model.run.state),
            Move::Right => model.graph.toggle(Some(true), &model.run.state),
            Move::Top => model.graph.go(0),
            Move::Bottom => model.graph.go(usize::MAX),
            other => model.graph.go(at.saturating_add_signed(by(other, page))),
        }
    }

    fn point(&self, model: &mut Model, column: u16, row: u16) {
        update::point(model, column, row);
    }
}
