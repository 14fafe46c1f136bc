//! Applies events to a copy of a state, to see what they lead to.
//!
//! Must not know: who decided the events, what is made of the copy.

use super::apply;
use super::envelope::{Actor, Moment, stamp};
use super::event::Event;
use super::id::Seq;
use super::state::State;

/// Applies events to a copy of the state.
pub fn try_out(copy: &mut State, events: &[Event]) {
    let events = events.iter().map(|event| (Actor::Engine, event.clone()));
    for envelope in stamp(copy.seq, Moment::default(), Seq(0), events) {
        apply::apply(copy, &envelope);
    }
}
