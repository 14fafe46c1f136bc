//! Writes the graph for Graphviz.
//!
//! Must not know: how it is laid out.

use std::fmt::Write as _;

use overrule_domain::graph::EdgeKind;
use overrule_domain::id::NodeKind;
use overrule_domain::state::State;
use overrule_present::picture::{Picture, PictureNode};

/// Maximum number of columns of a node's text.
pub(super) const WORDS: usize = 60;

/// Returns the graph in the DOT language; superseded nodes are dashed.
pub fn dot(state: &State) -> String {
    let mut out = String::from(
        "digraph overrule {\n  rankdir=TB;\n  node [fontname=\"monospace\", fontsize=10, shape=box];\n",
    );
    let picture = Picture::of(state, WORDS);
    for node in &picture.nodes {
        let style = match (node.active, node.edited) {
            (false, _) => ", style=dashed, color=gray, fontcolor=gray",
            (true, true) => ", style=bold",
            (true, false) => "",
        };
        let _ = writeln!(
            out,
            "  {} [label={}, shape={}{style}];",
            node.id,
            quoted(&label(node)),
            shape(node.kind)
        );
    }
    for edge in &picture.edges {
        let style = match edge.kind {
            EdgeKind::Produces => "",
            EdgeKind::Data => " [style=bold, label=\"data\"]",
            EdgeKind::Context => " [color=gray]",
            EdgeKind::Intervenes => " [style=dotted]",
        };
        let _ = writeln!(out, "  {} -> {}{style};", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}

/// Returns the label of a node's box, one or two visible lines.
pub(super) fn label(node: &PictureNode) -> String {
    let text = &node.text;
    let mut label = format!("{} {}", node.id, text.line);
    if !text.remarks.is_empty() {
        let _ = write!(label, " ({})", text.remarks.join(", "));
    }
    if let Some(reason) = &text.reason {
        let _ = write!(label, " · {reason}");
    }
    label
}

const fn shape(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Prompt => "house",
        NodeKind::Thought => "diamond",
        NodeKind::Call => "box",
        NodeKind::Observation => "note",
        NodeKind::Answer => "doubleoctagon",
        NodeKind::Repair => "cds",
        NodeKind::Intervention => "octagon",
    }
}

/// Returns a quoted string of the language, in which only quotes and backslashes are special.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for char in text.chars() {
        if matches!(char, '"' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
    out.push('"');
    out
}
