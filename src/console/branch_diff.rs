//! Two branches side by side: the active nodes of each, a call together with its result.
//!
//! Must not know: what shows it, how.

use std::collections::BTreeMap;

use crate::domain::branch::compare::{Comparison, Row, compare};
use crate::domain::id::{Epoch, NodeId, NodeKind};
use crate::domain::state::State;

/// Two branches side by side.
#[derive(Debug, Clone)]
pub struct BranchDiff {
    /// The outcomes of the two, and their nodes.
    pub comparison: Comparison,
    /// For each listed pair, the index of its node and that of its result.
    pairs: Vec<(usize, Option<usize>)>,
    /// The indices of the pairs that differ.
    differ: Vec<usize>,
}

/// A node on two branches, a call with its result.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The node.
    pub node: &'a Row,
    /// Its result; none for a node that is no call, or without a result on either side.
    pub result: Option<&'a Row>,
}

impl Pair<'_> {
    /// True if it is equal on both, including its result.
    pub fn is_same(&self) -> bool {
        self.node.same && self.result.is_none_or(|row| row.same)
    }

    /// Number of branches on which it is active.
    pub fn sides(&self) -> usize {
        usize::from(self.node.a.is_some()) + usize::from(self.node.b.is_some())
    }
}

impl BranchDiff {
    /// Compares two branches of a run.
    pub fn of(state: &State, (a, b): (Epoch, Epoch)) -> Self {
        #[cfg(test)]
        crate::console::testing::work::gone_through();
        let comparison = compare(state, a, b);
        let places = || comparison.rows.iter().enumerate();
        let results: BTreeMap<NodeId, usize> = places()
            .filter(|(_, row)| row.node.kind == NodeKind::Observation)
            .map(|(at, row)| (row.node.call(), at))
            .collect();
        let pairs = places()
            .filter(|(_, row)| row.node.kind != NodeKind::Observation)
            .map(|(at, row)| (at, results.get(&row.node).copied()))
            .collect();
        let mut sides = Self {
            comparison,
            pairs,
            differ: Vec::new(),
        };
        let differs = |at: &usize| sides.at(*at).is_some_and(|pair| !pair.is_same());
        sides.differ = (0..sides.pairs.len()).filter(differs).collect();
        sides
    }

    /// Number of listed pairs; equal ones only if `all`.
    pub const fn len(&self, all: bool) -> usize {
        if all { self.pairs.len() } else { self.differ.len() }
    }

    /// The listed pair at an index.
    pub fn pair(&self, all: bool, at: usize) -> Option<Pair<'_>> {
        let at = if all { at } else { *self.differ.get(at)? };
        self.at(at)
    }

    /// All listed pairs.
    pub fn pairs(&self, all: bool) -> impl Iterator<Item = Pair<'_>> {
        (0..self.len(all)).filter_map(move |at| self.pair(all, at))
    }

    fn at(&self, at: usize) -> Option<Pair<'_>> {
        let (node, result) = self.pairs.get(at)?;
        let rows = &self.comparison.rows;
        Some(Pair {
            node: rows.get(*node)?,
            result: result.and_then(|result| rows.get(result)),
        })
    }
}
