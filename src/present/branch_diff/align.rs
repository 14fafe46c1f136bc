//! Aligns the nodes of two branches.
//!
//! Must not know: how two nodes differ, what shows them.
//!
//! A node that is active on both is in one pair. Others are paired by content, then by tool in their turn, then by tool in
//! any turn, then by their order in the turn. Turns that share nodes are at the same place, so an inserted or deleted turn
//! shifts nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

use super::Side;
use overrule_domain::id::{NodeKind, TurnId};
use overrule_domain::node::Content;
use overrule_domain::state::State;

/// A node of the first branch, and one of the second.
type Sides = (Option<Side>, Option<Side>);

/// Pairs of nodes in the order of the first branch. A node of the second branch alone follows its predecessor there.
pub fn aligned(state: &State, a: &[Side], b: &[Side]) -> Vec<Sides> {
    let matched = matched(state, a, b);
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

fn matched(state: &State, a: &[Side], b: &[Side]) -> Matched {
    let mut matched = Matched {
        of_a: vec![None; a.len()],
        of_b: vec![None; b.len()],
    };
    matched.pass(a.iter().map(|side| side.node), b.iter().map(|side| side.node));
    let (turns_a, turns_b) = (turns(state, a), turns(state, b));
    let (contents_a, contents_b) = (contents(state, a), contents(state, b));
    matched.pass(
        contents_a.iter().zip(places(&turns_a, &contents_a)),
        contents_b.iter().zip(places(&turns_b, &contents_b)),
    );
    matched.pass(contents_a.iter(), contents_b.iter());
    let turns_b = matched.counterparts(&turns_a, &turns_b);
    let turns_a: Vec<Option<usize>> = turns_a.into_iter().map(Some).collect();
    let tools = |contents: &[NodeContent<'_>]| -> Vec<(NodeKind, String)> {
        let tools = contents.iter().map(|(kind, tool, _)| (*kind, (*tool).to_owned()));
        tools.collect()
    };
    let (tools_a, tools_b) = (tools(&contents_a), tools(&contents_b));
    matched.pass(turns_a.iter().zip(&tools_a), turns_b.iter().zip(&tools_b));
    let kinds = |sides: &[Side]| -> Vec<NodeKind> { sides.iter().map(|side| side.node.kind).collect() };
    matched.pass(&tools_a, &tools_b);
    matched.pass(turns_a.iter().zip(kinds(a)), turns_b.iter().zip(kinds(b)));
    matched
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

    /// For each node of the second branch, the turn of the first branch at the place of its turn: the one with which its
    /// turn shares most nodes, else the next one, if that is free.
    fn counterparts(&self, turns_a: &[usize], turns_b: &[usize]) -> Vec<Option<usize>> {
        let mut counts: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
        for (own, turn) in self.of_b.iter().zip(turns_b) {
            if let Some(other) = own.and_then(|at| turns_a.get(at)) {
                *counts.entry(*turn).or_default().entry(*other).or_default() += 1;
            }
        }
        let most = |others: BTreeMap<usize, usize>| {
            let most = others
                .into_iter()
                .max_by_key(|(other, count)| (*count, Reverse(*other)));
            most.map(|(other, _)| other)
        };
        let shared = counts
            .into_iter()
            .filter_map(|(turn, others)| Some((turn, most(others)?)));
        let shared: BTreeMap<usize, usize> = shared.collect();
        let used: BTreeSet<usize> = shared.values().copied().collect();
        let mut free: BTreeSet<usize> = turns_a.iter().copied().collect();
        free.retain(|turn| !used.contains(turn));
        let mut next = 0;
        let mut of: BTreeMap<usize, usize> = BTreeMap::new();
        for turn in turns_b {
            if of.contains_key(turn) {
                continue;
            }
            let other = shared.get(turn).copied();
            if let Some(other) = other.or_else(|| free.take(&next)) {
                of.insert(*turn, other);
                next = other + 1;
            }
        }
        turns_b.iter().map(|turn| of.get(turn).copied()).collect()
    }
}

/// The number of the turn of each node, on its branch.
fn turns(state: &State, sides: &[Side]) -> Vec<usize> {
    let mut turns: BTreeMap<TurnId, usize> = BTreeMap::new();
    let number = |side: &Side| {
        let turn = state.node(side.node).map(|node| node.turn).unwrap_or_default();
        let next = turns.len();
        *turns.entry(turn).or_insert(next)
    };
    sides.iter().map(number).collect()
}

/// The place of a node: its turn, and its number among those of its kind in the turn.
type NodePlace = (usize, usize);

fn places(turns: &[usize], contents: &[NodeContent<'_>]) -> Vec<NodePlace> {
    let mut counts: BTreeMap<(usize, NodeKind), usize> = BTreeMap::new();
    let place = |(turn, (kind, ..)): (&usize, &NodeContent<'_>)| {
        let count = counts.entry((*turn, *kind)).or_default();
        *count += 1;
        (*turn, *count)
    };
    turns.iter().zip(contents).map(place).collect()
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
