//! Applies events about the sandbox.
//!
//! Must not know: why they were decided.

use super::outcome::attempt_mut;
use crate::event::SandboxEvent;
use crate::state::State;

pub(super) fn apply(state: &mut State, event: &SandboxEvent) {
    match event {
        SandboxEvent::Confined {
            call,
            attempt,
            refused,
        } => {
            if let Some(record) = attempt_mut(state, *call, *attempt) {
                record.refused.extend(refused.iter().cloned());
            }
        }
        SandboxEvent::Widened { by } => {
            if !state.settings.widenings.contains(by) {
                state.settings.widenings.push(by.clone());
            }
        }
    }
}
