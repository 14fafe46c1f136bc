//! How much the next request would send once an edit is made: from what stands then, with the words of the edit.
//! An estimate at four bytes each; what runs again counts as what it gave before. Must not know: prices.

use std::collections::{BTreeMap, BTreeSet};

use super::reach::Reach;
use crate::domain::call::Outcome;
use crate::domain::event::{CallEvent, EditEvent, Event, TurnEvent};
use crate::domain::id::{NodeId, NodeKind, TurnId};
use crate::domain::node::Content;
use crate::domain::state::State;
use crate::domain::thread;
use crate::domain::transcript::result::SENT_BYTES;
use crate::domain::turn::Turn;

/// Bytes that stand for a token.
const BYTES: usize = 4;

/// Tokens of the next request of the edited thread.
pub(super) fn tokens(state: &State, reach: &Reach, events: &[Event]) -> u64 {
    let own = reach.thread.unwrap_or(thread::ROOT);
    let written = written(events);
    let recalled: BTreeSet<NodeId> = reach.recalled.iter().copied().collect();
    let falls: BTreeSet<TurnId> = reach.turns.iter().chain(&reach.held).copied().collect();
    // What is asked next stands where the first turn falls; where a branch comes back, at its end.
    let cut = falls
        .iter()
        .filter_map(|id| state.turns.get(id).filter(|turn| turn.thread == own))
        .map(|turn| turn.pos)
        .min()
        .filter(|_| recalled.is_empty())
        .unwrap_or(u32::MAX);
    let stands = |turn: &&Turn| {
        let comes_back = turn.nodes.iter().any(|id| recalled.contains(id));
        comes_back || (turn.is_active() && turn.pos < cut && !falls.contains(&turn.id))
    };
    let nodes = state.turns_of(own).filter(stands).flat_map(|turn| &turn.nodes);
    let counts = |id: &&NodeId| {
        let active = state.nodes.get(id).is_some_and(|node| node.active);
        recalled.contains(id) || (active && !reach.gone.contains(id))
    };
    let old: usize = nodes
        .filter(counts)
        .map(|id| {
            let said = |id: NodeId| {
                let then = || {
                    let node = state.nodes.get(&id)?;
                    let there = reach.says.get(&id).and_then(|rev| node.revision(*rev));
                    Some(size(&there.unwrap_or_else(|| node.now()).content))
                };
                written.get(&id).copied().or_else(then).unwrap_or(0)
            };
            said(*id)
                + if id.kind == NodeKind::Call {
                    said(id.observation())
                } else {
                    0
                }
        })
        .sum();
    let new: usize = written
        .iter()
        .filter(|(id, _)| !state.nodes.contains_key(id) && id.kind != NodeKind::Observation)
        .map(|(_, size)| size)
        .sum();
    ((always(state) + old + new) / BYTES) as u64
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
                all.insert(*node, size(content));
            }
            Event::Turn(TurnEvent::Prompted { node, text, .. } | TurnEvent::Thought { node, text, .. }) => {
                all.insert(*node, text.len());
            }
            Event::Turn(TurnEvent::Proposed { node, tool, args, .. }) => {
                all.insert(*node, tool.len() + args.len());
            }
            Event::Call(CallEvent::Given { call, outcome, .. }) => {
                all.insert(call.observation(), of_outcome(outcome));
            }
            _ => {}
        }
    }
    all
}

/// Bytes that a request spends on a node, without looking into it.
fn size(content: &Content) -> usize {
    match content {
        Content::Text { text, opaque, .. } => text.len() + opaque.as_ref().map_or(0, |opaque| opaque.len()),
        Content::Call { tool, args } => tool.len() + args.len(),
        Content::Observation { outcome, .. } => of_outcome(outcome),
        Content::Deleted => 0,
    }
}

fn of_outcome(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Ok { value, .. } => value.len().min(SENT_BYTES),
        Outcome::Err(error) => {
            let partial = error.partial.as_ref();
            error.message.len() + partial.map_or(0, |partial| partial.len().min(SENT_BYTES))
        }
        Outcome::Cancelled { .. } => 0,
    }
}
