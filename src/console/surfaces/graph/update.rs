//! Filters the graph, and moves in its map.
//!
//! Must not know: how rows are made, how anything is drawn.

use crate::ground::layout::map::Flow;
use crate::ground::motion::Move;
use crate::kernel::graph::map::Spot;
use crate::kernel::graph::query::Query;
use crate::kernel::graph::{Form, GraphPane, body};
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::refresh::prepare;

/// Layers of a large step in the map.
const LEAP: isize = 3;

/// Filters the graph, or shows all of it if the query is empty. Refuses an invalid query.
pub(crate) fn sift(model: &mut Model, text: &str) -> Result<(), String> {
    let query = Query::parse(text)?;
    model.screen.focus(Pane::GRAPH);
    if query.is_empty() {
        model.graph.set_filter(None);
        model.set_status("Filter removed");
        return Ok(());
    }
    model.graph.set_filter(Some(query));
    prepare(model);
    model.set_status(match model.graph.found() {
        0 => format!("No matches for `{text}`. New matches will appear"),
        count => format!("{count} match `{text}`"),
    });
    Ok(())
}

/// Moves in the map; false if the map does not handle this move.
pub(crate) fn step(model: &mut Model, to: Move) -> bool {
    let map = &model.graph.map;
    let sheet = &map.sheet;
    let (layers, slots) = match (to, sheet.flow) {
        (Move::Up, Flow::Down) | (Move::Left, Flow::Right) => (-1, 0),
        (Move::Down, Flow::Down) | (Move::Right, Flow::Right) => (1, 0),
        (Move::Left, Flow::Down) | (Move::Up, Flow::Right) => (0, -1),
        (Move::Right, Flow::Down) | (Move::Down, Flow::Right) => (0, 1),
        (Move::PageUp | Move::HalfUp, _) => (-LEAP, 0),
        (Move::PageDown | Move::HalfDown, _) => (LEAP, 0),
        (Move::Top | Move::Bottom, _) => return false,
    };
    let here = map.spot(model.graph.selected);
    let single = (layers.signum(), slots);
    let next = here.and_then(|here| {
        let far = sheet.step(here, layers, slots);
        far.or_else(|| sheet.step(here, single.0, single.1))
    });
    let next = next.map(|next| next.key);
    if let Some(next) = next {
        go_to(model, next);
    }
    true
}

/// Puts the cursor on a box of the map.
fn go_to(model: &mut Model, spot: Spot) {
    match spot {
        Spot::Node(id) => model.graph.go_to(id, &model.run),
        Spot::Broken(turn) => model.graph.go_to_broken(turn),
    };
}

/// Puts the cursor on the node at a column and row of the pane, counted from 0 below its title.
/// Without a node there, the cursor stays.
pub(crate) fn point(model: &mut Model, x: u16, y: u16) {
    let (graph, state) = (&mut model.graph, &model.run.state);
    if graph.form == Form::Map {
        if let Some(spot) = graph.map.spot_at(graph.selected, (x, y)) {
            go_to(model, spot);
        }
        return;
    }
    let width = graph.map.room.0;
    let tall = |pane: &GraphPane, row| body::tall(state, pane, row, width);
    if let Some(row) = graph.row_on(usize::from(y), tall) {
        graph.go(row);
    }
}
