//! Folds facts about calls. Must not know: why they were decided.

use std::sync::Arc;

use super::{At, index};
use crate::domain::breaker::Probe;
use crate::domain::call::{AttemptRecord, Decision, Digest, EffectClass, Outcome, Status};
use crate::domain::event::CallEvent;
use crate::domain::id::{Attempt, NodeId, Rev};
use crate::domain::node::{Content, Node, Origin, Revision, Standing};
use crate::domain::reference::{OutPath, Root};
use crate::domain::state::{LedgerEntry, LedgerOutcome, State};
use crate::domain::thread;

pub(super) fn apply(state: &mut State, at: At, event: &CallEvent) {
    let epoch = state.epoch;
    if let Some(life) = state.calls.get_mut(&event.call()) {
        life.remember(epoch);
    }
    match event {
        CallEvent::Checked {
            call,
            faults,
            references,
            label,
            out,
            effect,
            delegates,
            ..
        } => {
            // Who read it by a name that it does not have any more.
            let before = index::readers(state, *call);
            let Some(life) = state.calls.get_mut(call) else {
                return;
            };
            life.faults.clone_from(faults);
            life.references.clone_from(references);
            life.label = label.clone();
            life.out.clone_from(out);
            life.effect = *effect;
            life.delegates = *delegates;
            note_names(state, *call);
            if faults.is_empty() {
                index::set_status(state, *call, Status::Blocked);
            } else {
                invalid(state, *call);
            }
            let after = index::readers(state, *call);
            for reader in before.iter().filter(|id| !after.contains(id)).chain(&after) {
                index::look_again(state, *reader);
            }
            super::edit::hold_new(state, *call);
        }
        CallEvent::Ready {
            call,
            bindings,
            resolved,
            digest,
            verdict,
            ..
        } => {
            let args = state
                .nodes
                .get(call)
                .and_then(Node::as_call)
                .map(|(_, args)| args.clone());
            let Some(life) = state.calls.get_mut(call) else {
                return;
            };
            life.bindings.clone_from(bindings);
            life.resolved = resolved.clone().or(args);
            life.digest = Some(digest.clone());
            life.verdict = Some(verdict.clone());
            life.ready = Some(at.seq);
            index::set_status(state, *call, Status::Ready);
        }
        CallEvent::Unfit { call, faults, .. } => {
            let Some(life) = state.calls.get_mut(call) else {
                return;
            };
            life.faults.clone_from(faults);
            trust(state, *call);
            invalid(state, *call);
        }
        CallEvent::Asked { call, .. } => index::set_status(state, *call, Status::Awaiting),
        CallEvent::ConsentAsked { call, cause, entries } => {
            if let Some(life) = state.calls.get_mut(call) {
                life.asked_about.clone_from(entries);
            }
            index::set_status(state, *call, Status::Consent(*cause));
        }
        CallEvent::Decided {
            call,
            rev,
            digest,
            decision,
        } => decided(state, at, (*call, *rev), digest.as_ref(), decision),
        CallEvent::Started { .. } => started(state, at, event),
        executed => outcomes(state, at, executed),
    }
}

/// Adds to a list that mostly stays at one: no room is kept for three more.
fn push<T>(list: &mut Vec<T>, one: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(one);
}

/// It cannot run as it is; what is done about it is still to be decided.
fn invalid(state: &mut State, id: NodeId) {
    index::retract(state, id);
    index::set_status(state, id, Status::Invalid);
    failed(state, id);
}

/// What is done about its failure is still to be decided.
fn failed(state: &mut State, id: NodeId) {
    if state.nodes.get(&id).is_some_and(|node| node.active) {
        state.agenda.failures.insert(id);
    }
}

