//! Folds facts about the run as a whole. Must not know: why they were decided.

use std::sync::Arc;

use super::{At, index};
use crate::domain::call::Status;
use crate::domain::event::RunEvent;
use crate::domain::id::{Attempt, NodeId, ThreadId};
use crate::domain::state::{LedgerOutcome, Mode, State};
use crate::domain::turn::{Stream, StreamFault, StreamFaultKind};

pub(super) fn apply(state: &mut State, _at: At, event: &RunEvent) {
    match event {
        RunEvent::Started(started) => {
            state.limits = started.limits;
            state.policy.clone_from(&started.policy);
            state.threads.entry(ThreadId(0)).or_default();
            state.started = Some(Arc::new((**started).clone()));
        }
        RunEvent::Refitted { started } => {
            state.policy.clone_from(&started.policy);
            state.started = Some(Arc::new((**started).clone()));
        }
        RunEvent::Reopened { interrupted, .. } => reopen(state, interrupted),
        RunEvent::Paused { reason } => {
            if !matches!(state.mode, Mode::Finished(_)) {
                state.mode = Mode::Paused(reason.clone());
            }
            state.step = false;
        }
        RunEvent::Resumed {} => {
            if !matches!(state.mode, Mode::Finished(_)) {
                state.mode = Mode::Running;
            }
            state.step = false;
        }
        RunEvent::Stepped {} => state.step = true,
        RunEvent::Stopped { reason } => state.mode = Mode::Stopped(reason.clone()),
        RunEvent::Finished { answer, .. } => state.mode = Mode::Finished(*answer),
        RunEvent::PolicyChanged { policy } => state.policy.clone_from(policy),
        RunEvent::LimitReached { which, message } => {
            state.limit_reached = Some((which.clone(), message.clone()));
            state.mode = Mode::Paused(message.clone());
        }
        RunEvent::LimitsRaised { limits } => {
            state.limits = *limits;
            state.limit_reached = None;
        }
        RunEvent::Refused { .. } => {}
        RunEvent::Titled { title } => state.title = Some(title.clone()),
    }
}

/// The process that wrote the events so far is gone: its streams are cut and its executions in doubt.
fn reopen(state: &mut State, interrupted: &[(NodeId, Attempt)]) {
    state.held.clear();
    state.step = false;
    for (id, attempt) in interrupted {
        let Some(call) = state.calls.get_mut(id) else {
            continue;
        };
        if let Some(entry) = call
            .attempts
            .iter()
            .find(|one| one.no == *attempt)
            .and_then(|one| state.ledger.get_mut(&one.intent))
            && entry.outcome == LedgerOutcome::Running
        {
            entry.outcome = LedgerOutcome::Unknown;
        }
        if call.status == Status::Running(*attempt) {
            index::set_status(state, *id, Status::InDoubt(*attempt));
        }
    }
    // Executions that an edit had already fenced have nobody left to report for them.
    for entry in state.ledger.values_mut() {
        if entry.outcome == LedgerOutcome::Running {
            entry.outcome = LedgerOutcome::Unknown;
        }
    }
    for turn in state.turns.values_mut() {
        if turn.stream == Stream::Open {
            turn.stream = Stream::Broken(StreamFault {
                kind: StreamFaultKind::Crash,
                message: "the program ended while this turn was streaming".into(),
                retry_after_ms: None,
            });
        }
    }
}
