//! Two branches side by side: the active nodes of each, aligned, a call together with its result.
//!
//! Must not know: what shows it, how.

mod align;

use std::collections::BTreeMap;

use overrule_domain::branch::compare::{Comparison, compare};
use overrule_domain::id::{Epoch, NodeId, NodeKind, Rev};
use overrule_domain::node::{Content, Revision};
use overrule_domain::result_source::{self, ResultSource};
use overrule_domain::state::State;

/// Two branches side by side.
#[derive(Debug, Clone)]
pub struct BranchDiff {
    /// The outcomes of the two, and their nodes.
    pub comparison: Comparison,
    pairs: Vec<Pair>,
    /// The indices of the pairs that differ.
    differ: Vec<usize>,
}

/// A node on one branch, a call with its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The node.
    pub node: NodeId,
    /// Its revision on the branch.
    pub rev: Rev,
    /// The revision of its result; none for a node that is no call, or without a result.
    pub result: Option<Rev>,
    /// Why a call has no result, as a word.
    pub left: Option<&'static str>,
}

impl Side {
    /// Its content on the branch.
    pub fn content(self, state: &State) -> Option<&Content> {
        revision(state, self.node, self.rev).map(|revision| &revision.content)
    }

    /// Its result on the branch.
    pub fn outcome(self, state: &State) -> Option<&Content> {
        revision(state, self.node.observation(), self.result?).map(|revision| &revision.content)
    }

    /// Who gave its result, or why it has none; `None` for the result of an execution.
    pub fn source(self, state: &State) -> Option<&'static str> {
        let given = self
            .result
            .and_then(|rev| revision(state, self.node.observation(), rev));
        let source = given.and_then(|given| result_source::of(state.calls.get(&self.node)?, given));
        source.map(ResultSource::label).or(self.left)
    }
}

fn revision(state: &State, id: NodeId, rev: Rev) -> Option<&Revision> {
    state.node(id)?.revision(rev)
}

/// The part of a call that is its result.
const RESULT: &str = "result";

/// A node of one branch and its counterpart on the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The node on the first branch.
    pub a: Option<Side>,
    /// The node on the second branch.
    pub b: Option<Side>,
    /// The parts that differ, as words; empty if the nodes are equal, or if one is missing.
    pub differs: Vec<&'static str>,
}

impl Pair {
    fn of(state: &State, a: Option<Side>, b: Option<Side>) -> Self {
        let differs = match (a, b) {
            (Some(a), Some(b)) => differences(state, a, b),
            _ => Vec::new(),
        };
        Self { a, b, differs }
    }

    /// The node that names the pair: that of the first branch, if it is there.
    pub fn key(&self) -> Option<NodeId> {
        self.a.or(self.b).map(|side| side.node)
    }

    /// True if it is equal on both, including its result.
    pub fn is_same(&self) -> bool {
        self.sides() == 2 && self.differs.is_empty()
    }

    /// Number of its nodes that are the same on both, and of all its nodes: itself and its result.
    pub fn nodes(&self) -> (usize, usize) {
        let has_result = [self.a, self.b]
            .into_iter()
            .flatten()
            .any(|side| side.result.is_some());
        let own = self.differs.iter().all(|part| *part == RESULT);
        let result = has_result && !self.differs.contains(&RESULT);
        let same = match self.sides() {
            2 => usize::from(own) + usize::from(result),
            _ => 0,
        };
        (same, 1 + usize::from(has_result))
    }

    /// Number of branches on which it is active.
    pub fn sides(&self) -> usize {
        usize::from(self.a.is_some()) + usize::from(self.b.is_some())
    }

    /// What the comparison says about it: the words of its row, and all of it.
    pub fn describe(&self) -> (&'static str, String) {
        let short = match (self.a, self.b) {
            (Some(_), Some(_)) if self.differs.is_empty() => "same",
            (Some(_), Some(_)) => "differs",
            (Some(_), None) => "only A",
            (None, _) => "only B",
        };
        let rest = match self.differs.as_slice() {
            [] => String::new(),
            parts => format!(" in {}", parts.join(" and ")),
        };
        (short, format!("{short}{rest}"))
    }
}