/// Folds what came of a call: executions, values, ends.
fn outcomes(state: &mut State, at: At, event: &CallEvent) {
    match event {
        CallEvent::Spawned {
            call,
            attempt,
            pid,
            ticks,
        } => {
            if let Some(record) = attempt_mut(state, *call, *attempt) {
                record.process = Some((*pid, *ticks));
            }
        }
        CallEvent::Finished {
            call,
            rev,
            attempt,
            outcome,
            ms,
        } => {
            finished(state, at, (*call, *rev, *attempt), outcome, *ms);
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
                entry.probed = true;
            }
        }
        CallEvent::Kept { call, bindings } => {
            if let Some(life) = state.calls.get_mut(call) {
                life.bindings.clone_from(bindings);
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
                // Where a call waits for it, its value follows.
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
                    .is_some_and(|life| life.status == Status::InDoubt(*attempt))
            {
                index::set_status(state, *call, Status::Blocked);
            }
        }
        // The way of a call up to its execution is folded above; a wish for its end changes nothing yet.
        _ => {}
    }
}

fn attempt_mut(state: &mut State, call: NodeId, attempt: Attempt) -> Option<&mut AttemptRecord> {
    state
        .calls
        .get_mut(&call)?
        .attempts
        .iter_mut()
        .find(|one| one.no == attempt)
}

/// Enters a checked call into the indices of names.
fn note_names(state: &mut State, id: NodeId) {
    let Some(call) = state.calls.get(&id) else { return };
    let agenda = &mut state.agenda;
    let holders = agenda.labels.entry(call.label.clone()).or_default();
    if !holders.contains(&id) {
        holders.push(id);
    }
    for head in call.out.iter().flat_map(OutPath::heads) {
        let writers = agenda.writers.entry(Arc::from(head)).or_default();
        if !writers.contains(&id) {
            writers.push(id);
        }
    }
    for reference in &call.references {
        reference.expr.each(&mut |target| {
            let head: Arc<str> = Arc::from(target.head.as_str());
            match target.root {
                Root::Call => agenda.readers.entry(head).or_default().insert(id),
                Root::State => agenda.state_readers.entry(head).or_default().insert(id),
                Root::Input => false,
            };
        });
    }
}

fn decided(
    state: &mut State,
    at: At,
    (call, rev): (NodeId, Rev),
    digest: Option<&Digest>,
    decision: &Decision,
) {
    let Some(life) = state.calls.get_mut(&call) else {
        return;
    };
    push(&mut life.decisions, (rev, at.seq, decision.clone()));
    let next = match decision {
        Decision::Approve { .. } | Decision::Auto { .. } | Decision::Edited | Decision::RunAgain => {
            life.approved = digest.cloned();
            if *decision == Decision::RunAgain {
                life.consented.extend(std::mem::take(&mut life.asked_about));
            }
            Status::Queued
        }
        Decision::Reject { reason } => {
            life.because = Some(Arc::from(reason.as_str()));
            life.denied_by = None;
            Status::Rejected
        }
        Decision::Deny { rule, reason } => {
            life.because = Some(Arc::from(reason.as_str()));
            life.denied_by = Some(Arc::from(rule.as_str()));
            Status::Rejected
        }
        Decision::Expire { consequence } => match consequence {
            crate::domain::call::Consequence::Escalate => return,
            crate::domain::call::Consequence::Deny | crate::domain::call::Consequence::Halt => {
                Status::Expired
            }
        },
        // The value follows as an event of its own.
        Decision::Answer | Decision::Reuse { .. } => return,
    };
    life.suspect = false;
    state.agenda.suspects.remove(&call);
    if next != Status::Queued {
        // Who says no says it of whatever he had allowed before.
        life.approved = None;
        index::retract(state, call);
    }
    index::set_status(state, call, next);
}

