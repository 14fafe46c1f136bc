//! Workloads of known shape, and what an edit of them has to run again, found in another way than the
//! example finds it. Must not know: the engine.

use crate::workload::{Kind, Node, Output, Workload};

/// A workload in the making.
#[derive(Default)]
struct Shape {
    nodes: Vec<Node>,
}

impl Shape {
    fn node(&mut self, kind: Kind, deps: &[usize], output: Output) -> usize {
        let tok = match kind {
            Kind::Prompt => 400,
            Kind::Plan | Kind::Join => 120,
            Kind::Call => 60,
            Kind::Obs => 300,
            Kind::Extract => 20,
            Kind::Answer => 250,
        };
        let (id, mut deps) = (self.nodes.len(), deps.to_vec());
        deps.sort_unstable();
        deps.dedup();
        self.nodes.push(Node {
            id,
            kind,
            deps,
            output,
            tok,
            ms: 1.0,
        });
        id
    }

    fn add(&mut self, kind: Kind, deps: &[usize]) -> usize {
        self.node(kind, deps, Output::Hash)
    }

    fn with(self, name: &str, edits: Vec<usize>) -> Workload {
        Workload {
            name: name.to_owned(),
            nodes: self.nodes,
            edits,
        }
    }
}

/// Each node reads the one before; edited in the middle.
pub fn chain(nodes: usize) -> Workload {
    let mut shape = Shape::default();
    shape.add(Kind::Prompt, &[]);
    for id in 1..nodes {
        shape.add(if id % 2 == 1 { Kind::Plan } else { Kind::Call }, &[id - 1]);
    }
    shape.with("chain", vec![nodes / 2])
}

/// Rounds of a plan, calls and a join; edited in the middle of the middle round.
pub fn rounds(rounds: usize, calls: usize) -> Workload {
    let mut shape = Shape::default();
    let mut last = shape.add(Kind::Prompt, &[]);
    let mut edit = 0;
    for round in 0..rounds {
        let plan = shape.add(Kind::Plan, &[last]);
        let mut reads: Vec<usize> = (0..calls).map(|_| shape.add(Kind::Call, &[plan])).collect();
        if round == rounds / 2 {
            edit = reads[calls / 2];
        }
        reads.push(plan);
        last = shape.add(Kind::Join, &reads);
    }
    shape.add(Kind::Answer, &[last]);
    shape.with("rounds", vec![edit])
}

/// The rounds again, edited at both ends.
pub fn ends(count: usize, calls: usize) -> Workload {
    let workload = rounds(count, calls);
    let edits = vec![0, workload.nodes.len() - 2];
    Workload {
        name: "ends".to_owned(),
        edits,
        ..workload
    }
}

/// Chains side by side; edited in the middle of one.
pub fn branches(width: usize, depth: usize) -> Workload {
    let mut shape = Shape::default();
    let prompt = shape.add(Kind::Prompt, &[]);
    let plan = shape.add(Kind::Plan, &[prompt]);
    let mut tails = vec![plan; width];
    let mut edit = 0;
    for level in 0..depth {
        for (branch, tail) in tails.iter_mut().enumerate() {
            *tail = shape.add(Kind::Call, &[*tail]);
            if (branch, level) == (width / 2, depth / 2) {
                edit = *tail;
            }
        }
    }
    let join = shape.add(Kind::Join, &tails);
    shape.add(Kind::Answer, &[join]);
    shape.with("branches", vec![edit])
}

/// Agents side by side, each with rounds of its own; edited in the middle of one.
pub fn agents(width: usize, rounds: usize, calls: usize) -> Workload {
    let mut shape = Shape::default();
    let prompt = shape.add(Kind::Prompt, &[]);
    let plan = shape.add(Kind::Plan, &[prompt]);
    let mut last = vec![plan; width];
    let mut edit = 0;
    for round in 0..rounds {
        for (agent, last) in last.iter_mut().enumerate() {
            let own = shape.add(Kind::Plan, &[*last]);
            let mut reads: Vec<usize> = (0..calls).map(|_| shape.add(Kind::Call, &[own])).collect();
            if (agent, round) == (width / 2, rounds / 2) {
                edit = reads[calls / 2];
            }
            reads.push(own);
            *last = shape.add(Kind::Join, &reads);
        }
    }
    let join = shape.add(Kind::Join, &last);
    shape.add(Kind::Answer, &[join]);
    shape.with("agents", vec![edit])
}

/// The rounds again, but what is taken out of each call is always the same: nothing goes beyond it.
pub fn cutoff(rounds: usize, calls: usize) -> Workload {
    let mut shape = Shape::default();
    let mut last = shape.add(Kind::Prompt, &[]);
    let mut edit = 0;
    for round in 0..rounds {
        let plan = shape.add(Kind::Plan, &[last]);
        let mut reads = Vec::new();
        for call in 0..calls {
            let id = shape.add(Kind::Call, &[plan]);
            if (round, call) == (rounds / 2, calls / 2) {
                edit = id;
            }
            reads.push(shape.node(Kind::Extract, &[id], Output::Const));
        }
        reads.push(plan);
        last = shape.add(Kind::Join, &reads);
    }
    shape.add(Kind::Answer, &[last]);
    shape.with("cutoff", vec![edit])
}

/// Calls side by side, joined in pairs; edited at a leaf.
pub fn tree(leaves: usize) -> Workload {
    let mut shape = Shape::default();
    let prompt = shape.add(Kind::Prompt, &[]);
    let plan = shape.add(Kind::Plan, &[prompt]);
    let mut level: Vec<usize> = (0..leaves).map(|_| shape.add(Kind::Call, &[plan])).collect();
    let edit = level[leaves / 2];
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| shape.add(Kind::Extract, pair))
            .collect();
    }
    shape.add(Kind::Answer, &level);
    shape.with("tree", vec![edit])
}

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
