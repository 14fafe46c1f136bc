//! What the world is asked to do once an event was recorded. A replay folds the same events and
//! leaves these undone. Must not know: how a request is carried out.

use std::collections::BTreeSet;

use super::call::{EffectClass, Status};
use super::effect::Effect;
use super::event::{CallEvent, Event, RunEvent, TurnEvent};
use super::id::{Attempt, NodeId};
use super::state::State;
use super::thread;

/// The requests that follow from an event; the state is the one after it.
pub fn effects(state: &State, event: &Event) -> Vec<Effect> {
    match event {
        Event::Turn(TurnEvent::Requested {
            turn,
            thread,
            request,
            wait_ms,
            ..
        }) => {
            vec![Effect::Ask {
                turn: *turn,
                thread: *thread,
                request: *request,
                wait_ms: *wait_ms,
            }]
        }
        Event::Turn(TurnEvent::Aborted { turn, .. }) => vec![Effect::Abort { turn: *turn }],
        Event::Turn(TurnEvent::Broken { turn, fault, .. }) => {
            vec![Effect::Notify {
                why: format!("{turn}: {}", fault.kind.word()),
            }]
        }
        Event::Call(CallEvent::Started {
            call,
            rev,
            attempt,
            thread: None,
            ..
        }) => {
            vec![Effect::Launch {
                call: *call,
                rev: *rev,
                attempt: *attempt,
            }]
        }
        Event::Call(CallEvent::CancelAsked { call, attempt, .. }) => {
            vec![Effect::Cancel {
                call: *call,
                attempt: *attempt,
            }]
        }
        Event::Call(CallEvent::Asked {
            call,
            rev,
            deadline_ms,
        }) => {
            let mut effects = vec![Effect::Notify {
                why: format!("{call} waits for approval"),
            }];
            if let Some(ms) = deadline_ms {
                effects.push(Effect::Deadline {
                    call: *call,
                    rev: *rev,
                    ms: *ms,
                });
            }
            effects
        }
        Event::Call(CallEvent::ConsentAsked { call, .. }) => {
            vec![Effect::Notify {
                why: format!("{call} waits for consent"),
            }]
        }
        Event::Run(RunEvent::Reopened { interrupted, .. }) => reopened(state, interrupted),
        Event::Run(RunEvent::Resumed {}) | Event::Turn(TurnEvent::Restored { .. }) => deadlines(state),
        Event::Run(RunEvent::LimitReached { message, .. }) => vec![Effect::Notify { why: message.clone() }],
        Event::Run(RunEvent::Finished { .. }) => vec![Effect::Notify {
            why: "the run is finished".into(),
        }],
        Event::Run(_) | Event::Turn(_) | Event::Call(_) | Event::Edit(_) => Vec::new(),
    }
}

/// Executions in doubt that left a trace to look for, and deadlines that begin anew.
fn reopened(state: &State, interrupted: &[(NodeId, Attempt)]) -> Vec<Effect> {
    // Also those that an earlier process had found in doubt and had no time to look for.
    let in_doubt = state.queue().filter_map(|call| match call.status {
        Status::InDoubt(attempt) => Some((call.id, attempt)),
        _ => None,
    });
    let all: BTreeSet<(NodeId, Attempt)> = interrupted.iter().copied().chain(in_doubt).collect();
    let mut effects: Vec<Effect> = all
        .into_iter()
        .filter(|(call, attempt)| leaves_traces(state, *call, *attempt))
        .map(|(call, attempt)| Effect::Probe { call, attempt })
        .collect();
    effects.extend(deadlines(state));
    effects
}

/// True for an execution that may be looked for and was not yet.
fn leaves_traces(state: &State, call: NodeId, attempt: Attempt) -> bool {
    let Some(life) = state.calls.get(&call) else {
        return false;
    };
    let entry = life
        .attempts
        .iter()
        .find(|one| one.no == attempt)
        .and_then(|one| state.ledger.get(&one.intent));
    life.effect >= EffectClass::Write && entry.is_some_and(|entry| !entry.probed)
}

/// The deadlines of what waits for approval, from now.
fn deadlines(state: &State) -> Vec<Effect> {
    let mut effects = Vec::new();
    for call in state.queue() {
        let rev = state
            .nodes
            .get(&call.id)
            .map(super::node::Node::rev)
            .unwrap_or_default();
        let counts = state
            .turn_of(call.id)
            .is_some_and(|turn| thread::acts(state, turn));
        if counts
            && call.status == Status::Awaiting
            && let Some(ms) = call.verdict.as_ref().and_then(|verdict| verdict.deadline_ms)
        {
            effects.push(Effect::Deadline {
                call: call.id,
                rev,
                ms,
            });
        }
    }
    effects
}
