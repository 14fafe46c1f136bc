//! The transcript: the branch in reading order on one page.
//!
//! Must not know: how rows come to be, who decides.

pub(crate) mod block;
pub(crate) mod kept_plan;

use std::sync::Arc;

use ratatui::layout::Rect;

use super::view::basis;
use crate::ground::paint::{Canvas, after_margin, row_of};
use crate::ground::theme::Role;
use crate::kernel::draw::shell;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;

/// Lays out the rows on the screen.
pub(crate) fn prepare(model: &mut Model, area: Rect) {
    let mut transcript = std::mem::take(&mut model.graph.transcript);
    let shown = &*model;
    transcript.begin(basis(model), area.width, || kept_plan::newest(&shown.run.state));
    let height = usize::from(area.height);
    transcript.head = kept_plan::rows(transcript.plan.as_ref(), height);
    let unfolded = transcript.unfolded.clone();
    let newest = transcript.plan.as_ref().map(|plan| plan.call);
    // Its steps are above the text.
    let newest = newest.filter(|_| transcript.head > 0);
    let room = height - transcript.head;
    transcript.lay_out(&shown.graph, room, &mut |_, row| {
        let (lines, stays) = block::lines(shown, row, (&unfolded, newest), usize::from(area.width));
        (Arc::from(lines), stays)
    });
    model.graph.transcript = transcript;
}

/// Draws the plan of the agent and the rows on the screen.
pub(crate) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let more = model.more();
    let cursor = model.graph.cursor();
    let transcript = &model.graph.transcript;
    let head = u16::try_from(transcript.head)
        .unwrap_or(u16::MAX)
        .min(area.height);
    if let Some(plan) = &transcript.plan {
        let above = Rect { height: head, ..area };
        kept_plan::draw(model, canvas, above, &plan.plan);
    }
    let area = Rect {
        y: area.y + head,
        height: area.height - head,
        ..area
    };
    for block in &transcript.blocks {
        for (at, line) in block.lines.iter().enumerate() {
            let Ok(at_line) = u16::try_from(block.line + at as isize) else {
                continue;
            };
            if at_line >= area.height {
                break;
            }
            let place = row_of(area, at_line);
            canvas.row(after_margin(place), line, more);
            // The pointer is on the first line that can be seen.
            let is_first = at == 0 || at_line == 0;
            if Some(block.row) == cursor && is_first {
                canvas.tint(place, Role::Selection);
                shell::pointer(model, canvas, place, Pane::GRAPH);
            }
        }
    }
}

/// What is read: the branch, and the turn of the selected row.
pub(crate) fn title(model: &Model) -> String {
    let state = &model.run.state;
    let branch = state.epoch.0 + 1;
    let turns = state
        .turns
        .values()
        .filter(|turn| turn.is_active() && turn.reply > 0);
    let turns: Vec<_> = turns.map(|turn| turn.id).collect();
    let here = model.graph.selected.and_then(|pick| match pick {
        crate::kernel::graph::Pick::Node(id) => state.turn_of(id).map(|turn| turn.id),
        crate::kernel::graph::Pick::Live(turn, _) => Some(turn),
    });
    let at = here.and_then(|here| turns.iter().position(|turn| *turn == here));
    match at {
        Some(at) => format!(
            "transcript · branch {branch} · turn {} of {}",
            at + 1,
            turns.len()
        ),
        None => format!("transcript · branch {branch}"),
    }
}
