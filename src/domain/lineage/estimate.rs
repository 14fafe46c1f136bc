//! Estimates the tokens of the next request after an edit.
//!
//! Must not know: prices.
//!
//! Four bytes are taken as one token. A call that runs again has the size of its last result.

use std::collections::{BTreeMap, BTreeSet};

use crate::affected_nodes::AffectedNodes;
use crate::event::{CallEvent, EditEvent, Event, TurnEvent};
use crate::id::{NodeId, NodeKind, TurnId};
use crate::node_set::NodeSet;
use crate::state::State;
use crate::thread;
use crate::transcript::bytes;
use crate::turn::{Activity, BYTES_PER_TOKEN, Turn};

/// Tokens of the next request of the edited thread. The sums in the state give what the edit leaves
/// unchanged, so the cost depends only on what it touches.
pub(super) fn tokens(state: &State, reach: &AffectedNodes, events: &[Event]) -> u64 {
    let own = reach.thread.unwrap_or(thread::ROOT);
    let then = Then {
        state,
        reach,
        written: written(events),
        recalled: reach.recalled.iter().copied().collect(),
    };
    let falls: BTreeSet<TurnId> = reach.turns.iter().chain(&reach.held).copied().collect();
    let of_thread = |id: &TurnId| state.turns.get(id).filter(|turn| turn.thread == own);
    // The next request comes where the first turn is superseded; if a branch comes back, at its
    // end.
    let falling = falls.iter().filter_map(of_thread).map(|turn| turn.pos);
    let cut = falling.min().filter(|_| reach.recalled.is_empty());
    let cut = cut.unwrap_or(u32::MAX);
    let turn_of = |id: NodeId| state.nodes.get(&id).map(|node| node.turn);
    let in_stream = |id: &NodeId| !matches!(id.kind, NodeKind::Observation | NodeKind::Intervention);
    let recalled = then.recalled.iter().filter(in_stream);
    let come_back: BTreeSet<TurnId> = recalled.filter_map(turn_of).collect();
    let remaining = |turn: &&Turn| {
        let is_there = turn.is_active() && turn.pos < cut && !falls.contains(&turn.id);
        is_there || come_back.contains(&turn.id)
    };
    let now: usize = state.turns_of(own).filter(remaining).map(|turn| turn.bytes).sum();
    let counting = |id: &NodeId| {
        let turn = turn_of(*id).and_then(|turn| of_thread(&turn));
        turn.is_some_and(|turn| !matches!(turn.activity, Activity::Superseded(_)) && remaining(&turn))
    };
    let touched = then.touched();
    let touched = touched.iter().filter(|id| counting(id));
    let (before, after) = touched.fold((0, 0), |(before, after), id| {
        (before + bytes::of_node(state, id), after + then.bytes(id))
    });
    let new: usize = then
        .written
        .iter()
        .filter(|(id, _)| !state.nodes.contains_key(id) && id.kind != NodeKind::Observation)
        .map(|(_, size)| size)
        .sum();
    (always(state) + now.saturating_sub(before) + after + new) as u64 / BYTES_PER_TOKEN
}

/// State of nodes after the edit.
struct Then<'s> {
    state: &'s State,
    reach: &'s AffectedNodes,
    /// Bytes of what the edit writes, by node.
    written: BTreeMap<NodeId, usize>,
    recalled: NodeSet,
}

impl Then<'_> {
    /// Nodes of turns that the edit may make others, calls in place of their results.
    fn touched(&self) -> NodeSet {
        let ids = self.written.keys().chain(self.reach.revisions.keys()).copied();
        let ids = ids.chain(self.reach.gone.iter()).chain(self.recalled.iter());
        let in_stream = |id: &NodeId| id.kind != NodeKind::Intervention;
        ids.map(NodeId::call).filter(in_stream).collect()
    }

    /// Bytes that a node takes then, a call with its result.
    fn bytes(&self, id: NodeId) -> usize {
        let active = self.state.nodes.get(&id).is_some_and(|node| node.active);
        if !self.recalled.contains(id) && (!active || self.reach.gone.contains(id)) {
            return 0;
        }
        let result = Some(id.observation()).filter(|result| *result != id);
        self.content_bytes(id) + result.map_or(0, |result| self.content_bytes(result))
    }

    fn content_bytes(&self, id: NodeId) -> usize {
        let then = || {
            let node = self.state.nodes.get(&id)?;
            let there = self.reach.revisions.get(&id).and_then(|rev| node.revision(*rev));
            Some(bytes::of_content(&there.unwrap_or_else(|| node.now()).content))
        };
        self.written.get(&id).copied().or_else(then).unwrap_or(0)
    }
}

/// What every request sends.
fn always(state: &State) -> usize {
    let Some(started) = &state.started else { return 0 };
    let tools = started
        .tools
        .iter()
        .map(|tool| tool.schema.len() + tool.description.len());
    started.system.len() + tools.sum::<usize>()
}

/// Bytes of what the edit writes, by node.
fn written(events: &[Event]) -> BTreeMap<NodeId, usize> {
    let mut all = BTreeMap::new();
    for event in events {
        match event {
            Event::Edit(EditEvent::Revised { node, content, .. }) => {
                all.insert(*node, bytes::of_content(content));
            }
            Event::Turn(TurnEvent::Prompted { node, text, .. } | TurnEvent::Thought { node, text, .. }) => {
                all.insert(*node, text.len());
            }
            Event::Turn(TurnEvent::Proposed { node, tool, args, .. }) => {
                all.insert(*node, tool.len() + args.len());
            }
            Event::Call(CallEvent::Given { call, outcome, .. }) => {
                all.insert(call.observation(), bytes::of_outcome(outcome));
            }
            _ => {}
        }
    }
    all
}
