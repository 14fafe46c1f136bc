//! Search: in the graph, in what the inspector or the topmost surface shows, in the rows of a pane or a list.
//!
//! Must not know: how what was found is drawn.

use crate::ground::seek::Seek;
use crate::kernel::graph::query;
use crate::kernel::graph::query::Query;
use crate::kernel::graph::{Pick, Search};
use crate::kernel::inspector::Subject;
use crate::kernel::model::screen::inside;
use crate::kernel::model::{Model, Text};
use crate::kernel::pane::{Pane, Place};
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::refresh::list_entries;
use crate::run::refusal::LOADING;
use crate::surfaces::graph::view;
use crate::verbs::jumps;
use overrule_domain::id::TurnId;
use overrule_domain::node::Node;

/// What can be searched in the graph, as a hint.
pub(crate) const WORDS: &str = "words, is:failed, tool:NAME, kind:thought, turn:7, !not";

/// What is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Graph,
    Inspector,
    /// The text on the topmost surface.
    Text,
    /// The rows of an open list.
    List,
    /// The rows of a pane.
    Rows(Pane),
}

fn scope(model: &Model) -> Scope {
    match model.stack.last() {
        Some(surface) if surface.listing().is_some() => Scope::List,
        Some(_) => Scope::Text,
        None if model.screen.focus == Pane::INSPECTOR => Scope::Inspector,
        None if model.screen.focus.place() == Place::Lower => Scope::Rows(model.screen.focus),
        None if model.screen.focus == Pane::QUEUE && !model.queue.items.is_empty() => {
            Scope::Rows(Pane::QUEUE)
        }
        None => Scope::Graph,
    }
}

/// Opens the line of the search.
pub(crate) fn ask(model: &mut Model) {
    let (title, before) = match scope(model) {
        Scope::Graph => (format!("search: {WORDS}"), model.graph.search.text.clone()),
        Scope::Inspector => (
            "search in what is shown".to_owned(),
            query_text(model.inspector.seek.as_ref()),
        ),
        Scope::Text => {
            let seek = model.text().and_then(|text| text.seek.as_ref());
            ("search on this page".to_owned(), query_text(seek))
        }
        Scope::List => (
            "search in this list".to_owned(),
            query_text(of_rows(model).as_deref()),
        ),
        Scope::Rows(pane) => (
            format!("search in the {} pane", pane.name()),
            query_text(of_rows(model).as_deref()),
        ),
    };
    let style = Style {
        over: true,
        ..Style::QUERY
    };
    let prompt = Prompt::new(("search", style), title, &before, |model, text, _| {
        look_for(model, &text)
    });
    prompts::ask(model, prompt);
}

fn query_text(seek: Option<&Seek>) -> String {
    seek.map(|seek| seek.words.clone()).unwrap_or_default()
}

/// Searches for the typed text and goes to the first match. Refuses an invalid query.
pub(crate) fn look_for(model: &mut Model, text: &str) -> Result<(), String> {
    match scope(model) {
        Scope::Graph => return in_graph(model, text),
        Scope::Inspector | Scope::Text => {
            if let Some(shown) = model.text() {
                *shown.seek = Seek::new(text);
            }
        }
        Scope::List => {
            if let Some(list) = model.stack.last_mut().and_then(|top| top.listing_mut()) {
                list.seek = Seek::new(text);
            }
        }
        Scope::Rows(pane) => {
            model.lower.seek = Seek::new(text).map(|seek| (pane, seek));
        }
    }
    if !text.is_empty() {
        step(model, false);
    }
    Ok(())
}

/// Goes to the next or previous match in what is shown. False if the search is in the graph.
pub(crate) fn step(model: &mut Model, back: bool) -> bool {
    let room = match scope(model) {
        Scope::Graph => return false,
        Scope::Rows(_) | Scope::List => {
            in_rows(model, back);
            return true;
        }
        Scope::Inspector => {
            let area = model.screen.places.inspector.map(inside).unwrap_or_default();
            model.inspector.least_room(usize::from(area.height))
        }
        Scope::Text => usize::from(model.screen.places.body.height.saturating_sub(1)),
    };
    let Some(Text { doc, top, seek }) = model.text() else {
        return false;
    };
    let Some(seek) = seek else {
        complain_unsearched(model);
        return true;
    };
    if doc.is_waiting() {
        model.complain(LOADING);
        return true;
    }
    let Some((row, around)) = seek.step(doc, *top, back) else {
        let words = seek.words.clone();
        let rest = match unstored(model) {
            some if some > 0 && scope(model) == Scope::Inspector => {
                format!("; {some} bytes of its result were not stored and are not searched")
            }
            _ => String::new(),
        };
        model.complain(format!("Not found{rest}: `{words}`"));
        return true;
    };
    let mut words = seek.place(doc);
    if around {
        words.push_str(AROUND);
    }
    *top = in_view(row, *top, room);
    model.set_status(words);
    true
}

