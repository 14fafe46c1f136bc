//! Tells what in a run waits for a time or for a breaker.
//!
//! Must not know: why a step is advised, how a wait is shown.

use std::sync::Arc;

use crate::breaker::{Breaker, Phase, Scope};
use crate::call::Call;
use crate::pending_retry;
use crate::state::State;

/// Returns the open breaker that a decided call waits for. An earlier execution of its tool shows
/// which breakers it has to pass.
pub fn shut<'s>(state: &'s State, call: &Call) -> Option<(Scope, &'s Breaker)> {
    let (tool, _) = state.nodes.get(&call.id)?.as_call()?;
    let mut own = call.attempts.iter().rev().flat_map(|one| &one.launch.guards);
    let by_server = own.next().map(|(scope, _)| scope.clone());
    let scope = by_server.unwrap_or_else(|| Scope::Tool(Arc::clone(tool)));
    let breaker = state.learned.breakers.get(&scope)?;
    (!breaker.admits()).then_some((scope, breaker))
}

/// Returns true if something waits until a known time.
pub fn counts_down(state: &State, now: i64) -> bool {
    let open = || {
        state
            .learned
            .breakers
            .values()
            .any(|one| one.phase == Phase::Open)
    };
    let asked = || pending_retry::all(state).any(|one| one.left(now).is_some_and(|ms| ms > 0));
    !state.agenda.delayed.is_empty() || (!state.agenda.queued.is_empty() && open()) || asked()
}
