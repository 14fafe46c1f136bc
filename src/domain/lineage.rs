//! What hangs on what: the plan of an edit, computed before it happens.
//!
//! A plan is read off the very facts that the edit would make, so that what is shown is what is
//! done. Must not know: how a plan is shown.

use std::collections::BTreeSet;

use super::advice::Cards;
use super::call::{EffectClass, Outcome, Status};
use super::command::Edit;
use super::decide;
use super::event::{CallEvent, EditEvent, Event, TurnEvent};
use super::id::{NodeId, NodeKind, Seq, ThreadId, TurnId};
use super::node::Content;
use super::refusal::Refusal;
use super::state::{LedgerOutcome, State};
use super::transcript::Message;
use super::transcript::build::messages;

/// What a set of edits would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The state of the run that the plan was made for.
    pub seen: Seq,
    /// Nodes that become history, because the model made them from what is edited.
    pub superseded: Vec<NodeId>,
    /// Turns that become history.
    pub turns: Vec<TurnId>,
    /// Calls that will run (again) for certain, gate permitting.
    pub certain: Vec<NodeId>,
    /// Calls that may run again, if what they read turns out different; holds `certain`.
    pub possible: Vec<NodeId>,
    /// Calls for which the commit is also the approval of what it says; the policy may still deny it.
    pub approves: Vec<NodeId>,
    /// Finished calls that keep their results.
    pub kept: Vec<NodeId>,
    /// Running calls that are cancelled.
    pub cancelled: Vec<NodeId>,
    /// Calls that finish before the model is asked again.
    pub drained: Vec<NodeId>,
    /// Executions with effects that already happened under what is replaced or runs again.
    pub effects: Vec<Seq>,
    /// Whether the model will be asked again.
    pub asks: bool,
    /// Tokens of the next request, estimated at four bytes each.
    pub tokens: u64,
}

/// The plan of edits, taken as one. Refused where an edit could not be committed.
///
/// Arguments are not checked against their schemas here; that is asked for when the edit is committed.
pub fn plan(state: &State, edits: &[Edit]) -> Result<Plan, Refusal> {
    decide::edit::commit(state, &Cards(state), edits, None).map(|(_, plan)| plan)
}

/// The plan that the facts of an edit amount to.
pub(super) fn of_events(state: &State, events: &[Event]) -> Plan {
    let mut plan = Plan {
        seen: state.seq,
        ..Plan::default()
    };
    let mut gone: BTreeSet<NodeId> = BTreeSet::new();
    let mut certain: BTreeSet<NodeId> = BTreeSet::new();
    let mut possible: BTreeSet<NodeId> = BTreeSet::new();
    let mut effects: BTreeSet<Seq> = BTreeSet::new();
    let mut suspended = false;
    let mut content_changed = false;
    for event in events {
        match event {
            Event::Edit(EditEvent::Superseded { nodes }) => gone.extend(nodes),
            Event::Edit(EditEvent::Orphaned { entries }) => effects.extend(entries),
            Event::Edit(EditEvent::Suspected { calls }) => possible.extend(calls),
            Event::Edit(EditEvent::Revised {
                node,
                content,
                approves,
                ..
            }) => {
                content_changed |= node.kind != NodeKind::Answer;
                if approves.is_some() {
                    plan.approves.push(*node);
                }
                match content {
                    Content::Deleted => {
                        gone.insert(*node);
                    }
                    Content::Call { .. } => {
                        certain.insert(*node);
                    }
                    Content::Text { .. } | Content::Observation { .. } => {}
                }
            }
            Event::Turn(TurnEvent::Superseded { turns }) => {
                plan.turns.extend(turns);
                for turn in turns.iter().filter_map(|id| state.turns.get(id)) {
                    gone.extend(turn.nodes.iter().filter(|id| is_active(state, **id)));
                }
            }
            Event::Turn(TurnEvent::Suspended { .. }) => suspended = true,
            Event::Turn(TurnEvent::Proposed { node, .. }) => {
                certain.insert(*node);
                content_changed = true;
            }
            Event::Turn(TurnEvent::Prompted { .. } | TurnEvent::Thought { .. }) => content_changed = true,
            Event::Call(CallEvent::Woken { call }) => {
                certain.insert(*call);
            }
            Event::Call(CallEvent::CancelAsked { call, .. }) => plan.cancelled.push(*call),
            Event::Run(_) | Event::Turn(_) | Event::Call(_) | Event::Edit(_) => {}
        }
    }
    for id in gone.clone() {
        if state.observation(id).is_some() {
            gone.insert(id.observation());
        }
    }
    possible.extend(&certain);
    possible.retain(|id| !gone.contains(id));
    certain.retain(|id| !gone.contains(id));
    effects.extend(repeated(state, &possible));
    plan.kept = state
        .calls
        .values()
        .filter(|call| is_active(state, call.id) && call.status.is_settled())
        .map(|call| call.id)
        .filter(|id| !gone.contains(id) && !possible.contains(id))
        .collect();
    plan.drained = undecided(state, &gone, &possible);
    plan.asks = content_changed || suspended;
    plan.tokens = if plan.asks {
        estimate(state, &plan.turns)
    } else {
        0
    };
    plan.superseded = gone.into_iter().collect();
    plan.certain = certain.into_iter().collect();
    plan.possible = possible.into_iter().collect();
    plan.effects = effects.into_iter().collect();
    plan
}

