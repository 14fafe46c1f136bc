//! Folds one event into the state. Total: never fails, whatever the order of events.
//!
//! The only place that changes a [`State`]. Must not know: why an event was decided.

use super::envelope::Envelope;
use super::state::State;

/// Folds one event into the state.
pub fn apply(state: &mut State, envelope: &Envelope) {
    state.seq = envelope.seq;
}
