//! Applies the outcomes of calls: executions, values, ends.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::at::At;
use super::call::{failed, trust, woken};
use super::index;
use crate::call::{AttemptRecord, EffectClass, Outcome, Status};
use crate::event::CallEvent;
use crate::id::{Attempt, NodeId, Rev};
use crate::ledger;
use crate::node::{Content, NodeState, Origin, Revision};
use crate::output_digest::OutputDigest;
use crate::repair_stats;
use crate::state::{LedgerOutcome, State};

/// Applies the outcome of a call: executions, values, ends.
pub(super) fn apply(state: &mut State, at: At, event: &CallEvent) {
    match event {
        CallEvent::Spawned {
            call,
            attempt,
            pid,
            ticks,
        } => {
            if let Some(record) = attempt_mut(state, *call, *attempt) {
                record.launch.process = Some((*pid, *ticks));
            }
        }
        CallEvent::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms,
            digest,
        } => {
            finished(state, at, (*call, *rev, *attempt), (outcome, *digest), *ms);
        }
        CallEvent::Given {
            call,
            rev,
            outcome,
            origin,
        } => {
            given(state, at, *call, *rev, outcome, origin);
        }
        CallEvent::Skipped { call, because } => end_without(state, *call, Status::Skipped, because),
        CallEvent::Unsatisfiable { call, because } => {
            end_without(state, *call, Status::Unsatisfiable, because);
        }
        CallEvent::Undetermined { call, attempt } => {
            if let Some(intent) = attempt_mut(state, *call, *attempt).map(|record| record.intent)
                && let Some(entry) = state.ledger.get_mut(&intent)
            {
                entry.more.probed = true;
            }
        }
        CallEvent::Retained {
            call,
            bindings,
            pinned_args: based_on,
        } => {
            if let Some(life) = state.calls.get_mut(call) {
                life.refs.bindings.clone_from(bindings);
                life.refs.pinned_args.clone_from(based_on);
            }
            trust(state, *call);
        }
        CallEvent::Woken { call } => woken(state, *call),
        CallEvent::Continued { call, attempt } => continued(state, *call, *attempt),
        CallEvent::Resolved {
            call,
            attempt,
            happened,
            value,
            ..
        } => {
            if let Some(intent) = attempt_mut(state, *call, *attempt).map(|record| record.intent)
                && let Some(entry) = state.ledger.get_mut(&intent)
            {
                // If a call waits for it, its value follows.
                entry.outcome = if *happened {
                    LedgerOutcome::Known(Outcome::ok(value.clone().unwrap_or_else(|| "null".into())))
                } else {
                    LedgerOutcome::DidNot
                };
            }
            if !happened
                && state
                    .calls
                    .get(call)
                    .is_some_and(|life| life.status == Status::OutcomeUnknown(*attempt))
            {
                index::set_status(state, *call, Status::Blocked);
            }
        }
        // Events before the execution are applied elsewhere; a request to cancel changes nothing
        // yet.
        _ => {}
    }
}

pub(super) fn attempt_mut(state: &mut State, call: NodeId, attempt: Attempt) -> Option<&mut AttemptRecord> {
    state
        .calls
        .get_mut(&call)?
        .attempts
        .iter_mut()
        .find(|one| one.no == attempt)
}

fn finished(
    state: &mut State,
    at: At,
    which: (NodeId, Rev, Attempt),
    text: (&Outcome, Option<OutputDigest>),
    ms: u64,
) {
    let (outcome, digest) = text;
    let (id, rev, attempt) = which;
    let newest = state.nodes.get(&id).map(|node| (node.active, node.rev()));
    let Some(call) = state.calls.get_mut(&id) else {
        return;
    };
    let current = newest == Some((true, rev)) && call.status == Status::Running(attempt);
    let effect = call.effect;
    let Some(record) = call.attempts.iter_mut().find(|one| one.no == attempt) else {
        return;
    };
    record.outcome = Some(outcome.clone());
    record.ms = Some(ms);
    record.digest = digest;
    record.fenced = !current;
    let guards = record.launch.guards.clone();
    state.agenda.ending.remove(&(id, attempt));
    // The effects of a sub-agent are known from its own calls.
    let by_child = record.thread.is_some();
    let is_unknown = outcome.is_unseen() && effect > EffectClass::Idempotent && !by_child;
    let mut unknown = false;
    if let Some(entry) = state.ledger.get_mut(&record.intent) {
        entry.outcome = if by_child {
            record.ms = u64::try_from(at.utc_ms.saturating_sub(entry.at)).ok();
            LedgerOutcome::Known(outcome.clone())
        } else {
            ledger::ledger_outcome(outcome, entry.effect)
        };
        entry.ended = Some(at.seq);
        unknown = entry.outcome == LedgerOutcome::Unknown;
    }
    super::breaker::ran(state, &guards, (id, attempt), outcome);
    if let Some(helped) = repair_stats::helped(outcome).filter(|_| current) {
        super::repair::repaired(state, id, rev, helped);
    }
    if unknown {
        index::gate_again(state);
    }
    if !current {
        return;
    }
    if is_unknown {
        index::set_status(state, id, Status::OutcomeUnknown(attempt));
        return;
    }
    record_value(state, at, id, (rev, attempt), outcome, &Origin::Execution);
    if matches!(outcome, Outcome::Err(_)) {
        failed(state, id);
    }
}

