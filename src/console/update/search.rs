//! Search: in the graph, in what the inspector shows, on a page.
//!
//! Must not know: how what was found is drawn.

use super::jumps::here;
use super::prompts;
use super::views::STILL;
use crate::console::commands::Jump;
use crate::console::model::Model;
use crate::console::model::graph::Pick;
use crate::console::model::graph::query::{self, Query};
use crate::console::model::inspector::Subject;
use crate::console::model::overlay::{LinePurpose, Overlay};
use crate::console::model::screen::{Pane, inside};
use crate::console::model::seek::Seek;
use crate::domain::id::TurnId;
use crate::domain::node::Node;

/// What can be looked for in the graph.
pub(super) const WORDS: &str = "words, is:failed, tool:NAME, kind:thought, turn:7, !not";

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Graph,
    Inspector,
    Page,
}

fn scope(model: &Model) -> Scope {
    match (model.overlays.last(), model.screen.focus) {
        (Some(Overlay::Page(_)), _) => Scope::Page,
        (_, Pane::Inspector) => Scope::Inspector,
        _ => Scope::Graph,
    }
}

/// Opens the line of the search.
pub(super) fn ask(model: &mut Model) {
    let (title, before) = match scope(model) {
        Scope::Graph => (format!("search: {WORDS}"), model.graph.search.text.clone()),
        Scope::Inspector => (
            "search in what is shown".to_owned(),
            words(model.inspector.seek.as_ref()),
        ),
        Scope::Page => ("search on this page".to_owned(), String::new()),
    };
    prompts::line(model, LinePurpose::Search, &title, &before);
}

fn words(seek: Option<&Seek>) -> String {
    seek.map(|seek| seek.words.clone()).unwrap_or_default()
}

/// Looks for what was typed and goes to the first place; says what cannot be read of it.
pub(super) fn look_for(model: &mut Model, text: &str) -> Result<(), String> {
    match scope(model) {
        Scope::Graph => return in_graph(model, text),
        Scope::Inspector => {
            model.inspector.seek = Seek::new(text);
        }
        Scope::Page => {
            if let Some(Overlay::Page(page)) = model.overlays.last_mut() {
                page.seek = Seek::new(text);
            }
        }
    }
    if !text.is_empty() {
        step(model, Jump::Match);
    }
    Ok(())
}

/// Goes to the next place of what was searched for, or to the one before, where it is searched for in
/// what is read. False where that is the graph.
pub(super) fn step(model: &mut Model, jump: Jump) -> bool {
    let back = match jump {
        Jump::Match => false,
        Jump::MatchBack => true,
        _ => return false,
    };
    let (top, room) = match scope(model) {
        Scope::Graph => return false,
        Scope::Inspector => {
            let area = model.screen.places.inspector.map(inside).unwrap_or_default();
            let room = model.inspector.least_room(usize::from(area.height));
            (model.inspector.top, room)
        }
        Scope::Page => {
            let room = usize::from(model.screen.places.body.height.saturating_sub(1));
            let Some(Overlay::Page(page)) = model.overlays.last() else {
                return false;
            };
            (page.top, room)
        }
    };
    let Some((seek, doc)) = model.seek() else {
        let search = model.settings.keymap.first("search");
        model.complain(format!("nothing was searched for here: {search} asks for words"));
        return true;
    };
    if doc.is_waiting() {
        model.complain(STILL);
        return true;
    }
    let Some((row, around)) = seek.step(doc, top, back) else {
        let words = seek.words.clone();
        let rest = match unstored(model) {
            some if some > 0 && scope(model) == Scope::Inspector => {
                format!("; {some} bytes of its result were not stored and are not searched")
            }
            _ => String::new(),
        };
        model.complain(format!("nowhere in it{rest}: `{words}`"));
        return true;
    };
    let mut words = seek.place(doc);
    if around {
        words.push_str(AROUND);
    }
    let top = in_view(row, top, room);
    match model.overlays.last_mut() {
        Some(Overlay::Page(page)) => page.top = top,
        _ => model.inspector.top = top,
    }
    model.say(words);
    true
}

/// What is said where the search went on from the other end.
const AROUND: &str = ", from the other end";

