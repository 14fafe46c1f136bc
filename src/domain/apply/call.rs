//! Applies events about calls up to their execution.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::at::At;
use super::index;
use crate::breaker::Source;
use crate::call::{AttemptRecord, Decision, Digest, EffectClass, LaunchContext, Status};
use crate::event::CallEvent;
use crate::id::{Attempt, NodeId, Rev, Seq};
use crate::ladder::Delay;
use crate::node::Node;
use crate::reference::{OutPath, Root};
use crate::repeat;
use crate::state::{LedgerEntry, LedgerOutcome, Mode, More, State};
use crate::thread;

/// Number of recent verdicts and decisions searched for an equal one.
const LATELY: usize = 8;

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
            // Readers by a name that the call no longer has.
            let before = index::readers(state, *call);
            let Some(life) = state.calls.get_mut(call) else {
                return;
            };
            life.validation.faults.clone_from(faults);
            life.refs.references.clone_from(references);
            life.refs.out.clone_from(out);
            life.label = label.clone();
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
        CallEvent::Ready { .. } => ready(state, at, event),
        CallEvent::Invalid { call, faults, .. } => {
            let Some(life) = state.calls.get_mut(call) else {
                return;
            };
            life.validation.faults.clone_from(faults);
            trust(state, *call);
            invalid(state, *call);
        }
        CallEvent::Asked {
            call,
            deadline_ms,
            approver,
            ..
        } => {
            if let Some(life) = state.calls.get_mut(call) {
                let due = deadline_ms.filter(|_| approver.is_none()).map(|ms| after(at, ms));
                (life.approval.due, life.approval.due_set) = (due, at.seq);
                life.approval.approver.clone_from(approver);
                state.operator.asks.by_policy(life.verdict.as_deref());
            }
            index::set_status(state, *call, Status::AwaitingApproval);
        }
        CallEvent::ConsentAsked { call, cause, entries } => {
            if let Some(life) = state.calls.get_mut(call) {
                life.approval.asked_about.clone_from(entries);
            }
            state.operator.asks.by_effect();
            index::set_status(state, *call, Status::Consent(*cause));
        }
        CallEvent::Decided {
            call,
            rev,
            digest,
            decision,
        } => decided(state, at, (*call, *rev), digest.as_ref(), decision),
        CallEvent::Graced { call, wait_ms, .. } => {
            graced(state, at, *call, *wait_ms);
        }
        CallEvent::GraceEnded { call, .. } => grace_over(state, *call),
        CallEvent::Started { .. } => started(state, at, event),
        executed => super::outcome::apply(state, at, executed),
    }
}

/// Applies that all inputs of a call are known.
fn ready(state: &mut State, at: At, event: &CallEvent) {
    let CallEvent::Ready {
        call,
        bindings,
        resolved,
        digest,
        operands,
        verdict,
        ..
    } = event
    else {
        return;
    };
    let content = state.nodes.get(call).and_then(Node::as_call);
    let args = content.map(|(_, args)| args.clone());
    let verdict = shared(&mut state.agenda.verdicts, verdict);
    let Some(life) = state.calls.get_mut(call) else {
        return;
    };
    life.refs.bindings.clone_from(bindings);
    life.refs.pinned_args = None;
    let resolved = resolved.clone().or(args);
    let again = life.digest.is_some() && life.resolved == resolved;
    life.resolved = resolved;
    life.digest = Some(digest.clone());
    life.take_operands(operands, again);
    life.verdict = Some(verdict);
    life.ready = Some(at.seq);
    (life.approval.due, life.approval.overdue) = (None, false);
    life.approval.approver = None;
    index::set_status(state, *call, Status::Ready);
}

/// An equal value among the recent ones, or the new one.
fn shared<T: Clone + PartialEq>(lately: &mut Vec<Arc<T>>, output: &T) -> Arc<T> {
    if let Some(same) = lately.iter().rev().find(|one| ***one == *output) {
        return Arc::clone(same);
    }
    if lately.len() == LATELY {
        lately.remove(0);
    }
    let new = Arc::new(output.clone());
    lately.push(Arc::clone(&new));
    new
}

