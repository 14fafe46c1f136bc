//! Applies events about the run as a whole.
//!
//! Must not know: why they were decided.

use std::sync::Arc;

use super::at::At;
use super::edit::release;
use super::index;
use super::resilience::{freeze, thaw};
use super::turn::spend;
use crate::agent::Wait;
use crate::call::Status;
use crate::event::RunEvent;
use crate::fork::{Elsewhere, Fork, Happened};
use crate::id::{Attempt, NodeId, Seq, ThreadId, TurnId};
use crate::rule::SessionRule;
use crate::state::{LedgerEntry, LedgerOutcome, Mode, State};
use crate::tool_change;
use crate::turn::{Stream, StreamFault, StreamFaultKind, Usage};

pub(super) fn apply(state: &mut State, at: At, event: &RunEvent) {
    match event {
        RunEvent::Started(started) => {
            state.origin.begun_at = at.utc_ms;
            state.origin.genesis = started.setup.clone();
            state.settings.limits = started.limits;
            state.settings.policy.clone_from(&started.policy);
            state.threads.turns.entry(ThreadId(0)).or_default();
            state.started = Some(Arc::new((**started).clone()));
        }
        RunEvent::Refitted { started } => {
            tool_change::keep(state, at.seq, started);
            state.settings.policy.clone_from(&started.policy);
            state.started = Some(Arc::new((**started).clone()));
        }
        RunEvent::Reopened { interrupted, .. } => {
            reopen(state, interrupted);
            thaw(state, at);
            super::call::restart_deadlines(state, at);
        }
        RunEvent::Paused { reason } => {
            if !matches!(state.mode, Mode::Finished(_)) {
                state.mode = Mode::Paused(reason.clone());
            }
            state.settings.step = false;
            freeze(state, at);
        }
        RunEvent::Resumed {} => {
            if !matches!(state.mode, Mode::Finished(_)) {
                state.mode = Mode::Running;
            }
            state.settings.step = false;
            thaw(state, at);
            super::call::restart_deadlines(state, at);
        }
        RunEvent::Stepped {} => state.settings.step = true,
        RunEvent::Restricted { reason } => state.settings.restricted = Some(reason.clone()),
        RunEvent::RestrictionLifted {} => state.settings.restricted = None,
        RunEvent::Stopped { reason } => {
            state.mode = Mode::Stopped(reason.clone());
            freeze(state, at);
        }
        RunEvent::Finished { answer, .. } => state.mode = Mode::Finished(*answer),
        RunEvent::PolicyChanged { policy } => state.settings.policy.clone_from(policy),
        RunEvent::LimitReached { which, message } => {
            state.tally.limit_reached = Some((which.clone(), message.clone()));
            state.settings.step = false;
            state.mode = Mode::Paused(message.clone());
            freeze(state, at);
        }
        RunEvent::LimitsRaised { limits } => {
            state.settings.limits = *limits;
            state.tally.limit_reached = None;
        }
        RunEvent::RuleAdded { no, rule } => state.settings.rules.push(SessionRule {
            no: *no,
            seq: at.seq,
            written: rule.clone(),
            dropped: false,
        }),
        RunEvent::RuleDropped { no } => {
            if let Some(rule) = state.settings.rules.iter_mut().find(|rule| rule.no == *no) {
                rule.dropped = true;
            }
        }
        RunEvent::AgentAsked { wait_ms } => {
            state.origin.agent.wait = wait_ms.map(|ms| Wait {
                ms,
                due: at.utc_ms.saturating_add_unsigned(ms),
            });
        }
        RunEvent::HistoryRewritten(rewriting) => {
            state.origin.agent.rewritten = Some(at.seq);
            state.origin.agent.lost.extend(&rewriting.lost);
            state.origin.agent.seams.insert(next_turn(state));
        }
        RunEvent::SideRequest(one) => {
            let side = &mut state.origin.agent.side;
            side.count = side.count.saturating_add(1);
            side.usage = side.usage.plus(one.usage);
        }
        RunEvent::Linked(link) => state.origin.agent.links.push(link.clone()),
        RunEvent::Refused { .. } => {}
        RunEvent::Forked { session, at: from } => forked(state, at, session, *from),
        RunEvent::HappenedElsewhere(one) => happened_elsewhere(state, at, one),
        RunEvent::QuirkLearned { server, quirk, .. } => {
            let learned = state.learned.quirks.entry(server.clone()).or_default();
            if !learned.contains(quirk) {
                learned.push(quirk.clone());
            }
        }
        RunEvent::Titled { title } => state.settings.title = Some(title.clone()),
    }
}

