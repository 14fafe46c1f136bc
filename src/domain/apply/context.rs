//! Keeps the hashed prefix of each context for as long as that prefix stays as it was.
//!
//! Must not know: what a context is made of, when a request is made.

use crate::event::{Event, RunEvent, TurnEvent};
use crate::id::TurnId;
use crate::state::State;
use crate::transcript::hash;

/// What an event may change of contexts.
enum Changed {
    /// Nothing.
    Nothing,
    /// What one turn gives, and everything after it.
    Turn(Option<TurnId>),
    /// Anything.
    Anything,
}

/// Called after an event was applied. What is not known to leave a context as it was ends what is kept of it.
pub(super) fn follow(state: &mut State, event: &Event) {
    match changed(state, event) {
        Changed::Nothing => {}
        Changed::Anything => state.threads.context_prefixes.clear(),
        Changed::Turn(turn) => {
            let turn = turn.and_then(|turn| state.turns.get(&turn));
            let Some((thread, pos)) = turn.map(|turn| (turn.thread, turn.pos)) else {
                state.threads.context_prefixes.clear();
                return;
            };
            let prefixes = &mut state.threads.context_prefixes;
            if prefixes.get(&thread).is_some_and(|prefix| prefix.end() > pos) {
                prefixes.remove(&thread);
            }
        }
    }
    if let Event::Turn(TurnEvent::Requested { turn, .. }) = event
        && let Some(turn) = state.turns.get(turn)
    {
        let thread = turn.thread;
        if let Some(prefix) = hash::prefix(state, turn) {
            state.threads.context_prefixes.insert(thread, prefix);
        }
    }
}

fn changed(state: &State, event: &Event) -> Changed {
    let of_call = |call| Changed::Turn(state.turn_of(call).map(|turn| turn.id));
    match event {
        Event::Call(event) => of_call(event.call()),
        Event::Resilience(event) => event.call().map_or(Changed::Anything, of_call),
        Event::Weight(_)
        | Event::Sandbox(_)
        | Event::Files(_)
        | Event::Run(RunEvent::AgentAsked { .. } | RunEvent::SideRequest(_)) => Changed::Nothing,
        Event::Turn(event) => match event {
            TurnEvent::Opened { turn, .. }
            | TurnEvent::Requested { turn, .. }
            | TurnEvent::RetryScheduled { turn, .. }
            | TurnEvent::RetryDue { turn, .. }
            | TurnEvent::Prompted { turn, .. }
            | TurnEvent::Thought { turn, .. }
            | TurnEvent::Proposed { turn, .. }
            | TurnEvent::Answered { turn, .. }
            | TurnEvent::AnswerInvalid { turn, .. }
            | TurnEvent::Matched { turn, .. }
            | TurnEvent::Partial { turn, .. }
            | TurnEvent::Closed { turn, .. }
            | TurnEvent::Broken { turn, .. }
            | TurnEvent::Aborted { turn, .. }
            | TurnEvent::Settled { turn, .. } => Changed::Turn(Some(*turn)),
            TurnEvent::Delegated { .. }
            | TurnEvent::Suspended { .. }
            | TurnEvent::Restored { .. }
            | TurnEvent::Drifted { .. }
            | TurnEvent::Diverged { .. }
            | TurnEvent::Revived { .. }
            | TurnEvent::Superseded { .. }
            | TurnEvent::Split { .. } => Changed::Anything,
        },
        Event::Run(_) | Event::Edit(_) | Event::Escape(_) => Changed::Anything,
    }
}
