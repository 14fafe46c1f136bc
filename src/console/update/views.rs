//! View commands: focus, tabs, scrolling, folds, copy.
//!
//! Must not know: the run.

use crate::doc::Doc;
use crate::model::Model;
use crate::model::screen::inside;
use crate::motion::Move;
use crate::pane::{Pane, Place};
use crate::panes::inspector::model::Tab;

/// The pane at the bottom before or after one of them.
fn beside(all: &[Pane], pane: Pane, back: bool) -> Pane {
    let at = all.iter().position(|one| *one == pane).unwrap_or(0);
    let step = if back { all.len() - 1 } else { 1 };
    all.get((at + step) % all.len()).copied().unwrap_or(pane)
}

/// Puts the focus on a pane.
pub(crate) fn focus(model: &mut Model, pane: Pane) {
    let lead = model.screen.lead;
    model.screen.focus(pane);
    if pane == Pane::INSPECTOR {
        hold(model);
    }
    if model.screen.lead != lead && pane == Pane::QUEUE {
        model.inspector.ask();
    }
}

/// Ends follow mode: a new row would replace what is read in the inspector, and keys would apply
/// to that.
pub(crate) fn hold(model: &mut Model) {
    let graph = &mut model.graph;
    if model.screen.lead == Pane::GRAPH && !graph.pinned && graph.selected.is_some() {
        graph.pinned = true;
        graph.see();
    }
}

pub(crate) fn tab(model: &mut Model, tab: Tab) {
    model.inspector.choose(tab, model.screen.lead);
}

/// Carries out a move.
pub(crate) fn step(model: &mut Model, to: Move) {
    let page = usize::from(model.screen.places.body.height.saturating_sub(4)).max(1);
    if let Some(surface) = model.overlays.last_mut() {
        surface.step(to, page);
        return;
    }
    step_in(model, model.screen.focus, to);
}

/// Carries out a move in a pane. The panes at the bottom are next to each other.
pub(crate) fn step_in(model: &mut Model, pane: Pane, to: Move) {
    let area = model.screen.places.of(pane).map(inside).unwrap_or_default();
    let page = usize::from(area.height).max(1);
    let registry = model.settings.keymap.registry();
    match (pane.place(), to) {
        (Place::Lower, Move::Left) => focus(model, beside(&registry.lower(), pane, true)),
        (Place::Lower, Move::Right) => focus(model, beside(&registry.lower(), pane, false)),
        _ => {
            if let Some(kind) = registry.kind(pane) {
                kind.step(model, to, page);
            }
        }
    }
}

/// Rows of a move.
pub(crate) fn by(to: Move, page: usize) -> isize {
    let page = isize::try_from(page).unwrap_or(1).max(1);
    match to {
        Move::Up => -1,
        Move::Down => 1,
        Move::HalfUp => -(page / 2).max(1),
        Move::HalfDown => (page / 2).max(1),
        Move::PageUp => -(page - 1).max(1),
        Move::PageDown => (page - 1).max(1),
        Move::Left | Move::Right | Move::Top | Move::Bottom => 0,
    }
}

pub(crate) fn scroll(top: &mut usize, doc: &Doc, to: Move, page: usize) {
    *top = match to {
        Move::Top => 0,
        Move::Bottom => doc.rows(),
        other => top.saturating_add_signed(by(other, page)),
    };
}
