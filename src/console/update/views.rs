//! What is on screen: focus, tabs, scrolling, folds, copy.
//!
//! Must not know: the run.

use super::open;
use crate::console::commands::{Move, View};
use crate::console::doc::Doc;
use crate::console::model::Model;
use crate::console::model::inspector::Tab;
use crate::console::model::listing::{Kind, Listing};
use crate::console::model::overlay::{Overlay, Page, PageContent};
use crate::console::model::screen::{Pane, inside};
use crate::console::msg::Out;

/// Longest text for the clipboard: terminals drop more.
const CLIPBOARD: usize = 512 * 1024;

/// Carries out a choice of what is on screen.
pub(super) fn show(model: &mut Model, view: View, out: &mut Vec<Out>) {
    match view {
        View::NextPane => focus(model, model.screen.neighbour(false)),
        View::PrevPane => focus(model, model.screen.neighbour(true)),
        View::Graph => focus(model, Pane::Graph),
        View::Queue => focus(model, Pane::Queue),
        View::Inspector => focus(model, Pane::Inspector),
        View::Log => {
            if model.screen.focus == Pane::Log {
                model.screen.log = false;
                focus(model, Pane::Graph);
            } else {
                focus(model, Pane::Log);
            }
        }
        View::Zoom => model.screen.zoom = !model.screen.zoom,
        View::NextTab => tab(model, model.inspector.tab.neighbour(false)),
        View::PrevTab => tab(model, model.inspector.tab.neighbour(true)),
        View::Expand => model.graph.toggle(None),
        View::Help => open(model, Overlay::Page(Page::new("keys", PageContent::Help))),
        View::Orphans => orphans(model),
        View::Copy => copy(model, out),
        View::Redraw => out.push(Out::Redraw),
        View::Close => {
            model.overlays.pop();
        }
        // Carried out where the keys are dispatched.
        View::Palette | View::Search | View::Choose | View::Suspend | View::Quit | View::Interrupt => {}
    }
}

fn focus(model: &mut Model, pane: Pane) {
    let lead = model.screen.lead;
    model.screen.focus(pane);
    if model.screen.lead != lead {
        model.inspector.top = 0;
        if pane == Pane::Queue {
            model.inspector.choose(Tab::Arguments, pane);
        }
    }
}

/// A session that is taken up again begins with what cannot be taken back.
pub(super) fn orphans_of_before(model: &mut Model) {
    let some = model.run.state.ledger.values().any(|entry| entry.orphaned);
    if some && !model.settings.read_only {
        orphans(model);
    }
}

fn orphans(model: &mut Model) {
    if model.run.state.ledger.values().any(|entry| entry.orphaned) {
        open(model, Overlay::Listing(Box::new(Listing::new(Kind::Effects))));
    } else {
        model.say("no effect happened under anything that an edit replaced");
    }
}

fn tab(model: &mut Model, tab: Tab) {
    model.inspector.choose(tab, model.screen.lead);
}

fn copy(model: &mut Model, out: &mut Vec<Out>) {
    let text = model.inspector.doc.copy();
    if text.len() > CLIPBOARD {
        model.complain(format!(
            "{} bytes are more than terminals take into the clipboard ({CLIPBOARD})",
            text.len()
        ));
        return;
    }
    model.say(format!("copied {} bytes", text.len()));
    out.push(Out::Copy(text));
}

/// The wheel scrolls what is on top, or the inspector.
pub(super) fn wheel(model: &mut Model, rows: i16) {
    let to = if rows < 0 { Move::Up } else { Move::Down };
    for _ in 0..rows.unsigned_abs().min(20) {
        step(model, to);
    }
}

/// Carries out a move.
pub(super) fn step(model: &mut Model, to: Move) {
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
            Overlay::Dialog(dialog) => scroll(&mut dialog.top, &dialog.doc, to, page),
            Overlay::Editor(editor) => editor.field.step(to),
            Overlay::Line(line) => line.field.step(to),
            Overlay::List(list) => match to {
                Move::Up => list.at = list.at.saturating_sub(1),
                Move::Down => list.at = (list.at + 1).min(list.found.len().saturating_sub(1)),
                other => list.field.step(other),
            },
            Overlay::Stop | Overlay::Leave => {}
        }
        return;
    }
    let height =
        |area: Option<ratatui::layout::Rect>| area.map_or(1, |area| usize::from(inside(area).height).max(1));
    let places = model.screen.places;
    match model.screen.focus {
        Pane::Graph => {
            let page = height(places.graph);
            let at = model.graph.cursor().unwrap_or(0);
            match to {
                Move::Left => model.graph.toggle(Some(false)),
                Move::Right => model.graph.toggle(Some(true)),
                Move::Top => model.graph.go(0),
                Move::Bottom => model.graph.go(usize::MAX),
                other => model.graph.go(at.saturating_add_signed(by(other, page))),
            }
            model.inspector.top = 0;
        }
        Pane::Queue => {
            match to {
                Move::Left => return tab(model, model.inspector.tab.neighbour(true)),
                Move::Right => return tab(model, model.inspector.tab.neighbour(false)),
                // The pane is a few rows high: larger steps read what is to be decided.
                Move::PageUp | Move::PageDown | Move::HalfUp | Move::HalfDown => {
                    let page = height(places.inspector);
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
            Move::Left => tab(model, model.inspector.tab.neighbour(true)),
            Move::Right => tab(model, model.inspector.tab.neighbour(false)),
            other => {
                let page = height(places.inspector);
                scroll(&mut model.inspector.top, &model.inspector.doc, other, page);
            }
        },
        Pane::Log => {
            let page = height(places.log);
            match to {
                Move::Top => model.log.step(isize::MIN + 1),
                Move::Bottom => model.log.back = 0,
                Move::Left | Move::Right => {}
                other => model.log.step(by(other, page)),
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