/// Ends the call of a cancelled execution of unknown outcome. The ledger keeps the unknown outcome:
/// part of it may have happened.
pub(super) fn did_not_finish(state: &mut State, at: At, call: NodeId, of: (Rev, Attempt)) {
    let outcome = Outcome::Cancelled { executed: true };
    record_value(state, at, call, of, &outcome, &Origin::Execution);
}

fn given(state: &mut State, at: At, call: NodeId, rev: Rev, outcome: &Outcome, origin: &Origin) {
    let attempt = match state.calls.get(&call).map(|life| &life.status) {
        Some(Status::OutcomeUnknown(attempt)) => *attempt,
        Some(_) => Attempt(0),
        None => return,
    };
    if let Some(intent) = attempt_mut(state, call, attempt).map(|record| record.intent)
        && let Some(entry) = state.ledger.get_mut(&intent)
    {
        entry.outcome = LedgerOutcome::Known(outcome.clone());
        entry.ended = Some(at.seq);
    }
    if let Origin::Reused { from } = origin {
        if let Some(entry) = state.ledger.get_mut(from) {
            entry.more.reused_by.push(call);
        } else if let Some(one) = state.origin.elsewhere.get_mut(from) {
            one.reused_by.push(call);
        }
    }
    record_value(state, at, call, (rev, attempt), outcome, origin);
    let by_operator = matches!(origin, Origin::Operator { .. });
    super::edit::pin(state, call.observation(), by_operator);
}

/// Writes a result into the call's observation and ends the call.
fn record_value(
    state: &mut State,
    at: At,
    id: NodeId,
    (call_rev, attempt): (Rev, Attempt),
    outcome: &Outcome,
    origin: &Origin,
) {
    let content = Content::Observation {
        call_rev,
        attempt,
        outcome: outcome.clone(),
    };
    let turn = state.nodes.get(&id).map(|node| node.turn).unwrap_or_default();
    let epoch = state.epoch;
    let observation = id.observation();
    if !state.nodes.get(&id).is_some_and(|node| node.active) {
        return;
    }
    if state.nodes.contains_key(&observation) {
        index::weighed(state, id, |state| {
            let Some(node) = state.nodes.get_mut(&observation) else {
                return;
            };
            let text = Revision {
                no: node.next_rev(),
                content,
                origin: origin.clone(),
                epoch,
                event: at.seq,
            };
            node.revise(epoch, text);
            let condition = NodeState {
                active: true,
                pinned: false,
                ..node.state()
            };
            node.set_state(epoch, condition);
        });
    } else {
        super::new_node::add_node(state, at, turn, observation, content, origin.clone());
    }
    // The result of an execution with stale inputs stays stale.
    if *origin != Origin::Execution {
        trust(state, id);
    }
    end_call(state, id, outcome);
}

/// Ends a call by its result; also for an observation that the operator corrected.
pub(super) fn end_call(state: &mut State, id: NodeId, outcome: &Outcome) {
    let turn = state.nodes.get(&id).map(|node| node.turn);
    let Some(life) = state.calls.get_mut(&id) else {
        return;
    };
    if life.slot.is_none()
        && let Some(turn) = turn.and_then(|turn| state.turns.get_mut(&turn))
    {
        turn.slots = turn.slots.saturating_add(1);
        life.slot = Some(turn.slots);
    }
    if outcome.is_ok() {
        life.failure.retries = 0;
    }
    index::set_status(state, id, Status::of(outcome));
}

fn end_without(state: &mut State, id: NodeId, status: Status, because: &Arc<str>) {
    if let Some(life) = state.calls.get_mut(&id) {
        life.validation.because = Some(because.clone());
    }
    trust(state, id);
    index::retract(state, id);
    index::set_status(state, id, status);
}

/// Resumes the sub-agent of a finished execution: its earlier result is no longer active.
fn continued(state: &mut State, id: NodeId, attempt: Attempt) {
    let active = state.nodes.get(&id).filter(|node| node.active);
    let Some(turn) = active.map(|node| node.turn) else {
        return;
    };
    let ended = state.calls.get(&id).is_some_and(|call| {
        matches!(
            call.status,
            Status::Succeeded | Status::Exited(_) | Status::Failed(_)
        )
    });
    let Some(record) = attempt_mut(state, id, attempt).filter(|record| ended && record.thread.is_some())
    else {
        return;
    };
    // The earlier outcome stays recorded until there is a new one.
    record.fenced = false;
    index::retract(state, id);
    index::reopen_turn(state, turn);
    index::set_status(state, id, Status::Running(attempt));
}