fn started(state: &mut State, at: At, event: &CallEvent) {
    let CallEvent::Started {
        call,
        rev,
        attempt,
        key,
        same,
        effect,
        task,
        before,
        thread,
        guards,
    } = event
    else {
        return;
    };
    let tool = state
        .nodes
        .get(call)
        .and_then(Node::as_call)
        .map_or_else(|| Arc::from(""), |(tool, _)| tool.clone());
    if !state.calls.contains_key(call) {
        return;
    }
    let guards = super::breaker::admit(state, guards, Probe::Call(*call, *attempt));
    let Some(life) = state.calls.get_mut(call) else {
        return;
    };
    let record = AttemptRecord {
        no: *attempt,
        rev: *rev,
        args: life.resolved.clone().unwrap_or_default(),
        epoch: state.epoch,
        intent: at.seq,
        thread: *thread,
        guards,
        process: None,
        outcome: None,
        ms: None,
        fenced: false,
    };
    push(&mut life.attempts, record);
    let entry = LedgerEntry {
        seq: at.seq,
        call: *call,
        rev: *rev,
        attempt: *attempt,
        tool,
        same: same.clone(),
        key: key.clone(),
        effect: *effect,
        task: task.clone(),
        before: before.clone(),
        at: at.utc_ms,
        thread: *thread,
        outcome: LedgerOutcome::Running,
        ended: None,
        probed: false,
        orphaned: false,
        edited: false,
        reused_by: Vec::new(),
        epoch: state.epoch,
    };
    state.ledger.insert(at.seq, entry);
    state.agenda.same.entry(same.clone()).or_default().push(at.seq);
    state.step = false;
    state.last_thread = thread.map_or(state.last_thread, |thread| state.last_thread.max(thread.0));
    index::set_status(state, *call, Status::Running(*attempt));
    raise(state, *call, *effect);
}

/// A sub-agent can do what its calls can do: the calls that it hangs on are of the highest class of its ledger.
fn raise(state: &mut State, id: NodeId, effect: EffectClass) {
    let epoch = state.epoch;
    let above: Vec<(NodeId, Attempt)> = thread::above(state, thread::of(state, id))
        .map(|child| (child.call, child.attempt))
        .collect();
    for (id, attempt) in above {
        let Some(call) = state.calls.get_mut(&id) else {
            continue;
        };
        if call.effect < effect {
            call.remember(epoch);
            call.effect = effect;
        }
        let record = call.attempts.iter().find(|one| one.no == attempt);
        let Some(entry) = record.and_then(|record| state.ledger.get_mut(&record.intent)) else {
            continue;
        };
        let had_none = !entry.effect.has_effect();
        entry.effect = entry.effect.max(effect);
        if had_none && entry.effect.has_effect() {
            let same = state.agenda.same.entry(entry.same.clone()).or_default();
            let place = same.partition_point(|seq| *seq < entry.seq);
            same.insert(place, entry.seq);
        }
    }
}

fn finished(state: &mut State, at: At, which: (NodeId, Rev, Attempt), outcome: &Outcome, ms: u64) {
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
    record.fenced = !current;
    let guards = record.guards.clone();
    state.agenda.ending.remove(&(id, attempt));
    // What a sub-agent did is known from its own calls.
    let by_child = record.thread.is_some();
    let in_doubt = matches!(outcome, Outcome::Cancelled { executed: true })
        && effect > EffectClass::Idempotent
        && !by_child;
    let mut unknown = false;
    if let Some(entry) = state.ledger.get_mut(&record.intent) {
        entry.outcome = if by_child {
            record.ms = u64::try_from(at.utc_ms.saturating_sub(entry.at)).ok();
            LedgerOutcome::Known(outcome.clone())
        } else {
            ledger_outcome(outcome, entry.effect)
        };
        entry.ended = Some(at.seq);
        unknown = entry.outcome == LedgerOutcome::Unknown;
    }
    super::breaker::ran(state, at, &guards, (id, attempt), outcome);
    if unknown {
        index::gate_again(state);
    }
    if !current {
        return;
    }
    if in_doubt {
        index::set_status(state, id, Status::InDoubt(attempt));
        return;
    }
    record_value(state, at, id, (rev, attempt), outcome, &Origin::Execution);
    if matches!(outcome, Outcome::Err(_)) {
        failed(state, id);
    }
}

