//! Drawn workloads, and a second computation of what an edit must run again.
//!
//! Must not know: the engine.
//!
//! It works in another way than the example.

use crate::dataflow::shapes::Shape;
use crate::dataflow::workload::{Kind, Output, Workload};

/// A drawn workload: for each node how far back it reads, and whether its output is always the same.
pub fn drawn(nodes: &[(Vec<usize>, bool)], edit: usize) -> Workload {
    let mut shape = Shape::default();
    for (id, (back, is_const)) in nodes.iter().enumerate() {
        let deps: Vec<usize> = back.iter().filter_map(|far| id.checked_sub(far + 1)).collect();
        let output = if *is_const { Output::Const } else { Output::Hash };
        let kind = Kind::ALL[id % Kind::ALL.len()];
        shape.node(kind, &deps, output);
    }
    shape.with("drawn", vec![edit % nodes.len().max(1)])
}

/// Nodes that must run after an edit, without computing values: a node passes the change on unless
/// its output is always the same.
pub fn reached(workload: &Workload, edit: usize) -> Vec<usize> {
    let mut changed = vec![false; workload.nodes.len()];
    let mut runs = Vec::new();
    for node in &workload.nodes {
        if node.id == edit {
            changed[node.id] = true;
        } else if node.deps.iter().any(|dep| changed[*dep]) {
            runs.push(node.id);
            changed[node.id] = node.output == Output::Hash;
        }
    }
    runs
}
