//! Tests whether a visible row is an ancestor or descendant of the cursor's node.
//!
//! Must not know: rows.
//!
//! The result equals the lists of [`graph::ancestors`] and [`graph::descendants`], but nothing is
//! listed for invisible rows.

use std::collections::BTreeSet;

use overrule_domain::graph::{self, EdgeKind, PointInTime};
use overrule_domain::id::{NodeId, NodeKind, Seq, ThreadId};
use overrule_domain::state::State;

/// The highlighted nodes.
#[derive(Debug, Clone, Default)]
pub struct Highlight {
    of: Option<(NodeId, Seq)>,
    /// The time for which nodes must be active: when the highlighted node was.
    counted: PointInTime,
    above: Side,
    below: Side,
}

/// One direction.
#[derive(Debug, Clone, Default)]
struct Side {
    /// Turns of threads, before or after this position.
    turns: Vec<(ThreadId, u32)>,
    /// Single nodes.
    nodes: BTreeSet<NodeId>,
    /// A call whose sub-agent's nodes are included.
    under: Option<NodeId>,
}

impl Highlight {
    /// Highlights the relatives of a node, or nothing.
    pub fn light(&mut self, state: &State, node: Option<NodeId>) {
        let of = node.map(|node| (node, state.seq));
        if self.of == of {
            return;
        }
        *self = Self::default();
        self.of = of;
        let Some((node, turn)) = node.and_then(|node| Some((node, state.turn_of(node)?))) else {
            return;
        };
        self.counted = PointInTime::around(turn);
        above(state, node, &mut self.above);
        self.above.under = (node.kind == NodeKind::Observation).then(|| node.call());
        below(state, node, self.counted, &mut self.below);
        self.below.under = (node.kind == NodeKind::Call).then_some(node);
    }

    /// True while a node is highlighted.
    pub const fn is_any(&self) -> bool {
        self.of.is_some()
    }

    /// True for ancestors of the node.
    pub fn is_above(&self, state: &State, id: NodeId) -> bool {
        let given = |call: NodeId| call.observation();
        let seen = (state, self.counted);
        self.is_other(id) && self.above.holds(seen, id, given, |pos, bound| pos < bound)
    }

    /// True for descendants of the node.
    pub fn is_below(&self, state: &State, id: NodeId) -> bool {
        let seen = (state, self.counted);
        self.is_other(id) && self.below.holds(seen, id, |call| call, |pos, bound| pos > bound)
    }

    fn is_other(&self, id: NodeId) -> bool {
        self.of.is_some_and(|(node, _)| node != id)
    }
}

impl Side {
    /// True for a node on this side: by itself, with its turn, or as part of a call's sub-agent.
    /// `of_call` maps a call to its node.
    fn holds(
        &self,
        seen: (&State, PointInTime),
        id: NodeId,
        of_call: impl Fn(NodeId) -> NodeId,
        is_within: impl Fn(u32, u32) -> bool + Copy,
    ) -> bool {
        if self.has(seen, id, is_within) {
            return true;
        }
        if !is_shown(seen, id) {
            return false;
        }
        let (state, counted) = seen;
        let Some(turn) = state.turn_of(id) else {
            return false;
        };
        let mut thread = turn.thread;
        while let Some(child) = state.threads.children.get(&thread) {
            if !state.agenda.children.contains(&thread) {
                return false;
            }
            if self.under == Some(child.call) || self.has(seen, of_call(child.call), is_within) {
                return true;
            }
            match state.turn_of(child.call).filter(|turn| counted.turn(turn)) {
                Some(above) => thread = above.thread,
                None => return false,
            }
        }
        false
    }

    fn has(&self, seen: (&State, PointInTime), id: NodeId, is_within: impl Fn(u32, u32) -> bool) -> bool {
        if self.nodes.contains(&id) {
            return true;
        }
        let Some(turn) = seen.0.turn_of(id) else {
            return false;
        };
        self.turns
            .iter()
            .any(|(thread, pos)| *thread == turn.thread && is_within(turn.pos, *pos))
            && is_shown(seen, id)
    }
}

/// True for a node that was active in an active turn.
fn is_shown((state, counted): (&State, PointInTime), id: NodeId) -> bool {
    let counts = |id: NodeId| state.node(id).is_some_and(|node| counted.node(node));
    let in_turn = !matches!(id.kind, NodeKind::Intervention);
    in_turn && counts(id) && counts(id.call()) && state.turn_of(id).is_some_and(|turn| counted.turn(turn))
}

fn above(state: &State, node: NodeId, side: &mut Side) {
    let Some(turn) = state.turn_of(node) else { return };
    side.turns.push((turn.thread, turn.pos));
    let own = node.call();
    if own != node {
        side.nodes.insert(own);
    }
    if let Some(child) = state.threads.children.get(&turn.thread) {
        side.nodes.insert(child.call);
        above(state, child.call, side);
    }
    let before = turn.nodes.iter().take_while(|one| **one != own);
    side.nodes
        .extend(before.filter(|one| one.kind == NodeKind::Thought));
    let mut open = vec![own];
    let mut edges = graph::Edges::new(state);
    while let Some(id) = open.pop() {
        for edge in edges.ending_in(id) {
            if edge.kind == EdgeKind::Data && side.nodes.insert(edge.from) {
                side.nodes.insert(edge.from.observation());
                open.push(edge.from);
            }
        }
    }
}

fn below(state: &State, node: NodeId, counted: PointInTime, side: &mut Side) {
    let Some(turn) = state.turn_of(node) else { return };
    side.turns.push((turn.thread, turn.pos));
    let with_result = |id: NodeId, side: &mut Side| {
        side.nodes.insert(id);
        if state.nodes.contains_key(&id.observation()) {
            side.nodes.insert(id.observation());
        }
    };
    match node.kind {
        NodeKind::Thought => {
            let after = turn.nodes.iter().skip_while(|one| **one != node).skip(1);
            for id in after.filter(|id| state.nodes.get(id).is_some_and(|node| counted.node(node))) {
                with_result(*id, side);
            }
        }
        NodeKind::Call | NodeKind::Observation => {
            let call = node.call();
            if state.nodes.contains_key(&call.observation()) {
                side.nodes.insert(call.observation());
            }
            for reader in graph::readers_of(state, call) {
                with_result(reader, side);
            }
        }
        NodeKind::Prompt | NodeKind::Answer | NodeKind::Repair | NodeKind::Intervention => {}
    }
    // Another answer of a sub-agent is another result of its call.
    if let Some(child) = state.threads.children.get(&turn.thread) {
        let result = child.call.observation();
        if state.nodes.contains_key(&result) {
            side.nodes.insert(result);
        }
        below(state, result, counted, side);
    }
}
