//! Finds the events that follow from the state: checks, gates, launches, the next request.
//!
//! Must not know: what the world does with the events.
//!
//! Level-triggered: the same state always gives the same events, whatever led to it. Asking again
//! repairs a crash between two events. The caller repeats until it gives nothing.

mod ask;
mod breaker;
mod check;
mod correction;
mod delegate;
mod escape;
mod gate;
mod ladder;
mod launch;
mod look;
mod output;
mod reduce;
mod restrict;
mod settle;

use super::advice::Advice;
use super::draft::Draft;
use super::event::Event;
use super::files::is_restoring;
use super::state::{Mode, State};

/// One rule of the lists below.
type Rule = fn(&mut Draft<'_>, &dyn Advice);

/// Rules that start nothing: sub-agents, corrections, failures, checks, readiness, gates. Failures
/// come before readiness: a reader of a call with a pending retry continues to wait for it.
const QUIET: [Rule; 11] = [
    super::server_question::end_left,
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
/// Rules that start something: launches, the end of a turn, the next request.
const LOUD: [Rule; 3] = [launch::launch, settle::settle, ask::ask];

/// Returns the next events that follow from the state; none while the run waits for the world or
/// the operator.
pub fn advance(state: &State, advice: &dyn Advice) -> Vec<Event> {
    first_of(state, advice, QUIET.iter().chain(&LOUD))
}

/// Returns the next events that start and request nothing, for a caller that records a decision but
/// does not run.
pub fn quiet(state: &State, advice: &dyn Advice) -> Vec<Event> {
    first_of(state, advice, QUIET.iter())
}

fn first_of<'r>(state: &State, advice: &dyn Advice, rules: impl Iterator<Item = &'r Rule>) -> Vec<Event> {
    let is_over = matches!(state.mode, Mode::Stopped(_) | Mode::Finished(_));
    // What follows may depend on the files that are being restored.
    if state.started.is_none() || is_over || is_restoring(state) {
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
