//! View commands: focus, tabs, scrolling, folds, copy.
//!
//! Must not know: the run.

use crate::ground::motion::Move;
use crate::kernel::inspector::{self, Tab};
use crate::kernel::model::Model;
use crate::kernel::model::screen::inside;
use crate::kernel::pane::{Pane, Place};

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
    // A call that waits has a tab of its own, also in the graph.
    let lead = if inspector::waits(model.inspector.subject, &model.run.state) {
        Pane::QUEUE
    } else {
        model.screen.lead
    };
    model.inspector.choose(tab, lead);
}

/// Carries out a move.
pub(crate) fn step(model: &mut Model, to: Move) {
    let page = usize::from(model.screen.places.body.height.saturating_sub(4)).max(1);
    if let Some(surface) = model.stack.last_mut() {
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
