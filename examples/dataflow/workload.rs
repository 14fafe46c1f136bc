//! A workload: nodes with inputs, values and durations, and edits of outputs.
//!
//! Must not know: the engine.
//!
//! Computes the figures that a run is compared with: the values, the least that an edit must run
//! again, and what a restart or a cut in time would run.

use std::collections::BTreeSet;

use blake2::digest::consts::U8;
use blake2::{Blake2b, Digest as _};
use serde::Deserialize;

/// What an edited output becomes.
pub const EDITED: &str = "EDITED";

/// A workload file.
#[derive(Debug, Clone, Deserialize)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// The nodes; a node's id is its index, and everything that it reads precedes it.
    pub nodes: Vec<Node>,
    /// Nodes whose output is edited, each in a run of its own.
    pub edits: Vec<usize>,
}

/// One node.
#[derive(Debug, Clone, Deserialize)]
pub struct Node {
    /// Its place.
    pub id: usize,
    /// What it stands for.
    pub kind: Kind,
    /// The nodes that it reads.
    pub deps: Vec<usize>,
    /// How its output depends on them.
    #[serde(rename = "fn")]
    pub output: Output,
    /// Tokens that it adds to the context of later nodes.
    pub tok: u64,
    /// How long it takes, in milliseconds.
    pub ms: f64,
}

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What the operator asked.
    Prompt,
    /// A request to the model.
    Plan,
    /// A tool.
    Call,
    /// A result taken on.
    Obs,
    /// A part taken out of a result.
    Extract,
    /// A request to the model that reads several results.
    Join,
    /// The last request to the model.
    Answer,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Prompt,
        Self::Plan,
        Self::Call,
        Self::Obs,
        Self::Extract,
        Self::Join,
        Self::Answer,
    ];

    /// The kind in one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Plan => "plan",
            Self::Call => "call",
            Self::Obs => "obs",
            Self::Extract => "extract",
            Self::Join => "join",
            Self::Answer => "answer",
        }
    }

    /// True for what asks the model.
    pub const fn is_request(self) -> bool {
        matches!(self, Self::Plan | Self::Join | Self::Answer)
    }
}

/// How an output depends on what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// Any other input gives another output.
    Hash,
    /// The output is the same whatever was read.
    Const,
}

/// Calls and tokens of one way to continue after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Nodes that run, in order.
    pub nodes: Vec<usize>,
    /// Of those, requests to the model.
    pub requests: usize,
    /// Tokens that these requests send: each sends what all of its ancestors gave.
    pub tokens: u64,
}

impl Workload {
    /// Reads a workload file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let workload: Self =
            serde_json::from_str(text).map_err(|error| format!("not a workload: {error}"))?;
        for (place, node) in workload.nodes.iter().enumerate() {
            if node.id != place || node.deps.iter().any(|dep| *dep >= place) {
                return Err(format!(
                    "node {} at place {place}: ids must count from 0 and a node may only read earlier ones",
                    node.id
                ));
            }
            if !(node.ms >= 0.0 && node.ms.is_finite()) {
                return Err(format!("node {place} cannot take {} ms", node.ms));
            }
        }
        match workload.edits.iter().find(|edit| **edit >= workload.nodes.len()) {
            Some(edit) => Err(format!("there is no node {edit} to edit")),
            None => Ok(workload),
        }
    }

    /// What a node gives for what it read.
    pub fn output(&self, id: usize, inputs: &[String]) -> String {
        // The hash of the tuple as Python writes it: everybody who runs a workload gets the same values.
        let tuple = if let Some(Output::Const) = self.nodes.get(id).map(|node| node.output) {
            format!("({id},)")
        } else {
            let quoted: Vec<String> = inputs.iter().map(|input| format!("'{input}'")).collect();
            format!("({id}, [{}])", quoted.join(", "))
        };
        format!("{:016x}", hash(&tuple))
    }

    /// The outputs of all nodes, where the output of one may be given.
    pub fn outputs(&self, given: Option<usize>) -> Vec<String> {
        let mut all: Vec<String> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let inputs: Vec<String> = read(&all, &node.deps);
            let output = if given == Some(node.id) {
                EDITED.to_owned()
            } else {
                self.output(node.id, &inputs)
            };
            all.push(output);
        }
        all
    }

    /// The least that must run after an edit: nodes with a changed input.
    pub fn minimum(&self, edit: usize) -> Vec<usize> {
        let before = self.outputs(None);
        let after = self.outputs(Some(edit));
        let differs = |id: &usize| before.get(*id) != after.get(*id);
        self.nodes
            .iter()
            .filter(|node| node.id != edit && node.deps.iter().any(differs))
            .map(|node| node.id)
            .collect()
    }

    /// The nodes that a restart runs.
    pub fn restart(&self) -> Vec<usize> {
        (0..self.nodes.len()).collect()
    }

    /// The nodes that run where everything after the edited node in time begins again.
    pub fn cut_in_time(&self, edit: usize) -> Vec<usize> {
        (edit + 1..self.nodes.len()).collect()
    }

    /// What running these nodes amounts to.
    pub fn share(&self, nodes: Vec<usize>) -> Share {
        let mut ancestors: Vec<BTreeSet<usize>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut all: BTreeSet<usize> = node.deps.iter().copied().collect();
            for dep in &node.deps {
                all.extend(ancestors.get(*dep).into_iter().flatten());
            }
            ancestors.push(all);
        }
        let tokens = |id: &usize| self.nodes.get(*id).map_or(0, |node| node.tok);
        let requests: Vec<usize> = nodes
            .iter()
            .filter(|id| self.nodes.get(**id).is_some_and(|node| node.kind.is_request()))
            .copied()
            .collect();
        let sent = requests
            .iter()
            .filter_map(|id| ancestors.get(*id))
            .map(|all| all.iter().map(tokens).sum::<u64>())
            .sum();
        Share {
            nodes,
            requests: requests.len(),
            tokens: sent,
        }
    }

    /// Milliseconds of the longest path through these nodes: nothing can be faster.
    pub fn longest_path(&self, nodes: &[usize]) -> f64 {
        let run: BTreeSet<usize> = nodes.iter().copied().collect();
        let mut ends: Vec<f64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let begins = node
                .deps
                .iter()
                .filter_map(|dep| ends.get(*dep))
                .fold(0.0_f64, |a, b| a.max(*b));
            ends.push(if run.contains(&node.id) {
                begins + node.ms
            } else {
                0.0
            });
        }
        ends.into_iter().fold(0.0, f64::max)
    }
}

/// A number that is the same everywhere for the same text.
pub fn hash(text: &str) -> u64 {
    let hash: [u8; 8] = Blake2b::<U8>::digest(text.as_bytes()).into();
    u64::from_be_bytes(hash)
}

/// The outputs of some nodes.
fn read(outputs: &[String], deps: &[usize]) -> Vec<String> {
    deps.iter().filter_map(|dep| outputs.get(*dep).cloned()).collect()
}
