//! Applies events about the sandbox.
//!
//! Must not know: why they were decided.

use super::outcome::attempt_mut;
use crate::event::SandboxEvent;
use crate::sandbox::{KeptChange, Refused, RefusedKind};
use crate::state::State;

pub(super) fn apply(state: &mut State, event: &SandboxEvent) {
    match event {
        SandboxEvent::Confined {
            call,
            attempt,
            refused,
        } => {
            // A place that is used again holds another content.
            let is_other = |from: &String| !refused.iter().any(|one| one.kept.as_ref() == Some(from));
            state.operator.kept.retain(|one| is_other(&one.from));
            if let Some(record) = attempt_mut(state, *call, *attempt) {
                record.refused.extend(refused.iter().cloned());
            }
        }
        SandboxEvent::Widened { by } => {
            if !state.settings.widenings.contains(by) {
                state.settings.widenings.push(by.clone());
            }
        }
        SandboxEvent::Kept { call, path, from } => {
            state.operator.kept.push(KeptChange {
                call: *call,
                path: path.clone(),
                from: from.clone(),
            });
            let Some(call) = state.calls.get_mut(call) else {
                return;
            };
            // What the operator keeps was not refused.
            let is_kept = |one: &Refused| one.kept.as_ref() == Some(from) && one.what == *path;
            for attempt in &mut call.attempts {
                attempt.refused.retain(|one| !is_kept(one));
            }
        }
        SandboxEvent::NotKept { call, path, from, .. } => {
            state.operator.kept.retain(|one| one.from != *from);
            let attempt = state
                .calls
                .get_mut(call)
                .and_then(|call| call.attempts.last_mut());
            if let Some(attempt) = attempt {
                attempt.refused.push(Refused {
                    kept: Some(from.clone()),
                    ..Refused::exact(RefusedKind::Protected, path)
                });
            }
        }
    }
}