/// Starts the time in which the approval can be withdrawn.
fn graced(state: &mut State, at: At, call: NodeId, wait_ms: u64) {
    let since = (state.mode == Mode::Running).then_some(at.utc_ms);
    index::set_status(state, call, Status::Scheduled);
    if let Some(life) = state.calls.get_mut(&call) {
        let delay = Delay {
            tries: None,
            left_ms: wait_ms,
            since,
            set: at.seq,
            why: "it was approved".into(),
        };
        life.failure.delay = Some(delay);
    }
}

/// Ends the time in which the newest approval can be withdrawn.
fn grace_over(state: &mut State, call: NodeId) {
    if let Some(life) = state.calls.get_mut(&call) {
        let decided = life.decisions.last().map_or(Seq(0), |(_, seq, _)| *seq);
        life.approval.graced = decided;
    }
    index::set_status(state, call, Status::Queued);
}

/// The time `ms` milliseconds later.
fn after(at: At, ms: u64) -> i64 {
    at.utc_ms.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// Restarts the deadlines of open questions.
pub(super) fn restart_deadlines(state: &mut State, at: At) {
    let asked: Vec<(NodeId, u64)> = crate::effects::open_deadlines(state)
        .map(|(call, ms)| (call.id, ms))
        .collect();
    for (id, ms) in asked {
        if let Some(life) = state.calls.get_mut(&id) {
            (life.approval.due, life.approval.due_set) = (Some(after(at, ms)), at.seq);
        }
    }
}

/// Marks a call as invalid; what follows is decided next.
fn invalid(state: &mut State, id: NodeId) {
    index::retract(state, id);
    index::set_status(state, id, Status::Invalid);
    failed(state, id);
}

/// Adds a call to the failures that need a decision.
pub(super) fn failed(state: &mut State, id: NodeId) {
    if state.nodes.get(&id).is_some_and(|node| node.active) {
        state.agenda.failures.insert(id);
    }
}

/// Adds a checked call to the indices of names.
fn note_names(state: &mut State, id: NodeId) {
    let Some(call) = state.calls.get(&id) else { return };
    let agenda = &mut state.agenda;
    let holders = agenda.names.entry(call.label.clone()).or_default();
    if !holders.contains(&id) {
        holders.push(id);
    }
    for head in call.refs.out.iter().flat_map(OutPath::heads) {
        let writers = agenda.writers.entry(Arc::from(head)).or_default();
        if !writers.contains(&id) {
            writers.push(id);
        }
    }
    for reference in &call.refs.references {
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
    let output = shared(&mut state.agenda.decisions, decision);
    let Some(life) = state.calls.get_mut(&call) else {
        return;
    };
    life.decisions.push((rev, at.seq, output));
    if matches!(decision, Decision::Reuse { .. }) && !at.by_person {
        state.operator.unasked.insert(at.seq);
    }
    let next = match decision {
        Decision::Approve { .. }
        | Decision::Auto { .. }
        | Decision::Allowed { .. }
        | Decision::Edited
        | Decision::RunAgain { .. } => {
            // Share equal texts.
            let shown = life.digest.as_ref().filter(|shown| Some(*shown) == digest);
            life.approved = shown.or(digest).cloned();
            if matches!(decision, Decision::RunAgain { .. }) {
                let asked_about = std::mem::take(&mut life.approval.asked_about);
                life.approval.consented.extend(asked_about);
            }
            Status::Queued
        }
        Decision::Withdrawn { .. } => {
            life.approval.consented.clear();
            life.approval.edit_approves = None;
            Status::Ready
        }
        Decision::DidNotFinish => {
            if let Status::OutcomeUnknown(attempt) = life.status {
                super::outcome::did_not_finish(state, at, call, (rev, attempt));
            }
            return;
        }
        Decision::Abandon { reason } => {
            life.validation.because = Some(Arc::from(reason.as_str()));
            life.validation.denied_by = None;
            Status::Abandoned
        }
        Decision::Reject { reason } => {
            life.validation.because = Some(Arc::from(reason.as_str()));
            life.validation.denied_by = None;
            Status::Rejected
        }
        Decision::Deny { rule, reason } => {
            life.validation.because = Some(Arc::from(reason.as_str()));
            life.validation.denied_by = Some(Arc::from(rule.as_str()));
            Status::Rejected
        }
        Decision::Expire { consequence } => match consequence {
            crate::call::Consequence::Escalate => {
                (life.approval.due, life.approval.overdue) = (None, true);
                return;
            }
            crate::call::Consequence::Deny | crate::call::Consequence::Halt => Status::Expired,
        },
        // From here it is a question like any other: its time starts now.
        Decision::LeftToOperator { .. } => {
            life.approval.approver = None;
            let ms = life.verdict.as_ref().and_then(|verdict| verdict.deadline_ms);
            (life.approval.due, life.approval.due_set) = (ms.map(|ms| after(at, ms)), at.seq);
            return;
        }
        // The value follows as an event of its own.
        Decision::Answer | Decision::Reuse { .. } | Decision::Carry { .. } => return,
    };
    // Withdrawing a decision says nothing about the inputs of the call.
    if next != Status::Ready {
        life.suspect = false;
        state.agenda.suspects.remove(&call);
    }
    if next != Status::Queued {
        // A rejection cancels every earlier approval.
        life.approved = None;
        if next != Status::Ready {
            index::retract(state, call);
        }
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
    let guards = super::breaker::admit(state, guards, Source::Call(*call, *attempt));
    let Some(life) = state.calls.get_mut(call) else {
        return;
    };
    let args = life.resolved.clone().unwrap_or_default();
    let mut record = AttemptRecord {
        no: *attempt,
        rev: *rev,
        args: args.clone(),
        epoch: state.epoch,
        intent: at.seq,
        thread: *thread,
        outcome: None,
        digest: None,
        ms: None,
        fenced: false,
        launch: LaunchContext::default(),
        refused: Vec::new(),
        files: None,
    };
    record.launch.guards = guards;
    life.attempts.push(record);
    let mut entry = LedgerEntry {
        seq: at.seq,
        call: *call,
        rev: *rev,
        attempt: *attempt,
        same: same.clone(),
        tool,
        // A sub-agent can have effects, too, once its calls have some.
        key: (effect.has_effect() || thread.is_some()).then(|| key.clone()),
        effect: *effect,
        task: shared_task(state, task.as_ref()),
        at: at.utc_ms,
        thread: *thread,
        outcome: LedgerOutcome::Running,
        ended: None,
        epoch: state.epoch,
        more: More::default(),
    };
    entry.more.before.clone_from(before);
    state.ledger.insert(at.seq, entry);
    if effect.has_effect() {
        repeat::note_effect(state, at.seq);
    }
    state.agenda.same.entry(same.clone()).or_default().push(at.seq);
    state.settings.step = false;
    state.tally.last_thread = thread.map_or(state.tally.last_thread, |thread| {
        state.tally.last_thread.max(thread.0)
    });
    index::set_status(state, *call, Status::Running(*attempt));
    raise(state, *call, *effect);
}

/// A kind of task; shares the text of the previous execution if equal.
fn shared_task(state: &State, task: Option<&Arc<str>>) -> Option<Arc<str>> {
    let before = state.ledger.values().next_back();
    let before = before.and_then(|entry| entry.task.as_ref());
    before.filter(|before| Some(*before) == task).or(task).cloned()
}

/// A sub-agent can do what its calls can do: raises the calls above it to the highest class of its
/// ledger.
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
        let (seq, has_one) = (entry.seq, entry.effect.has_effect());
        if had_none && has_one {
            repeat::note_effect(state, seq);
        }
    }
}

/// Clears the stale mark of a call.
pub(super) fn trust(state: &mut State, id: NodeId) {
    state.agenda.suspects.remove(&id);
    if let Some(life) = state.calls.get_mut(&id)
        && life.suspect
    {
        life.remember(state.epoch);
        life.suspect = false;
    }
}

pub(super) fn woken(state: &mut State, id: NodeId) {
    let Some(life) = state.calls.get_mut(&id) else {
        return;
    };
    (life.validation.because, life.validation.denied_by) = (None, None);
    life.failure.retries = 0;
    // The fault may have been in its inputs: it is checked from the start.
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
