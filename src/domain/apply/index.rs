//! Keeps the agenda: which call is in which set, and which calls wake which.
//!
//! Must not know: why a status changes.
//!
//! A blocked or stale call is in `woken` exactly when a look at it gives an event. So every advance
//! of the run makes progress.

use crate::call::{AttemptRecord, Outcome, Status};
use crate::fork::Elsewhere;
use crate::id::{Attempt, NodeId, NodeKind, Rev, TurnId};
use crate::ladder::Stage;
use crate::node::{Node, NodeState};
use crate::ready;
use crate::repeat;
use crate::state::{LedgerOutcome, Mode, State};
use crate::transcript::bytes;

/// Sets the status of a call and moves it into the matching set.
pub(super) fn set_status(state: &mut State, id: NodeId, status: Status) {
    leave_sets(state, id);
    let epoch = state.epoch;
    let Some(call) = state.calls.get_mut(&id) else {
        return;
    };
    if call.status != status {
        call.remember(epoch);
    }
    if status != Status::Scheduled {
        call.failure.delay = None;
    }
    call.failure.given_up = None;
    call.status = status;
    let suspect = call.suspect;
    if !state.nodes.get(&id).is_some_and(|node| node.active) {
        return;
    }
    let agenda = &mut state.agenda;
    match &call.status {
        Status::Proposed => {
            agenda.unchecked.insert(id);
        }
        Status::Invalid => {
            agenda.invalid.insert(id);
        }
        Status::Blocked => {
            agenda.blocked.insert(id);
        }
        Status::Ready => {
            agenda.ungated.insert(id);
        }
        Status::AwaitingApproval | Status::Consent(_) | Status::OutcomeUnknown(_) => {
            agenda.waiting.insert(call.ready.unwrap_or_default(), id);
            if matches!(call.status, Status::OutcomeUnknown(_)) {
                agenda.unknown.insert(id);
            }
        }
        Status::Scheduled => {
            agenda.delayed.insert(id);
        }
        Status::Repairing(stage) => {
            agenda.repairing.insert(id);
            if *stage == Stage::Choosing {
                agenda.waiting.insert(call.ready.unwrap_or_default(), id);
            }
        }
        Status::Queued => {
            agenda.queued.insert(id);
            if call.delegates {
                agenda.delegating.insert(id);
            }
        }
        Status::Running(attempt) => {
            let own = |one: &AttemptRecord| one.no == *attempt && one.thread.is_some();
            let by_child = call.attempts.iter().any(own);
            let at_work = if by_child {
                &mut agenda.delegates
            } else {
                &mut agenda.running
            };
            at_work.insert(id);
        }
        Status::Succeeded
        | Status::Exited(_)
        | Status::Failed(_)
        | Status::Rejected
        | Status::Abandoned
        | Status::Expired
        | Status::Skipped
        | Status::Unsatisfiable => _ = agenda.settled.insert(id),
    }
    if suspect || matches!(call.status, Status::Blocked) {
        look_again(state, id);
    }
}

/// The parts of a call that can make a difference to its readers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CallView {
    active: bool,
    suspect: bool,
    progress: Progress,
    /// Its place among the writes of its turn.
    slot: Option<u32>,
    /// The revision of its active result.
    result: Option<Rev>,
}

/// The progress of a call as its readers see it.
#[derive(Debug, PartialEq, Eq)]
enum Progress {
    Missing,
    Unchecked,
    UnderWay,
    Succeeded,
    Failed,
    EndedWithout,
}

/// What readers see of a call now. Inside a turn they also see that it is active, for which
/// [`look_at_turns`] stands in.
pub(super) fn shown(state: &State, id: NodeId) -> CallView {
    let call = state.calls.get(&id);
    let progress = match call.map(|call| &call.status) {
        None => Progress::Missing,
        Some(status) if status.is_under_way() => Progress::UnderWay,
        Some(Status::Succeeded) => Progress::Succeeded,
        // Readers get no value from it, as from a failure.
        Some(Status::Exited(_) | Status::Failed(_)) => Progress::Failed,
        Some(status) if status.is_settled() => Progress::EndedWithout,
        Some(_) => Progress::Unchecked,
    };
    CallView {
        active: state.nodes.get(&id).is_some_and(|node| node.active),
        suspect: call.is_some_and(|call| call.suspect),
        progress,
        slot: call.and_then(|call| call.slot),
        result: state.observation(id).map(Node::rev),
    }
}

/// Ends a sub-agent together with the execution that it works for. The acts of its own calls are
/// recorded with them.
fn leave_child(state: &mut State, id: NodeId, attempt: Attempt) {
    let Some(call) = state.calls.get_mut(&id) else {
        return;
    };
    let Some(record) = call.attempts.iter_mut().find(|one| one.no == attempt) else {
        return;
    };
    let entry = state.ledger.get_mut(&record.intent);
    let executed = entry.as_ref().is_some_and(|entry| entry.effect.has_effect());
    let outcome = Outcome::Cancelled { executed };
    if let Some(entry) = entry {
        entry.outcome = LedgerOutcome::Known(outcome.clone());
    }
    record.outcome = Some(outcome);
    record.fenced = true;
}

