//! Applies what breakers admit, the outcomes, and the changes of breakers.
//!
//! Must not know: when one changes.

use std::sync::Arc;

use super::at::At;
use crate::breaker::{self, Phase, Sample, Scope, Source, Turn};
use crate::call::Outcome;
use crate::id::{Attempt, NodeId, TurnId};
use crate::state::State;

/// Records the generation of each breaker that admits something.
pub(super) fn admit(state: &mut State, scopes: &[Scope], probe: Source) -> Vec<(Scope, u32)> {
    let mut admitted = Vec::with_capacity(scopes.len());
    for scope in scopes {
        let breaker = state.learned.breakers.entry(scope.clone()).or_default();
        if breaker.phase == Phase::HalfOpen {
            breaker.probe = Some(probe);
        }
        admitted.push((scope.clone(), breaker.generation));
    }
    admitted
}

/// An execution ended.
pub(super) fn ran(
    state: &mut State,
    guards: &[(Scope, u32)],
    (call, attempt): (NodeId, Attempt),
    outcome: &Outcome,
) {
    let text = breaker::speaks(outcome);
    ended(state, guards, Source::Call(call, attempt), text);
}

/// Records the end of a request. `failed` is none if it says nothing about the endpoint.
pub(super) fn answered(state: &mut State, turn: TurnId, failed: Option<bool>) {
    let Some(request) = state.turns.get_mut(&turn) else {
        return;
    };
    let guards: Vec<_> = request.more.guard.take().into_iter().collect();
    let probe = Source::Request(turn, request.asked);
    ended(state, &guards, probe, failed);
}

fn ended(state: &mut State, guards: &[(Scope, u32)], probe: Source, failed: Option<bool>) {
    let at = state.tally.active.ms();
    for (scope, generation) in guards {
        let Some(breaker) = state.learned.breakers.get_mut(scope) else {
            continue;
        };
        if breaker.probe == Some(probe) {
            breaker.probe = None;
            breaker.inconclusive = failed.is_none();
        }
        if let Some(failed) = failed {
            breaker.remember(
                *generation,
                Sample {
                    at,
                    failed,
                    of: probe,
                },
            );
        }
    }
}

/// Changes a breaker: what it admitted before no longer affects it.
pub(super) fn changed(state: &mut State, at: At, scope: &Scope, generation: u32, turn: &Turn) {
    let breaker = state.learned.breakers.entry(scope.clone()).or_default();
    let trips = turn.to == Phase::Open && breaker.phase == Phase::Closed;
    breaker.trips = breaker.trips.saturating_add(u32::from(trips));
    breaker.phase = turn.to;
    let failed = breaker
        .recent
        .iter()
        .filter(|one| one.failed && turn.to == Phase::Open);
    breaker.opened_by = failed.map(|one| one.of).collect();
    breaker.generation = generation;
    breaker.recent.clear();
    breaker.probe = None;
    breaker.inconclusive = false;
    breaker.until = at
        .utc_ms
        .saturating_add(i64::try_from(turn.wait_ms).unwrap_or(i64::MAX));
    breaker.why = Arc::clone(&turn.why);
}

/// Forgets probes whose process is gone.
pub(super) fn forget_probes(state: &mut State) {
    for breaker in state.learned.breakers.values_mut() {
        breaker.probe = None;
    }
}