/// The parts in which two nodes differ.
fn differences(state: &State, a: Side, b: Side) -> Vec<&'static str> {
    let own: &[_] = match (a.content(state), b.content(state)) {
        (
            Some(Content::Call { tool, args }),
            Some(Content::Call {
                tool: other,
                args: others,
            }),
        ) => &[(tool != other, "tool"), (args != others, "arguments")],
        (Some(Content::Text { text, .. }), Some(Content::Text { text: other, .. })) => {
            &[(text != other, "text")]
        }
        (one, other) => &[(one != other, "text")],
    };
    let result = match (a.outcome(state), b.outcome(state)) {
        (
            Some(Content::Observation { outcome: one, .. }),
            Some(Content::Observation { outcome: other, .. }),
        ) => one != other,
        (one, other) => one != other,
    };
    let parts = own.iter().copied().chain([(result || a.left != b.left, RESULT)]);
    parts.filter(|(is, _)| *is).map(|(_, part)| part).collect()
}

impl BranchDiff {
    /// Compares two branches of a run.
    pub fn of(state: &State, (a, b): (Epoch, Epoch)) -> Self {
        let comparison = compare(state, a, b);
        let [sides_a, sides_b] = sides(&comparison);
        let pairs = align::aligned(state, &sides_a, &sides_b);
        let pairs: Vec<Pair> = pairs.into_iter().map(|(a, b)| Pair::of(state, a, b)).collect();
        let differ = pairs.iter().enumerate();
        let differ = differ.filter(|(_, pair)| !pair.is_same()).map(|(at, _)| at);
        Self {
            comparison,
            differ: differ.collect(),
            pairs,
        }
    }

    /// True if the branches do not differ, whatever they cost.
    pub const fn is_equal(&self) -> bool {
        self.differ.is_empty()
    }

    /// Number of nodes that are the same on both, and of all nodes, results included.
    pub fn nodes(&self) -> (usize, usize) {
        let counts = self.pairs.iter().map(Pair::nodes);
        counts.fold((0, 0), |(same, all), (one, of)| (same + one, all + of))
    }

    /// Number of listed pairs; equal ones only if `all`.
    pub const fn len(&self, all: bool) -> usize {
        if all { self.pairs.len() } else { self.differ.len() }
    }

    /// The listed pair at an index.
    pub fn pair(&self, all: bool, at: usize) -> Option<&Pair> {
        let at = if all { at } else { *self.differ.get(at)? };
        self.pairs.get(at)
    }

    /// All listed pairs.
    pub fn pairs(&self, all: bool) -> impl Iterator<Item = &Pair> {
        (0..self.len(all)).filter_map(move |at| self.pair(all, at))
    }
}

/// The nodes of each branch, in journal order.
fn sides(comparison: &Comparison) -> [Vec<Side>; 2] {
    let rows = &comparison.rows;
    let results = rows.iter().filter(|row| row.node.kind == NodeKind::Observation);
    let results: BTreeMap<NodeId, (Option<Rev>, Option<Rev>)> =
        results.map(|row| (row.node.call(), (row.a, row.b))).collect();
    let mut sides = [Vec::new(), Vec::new()];
    let [a, b] = &mut sides;
    for row in rows.iter().filter(|row| row.node.kind != NodeKind::Observation) {
        let own = results.get(&row.node).filter(|_| row.node.kind == NodeKind::Call);
        let (result_a, result_b) = own.copied().unwrap_or_default();
        let side = |rev, result, left| Side {
            node: row.node,
            rev,
            result,
            left,
        };
        a.extend(row.a.map(|rev| side(rev, result_a, row.left_a)));
        b.extend(row.b.map(|rev| side(rev, result_b, row.left_b)));
    }
    sides
}