/// Counts on where matches are still counted, as long as their place is what was said last; says which it is once all
/// are.
pub(super) fn count_on(model: &mut Model) {
    let text = model.message.text.clone();
    let Some((seek, doc)) = model.seek() else { return };
    let Some(said) = seek.said.take() else { return };
    let Some(rest) = text.strip_prefix(&said) else {
        return;
    };
    let words = seek.place(doc);
    if words != said {
        model.say(format!("{words}{rest}"));
    }
}

/// Bytes of the result in the inspector that were not stored.
fn unstored(model: &Model) -> u64 {
    let Some(Subject::Pick(Pick::Node(id))) = model.inspector.subject else {
        return 0;
    };
    let state = &model.run.state;
    let own = state.node(id).and_then(Node::outcome);
    let outcome = own.or_else(|| state.observation(id.call()).and_then(Node::outcome));
    outcome.map_or(0, query::unstored)
}

/// The first row on screen so that a row is seen, a few rows from the edge.
const fn in_view(row: usize, top: usize, height: usize) -> usize {
    if row >= top && row < top + height {
        return top;
    }
    row.saturating_sub(height / 3)
}

/// Looks for something in the graph and goes to the first place below the cursor.
fn in_graph(model: &mut Model, text: &str) -> Result<(), String> {
    let query = Query::parse(text)?;
    let here = here(model);
    let broken = broken(model, &query);
    let search = &mut model.graph.search;
    search.begin(text, &query, model.run.state.seq, here);
    search.broken = broken;
    if !query.is_empty() {
        search.goes = true;
        look(model);
    }
    Ok(())
}

/// Looks on where a search in the graph has not come to its end.
pub(super) fn look_on(model: &mut Model) {
    if !model.graph.search.goes_on() {
        return;
    }
    let told = &model.graph.search.said;
    // Something else was said meanwhile.
    if told.as_ref().is_some_and(|told| *told != model.message.text) {
        model.graph.search.said = None;
    }
    if model.graph.search.said.is_some() || model.graph.search.goes {
        look(model);
    } else {
        model.graph.search.look(&model.run.state);
    }
}

/// Looks at a piece of the graph, goes to the first place below the cursor once that is known, and says how many there
/// are.
fn look(model: &mut Model) {
    let goes_on = model.graph.search.look(&model.run.state);
    let (found, cut) = (model.graph.search.found(), model.graph.search.out_of_reach);
    let rest = match cut {
        0 => String::new(),
        1 => "; 1 result was stored in part: the rest of it is not searched".to_owned(),
        some => format!("; {some} results were stored in part: the rest of them is not searched"),
    };
    let places = if found == 1 { "place" } else { "places" };
    if goes_on {
        model.say(format!("{found} {places} so far{rest}"));
        model.graph.search.said = Some(model.message.text.clone());
    } else if found == 0 {
        let text = &model.graph.search.text;
        let words = format!("nowhere in the graph{rest}: `{text}`");
        model.complain(words);
    } else {
        model.say(format!("{found} {places}{rest}"));
    }
    let here = here(model);
    let below = || model.graph.search.below(here).is_some();
    if model.graph.search.goes && found > 0 && (!goes_on || below()) {
        model.graph.search.goes = false;
        super::jumps::jump(model, Jump::Match);
    }
}

/// Looks once more for what was searched for, where something has happened since; what was found stands meanwhile.
pub(super) fn look_again(model: &mut Model) {
    let search = &model.graph.search;
    if search.text.is_empty() || search.at == model.run.state.seq {
        return;
    }
    if let Ok(query) = Query::parse(&search.text) {
        let here = here(model);
        model.graph.search.broken = broken(model, &query);
        let state = &model.run.state;
        model.graph.search.again(&query, state.seq, here);
        model.graph.search.look(state);
    }
}

/// Broken streams in which it is found.
fn broken(model: &Model, query: &Query) -> Vec<TurnId> {
    if query.is_empty() {
        return Vec::new();
    }
    let streams = model.run.broken();
    streams
        .filter(|turn| query.fits_broken(turn))
        .map(|turn| turn.id)
        .collect()
}
