//! Applies events about the handling of failed calls.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::at::At;
use super::repair::{counts, tool_of, with};
use super::{index, repair};
use crate::breaker::Turn;
use crate::call::Status;
use crate::event::ResilienceEvent;
use crate::id::{NodeId, Rev};
use crate::ladder::Delay;
use crate::node::{Content, Node};
use crate::state::{Configured, Mode, State};

pub(super) fn apply(state: &mut State, at: At, event: &ResilienceEvent) {
    match event {
        ResilienceEvent::GaveUp { call, rev, why } => gave_up(state, *call, *rev, why),
        ResilienceEvent::RetryScheduled {
            call,
            rev,
            no,
            of,
            wait_ms,
            why,
            ..
        } => {
            let delay = Delay {
                tries: Some((*no, *of)),
                left_ms: *wait_ms,
                since: (state.mode == Mode::Running).then_some(at.utc_ms),
                set: at.seq,
                why: why.clone(),
            };
            scheduled(state, (*call, *rev), delay);
        }
        ResilienceEvent::RetryDue {
            call, rev, attempt, ..
        } => {
            let waits = counts(state, *call, *rev).is_some_and(|life| {
                life.status == Status::Scheduled && life.last_attempt().is_some_and(|one| one.no == *attempt)
            });
            if waits {
                index::set_status(state, *call, Status::Queued);
            }
        }
        ResilienceEvent::BreakerChanged {
            scope,
            generation,
            to,
            wait_ms,
            why,
            instead,
        } => {
            let turn = Turn {
                to: *to,
                wait_ms: *wait_ms,
                why: why.clone(),
            };
            super::breaker::changed(state, at, scope, *generation, &turn);
            if let Some(breaker) = state.learned.breakers.get_mut(scope) {
                breaker.instead.clone_from(instead);
            }
        }
        ResilienceEvent::PolicySet {
            version,
            policy,
            live,
            ..
        } => {
            state.settings.resilience = Some(Configured::of(*version, policy.clone(), *live));
        }
        ResilienceEvent::RepairStarted { .. }
        | ResilienceEvent::RepairDiagnosed { .. }
        | ResilienceEvent::RepairAsked { .. }
        | ResilienceEvent::RepairBroke { .. }
        | ResilienceEvent::RepairAnswered { .. }
        | ResilienceEvent::RepairOffered { .. }
        | ResilienceEvent::RepairApplied { .. } => repair::apply(state, at, event),
    }
}

fn gave_up(state: &mut State, id: NodeId, rev: Rev, why: &Arc<str>) {
    let Some(life) = counts(state, id, rev) else {
        return;
    };
    match life.status {
        Status::Failed(_) | Status::Invalid => {
            state.agenda.failures.remove(&id);
        }
        // The call returns to its status before the repair.
        Status::Repairing(_) => {
            let before = failed_as(state, id, rev);
            let asked = state.calls.get(&id).and_then(|life| life.failure.repairs.last());
            let asked = asked.and_then(|round| round.asked.as_ref());
            let asked = asked
                .map(|question| question.strategies.clone())
                .unwrap_or_default();
            if let Some(tool) = tool_of(state, id) {
                state.learned.repair_stats.ended(&tool, &asked, false);
            }
            with(state, id, |life| {
                life.validation.because = None;
                if let Some(round) = life.failure.repairs.last_mut() {
                    round.gave_up = Some(why.clone());
                }
            });
            index::set_status(state, id, before);
            state.agenda.failures.remove(&id);
        }
        _ => return,
    }
    with(state, id, |life| {
        life.failure.given_up = Some(why.clone());
    });
}

/// The status of a call whose failure is not repaired: failed if this revision ran.
fn failed_as(state: &State, id: NodeId, rev: Rev) -> Status {
    let text = state.observation(id).map(|node| &node.now().content);
    match text {
        Some(Content::Observation {
            call_rev,
            outcome: crate::call::Outcome::Err(error),
            ..
        }) if *call_rev == rev => Status::Failed(error.class),
        _ => Status::Invalid,
    }
}

fn scheduled(state: &mut State, (id, rev): (NodeId, Rev), delay: Delay) {
    if counts(state, id, rev).is_none_or(|life| !matches!(life.status, Status::Failed(_))) {
        return;
    }
    // A call with a value has a place among the writes of the turn.
    let gave_value = state.nodes.get(&id.observation()).is_some_and(ever_ok);
    index::set_status(state, id, Status::Scheduled);
    with(state, id, |life| {
        if !gave_value {
            life.slot = None;
        }
        life.failure.retries = delay.tries.map_or(0, |(no, _)| no);
        life.failure.delay = Some(delay);
    });
}

fn ever_ok(observation: &Node) -> bool {
    let ok = |content: &Content| matches!(content, Content::Observation { outcome, .. } if outcome.is_ok());
    observation.revisions.iter().any(|one| ok(&one.content))
}

/// Stops the delays of calls while the run is paused.
pub(super) fn freeze(state: &mut State, at: At) {
    for id in state.agenda.delayed.clone() {
        with(state, id, |life| {
            if let Some(delay) = &mut life.failure.delay {
                delay.left_ms = delay.left(at.utc_ms);
                delay.since = None;
            }
        });
    }
}

/// Restarts the remaining delays when the run resumes, also in another process.
pub(super) fn thaw(state: &mut State, at: At) {
    if state.mode != Mode::Running {
        return;
    }
    for id in state.agenda.delayed.clone() {
        with(state, id, |life| {
            if let Some(delay) = &mut life.failure.delay {
                // Time in which the operator could not withdraw an approval does not count.
                if delay.tries.is_some() {
                    delay.left_ms = delay.left(at.utc_ms);
                }
                (delay.since, delay.set) = (Some(at.utc_ms), at.seq);
            }
        });
    }
}
