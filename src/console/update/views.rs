//! View commands: focus, tabs, scrolling, folds, copy.
//!
//! Must not know: the run.

use std::sync::Arc;

use super::input::By;
use super::typing::fits_clipboard;
use super::{ledger, open, prompts};
use crate::console::commands::{Move, RunVerb, View};
use crate::console::doc::Doc;
use crate::console::event_text;
use crate::console::halted;
use crate::console::hints::context;
use crate::console::model::Model;
use crate::console::model::graph::Form;
use crate::console::model::inspector::Tab;
use crate::console::model::log::Line;
use crate::console::model::lower::{NameHash, Target};
use crate::console::model::overlay::{LinePurpose, Overlay, Page, PageContent};
use crate::console::model::screen::{Pane, inside};
use crate::console::msg::Out;
use crate::console::rows::Explained;
use crate::text::visible_lines;

/// Carries out a view command.
pub(super) fn show(model: &mut Model, view: View, out: &mut Vec<Out>) {
    match view {
        View::NextPane => focus(model, model.screen.neighbour(false)),
        View::PrevPane => focus(model, model.screen.neighbour(true)),
        View::Pane(pane) => {
            if pane.is_lower() && model.screen.focus == pane {
                model.screen.lower = None;
                focus(model, model.screen.lead);
            } else {
                focus(model, pane);
            }
        }
        View::Follow => follow(model, out),
        View::Theme => super::live_reload::list(model),
        View::Decisions => model.log.decisions = !model.log.decisions,
        View::Zoom => model.screen.zoom = !model.screen.zoom,
        View::NextTab => tab(model, model.inspector.next_tab(false)),
        View::PrevTab => tab(model, model.inspector.next_tab(true)),
        View::Older => older(model, true),
        View::Newer => older(model, false),
        View::Colours => colours(model),
        View::Expand => model.graph.toggle(None, &model.run.state),
        View::Help => help(model),
        View::Loops => open(model, Overlay::Page(Page::new("loops", PageContent::Loops))),
        View::Attention => super::attention::show(model),
        View::Orphans => ledger::list(model),
        View::Copy => copy(model, out),
        View::Save => save(model),
        View::Outside => match whole(model) {
            Ok(text) => out.push(Out::Show(visible_lines(&text).join("\n"))),
            Err(why) => model.complain(why),
        },
        View::Redraw => out.push(Out::Redraw),
        View::Mouse => {
            model.screen.mouse = !model.screen.mouse;
            let on = model.screen.mouse;
            model.set_status(if on {
                "Mouse on. Shift and the mouse select text in most terminals"
            } else {
                "Mouse off: the terminal selects text with it"
            });
            out.push(Out::Mouse(on));
        }
        View::Close => {
            model.overlays.pop();
        }
        // The key dispatcher handles these.
        View::Palette | View::Search | View::Choose | View::Suspend | View::Quit | View::Interrupt => {}
    }
}

/// Opens the page of keys over what is open, or closes it.
fn help(model: &mut Model) {
    let is_help = |overlay: &Overlay| matches!(overlay, Overlay::Page(page) if page.is_help());
    if model.overlays.last().is_some_and(is_help) {
        model.overlays.pop();
        return;
    }
    let here = context(model);
    open(model, Overlay::Page(Page::new("keys", PageContent::Help(here))));
}

/// The pane at the bottom before or after one of them.
fn beside(pane: Pane, back: bool) -> Pane {
    let all = Pane::LOWER;
    let at = all.iter().position(|one| *one == pane).unwrap_or(0);
    let step = if back { all.len() - 1 } else { 1 };
    all.get((at + step) % all.len()).copied().unwrap_or(pane)
}

