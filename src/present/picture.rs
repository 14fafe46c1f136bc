//! Builds the view of the graph for pictures: a line for each node, and the edges.
//!
//! Must not know: lanes, formats.

use super::node_line;
use overrule_domain::badge::MarkedCalls;
use overrule_domain::graph::{Edge, Edges};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::Node;
use overrule_domain::state::State;

/// The nodes and edges of a run, in journal order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Every node.
    pub nodes: Vec<PictureNode>,
    /// Every edge.
    pub edges: Vec<Edge>,
}

/// A node of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureNode {
    /// Its id.
    pub id: NodeId,
    /// Its kind.
    pub kind: NodeKind,
    /// True if it is on the current branch.
    pub active: bool,
    /// True if the operator changed it.
    pub edited: bool,
    /// Its description.
    pub text: NodeText,
}

/// The description of a node, in safe text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeText {
    /// Its content in one line.
    pub line: String,
    /// What is special about it.
    pub remarks: Vec<String>,
    /// The model's reason for a call.
    pub reason: Option<String>,
}

impl Picture {
    /// Builds the view of a run; the line of a node has at most `columns` columns.
    pub fn of(state: &State, columns: usize) -> Self {
        let marked = MarkedCalls::of(state);
        let node = |node: &Node| PictureNode {
            id: node.id,
            kind: node.id.kind,
            active: node.active,
            edited: node.is_edited(),
            text: NodeText::of(state, &marked, node, columns),
        };
        let mut edges = Edges::new(state);
        Self {
            nodes: state.nodes.values().map(node).collect(),
            edges: state.nodes.keys().flat_map(|id| edges.ending_in(*id)).collect(),
        }
    }
}

impl NodeText {
    /// Describes a node; its line has at most `columns` columns.
    pub fn of(state: &State, marked: &MarkedCalls, node: &Node, columns: usize) -> Self {
        Self {
            line: node_line::line(state, node, columns),
            remarks: node_line::remarks(state, marked, node),
            reason: node_line::model_reason(node),
        }
    }
}
