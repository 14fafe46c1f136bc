//! Search: in the graph, in what the inspector shows, on a page.
//!
//! Must not know: how what was found is drawn.

use std::collections::BTreeSet;

use super::prompts;
use crate::console::commands::Jump;
use crate::console::model::Model;
use crate::console::model::graph::Pick;
use crate::console::model::graph::query::{self, Query};
use crate::console::model::inspector::{Find, Subject};
use crate::console::model::overlay::{LinePurpose, Overlay};
use crate::console::model::screen::{Pane, inside};
use crate::domain::id::NodeId;
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
            words(model.inspector.find.as_ref()),
        ),
        Scope::Page => ("search on this page".to_owned(), String::new()),
    };
    prompts::line(model, LinePurpose::Search, &title, &before);
}

fn words(find: Option<&Find>) -> String {
    find.map(|find| find.words.clone()).unwrap_or_default()
}

/// Looks for what was typed and goes to the first place; says what cannot be read of it.
pub(super) fn look_for(model: &mut Model, text: &str) -> Result<(), String> {
    match scope(model) {
        Scope::Graph => return in_graph(model, text),
        Scope::Inspector => {
            model.inspector.find = Find::new(text);
            model.inspector.found = None;
        }
        Scope::Page => {
            if let Some(Overlay::Page(page)) = model.overlays.last_mut() {
                page.find = Find::new(text).map(|find| (find, None));
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
    let search = model.settings.keymap.first("search");
    let unstored = unstored(model);
    let nothing = || format!("nothing was searched for here: {search} asks for words");
    let said = match scope(model) {
        Scope::Graph => return false,
        Scope::Inspector => {
            let area = model.screen.places.inspector.map(inside).unwrap_or_default();
            let inspector = &mut model.inspector;
            match &inspector.find {
                Some(find) => {
                    let from = next_row(inspector.found, inspector.top, back);
                    let doc = &inspector.doc;
                    let found = around(|row| doc.find(&find.regex, row, back), from, doc.rows(), back);
                    let said = told(found, from, back, &find.words);
                    if let Some(row) = found {
                        inspector.found = Some(row);
                        inspector.top =
                            in_view(row, inspector.top, inspector.least_room(usize::from(area.height)));
                    }
                    match said {
                        Err(why) if unstored > 0 => Err(format!(
                            "{why}; {unstored} bytes of its result were not stored and are not searched"
                        )),
                        said => said,
                    }
                }
                None => Err(nothing()),
            }
        }
        Scope::Page => {
            let body = model.screen.places.body;
            let Some(Overlay::Page(page)) = model.overlays.last_mut() else {
                return false;
            };
            match &mut page.find {
                Some((find, last)) => {
                    let from = next_row(*last, page.top, back);
                    let doc = &page.doc;
                    let found = around(|row| doc.find(&find.regex, row, back), from, doc.rows(), back);
                    let said = told(found, from, back, &find.words);
                    if let Some(row) = found {
                        *last = Some(row);
                        page.top = in_view(row, page.top, usize::from(body.height.saturating_sub(1)));
                    }
                    said
                }
                None => Err(nothing()),
            }
        }
    };
    match said {
        Ok(words) => model.say(words),
        Err(why) => model.complain(why),
    }
    true
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

/// Where to go on: behind the row that was found last, or at the first row on screen.
const fn next_row(found: Option<usize>, top: usize, back: bool) -> usize {
    match found {
        Some(row) if back => row,
        Some(row) => row + 1,
        None => top,
    }
}

/// Looks from a row on, and, where nothing is there, from the other end.
fn around(find: impl Fn(usize) -> Option<usize>, from: usize, rows: usize, back: bool) -> Option<usize> {
    find(from).or_else(|| find(if back { rows } else { 0 }))
}

fn told(found: Option<usize>, from: usize, back: bool, words: &str) -> Result<String, String> {
    match found {
        None => Err(format!("`{words}` is nowhere in it")),
        Some(row) if (row < from) != back => Ok(format!("row {}, from the other end", row + 1)),
        Some(row) => Ok(format!("row {}", row + 1)),
    }
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
    text.clone_into(&mut model.graph.search.text);
    let count = find(model, &query);
    if query.is_empty() {
        return Ok(());
    }
    let rest = match query.out_of_reach(&model.run.state) {
        0 => String::new(),
        1 => "; 1 result was stored in part: the rest of it is not searched".to_owned(),
        some => format!("; {some} results were stored in part: the rest of them is not searched"),
    };
    if count == 0 {
        model.complain(format!("`{text}` is nowhere in the graph{rest}"));
        return Ok(());
    }
    let places = if count == 1 { "place" } else { "places" };
    model.say(format!("{count} {places}{rest}"));
    super::jumps::jump(model, Jump::Match);
    Ok(())
}

/// Looks once more for what was searched for, where something has happened since.
pub(super) fn look_again(model: &mut Model) {
    if model.graph.search.text.is_empty() || model.graph.search.at == model.run.state.seq {
        return;
    }
    if let Ok(query) = Query::parse(&model.graph.search.text) {
        find(model, &query);
    }
}

/// Finds every place; gives their number.
fn find(model: &mut Model, query: &Query) -> usize {
    let state = &model.run.state;
    let hits: BTreeSet<NodeId> = if query.is_empty() {
        BTreeSet::new()
    } else {
        let nodes = state.nodes.keys().copied();
        nodes.filter(|id| query.fits(state, *id)).collect()
    };
    let broken: Vec<_> = if query.is_empty() {
        Vec::new()
    } else {
        let streams = model.run.broken();
        streams
            .filter(|turn| query.fits_broken(turn))
            .map(|turn| turn.id)
            .collect()
    };
    let count = hits.len() + broken.len();
    let search = &mut model.graph.search;
    search.hits = hits;
    search.broken = broken;
    search.at = state.seq;
    count
}
