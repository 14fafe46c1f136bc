//! View commands: focus, tabs, scrolling, folds, copy.
//!
//! Must not know: the run.

use crate::console::doc::Doc;
use crate::console::model::Model;
use crate::console::model::graph::Form;
use crate::console::model::inspector::Tab;
use crate::console::model::overlay::Overlay;
use crate::console::model::screen::{Pane, inside};
use crate::console::motion::Move;

/// The pane at the bottom before or after one of them.
fn beside(pane: Pane, back: bool) -> Pane {
    let all = Pane::LOWER;
    let at = all.iter().position(|one| *one == pane).unwrap_or(0);
    let step = if back { all.len() - 1 } else { 1 };
    all.get((at + step) % all.len()).copied().unwrap_or(pane)
}

/// Puts the focus on a pane.
pub(in crate::console) fn focus(model: &mut Model, pane: Pane) {
    let lead = model.screen.lead;
    model.screen.focus(pane);
    if pane == Pane::Inspector {
        hold(model);
    }
    if model.screen.lead != lead && pane == Pane::Queue {
        model.inspector.choose(Tab::Arguments, pane);
    }
}

/// Ends follow mode: a new row would replace what is read in the inspector, and keys would apply
/// to that.
fn hold(model: &mut Model) {
    let graph = &mut model.graph;
    if model.screen.lead == Pane::Graph && !graph.pinned && graph.selected.is_some() {
        graph.pinned = true;
        graph.see();
    }
}

pub(in crate::console) fn tab(model: &mut Model, tab: Tab) {
    model.inspector.choose(tab, model.screen.lead);
}

/// The status text for a text that is not laid out yet.
pub(in crate::console) const STILL: &str = "Loading text…";

/// Carries out a move.
pub(in crate::console) fn step(model: &mut Model, to: Move) {
    let page = usize::from(model.screen.places.body.height.saturating_sub(4)).max(1);
    if let Some(overlay) = model.overlays.last_mut() {
        match overlay {
            Overlay::Page(page_) => scroll(&mut page_.top, &page_.doc, to, page),
            Overlay::Review(review) => scroll(&mut review.top, &review.doc, to, page),
            Overlay::Listing(list) => {
                if let Some(to) = list.step(to) {
                    scroll(&mut list.top, &list.doc, to, page / 2);
                }
            }
            Overlay::Bulk(bulk) => scroll(&mut bulk.top, &bulk.doc, to, page),
            Overlay::Rule(view) => scroll(&mut view.top, &view.doc, to, page),
            Overlay::Fork(view) => scroll(&mut view.top, &view.doc, to, page),
            Overlay::Dialog(dialog) => scroll(&mut dialog.top, &dialog.doc, to, page),
            Overlay::Editor(editor) => editor.field.step(to),
            Overlay::Line(line) => line.field.step(to),
            Overlay::List(list) => match to {
                Move::Up => list.at = list.at.saturating_sub(1),
                Move::Down => list.at = (list.at + 1).min(list.found.len().saturating_sub(1)),
                Move::PageUp | Move::HalfUp => list.at = list.at.saturating_sub(page),
                Move::PageDown | Move::HalfDown => {
                    list.at = (list.at + page).min(list.found.len().saturating_sub(1));
                }
                Move::Top => list.at = 0,
                Move::Bottom => list.at = list.found.len().saturating_sub(1),
                Move::Left | Move::Right => list.field.step(to),
            },
            Overlay::Stop | Overlay::Leave => {}
        }
        return;
    }
    step_in(model, model.screen.focus, to);
}

/// Carries out a move in a pane.
pub(in crate::console) fn step_in(model: &mut Model, pane: Pane, to: Move) {
    let height =
        |area: Option<ratatui::layout::Rect>| area.map_or(1, |area| usize::from(inside(area).height).max(1));
    let places = model.screen.places;
    match pane {
        Pane::Graph => {
            if model.graph.form == Form::Map && super::graph::step(model, to) {
                return;
            }
            let page = height(places.graph);
            let at = model.graph.cursor().unwrap_or(0);
            match to {
                Move::Left => model.graph.toggle(Some(false), &model.run.state),
                Move::Right => model.graph.toggle(Some(true), &model.run.state),
                Move::Top => model.graph.go(0),
                Move::Bottom => model.graph.go(usize::MAX),
                other => model.graph.go(at.saturating_add_signed(by(other, page))),
            }
        }
        Pane::Queue => {
            match to {
                Move::Left => return tab(model, model.inspector.next_tab(true)),
                Move::Right => return tab(model, model.inspector.next_tab(false)),
                // The pane is a few rows high: larger steps scroll the arguments in the inspector.
                Move::PageUp | Move::PageDown | Move::HalfUp | Move::HalfDown => {
                    let page = model.inspector.room(height(places.inspector)).max(1);
                    scroll(&mut model.inspector.top, &model.inspector.doc, to, page);
                    return;
                }
                Move::Top => model.queue.step(isize::MIN),
                Move::Bottom => {
                    scroll(&mut model.inspector.top, &model.inspector.doc, to, 1);
                    return;
                }
                other => model.queue.step(by(other, 1)),
            }
            model.inspector.choose(Tab::Arguments, Pane::Queue);
        }
        Pane::Inspector => match to {
            Move::Left => tab(model, model.inspector.next_tab(true)),
            Move::Right => tab(model, model.inspector.next_tab(false)),
            other => {
                // The wheel moves it wherever the focus is.
                hold(model);
                let page = model.inspector.room(height(places.inspector)).max(1);
                scroll(&mut model.inspector.top, &model.inspector.doc, other, page);
            }
        },
        pane => {
            let page = height(places.lower);
            match to {
                Move::Left => focus(model, beside(pane, true)),
                Move::Right => focus(model, beside(pane, false)),
                to if pane == Pane::Log => model.log.step(to, page),
                to => {
                    if let Some(rows) = model.lower.of_mut(pane) {
                        rows.step(to, page);
                    }
                }
            }
        }
    }
}

/// Rows of a move.
fn by(to: Move, page: usize) -> isize {
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

fn scroll(top: &mut usize, doc: &Doc, to: Move, page: usize) {
    *top = match to {
        Move::Top => 0,
        Move::Bottom => doc.rows(),
        other => top.saturating_add_signed(by(other, page)),
    };
}
