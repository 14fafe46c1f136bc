//! Decides when breakers change, and which calls have to wait for one.
//!
//! Must not know: thresholds.

use std::collections::BTreeSet;

use crate::advice::Advice;
use crate::breaker::of_run::{instead, is_outdated, named, next_probe};
use crate::breaker::{Breaker, EVIDENCE, Phase, Scope};
use crate::call::{Call, ErrorClass, Outcome, ToolError};
use crate::draft::Draft;
use crate::event::{CallEvent, ResilienceEvent};
use crate::node::{Node, Origin};
use crate::ready;
use crate::state::State;
use crate::thread;

/// Changes breakers by the recorded samples.
pub(super) fn turn(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for (scope, breaker) in &state.learned.breakers {
        if is_outdated(state, breaker) {
            draft.resilience(ResilienceEvent::BreakerChanged {
                scope: scope.clone(),
                generation: breaker.generation.saturating_add(1),
                to: Phase::HalfOpen,
                wait_ms: 0,
                why: "the executions that opened it are superseded".into(),
                instead: Vec::new(),
            });
            continue;
        }
        // Only executions that ended since the last change can change it again.
        let last = breaker.recent.back();
        let may = match breaker.phase {
            Phase::Closed => last.is_some_and(|last| last.failed),
            Phase::HalfOpen => last.is_some() || breaker.inconclusive,
            Phase::Open => false,
        };
        if !may {
            continue;
        }
        if let Some(turn) = advice.breaker(breaker) {
            let instead = match scope {
                Scope::Tool(tool) if turn.to == Phase::Open => advice.instead(state, tool),
                _ => Vec::new(),
            };
            draft.resilience(ResilienceEvent::BreakerChanged {
                scope: scope.clone(),
                generation: breaker.generation.saturating_add(1),
                to: turn.to,
                wait_ms: turn.wait_ms,
                why: turn.why,
                instead,
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

/// The first of these breakers that is closed to the call now. `taken` are half-open breakers whose
/// one probe is already given to another call.
pub(super) fn shut<'s>(
    state: &'s State,
    scopes: &[Scope],
    taken: &BTreeSet<Scope>,
) -> Option<(Scope, &'s Breaker)> {
    scopes.iter().find_map(|scope| {
        let breaker = state.learned.breakers.get(scope)?;
        let shut = !breaker.admits() || breaker.phase == Phase::HalfOpen && taken.contains(scope);
        shut.then(|| (scope.clone(), breaker))
    })
}

/// Fails a call immediately, without an execution, if the settings say not to wait for breakers.
pub(super) fn fail_fast(draft: &mut Draft<'_>, call: &Call, scope: &Scope, breaker: &Breaker) {
    let state = draft.state;
    let Some(rev) = state.nodes.get(&call.id).map(Node::rev) else {
        return;
    };
    let hint = match instead(state, thread::of(state, call.id), breaker).as_slice() {
        [] => "use another tool, or call it again later".to_owned(),
        tools => format!("use {} instead, or call it again later", tools.join(" or ")),
    };
    let error = ToolError {
        class: ErrorClass::Transient,
        message: format!(
            "not run: {} keeps failing ({}); {}",
            named(scope),
            breaker.why,
            next_probe(state, breaker)
        ),
        evidence: EVIDENCE.into(),
        hint: Some(hint),
        partial: None,
        executed: false,
        retry_after_ms: None,
    };
    draft.call(CallEvent::Given {
        call: call.id,
        rev,
        outcome: Outcome::err(error),
        origin: Origin::Engine {
            rule: "calls of an open breaker fail immediately".into(),
        },
    });
}
