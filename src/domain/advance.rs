//! Finds what follows by itself from the state: checks, readiness, gates, launches, the end of a
//! turn, the next request.
//!
//! Level-triggered: the same state always gives the same facts, whatever led to it. A crash between
//! two events is healed by asking again. Called until it gives nothing. Must not know: what the
//! world does with the facts.

pub mod ask;
pub mod check;
pub mod gate;
pub mod launch;
pub mod look;
pub mod settle;

use super::advice::Advice;
use super::draft::Draft;
use super::event::Event;
use super::state::{Mode, State};

/// The next facts that follow by themselves; none when the run waits for the world or the operator.
pub fn advance(state: &State, advice: &dyn Advice) -> Vec<Event> {
    if state.started.is_none() || matches!(state.mode, Mode::Stopped(_) | Mode::Finished(_)) {
        return Vec::new();
    }
    let mut draft = Draft::new(state);
    let rules: [fn(&mut Draft<'_>, &dyn Advice); 7] = [
        check::check,
        look::look,
        launch::settle_doubt,
        gate::gate,
        launch::launch,
        settle::settle,
        ask::ask,
    ];
    for rule in rules {
        rule(&mut draft, advice);
        if !draft.events.is_empty() {
            break;
        }
    }
    draft.events
}

/// True where a turn may act: it counts and no edit holds it.
fn acts(state: &State, call: super::id::NodeId) -> bool {
    state.turn_of(call).is_some_and(super::turn::Turn::is_active)
}
