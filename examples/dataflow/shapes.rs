//! Workloads of known shape.
//!
//! Must not know: the engine.

use super::twister::Twister;
use super::workload::{Kind, Node, Output, Workload, hash};

/// Durations are this many tenths of what is usual for their kind: most are short, few are long.
const SPREAD: [u64; 5] = [4, 7, 10, 16, 30];

/// A workload in the making.
#[derive(Default)]
pub struct Shape {
    nodes: Vec<Node>,
}

impl Shape {
    /// Adds a node.
    pub fn node(&mut self, kind: Kind, deps: &[usize], output: Output) -> usize {
        let (tok, ms) = match kind {
            Kind::Prompt => (400, 0),
            Kind::Plan | Kind::Join => (120, 3000),
            Kind::Call => (60, 800),
            Kind::Obs => (300, 0),
            Kind::Extract => (20, 50),
            Kind::Answer => (250, 6000),
        };
        let (id, mut deps) = (self.nodes.len(), deps.to_vec());
        deps.sort_unstable();
        deps.dedup();
        let draw = hash(&format!("('ms', {id})")) % SPREAD.len() as u64;
        let tenths = SPREAD.get(draw as usize).copied().unwrap_or(10);
        self.nodes.push(Node {
            id,
            kind,
            deps,
            output,
            tok,
            ms: (ms * tenths / 10) as f64,
        });
        id
    }

    /// Adds a node whose output depends on all that it reads.
    fn add(&mut self, kind: Kind, deps: &[usize]) -> usize {
        self.node(kind, deps, Output::Hash)
    }

    /// The workload, with what is edited.
    pub fn with(self, name: &str, edits: Vec<usize>) -> Workload {
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

/// Each node reads one to three of the twelve before it, drawn from a fixed seed; edited at ten places.
pub fn sparse(nodes: usize) -> Workload {
    let mut shape = Shape::default();
    let mut random = Twister::new(7);
    shape.add(Kind::Prompt, &[]);
    for id in 1..nodes {
        let before: Vec<usize> = (id.saturating_sub(12)..id).collect();
        let count = random.choice(&[1, 1, 1, 2, 3]).min(before.len());
        let deps = random.sample(before, count);
        let kinds = [Kind::Call, Kind::Call, Kind::Call, Kind::Extract, Kind::Plan];
        shape.add(random.choice(&kinds), &deps);
    }
    let edits = (1..=10).map(|no| nodes * no / 11).collect();
    shape.with("sparse", edits)
}

/// One of each, about a hundred nodes large.
pub fn all() -> Vec<Workload> {
    vec![
        chain(100),
        rounds(12, 6),
        branches(8, 12),
        agents(6, 4, 3),
        cutoff(8, 6),
        sparse(200),
        tree(64),
        ends(12, 6),
    ]
}
