//! Folds facts about calls up to their execution. Must not know: why they were decided.

use std::sync::Arc;

use super::{At, index};
use crate::domain::breaker::Probe;
use crate::domain::call::{AttemptRecord, Decision, Digest, EffectClass, Status, Verdict};
use crate::domain::event::CallEvent;
use crate::domain::id::{Attempt, NodeId, Rev, Seq};
use crate::domain::ladder::Delay;
use crate::domain::node::Node;
use crate::domain::reference::{OutPath, Root};
use crate::domain::state::{LedgerEntry, LedgerOutcome, Mode, State};
use crate::domain::thread;

/// Words of the policy that are looked at for an equal one.
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
        CallEvent::Ready { .. } => ready(state, at, event),
        CallEvent::Unfit { call, faults, .. } => {
            let Some(life) = state.calls.get_mut(call) else {
                return;
            };
            life.faults.clone_from(faults);
            trust(state, *call);
            invalid(state, *call);
        }
        CallEvent::Asked {
            call, deadline_ms, ..
        } => {
            if let Some(life) = state.calls.get_mut(call) {
                life.due = deadline_ms.map(|ms| after(at, ms));
                state.asks.by_policy(life.verdict.as_deref());
            }
            index::set_status(state, *call, Status::Awaiting);
        }
        CallEvent::ConsentAsked { call, cause, entries } => {
            if let Some(life) = state.calls.get_mut(call) {
                life.asked_about.clone_from(entries);
            }
            state.asks.by_effect();
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
        CallEvent::GraceOver { call, .. } => grace_over(state, *call),
        CallEvent::Started { .. } => started(state, at, event),
        executed => super::outcome::apply(state, at, executed),
    }
}

/// Everything that it reads is there.
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
    life.bindings.clone_from(bindings);
    life.resolved = resolved.clone().or(args);
    life.digest = Some(digest.clone());
    life.take_operands(operands);
    life.verdict = Some(verdict);
    life.ready = Some(at.seq);
    (life.due, life.overdue) = (None, false);
    index::set_status(state, *call, Status::Ready);
}

/// The same word as one that was said lately, if there is one.
fn shared(lately: &mut Vec<Arc<Verdict>>, verdict: &Verdict) -> Arc<Verdict> {
    if let Some(same) = lately.iter().rev().find(|one| ***one == *verdict) {
        return Arc::clone(same);
    }
    if lately.len() == LATELY {
        lately.remove(0);
    }
    let new = Arc::new(verdict.clone());
    lately.push(Arc::clone(&new));
    new
}

/// It waits a moment in which it can be taken back.
fn graced(state: &mut State, at: At, call: NodeId, wait_ms: u64) {
    let since = (state.mode == Mode::Running).then_some(at.utc_ms);
    index::set_status(state, call, Status::Delayed);
    if let Some(life) = state.calls.get_mut(&call) {
        life.delay = Some(Delay {
            tries: None,
            left_ms: wait_ms,
            since,
            why: "it was let run".into(),
        });
    }
}

/// The moment is over, for what was decided last.
fn grace_over(state: &mut State, call: NodeId) {
    if let Some(life) = state.calls.get_mut(&call) {
        life.graced = life.decisions.last().map_or(Seq(0), |(_, seq, _)| *seq);
    }
    index::set_status(state, call, Status::Queued);
}

/// The moment so many milliseconds later.
fn after(at: At, ms: u64) -> i64 {
    at.utc_ms.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// The time to answer questions begins anew, as it does for whoever waits for it to end.
pub(super) fn ask_anew(state: &mut State, at: At) {
    let asked: Vec<(NodeId, u64)> = crate::domain::effects::open_deadlines(state)
        .map(|(call, ms)| (call.id, ms))
        .collect();
    for (id, ms) in asked {
        if let Some(life) = state.calls.get_mut(&id) {
            life.due = Some(after(at, ms));
        }
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
pub(super) fn failed(state: &mut State, id: NodeId) {
    if state.nodes.get(&id).is_some_and(|node| node.active) {
        state.agenda.failures.insert(id);
    }
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
        Decision::Withdrawn { .. } => {
            life.consented.clear();
            life.edit_approves = None;
            Status::Ready
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
            crate::domain::call::Consequence::Escalate => {
                (life.due, life.overdue) = (None, true);
                return;
            }
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
    if effect.has_effect() {
        state.agenda.effects.insert(at.seq);
    }
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
            state.agenda.effects.insert(entry.seq);
        }
    }
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

pub(super) fn woken(state: &mut State, id: NodeId) {
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
