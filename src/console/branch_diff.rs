//! Two branches side by side: the active nodes of each, aligned, a call together with its result.
//!
//! Must not know: what shows it, how.
//!
//! A node that is active on both is in one pair. Others are paired by kind and content, then by their order in the turn.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

use crate::domain::branch::compare::{Comparison, compare};
use crate::domain::id::{Epoch, NodeId, NodeKind, Rev, TurnId};
use crate::domain::node::{Content, Revision};
use crate::domain::state::State;

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
        revision(state, self.node, self.rev)
    }

    /// Its result on the branch.
    pub fn outcome(self, state: &State) -> Option<&Content> {
        revision(state, self.node.observation(), self.result?)
    }
}

fn revision(state: &State, id: NodeId, rev: Rev) -> Option<&Content> {
    let found: Option<&Revision> = state.node(id)?.revision(rev);
    found.map(|revision| &revision.content)
}

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
    let parts = own
        .iter()
        .copied()
        .chain([(result || a.left != b.left, "result")]);
    parts.filter(|(is, _)| *is).map(|(_, part)| part).collect()
}

impl BranchDiff {
    /// Compares two branches of a run.
    pub fn of(state: &State, (a, b): (Epoch, Epoch)) -> Self {
        #[cfg(test)]
        crate::console::testing::work::gone_through();
        let comparison = compare(state, a, b);
        let [sides_a, sides_b] = sides(&comparison);
        let pairs = aligned(state, &sides_a, &sides_b);
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

    /// Number of nodes of the first branch, results included.
    pub fn nodes(&self) -> usize {
        let sides = self.pairs.iter().filter_map(|pair| pair.a);
        sides.map(|side| 1 + usize::from(side.result.is_some())).sum()
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

/// A node of the first branch, and one of the second.
type Sides = (Option<Side>, Option<Side>);

/// Pairs of nodes in the order of the first branch. A node of the second branch alone follows its predecessor there.
fn aligned(state: &State, a: &[Side], b: &[Side]) -> Vec<Sides> {
    let mut matched = Matched {
        of_a: vec![None; a.len()],
        of_b: vec![None; b.len()],
    };
    matched.pass(a.iter().map(|side| side.node), b.iter().map(|side| side.node));
    let (places_a, places_b) = (places(state, a), places(state, b));
    let (contents_a, contents_b) = (contents(state, a), contents(state, b));
    let both = |contents: &[_], places: &[_]| -> Vec<_> {
        contents.iter().copied().zip(places.iter().copied()).collect()
    };
    matched.pass(both(&contents_a, &places_a), both(&contents_b, &places_b));
    matched.pass(contents_a.iter(), contents_b.iter());
    let tools = |contents: &[NodeContent<'_>], places: &[NodePlace]| -> Vec<_> {
        let all = contents.iter().zip(places);
        all.map(|((_, tool, _), (turn, kind, _))| (*turn, *kind, (*tool).to_owned()))
            .collect()
    };
    matched.pass(tools(&contents_a, &places_a), tools(&contents_b, &places_b));
    let kinds = |places: Vec<NodePlace>| places.into_iter().map(|(turn, kind, _)| (turn, kind));
    matched.pass(kinds(places_a), kinds(places_b));
    let mut order: Vec<(Option<usize>, Option<usize>, Sides)> = Vec::new();
    for (at, side) in a.iter().enumerate() {
        let other = matched.of_a.get(at).copied().flatten().and_then(|at| b.get(at));
        order.push((Some(at), None, (Some(*side), other.copied())));
    }
    let mut after = None;
    for (at, side) in b.iter().enumerate() {
        match matched.of_b.get(at).copied().flatten() {
            Some(here) => after = Some(here),
            None => order.push((after, Some(at), (None, Some(*side)))),
        }
    }
    order.sort_by_key(|(after, at, _)| (*after, *at));
    order.into_iter().map(|(.., pair)| pair).collect()
}

/// The counterparts found so far, by index.
struct Matched {
    of_a: Vec<Option<usize>>,
    of_b: Vec<Option<usize>>,
}

impl Matched {
    /// Pairs nodes without a counterpart whose keys are equal, in their order.
    fn pass<K: Hash + Eq>(&mut self, a: impl IntoIterator<Item = K>, b: impl IntoIterator<Item = K>) {
        let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
        for (at, key) in b.into_iter().enumerate() {
            if self.of_b.get(at) == Some(&None) {
                free.entry(key).or_default().push_back(at);
            }
        }
        for ((at, key), own) in a.into_iter().enumerate().zip(&mut self.of_a) {
            let other = match own {
                None => free.get_mut(&key).and_then(VecDeque::pop_front),
                Some(_) => None,
            };
            if let Some(other) = other {
                *own = Some(other);
                if let Some(back) = self.of_b.get_mut(other) {
                    *back = Some(at);
                }
            }
        }
    }
}

/// The place of a node: the number of its turn on the branch, its kind, its number among those of its kind in the turn.
type NodePlace = (usize, NodeKind, usize);

fn places(state: &State, sides: &[Side]) -> Vec<NodePlace> {
    let mut turns: BTreeMap<TurnId, usize> = BTreeMap::new();
    let mut counts: BTreeMap<(usize, NodeKind), usize> = BTreeMap::new();
    let place = |side: &Side| {
        let turn = state.node(side.node).map(|node| node.turn).unwrap_or_default();
        let next = turns.len();
        let turn = *turns.entry(turn).or_insert(next);
        let count = counts.entry((turn, side.node.kind)).or_default();
        *count += 1;
        (turn, side.node.kind, *count)
    };
    sides.iter().map(place).collect()
}

/// What a node says: its kind, its tool, and its arguments or text.
type NodeContent<'s> = (NodeKind, &'s str, &'s str);

fn contents<'s>(state: &'s State, sides: &[Side]) -> Vec<NodeContent<'s>> {
    let content = |side: &Side| match side.content(state) {
        Some(Content::Call { tool, args }) => (side.node.kind, &**tool, &**args),
        Some(Content::Text { text, .. }) => (side.node.kind, "", &**text),
        _ => (side.node.kind, "", ""),
    };
    sides.iter().map(content).collect()
}
