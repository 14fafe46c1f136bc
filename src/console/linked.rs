//! What a node hangs on and what hangs on it, however far: how many, and the first of them.
//!
//! Must not know: who shows it.

use crate::domain::graph;
use crate::domain::id::NodeId;
use crate::domain::state::State;

/// Nodes that are named.
const MOST: usize = 200;

/// What hangs together with a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// How many it hangs on.
    pub above: usize,
    /// How many hang on it.
    pub below: usize,
    /// The first of those, in journal order.
    pub first: Vec<NodeId>,
}

impl Linked {
    /// Goes through the graph from a node.
    pub fn of(state: &State, id: NodeId) -> Self {
        let below = graph::descendants(state, id);
        Self {
            above: graph::ancestors(state, id).len(),
            below: below.len(),
            first: below.into_iter().take(MOST).collect(),
        }
    }
}