fn is_active(state: &State, id: NodeId) -> bool {
    state.nodes.get(&id).is_some_and(|node| node.active)
}

/// Effects that calls already had which may run again.
fn repeated(state: &State, calls: &BTreeSet<NodeId>) -> Vec<Seq> {
    state
        .ledger
        .values()
        .filter(|entry| calls.contains(&entry.call) && entry.effect > EffectClass::Read)
        .filter(|entry| match &entry.outcome {
            LedgerOutcome::Known(outcome) => !matches!(outcome, Outcome::Err(error) if !error.executed),
            LedgerOutcome::Unknown | LedgerOutcome::Running => true,
            LedgerOutcome::DidNot => false,
        })
        .map(|entry| entry.seq)
        .collect()
}

/// Calls that stand and have not ended: the model is asked only after them.
fn undecided(state: &State, gone: &BTreeSet<NodeId>, possible: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let agenda = &state.agenda;
    let open = agenda
        .unchecked
        .iter()
        .chain(&agenda.blocked)
        .chain(&agenda.ungated)
        .chain(agenda.waiting.values())
        .chain(&agenda.queued)
        .chain(&agenda.running);
    let found: BTreeSet<NodeId> = open
        .filter(|id| !gone.contains(id) && !possible.contains(id))
        .filter(|id| {
            state
                .calls
                .get(id)
                .is_some_and(|call| call.status != Status::Invalid)
        })
        .copied()
        .collect();
    found.into_iter().collect()
}

fn estimate(state: &State, without: &[TurnId]) -> u64 {
    let before = without
        .iter()
        .min_by_key(|id| state.turns.get(id).map(|turn| turn.pos))
        .copied();
    let system = state.started.as_ref().map_or(0, |started| {
        started.system.len()
            + started
                .tools
                .iter()
                .map(|tool| tool.schema.len() + tool.description.len())
                .sum::<usize>()
    });
    let bytes: usize = messages(state, ThreadId(0), before)
        .iter()
        .map(|message| match message {
            Message::User { text, .. } | Message::Note { text, .. } | Message::Result { text, .. } => {
                text.len()
            }
            Message::Assistant { said, calls } => {
                said.iter().map(|said| said.text.len()).sum::<usize>()
                    + calls
                        .iter()
                        .map(|call| call.args.len() + call.tool.len())
                        .sum::<usize>()
            }
        })
        .sum();
    ((system + bytes) / 4) as u64
}
