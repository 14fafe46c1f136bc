//! Breakers: when one changes, and who has to wait for one. Must not know: thresholds.

use std::collections::BTreeSet;

use crate::domain::advice::Advice;
use crate::domain::breaker::{Breaker, EVIDENCE, Phase, Scope};
use crate::domain::call::{Call, ErrorClass, Outcome, ToolError};
use crate::domain::draft::Draft;
use crate::domain::event::{CallEvent, ResilienceEvent};
use crate::domain::node::{Node, Origin};
use crate::domain::ready;
use crate::domain::state::State;

/// Lets breakers change on what was seen.
pub(super) fn turn(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for (scope, breaker) in &state.breakers {
        if breaker.is_outdated(state) {
            draft.resilience(ResilienceEvent::BreakerChanged {
                scope: scope.clone(),
                generation: breaker.generation.saturating_add(1),
                to: Phase::HalfOpen,
                wait_ms: 0,
                why: "the executions that opened it are superseded".into(),
            });
            continue;
        }
        // Only what ended since the last change can change it again.
        let last = breaker.recent.back();
        let may = match breaker.phase {
            Phase::Closed => last.is_some_and(|last| last.failed),
            Phase::HalfOpen => last.is_some() || breaker.told_nothing,
            Phase::Open => false,
        };
        if !may {
            continue;
        }
        if let Some(turn) = advice.breaker(breaker) {
            draft.resilience(ResilienceEvent::BreakerChanged {
                scope: scope.clone(),
                generation: breaker.generation.saturating_add(1),
                to: turn.to,
                wait_ms: turn.wait_ms,
                why: turn.why,
            });
        }
    }
}

/// The breakers that a call has to pass.
pub(super) fn guards(state: &State, advice: &dyn Advice, call: &Call) -> Vec<Scope> {
    let tool = state.nodes.get(&call.id).and_then(Node::as_call);
    match (tool, ready::resolved_args(state, call)) {
        (Some((tool, _)), Some(bytes)) => advice.guards(tool, &bytes),
        _ => Vec::new(),
    }
}

/// The first of these breakers that lets nothing through now; `taken` are those whose one place was
/// given away a moment ago.
pub(super) fn shut<'s>(
    state: &'s State,
    scopes: &[Scope],
    taken: &BTreeSet<Scope>,
) -> Option<(Scope, &'s Breaker)> {
    scopes.iter().find_map(|scope| {
        let breaker = state.breakers.get(scope)?;
        let shut = !breaker.admits() || breaker.phase == Phase::HalfOpen && taken.contains(scope);
        shut.then(|| (scope.clone(), breaker))
    })
}

/// Where nobody waits for breakers: the call fails at once, without an execution.
pub(super) fn fail_fast(draft: &mut Draft<'_>, call: &Call, scope: &Scope, breaker: &Breaker) {
    let Some(rev) = draft.state.nodes.get(&call.id).map(Node::rev) else {
        return;
    };
    let error = ToolError {
        class: ErrorClass::Transient,
        message: format!(
            "not run: the breaker of {scope} is {}: {}",
            breaker.phase.word(),
            breaker.why
        ),
        evidence: EVIDENCE.into(),
        hint: Some("use another tool, or come back to it later".into()),
        partial: None,
        executed: false,
        retry_after_ms: None,
    };
    draft.call(CallEvent::Given {
        call: call.id,
        rev,
        outcome: Outcome::err(error),
        origin: Origin::Engine {
            rule: "calls of an open breaker fail at once".into(),
        },
    });
}