fn leave_sets(state: &mut State, id: NodeId) {
    let Some(call) = state.calls.get(&id) else { return };
    let mut left = None;
    let agenda = &mut state.agenda;
    match &call.status {
        Status::Proposed => {
            agenda.unchecked.remove(&id);
        }
        Status::Invalid => {
            agenda.invalid.remove(&id);
        }
        Status::Blocked => {
            agenda.blocked.remove(&id);
        }
        Status::Ready => {
            agenda.ungated.remove(&id);
        }
        Status::Queued => {
            agenda.queued.remove(&id);
            agenda.delegating.remove(&id);
        }
        Status::Running(attempt) => {
            agenda.running.remove(&id);
            agenda.delegates.remove(&id);
            let unended = |one: &&AttemptRecord| one.no == *attempt && one.outcome.is_none();
            match call.attempts.iter().find(unended) {
                Some(one) if one.thread.is_some() => left = Some(*attempt),
                Some(_) => _ = agenda.ending.insert((id, *attempt)),
                None => {}
            }
        }
        Status::Scheduled => {
            agenda.delayed.remove(&id);
        }
        Status::AwaitingApproval | Status::Consent(_) | Status::OutcomeUnknown(_) | Status::Repairing(_) => {
            agenda.repairing.remove(&id);
            agenda.unknown.remove(&id);
            let since = call.ready.unwrap_or_default();
            if agenda.waiting.get(&since) == Some(&id) {
                agenda.waiting.remove(&since);
            }
        }
        Status::Succeeded
        | Status::Exited(_)
        | Status::Failed(_)
        | Status::Rejected
        | Status::Abandoned
        | Status::Expired
        | Status::Skipped
        | Status::Unsatisfiable => _ = agenda.settled.remove(&id),
    }
    agenda.failures.remove(&id);
    if !agenda.woken.remove(&id) {
        agenda.stalled.remove(&id);
    }
    if let Some(attempt) = left {
        leave_child(state, id, attempt);
    }
}

/// Changes the content or activity of a node (or of the call of an observation), and keeps the byte
/// count of its turn.
pub(super) fn weighed<R>(state: &mut State, id: NodeId, change: impl FnOnce(&mut State) -> R) -> R {
    let owner = id.call();
    let before = bytes::of_node(state, owner);
    let changed = change(state);
    let after = bytes::of_node(state, owner);
    // The text of an intervention is not part of a request.
    let in_stream = owner.kind != NodeKind::Intervention;
    if after != before
        && in_stream
        && let Some(turn) = state.nodes.get(&owner).map(|node| node.turn)
        && let Some(turn) = state.turns.get_mut(&turn)
    {
        turn.bytes = turn.bytes.saturating_sub(before).saturating_add(after);
    }
    changed
}

/// Deactivates nodes and the observations of calls.
pub(super) fn retire(state: &mut State, nodes: &[NodeId]) {
    // All first, so that a look at one sees none of the others.
    for id in nodes {
        weighed(state, *id, |state| {
            for one in [*id, id.observation()] {
                if let Some(node) = state.nodes.get_mut(&one) {
                    let condition = NodeState {
                        active: false,
                        ..node.state()
                    };
                    node.set_state(state.epoch, condition);
                }
            }
        });
    }
    for id in nodes.iter().filter(|id| id.kind == NodeKind::Call) {
        leave_sets(state, *id);
        if state.calls.contains_key(id) {
            state.agenda.retired.insert(*id);
        }
        state.agenda.suspects.remove(id);
        if let Some(call) = state.calls.get_mut(id)
            && call.suspect
        {
            call.remember(state.epoch);
            call.suspect = false;
        }
    }
    for id in nodes {
        wake_readers(state, *id);
    }
}

/// Sends calls to the gate again that need consent now. It covers waiting calls, approved calls,
/// and questions for consent about other executions than before.
pub(super) fn gate_again(state: &mut State) {
    gate_again_if(state, |_| true);
}

/// The same for calls that may equal an effect of another run. A known tool limits them to calls of
/// that tool.
pub(super) fn gate_like_again(state: &mut State, one: &Elsewhere) {
    gate_again_if(state, |node| {
        node.as_call().is_some_and(|(own, _)| one.is_of(own))
    });
}

fn gate_again_if(state: &mut State, may: impl Fn(&Node) -> bool) {
    let agenda = &state.agenda;
    let again: Vec<NodeId> = agenda
        .waiting
        .values()
        .chain(&agenda.queued)
        .chain(&agenda.delayed)
        .filter(|id| state.nodes.get(id).is_some_and(&may))
        .filter_map(|id| state.calls.get(id))
        .filter(|call| match call.status {
            Status::AwaitingApproval | Status::Queued => repeat::consent_needed(state, call).is_some(),
            // It is retried after a failure without effect; another run may have done it meanwhile.
            Status::Scheduled => repeat::consent_needed(state, call).is_some_and(|(_, entries)| {
                entries.iter().any(|seq| state.origin.elsewhere.contains_key(seq))
            }),
            Status::Consent(_) => {
                let now = repeat::consent_needed(state, call);
                now.is_some_and(|(_, entries)| entries != call.approval.asked_about)
            }
            _ => false,
        })
        .map(|call| call.id)
        .collect();
    for id in again {
        set_status(state, id, Status::Ready);
    }
}

