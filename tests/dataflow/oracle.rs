//! Workloads that somebody drew, and what an edit of one has to run again, found in another way than
//! the example finds it. Must not know: the engine.

use crate::shapes::Shape;
use crate::workload::{Kind, Output, Workload};

/// What somebody drew: for each node how far back it reads, and whether its output is always the same.
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

/// What has to run after an edit, without a value computed: a change goes on from a node that runs
/// unless its output is always the same.
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
