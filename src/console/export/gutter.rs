//! Draws the graph as lanes in plain text, one line per node.
//!
//! Must not know: how lanes are found, colours.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use crate::ground::layout::fold::{Detail, Entry, Row, Rules, fold};
use crate::ground::layout::gutter::{Cell, Glyphs, Gutter, Line, Shape};
use crate::ground::symbols::{Charset, Symbol};
use overrule_domain::badge::MarkedCalls;
use overrule_domain::effective_status::{self, EffectiveStatus};
use overrule_domain::graph::Edges;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::Node;
use overrule_domain::state::State;
use overrule_present::picture::NodeText;

/// Maximum number of columns of a node's text.
const WORDS: usize = 96;
/// Maximum number of parents without a line that are named in a row.
const CHIPS: usize = 4;

/// Draws the graph as lanes. Every text in it is made visible.
pub fn gutter(state: &State, ascii: bool) -> String {
    let _shown = overrule_base::text::shown_in_ascii(ascii);
    let (line, charset) = if ascii {
        (Line::Ascii, Charset::Ascii)
    } else {
        (Line::Unicode, Charset::Unicode)
    };
    let mut edges = Edges::new(state);
    let entries: Vec<_> = state
        .nodes
        .values()
        .filter_map(|node| entry(state, &mut edges, node))
        .collect();
    let rules = Rules {
        wide: usize::MAX,
        detail: Detail::Nodes,
    };
    let rows = fold(&entries, rules, |_| false);
    let lanes: Gutter<NodeId> = rows.iter().map(Row::item).collect();
    let drawn: Vec<String> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let symbol = state.nodes.get(&row.key).map(|node| symbol(state, node));
            lanes_of(&lanes, at, line, symbol.map(|symbol| symbol.glyph(charset)))
        })
        .collect();
    let marked = MarkedCalls::of(state);
    let width = drawn.iter().map(|row| row.width()).max().unwrap_or(0);
    let mut out = String::new();
    for (at, (row, drawn)) in rows.iter().zip(&drawn).enumerate() {
        let pad = width - drawn.width();
        let _ = write!(out, "{drawn}{:pad$}  ", "");
        match state.nodes.get(&row.key) {
            Some(node) if row.shape != Shape::Fold => describe(&mut out, state, &marked, node),
            _ => {
                let glyph = Glyphs::of(line).fold;
                let _ = write!(out, "{glyph} {} {glyph}", folded(state, row));
            }
        }
        chips(&mut out, lanes.chips(at), Glyphs::of(line).chip);
        out.push('\n');
    }
    if ascii { plain(&out) } else { out }
}

fn lanes_of(lanes: &Gutter<NodeId>, at: usize, line: Line, node: Option<char>) -> String {
    let mut cells: Vec<Cell> = Vec::new();
    lanes.cells(at, 0, &mut cells);
    cells
        .iter()
        .map(|cell| Glyphs::of(line).of_cell(*cell, node))
        .collect()
}

/// Replaces the few characters beyond ASCII that this program itself writes besides lines.
fn plain(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '…' => '~',
            other if other.is_ascii() => other,
            _ => '?',
        })
        .collect()
}

/// Returns the row of a node; an observation shares the row of its call.
fn entry(state: &State, edges: &mut Edges<'_>, node: &Node) -> Option<Entry<NodeId>> {
    if node.id.kind == NodeKind::Observation {
        return None;
    }
    let mut parents: Vec<NodeId> = Vec::new();
    for edge in edges.ending_in(node.id) {
        let parent = edge.from.call();
        if !parents.contains(&parent) {
            parents.push(parent);
        }
    }
    let mut entry = Entry::new(node.id, parents);
    let result = node.id.observation();
    if result != node.id && state.nodes.contains_key(&result) {
        entry.members.push(result);
    }
    entry.leaf = node.id.kind == NodeKind::Intervention;
    entry.replaced = effective_status::replaced_with(state, node.id);
    Some(entry)
}

fn folded(state: &State, row: &Row<NodeId>) -> String {
    let by = row
        .replaced
        .and_then(|number| effective_status::replaced_under(state, number));
    let by = by.map(|by| format!(" by {by}")).unwrap_or_default();
    // Counted in nodes, as in the plan of an edit: the result in its call's row is a node of its own.
    format!("{} superseded{by}", 1 + row.members.len())
}

fn symbol(state: &State, node: &Node) -> Symbol {
    match state.calls.get(&node.id) {
        Some(call) => {
            let status = EffectiveStatus::of_call(state, call);
            Symbol::of_call(status, call, Some(node), state.observation(node.id))
        }
        None => Symbol::of_kind(node.id.kind),
    }
}

fn describe(out: &mut String, state: &State, marked: &MarkedCalls, node: &Node) {
    let id = node.id.to_string();
    let text = NodeText::of(state, marked, node, WORDS);
    let _ = write!(out, "{id:<5} {}", text.line);
    if !text.remarks.is_empty() {
        let _ = write!(out, "  ({})", text.remarks.join(", "));
    }
    if let Some(reason) = text.reason {
        let _ = write!(out, "  {reason}");
    }
}

fn chips(out: &mut String, chips: &[NodeId], mark: char) {
    for chip in chips.iter().take(CHIPS) {
        let _ = write!(out, "  {mark} {chip}");
    }
    if let Some(more) = chips.len().checked_sub(CHIPS).filter(|more| *more > 0) {
        let _ = write!(out, " +{more}");
    }
}