/// A time-out or a cancelled execution of something with effects proves nothing.
fn ledger_outcome(outcome: &Outcome, effect: EffectClass) -> LedgerOutcome {
    let unproven = match outcome {
        Outcome::Ok { .. } => false,
        Outcome::Err(error) => error.executed && error.class == crate::domain::call::ErrorClass::Transient,
        Outcome::Cancelled { executed } => *executed,
    };
    let nothing = match outcome {
        Outcome::Ok { .. } => false,
        Outcome::Err(error) => !error.executed,
        Outcome::Cancelled { executed } => !executed,
    };
    if nothing {
        LedgerOutcome::DidNot
    } else if unproven && effect.has_effect() {
        LedgerOutcome::Unknown
    } else {
        LedgerOutcome::Known(outcome.clone())
    }
}

fn given(state: &mut State, at: At, call: NodeId, rev: Rev, outcome: &Outcome, origin: &Origin) {
    let attempt = match state.calls.get(&call).map(|life| &life.status) {
        Some(Status::InDoubt(attempt)) => *attempt,
        Some(_) => Attempt(0),
        None => return,
    };
    if let Some(intent) = attempt_mut(state, call, attempt).map(|record| record.intent)
        && let Some(entry) = state.ledger.get_mut(&intent)
    {
        entry.outcome = LedgerOutcome::Known(outcome.clone());
        entry.ended = Some(at.seq);
    }
    if let Origin::Reused { from } = origin
        && let Some(entry) = state.ledger.get_mut(from)
    {
        entry.reused_by.push(call);
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
    if let Some(node) = state.nodes.get_mut(&observation) {
        let said = Revision {
            no: node.next_rev(),
            content,
            origin: origin.clone(),
            epoch,
            event: at.seq,
        };
        node.say(epoch, said);
        let standing = Standing {
            active: true,
            pinned: false,
            ..node.standing()
        };
        node.stand(epoch, standing);
    } else {
        super::add_node(state, at, turn, observation, content, origin.clone());
    }
    // What ran on inputs that are in question stays in question with its result.
    if *origin != Origin::Execution {
        trust(state, id);
    }
    end_call(state, id, outcome);
}

/// The inputs of a call are not in question any more.
pub(super) fn trust(state: &mut State, id: NodeId) {
    state.agenda.suspects.remove(&id);
    if let Some(life) = state.calls.get_mut(&id)
        && life.suspect
    {
        life.remember(state.epoch);
        life.suspect = false;
    }
}

/// Ends a call by its result; also used when an operator corrects an observation.
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
        life.retries = 0;
    }
    index::set_status(state, id, Status::of(outcome));
}

fn end_without(state: &mut State, id: NodeId, status: Status, because: &Arc<str>) {
    if let Some(life) = state.calls.get_mut(&id) {
        life.because = Some(because.clone());
    }
    trust(state, id);
    index::retract(state, id);
    index::set_status(state, id, status);
}

/// The sub-agent of a finished execution works on: what it gave does not count any more.
fn continued(state: &mut State, id: NodeId, attempt: Attempt) {
    let active = state.nodes.get(&id).filter(|node| node.active);
    let Some(turn) = active.map(|node| node.turn) else {
        return;
    };
    let ended = state
        .calls
        .get(&id)
        .is_some_and(|call| matches!(call.status, Status::Succeeded | Status::Failed(_)));
    let Some(record) = attempt_mut(state, id, attempt).filter(|record| ended && record.thread.is_some())
    else {
        return;
    };
    // What it came to before stays on record until it comes to something else.
    record.fenced = false;
    index::retract(state, id);
    index::reopen_turn(state, turn);
    index::set_status(state, id, Status::Running(attempt));
}

fn woken(state: &mut State, id: NodeId) {
    let Some(life) = state.calls.get_mut(&id) else {
        return;
    };
    life.because = None;
    life.denied_by = None;
    life.retries = 0;
    // What was found wrong may have been in what it read: it is checked from the beginning.
    let next = if life.status == Status::Invalid {
        Status::Proposed
    } else {
        Status::Blocked
    };
    trust(state, id);
    if let Some(turn) = state.nodes.get(&id).map(|node| node.turn) {
        index::reopen_turn(state, turn);
    }
    index::set_status(state, id, next);
}
