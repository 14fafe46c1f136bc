//! Looks at blocked and stale calls whose inputs are known now.
//!
//! Must not know: what is decided about a ready call.

use std::sync::Arc;

use super::correction;
use crate::advice::{Advice, RuleUses, decide, digest};
use crate::call::{Binding, Call, Status};
use crate::draft::Draft;
use crate::event::CallEvent;
use crate::invalidation;
use crate::node::Node;
use crate::ready::{self, Readiness};
use crate::thread;

pub(super) fn look(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for id in state.agenda.woken.iter().copied() {
        if !thread::call_acts(draft.state, id) {
            continue;
        }
        let Some(call) = draft.state.calls.get(&id) else {
            continue;
        };
        match ready::look(draft.state, call) {
            Readiness::Wait => {}
            Readiness::Dead { .. } if call.suspect => reconsider(draft, call, None),
            Readiness::Dead { .. } if correction::carry(draft, id) => {}
            Readiness::Dead { because } => draft.call(CallEvent::Skipped {
                call: id,
                because: Arc::from(because),
            }),
            Readiness::Bound { bindings, resolved } if call.suspect => {
                reconsider(draft, call, Some((bindings, resolved.as_deref())));
            }
            Readiness::Bound { bindings, resolved } => become_ready(draft, advice, call, bindings, resolved),
        }
    }
}

/// Keeps a stale call if its inputs came out the same, and recomputes it otherwise. `found` is what
/// it reads now; none if something that it read is permanently gone.
pub(super) fn reconsider(draft: &mut Draft<'_>, call: &Call, found: Option<(Vec<Binding>, Option<&str>)>) {
    let args = draft
        .state
        .nodes
        .get(&call.id)
        .and_then(Node::as_call)
        .map(|(_, args)| args.clone());
    let same = found
        .as_ref()
        .is_some_and(|(_, resolved)| resolved.or(args.as_deref()) == call.resolved.as_deref());
    // A call that never ran keeps only its place in the queue.
    let nothing = matches!(
        call.status,
        Status::Skipped | Status::Unsatisfiable | Status::Invalid
    );
    // A result or rejection by the operator stays, unless the call needs a new decision.
    let pinned = draft.state.observation(call.id).is_some_and(|node| node.pinned);
    let refused = matches!(call.status, Status::Rejected | Status::Abandoned)
        && (found.is_none() || call.resolved.is_none());
    if same && !nothing {
        let bindings = found.map(|(bindings, _)| bindings).unwrap_or_default();
        draft.call(CallEvent::Retained {
            call: call.id,
            bindings,
            pinned_args: None,
        });
        return;
    }
    if pinned || refused {
        let changed = found.filter(|_| pinned && !same);
        let based_on = changed.and_then(|(_, resolved)| resolved.map(Arc::from).or(args));
        draft.call(CallEvent::Retained {
            call: call.id,
            bindings: call.refs.bindings.clone(),
            pinned_args: based_on,
        });
        return;
    }
    invalidation::cancel_running(draft, &[call.id], "what it reads changed");
    invalidation::orphan(draft, &[call.id]);
    draft.call(CallEvent::Woken { call: call.id });
}

pub(super) fn become_ready(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    call: &Call,
    bindings: Vec<Binding>,
    resolved: Option<String>,
) {
    let Some(node) = draft.state.nodes.get(&call.id) else {
        return;
    };
    let Some((tool, args)) = node.as_call() else {
        return;
    };
    let bytes = resolved.as_deref().unwrap_or(args);
    if advice.awaits(tool, bytes, &RuleUses::by(draft)) {
        return;
    }
    let faults = advice.bars(tool, bytes, true);
    if !faults.is_empty() {
        draft.call(CallEvent::Invalid {
            call: call.id,
            rev: node.rev(),
            faults,
        });
        return;
    }
    let operands = advice.operands(tool, bytes);
    let task = thread::task(draft.state, advice, node);
    let Some(verdict) = decide(advice, node, bytes, task.as_deref(), &RuleUses::by(draft)) else {
        return;
    };
    let digest = digest(
        advice,
        (call.id, node.rev()),
        (tool, bytes),
        &operands,
        Some(&verdict),
    );
    draft.call(CallEvent::Ready {
        call: call.id,
        rev: node.rev(),
        bindings,
        resolved: resolved.map(Arc::from),
        digest,
        operands,
        verdict,
    });
}