/// Applies a fork: everything so far was copied from another session. Its processes are not this
/// session's to find or end.
fn forked(state: &mut State, at: At, session: &Arc<str>, from: Seq) {
    state.origin.forks.push(Fork {
        seq: at.seq,
        session: session.clone(),
        at: from,
        made: at.utc_ms,
        opened: false,
    });
    let unseen =
        |entry: &&LedgerEntry| matches!(entry.outcome, LedgerOutcome::Running | LedgerOutcome::Unknown);
    let unseen: Vec<(NodeId, Attempt)> = state
        .ledger
        .values()
        .filter(unseen)
        .map(|entry| (entry.call, entry.attempt))
        .collect();
    for (call, attempt) in unseen {
        if let Some(record) = super::outcome::attempt_mut(state, call, attempt) {
            record.launch.process = None;
        }
    }
}

/// Applies an effect of the other session that this one does not revert: repeating it asks first.
fn happened_elsewhere(state: &mut State, at: At, one: &Arc<Elsewhere>) {
    let same = &mut state.agenda.same;
    same.entry(one.same.clone()).or_default().push(at.seq);
    let happened = Happened {
        what: one.clone(),
        reused_by: Vec::new(),
    };
    state.origin.elsewhere.insert(at.seq, happened);
    index::gate_like_again(state, one);
}

/// Applies a restart: the old process is gone, its streams are cut and its executions have an
/// unknown outcome.
fn reopen(state: &mut State, interrupted: &[(NodeId, Attempt)]) {
    // The first process that continues a fork finds the work that was running at the fork.
    let fork = state.origin.forks.last_mut();
    let message = if fork.is_some_and(|fork| !std::mem::replace(&mut fork.opened, true)) {
        "this turn was streaming where the fork was made"
    } else {
        "the program ended while this turn was streaming"
    };
    release(state);
    super::breaker::forget_probes(state);
    // Whatever the list says: no process is left to report on running executions.
    let running: Vec<NodeId> = state.agenda.running.iter().copied().collect();
    for id in interrupted.iter().map(|(id, _)| *id).chain(running) {
        // A sub-agent is no process: it continues with its journal.
        if !state.agenda.delegates.contains(&id)
            && let Some(Status::Running(attempt)) = state.calls.get(&id).map(|call| call.status.clone())
        {
            index::set_status(state, id, Status::OutcomeUnknown(attempt));
        }
    }
    // The same holds if a branch was left while they ran: it may come back.
    let left: Vec<(NodeId, Attempt)> = state
        .calls
        .values()
        .filter(|call| !state.nodes.get(&call.id).is_some_and(|node| node.active))
        .filter_map(|call| match call.status {
            Status::Running(attempt) => Some((call.id, attempt)),
            _ => None,
        })
        .collect();
    for (id, attempt) in left {
        index::set_status(state, id, Status::OutcomeUnknown(attempt));
    }
    state.agenda.ending.clear();
    let running: Vec<Seq> = state
        .ledger
        .values()
        .filter(|entry| entry.outcome == LedgerOutcome::Running && entry.thread.is_none())
        .map(|entry| entry.seq)
        .collect();
    for seq in running {
        if let Some(entry) = state.ledger.get_mut(&seq) {
            entry.outcome = LedgerOutcome::Unknown;
        }
    }
    index::gate_again(state);
    let open = state.turns.values().filter(|turn| turn.stream == Stream::Open);
    let open: Vec<TurnId> = open.map(|turn| turn.id).collect();
    let mut cut = Vec::new();
    for id in open {
        let Some(turn) = state.turns.get_mut(&id) else {
            continue;
        };
        cut.extend((turn.asked > 0).then_some(id));
        turn.remember(state.epoch);
        turn.stream = Stream::Broken(StreamFault {
            kind: StreamFaultKind::Crash,
            message: message.into(),
            retry_after_ms: None,
        });
    }
    for turn in cut {
        spend(state, turn, Usage::default());
    }
}

/// The first turn to which the reply to a request belongs that comes now.
fn next_turn(state: &State) -> TurnId {
    match state.turns.last_key_value() {
        Some((id, turn)) if turn.stream == Stream::Open && turn.nodes.is_empty() => *id,
        Some((id, turn)) if matches!(turn.stream, Stream::Broken(_)) => *id,
        Some((id, _)) => TurnId(id.0.saturating_add(1)),
        None => TurnId(0),
    }
}
