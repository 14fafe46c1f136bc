//! The edges of the graph, as questions to the state.
//!
//! Must not know: how the graph is drawn.

use serde::{Deserialize, Serialize};

use super::id::NodeId;
use super::state::State;

/// What an edge means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// The thought before a call in its turn, a call before its observation.
    Produces,
    /// A call reads what another wrote.
    Data,
    /// The last nodes of a turn before the first of the next.
    Context,
    /// An intervention and its target.
    Intervenes,
}

/// One edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The parent.
    pub from: NodeId,
    /// The child.
    pub to: NodeId,
    /// What it means.
    pub kind: EdgeKind,
}

/// The edges that end in a node. A call that reads another call has a data edge from that call.
pub fn edges_into(_state: &State, _node: NodeId) -> Vec<Edge> {
    Vec::new()
}

/// Everything that a node depends on, itself left out.
pub fn ancestors(_state: &State, _node: NodeId) -> std::collections::BTreeSet<NodeId> {
    std::collections::BTreeSet::new()
}

/// Everything that depends on a node, itself left out.
pub fn descendants(_state: &State, _node: NodeId) -> std::collections::BTreeSet<NodeId> {
    std::collections::BTreeSet::new()
}
