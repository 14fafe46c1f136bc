//! Finds calls that only the policy approved, and those that it would not allow now.
//!
//! Must not know: how a policy is written, why it changed.

use super::advice::{Advice, RuleUses};
use super::call::{Call, Decision, Gate, Status, Verdict};
use super::draft::Draft;
use super::event::CallEvent;
use super::node::Node;
use super::ready;
use super::sandbox::UNDOABLE;
use super::state::State;

/// Why a call that the operator approved runs again without a question: nothing of it has happened.
pub const UNHAPPENED: &str = "these bytes were approved, and no execution of them has happened since";
/// Why it runs again without a question: repeating it does no harm.
pub const HARMLESS: &str = "these bytes were approved before, and running them again does no harm";

/// The rule of the policy that approved a call, as cited; none if the operator or their program
/// approved it, or for an undecided call.
pub fn by_policy<'s>(state: &State, call: &'s Call) -> Option<&'s str> {
    let rev = state.nodes.get(&call.id)?.rev();
    let decisions = call.decisions.iter().rev().filter(|(one, _, _)| *one == rev);
    let mut allowed = decisions.filter_map(|(_, _, decision)| match &**decision {
        // Repeats an earlier approval.
        Decision::Auto { rule } if rule == UNHAPPENED || rule == HARMLESS => None,
        Decision::Auto { rule } => Some(Some(&**rule)),
        Decision::Approve { .. }
        | Decision::Allowed { .. }
        | Decision::Edited
        | Decision::RunAgain { .. } => Some(None),
        _ => None,
    });
    allowed.next()?
}

/// Hash of the text that the call would replace, as it was shown to the operator who approved it; none
/// if the newest approval was of something else.
pub fn shown_base<'s>(state: &State, call: &'s Call) -> Option<&'s str> {
    let rev = state.nodes.get(&call.id)?.rev();
    let decisions = call.decisions.iter().rev().filter(|(one, _, _)| *one == rev);
    let mut allowed = decisions.filter_map(|(_, _, decision)| match &**decision {
        Decision::Auto { rule } if rule == UNHAPPENED || rule == HARMLESS => None,
        Decision::Approve { shown, .. } | Decision::RunAgain { shown } => {
            Some(shown.as_ref().and_then(|shown| shown.base.as_deref()))
        }
        decision if decision.allows_run() => Some(None),
        _ => None,
    });
    allowed.next()?
}

/// True for a call that only the policy approved, that has not started, and that the policy would
/// not allow now. An approval by the operator stays.
pub fn no_more(draft: &Draft<'_>, advice: &dyn Advice, call: &Call) -> bool {
    let state = draft.state;
    let Some(rule) = by_policy(state, call) else {
        return false;
    };
    let Some((tool, _)) = state.nodes.get(&call.id).and_then(Node::as_call) else {
        return false;
    };
    // Its own approval does not count against it.
    let used = RuleUses::by(draft).but_once(rule);
    let waits = matches!(call.status, Status::Queued | Status::Scheduled);
    let differs = |now: Verdict| {
        // Another rule may allow it as well, but not with the same read-only paths.
        let is_limited = now.rule == UNDOABLE || rule == UNDOABLE;
        now.gate != Gate::Allow || (is_limited && now.rule != rule)
    };
    waits && ready::resolved_args(state, call).is_some_and(|args| differs(advice.verdict(tool, &args, &used)))
}

/// True for a call whose newest decision withdrew the approval.
pub fn is_taken_back(state: &State, call: &Call) -> bool {
    let rev = state.nodes.get(&call.id).map(Node::rev);
    let last = call.decisions.last();
    last.is_some_and(|(one, _, decision)| {
        Some(*one) == rev && matches!(**decision, Decision::Withdrawn { .. })
    })
}

/// Returns the event that withdraws the approval of a call.
pub fn withdrawal(state: &State, call: &Call, reason: &str) -> CallEvent {
    CallEvent::Decided {
        call: call.id,
        rev: state.nodes.get(&call.id).map(Node::rev).unwrap_or_default(),
        digest: call.digest.clone(),
        decision: Decision::Withdrawn {
            reason: reason.to_owned(),
        },
    }
}

/// Withdraws the approval of a call, so that it goes through the gate again.
pub fn take_back(draft: &mut Draft<'_>, call: &Call, reason: &str) {
    draft.call(withdrawal(draft.state, call, reason));
    draft.call(CallEvent::Woken { call: call.id });
}

/// Withdraws every approval that this advice would not give now.
pub fn recheck(draft: &mut Draft<'_>, advice: &dyn Advice, reason: &str) {
    let state = draft.state;
    let agenda = &state.agenda;
    let waiting = agenda.queued.iter().chain(&agenda.delayed);
    for call in waiting.filter_map(|id| state.calls.get(id)) {
        if no_more(draft, advice, call) {
            take_back(draft, call, reason);
        }
    }
}