/// Deactivates the result of a call without a replacement.
pub(super) fn retract(state: &mut State, id: NodeId) {
    if let Some(node) = state.nodes.get_mut(&id.observation()) {
        let condition = NodeState {
            active: false,
            pinned: false,
            ..node.state()
        };
        node.set_state(state.epoch, condition);
    }
}

/// Reopens a turn, and a run that had finished with an answer.
pub(super) fn reopen_turn(state: &mut State, id: TurnId) {
    if matches!(state.mode, Mode::Finished(_)) {
        state.mode = Mode::Running;
    }
    if let Some(turn) = state.turns.get_mut(&id) {
        turn.remember(state.epoch);
        turn.settled = false;
        state.agenda.open.insert(id);
    }
}

/// Adds a blocked or stale call to the woken ones exactly when a look at it gives an event.
pub(super) fn look_again(state: &mut State, id: NodeId) {
    let active = state.nodes.get(&id).is_some_and(|node| node.active);
    let waits = match state.calls.get(&id) {
        Some(call) if active && (call.suspect || call.status == Status::Blocked) => {
            Some(ready::waits_for(state, call))
        }
        _ => None,
    };
    let agenda = &mut state.agenda;
    agenda.woken.remove(&id);
    agenda.stalled.remove(&id);
    match waits {
        Some(Some(reference)) => {
            agenda.stalled.insert(id, reference);
        }
        Some(None) => {
            agenda.woken.insert(id);
        }
        None => {}
    }
}

/// Looks again at the calls of turns whose activity changed, and at their readers.
pub(super) fn look_at_turns(state: &mut State, turns: &[TurnId]) {
    let calls: Vec<NodeId> = turns
        .iter()
        .filter_map(|id| state.turns.get(id))
        .flat_map(|turn| turn.nodes.iter().copied())
        .filter(|id| id.kind == NodeKind::Call)
        .collect();
    for id in calls {
        look_again(state, id);
        wake_readers(state, id);
    }
}

/// Looks again at every call that waits for its inputs: many things changed together.
pub(super) fn look_at_all(state: &mut State) {
    let agenda = &state.agenda;
    let waiting: Vec<NodeId> = agenda.blocked.union(&agenda.suspects).copied().collect();
    for id in waiting {
        look_again(state, id);
    }
}

/// Looks again at every call that reads from this one.
pub(super) fn wake_readers(state: &mut State, id: NodeId) {
    for reader in readers(state, id) {
        if !still_waiting(state, reader, id) {
            look_again(state, reader);
        }
    }
}

/// Marks calls as stale, and looks again at them and at their other readers.
pub(super) fn suspect(state: &mut State, calls: &[NodeId]) {
    let mut marked = Vec::with_capacity(calls.len());
    let mut last = None;
    for id in calls {
        let node = state.nodes.get(id).filter(|node| node.active);
        let (Some(turn), Some(life)) = (node.map(|node| node.turn), state.calls.get_mut(id)) else {
            continue;
        };
        life.remember(state.epoch);
        life.suspect = true;
        marked.push(*id);
        if last != Some(turn) {
            reopen_turn(state, turn);
            last = Some(turn);
        }
    }
    marked.sort_unstable();
    state
        .agenda
        .suspects
        .append(&mut marked.iter().copied().collect());
    // Only after all are marked does a look at one see the others as unsettled.
    for id in &marked {
        look_again(state, *id);
        for reader in readers(state, *id) {
            // Marked readers are looked at in their turn, once.
            let is_marked = state.calls.get(&reader).is_some_and(|reader| reader.suspect)
                && marked.binary_search(&reader).is_ok();
            if !is_marked && !still_waiting(state, reader, *id) {
                look_again(state, reader);
            }
        }
    }
}

/// True if a call waits for something else than what has changed.
fn still_waiting(state: &State, reader: NodeId, changed: NodeId) -> bool {
    let Some(place) = state.agenda.stalled.get(&reader) else {
        return false;
    };
    match (state.calls.get(&reader), state.calls.get(&changed)) {
        (Some(reader), Some(changed)) => ready::still_waits(state, reader, *place, changed),
        _ => false,
    }
}

/// Other calls that may read from this one, by label or by state path.
pub(super) fn readers(state: &State, id: NodeId) -> Vec<NodeId> {
    let Some(call) = state.calls.get(&id) else {
        return Vec::new();
    };
    let agenda = &state.agenda;
    let by_label = agenda.readers.get(&call.label).into_iter().flatten();
    let mut readers: Vec<NodeId> = by_label.filter(|reader| **reader != id).copied().collect();
    if let Some(out) = &call.refs.out {
        for head in out.heads() {
            let by_path = agenda.state_readers.get(head).into_iter().flatten();
            readers.extend(by_path.filter(|reader| **reader != id));
        }
        readers.sort_unstable();
        readers.dedup();
    }
    readers
}
