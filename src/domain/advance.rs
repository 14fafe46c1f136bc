//! Finds what follows by itself from the state: checks, readiness, gates, launches, the end of a
//! turn, the next request.
//!
//! Level-triggered: the same state always gives the same facts, whatever led to it. A crash between
//! two events is healed by asking again. Called until it gives nothing. Must not know: what the
//! world does with the facts.

pub mod ask;
mod breaker;
pub mod check;
mod correction;
pub mod delegate;
pub mod escape;
pub mod gate;
pub mod ladder;
pub mod launch;
pub mod look;
mod output;
mod restrict;
pub mod settle;
mod warn;

use super::advice::Advice;
use super::draft::Draft;
use super::event::Event;
use super::state::{Mode, State};

/// One rule of the list below.
type Rule = fn(&mut Draft<'_>, &dyn Advice);

/// What needs no world: the end and the beginning of sub-agents, corrections, failures, checks, readiness, gates.
/// Failures before readiness: who reads a call that is tried again goes on waiting for it.
const QUIET: [Rule; 10] = [
    delegate::end_left,
    delegate::hand_over,
    correction::carry_all,
    restrict::deny,
    ladder::decide_failures,
    breaker::turn,
    check::check,
    look::look,
    launch::retry_unknown,
    gate::gate,
];
/// What reaches out: launches, the end of a turn, the next request.
const LOUD: [Rule; 3] = [launch::launch, settle::settle, ask::ask];

/// The next facts that follow by themselves; none when the run waits for the world or the operator.
pub fn advance(state: &State, advice: &dyn Advice) -> Vec<Event> {
    first_of(state, advice, QUIET.iter().chain(&LOUD))
}

/// The next facts that follow without anything being started or asked, for somebody who records a
/// decision but does not run.
pub fn quiet(state: &State, advice: &dyn Advice) -> Vec<Event> {
    first_of(state, advice, QUIET.iter())
}

fn first_of<'r>(state: &State, advice: &dyn Advice, rules: impl Iterator<Item = &'r Rule>) -> Vec<Event> {
    if state.started.is_none() || matches!(state.mode, Mode::Stopped(_) | Mode::Finished(_)) {
        return Vec::new();
    }
    let mut draft = Draft::new(state);
    for rule in rules {
        rule(&mut draft, advice);
        if !draft.events.is_empty() {
            break;
        }
    }
    draft.events
}

/// True where a turn may act: it counts and no edit holds it, nor what it hangs on.
pub(super) fn acts(state: &State, call: super::id::NodeId) -> bool {
    state
        .turn_of(call)
        .is_some_and(|turn| super::thread::acts(state, turn))
}