/// Opens the subject of the row under the cursor.
fn follow(model: &mut Model, out: &mut Vec<Out>) {
    let changes = matches!(
        model.followed(),
        Target::Limits | Target::Breaker(_) | Target::Detector(_)
    );
    if changes && halted::is(model) {
        return model.complain(halted::why(model));
    }
    let done = match model.followed() {
        Target::Nothing => match noted(model) {
            Some(words) => {
                open(model, Overlay::Page(Page::new("log", PageContent::Note(words))));
                Ok(())
            }
            None => Err("This row has no place in the graph".to_owned()),
        },
        Target::Node(id) => super::jumps::go(model, id),
        Target::Branch(epoch) => super::branches::list_at(model, epoch),
        Target::Weight(named) => {
            explain(model, named);
            Ok(())
        }
        Target::Breaker(named) => {
            super::drive::reset_breaker(model, named);
            Ok(())
        }
        Target::Detector(detector) => {
            super::drive::mute(model, detector.name());
            Ok(())
        }
        Target::Limits => {
            super::drive::drive(model, RunVerb::Limits, By::Key, 0, out);
            Ok(())
        }
    };
    if let Err(why) = done {
        model.complain(why);
    }
}

/// The whole log line under the cursor: a narrow pane shows only its beginning.
fn noted(model: &Model) -> Option<String> {
    let line = (model.screen.focus == Pane::Log).then(|| model.log.selected())??;
    Some(match line {
        Line::Event(envelope) => event_text::of(envelope),
        Line::Note(words) | Line::Problem(words) => words.clone(),
    })
}

/// Lists the changes of a weight, or hides them again.
fn explain(model: &mut Model, named: NameHash) {
    let row = model.run.weight(named);
    let requested: Explained = row.map(|row| (Arc::from(row.tool), Arc::from(row.kind)));
    let open = &mut model.lower.explained;
    *open = if *open == requested { None } else { requested };
    model.lower.health.made = None;
}

/// Shows older or newer ones of several.
fn older(model: &mut Model, back: bool) {
    if let Err(why) = super::lazy_load::older(model, back) {
        model.complain(why);
    }
}

/// Shows a decision in its readable form or as exact bytes, or the output of tools in its colours or with its bytes
/// as marks.
fn colours(model: &mut Model) {
    if let Some(shown) = model.inspector.doc.shown_form() {
        if shown.forced {
            return model.complain("The exact bytes are shown: the readable form would not tell everything");
        }
        model.inspector.exact = !model.inspector.exact;
        model.inspector.made = None;
        return;
    }
    if !model.inspector.doc.has_colours() {
        return model.complain("No colours in what the inspector shows");
    }
    model.inspector.bytes = !model.inspector.bytes;
    model.inspector.made = None;
}

/// Puts the focus on a pane.
pub(super) fn focus(model: &mut Model, pane: Pane) {
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

pub(super) fn tab(model: &mut Model, tab: Tab) {
    model.inspector.choose(tab, model.screen.lead);
}

/// The status text for a text that is not laid out yet.
pub(super) const STILL: &str = "Loading text…";

/// What the inspector shows, as text.
fn whole(model: &Model) -> Result<String, String> {
    let doc = &model.inspector.doc;
    if doc.is_waiting() {
        return Err(STILL.to_owned());
    }
    Ok(doc.copy())
}

/// Asks for the file into which the shown text goes.
fn save(model: &mut Model) {
    let text: Arc<str> = match whole(model) {
        Ok(text) => text.into(),
        Err(why) => return model.complain(why),
    };
    let title = format!(
        "write the shown {} bytes to which file? nothing is overwritten",
        text.len()
    );
    prompts::line(model, LinePurpose::Save(text), &title, "");
}

fn copy(model: &mut Model, out: &mut Vec<Out>) {
    let text = match whole(model) {
        Ok(text) => text,
        Err(why) => return model.complain(why),
    };
    if let Err(why) = fits_clipboard(text.len()) {
        return model.complain(format!("{why}. `save` in the palette writes it to a file"));
    }
    model.set_status(format!(
        "Copied {} bytes to the clipboard{}",
        text.len(),
        model.settings.reach.way()
    ));
    out.push(Out::Copy(text));
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
pub(super) fn step_in(model: &mut Model, pane: Pane, to: Move) {
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
