//! Writes the graph for Mermaid.
//!
//! Must not know: how it is laid out.

use std::fmt::Write as _;

use super::dot::{WORDS, label};
use overrule_domain::graph::EdgeKind;
use overrule_domain::id::NodeKind;
use overrule_domain::state::State;
use overrule_present::picture::Picture;

/// Returns the graph as a Mermaid flow chart; superseded nodes are dashed.
pub fn mermaid(state: &State) -> String {
    let mut out = String::from("flowchart TD\n");
    let picture = Picture::of(state, WORDS);
    for node in &picture.nodes {
        let (open, close) = brackets(node.kind);
        let class = match (node.active, node.edited) {
            (false, _) => ":::old",
            (true, true) => ":::edited",
            (true, false) => "",
        };
        let label = escaped(&label(node));
        let _ = writeln!(out, "  {}{open}\"{label}\"{close}{class}", node.id);
    }
    for edge in &picture.edges {
        let arrow = match edge.kind {
            EdgeKind::Produces => "-->",
            EdgeKind::Data => "==>",
            EdgeKind::Context => "-.->",
            EdgeKind::Intervenes => "--x",
        };
        let _ = writeln!(out, "  {} {arrow} {}", edge.from, edge.to);
    }
    out.push_str("  classDef old stroke-dasharray: 4 4,color:#888\n  classDef edited stroke-width:3px\n");
    out
}

const fn brackets(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Prompt => ("[/", "\\]"),
        NodeKind::Thought => ("{{", "}}"),
        NodeKind::Call => ("[", "]"),
        NodeKind::Observation => ("(", ")"),
        NodeKind::Answer => ("([", "])"),
        NodeKind::Repair => (">", "]"),
        NodeKind::Intervention => ("[[", "]]"),
    }
}

/// Replaces every character that could be special to Mermaid, Markdown or HTML by its number.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_alphanumeric() || matches!(char, ' ' | '.' | ',' | '(' | ')' | '…') {
            out.push(char);
        } else {
            let _ = write!(out, "#{};", u32::from(char));
        }
    }
    out
}