fn complain_unsearched(model: &mut Model) {
    let search = model.settings.keymap.first("search");
    model.complain(format!("Nothing searched here yet. {search} searches"));
}

/// The search in the rows of a pane or of the open list.
fn of_rows(model: &mut Model) -> Option<&mut Seek> {
    match (scope(model), model.stack.last_mut()) {
        (Scope::Rows(pane), _) => {
            let own = model.lower.seek.as_mut().filter(|(of, _)| *of == pane);
            own.map(|(_, seek)| seek)
        }
        (_, top) => top?.listing_mut()?.seek.as_mut(),
    }
}

/// Goes to the next or previous match in the rows of a pane or of the open list. The first match can be under the cursor.
fn in_rows(model: &mut Model, back: bool) {
    let Some(seek) = of_rows(model).cloned() else {
        complain_unsearched(model);
        return;
    };
    let (at, texts) = match scope(model) {
        Scope::Rows(pane) => {
            let kind = model.settings.keymap.registry().kind(pane);
            kind.map(|kind| kind.texts(model)).unwrap_or_default()
        }
        _ => list_entries(model),
    };
    let rows = texts.iter().enumerate();
    let found: Vec<usize> = rows
        .filter(|(_, text)| seek.regex.is_match(text))
        .map(|(row, _)| row)
        .collect();
    let is_first = seek.found.is_none();
    let next = if back {
        found.iter().rposition(|row| *row < at)
    } else {
        found.iter().position(|row| *row > at || (is_first && *row == at))
    };
    let around = next.is_none() && !is_first;
    let next = next.unwrap_or(if back { found.len().saturating_sub(1) } else { 0 });
    let Some(row) = found.get(next).copied() else {
        let place = match scope(model) {
            Scope::Rows(pane) => format!("the {} pane", pane.name()),
            _ => "this list".to_owned(),
        };
        model.complain(format!("Not found in {place}: `{}`", seek.words));
        return;
    };
    if let Some(seek) = of_rows(model) {
        seek.found = Some(row);
    }
    match scope(model) {
        Scope::Rows(pane) => {
            if let Some(kind) = model.settings.keymap.registry().kind(pane) {
                kind.go(model, row);
            }
        }
        _ => {
            if let Some(list) = model.stack.last_mut().and_then(|top| top.listing_mut()) {
                list.point(row);
            }
        }
    }
    model.set_status(numbered((next + 1, found.len()), around));
}

/// The position among all matches, as `1 of 3`.
fn numbered((no, of): (usize, usize), around: bool) -> String {
    let around = if around { AROUND } else { "" };
    format!("{no} of {of}{around}")
}

/// Reports the match in the graph that the cursor went to.
pub(crate) fn report(model: &mut Model, pick: Pick, around: bool) {
    let words = numbered(model.graph.search.place(pick), around);
    model.set_status(words);
}

/// The suffix of the status text after the search wrapped around.
const AROUND: &str = ", from the other end";

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

/// The scroll position that shows a row, a few rows from the edge.
const fn in_view(row: usize, top: usize, height: usize) -> usize {
    if row >= top && row < top + height {
        return top;
    }
    row.saturating_sub(height / 3)
}

/// Searches the graph, goes to the first match below the cursor, and reports its position.
fn in_graph(model: &mut Model, text: &str) -> Result<(), String> {
    let query = Query::parse(text)?;
    model.graph.search = search_in_graph(model, text, &query);
    if query.is_empty() {
        return Ok(());
    }
    let rest = match model.graph.search.out_of_reach {
        0 => String::new(),
        1 => "; 1 result was stored in part: the rest of it is not searched".to_owned(),
        some => format!("; {some} results were stored in part: the rest of them is not searched"),
    };
    if model.graph.search.found() == 0 {
        model.complain(format!("Not found in the graph{rest}: `{text}`"));
        return Ok(());
    }
    match jumps::hit(model, false) {
        Ok(Some((pick, _))) => {
            let words = numbered(model.graph.search.place(pick), false);
            model.set_status(format!("{words}{rest}"));
        }
        Ok(None) => {}
        Err(why) => model.complain(why),
    }
    Ok(())
}

/// Searches the nodes, the rows as shown, and the broken streams.
fn search_in_graph(model: &Model, text: &str, query: &Query) -> Search {
    let broken = broken(model, query);
    Search::new(
        text,
        query,
        &model.run.state,
        (broken, &|id| view::text_of(model, id)),
    )
}

/// Repeats the search if there are new events.
pub(crate) fn look_again(model: &mut Model) {
    let search = &model.graph.search;
    if search.text.is_empty() || search.at == model.run.state.seq {
        return;
    }
    if let Ok(query) = Query::parse(&search.text) {
        model.graph.search = search_in_graph(model, &search.text, &query);
    }
}

/// The broken streams that match.
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
