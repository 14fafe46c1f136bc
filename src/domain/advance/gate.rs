//! Decides about a ready call: consent, earlier approvals of the same bytes, the policy.
//!
//! Must not know: how a policy is written.

use crate::advice::Advice;
use crate::auto_approved;
use crate::call::{Call, Decision, EffectClass, Gate, Outcome, Status};
use crate::draft::Draft;
use crate::escape::open_step;
use crate::event::CallEvent;
use crate::id::Rev;
use crate::node::Origin;
use crate::repeat::{consent_needed, reusable};
use crate::restrict;
use crate::state::{LedgerOutcome, State};
use crate::tags;
use crate::thread;

pub(super) fn gate(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for id in state.agenda.ungated.iter().copied() {
        if !thread::call_acts(draft.state, id) {
            continue;
        }
        let Some(call) = draft.state.calls.get(&id) else {
            continue;
        };
        // A stale call may get other inputs.
        if call.status != Status::Ready || call.suspect {
            continue;
        }
        let Some((rev, tool)) = draft
            .state
            .nodes
            .get(&id)
            .and_then(|node| node.as_call().map(|(tool, _)| (node.rev(), tool.clone())))
        else {
            continue;
        };
        let facts = advice.tool(&tool);
        if facts
            .as_ref()
            .is_some_and(super::super::advice::ToolFacts::is_answer)
        {
            accept_answer(draft, call, rev);
            continue;
        }
        let asks = facts.is_some_and(|facts| facts.asks_operator());
        one(draft, advice, call, (rev, asks));
    }
}

/// Takes the arguments of the structured answer as the answer; no tool runs.
fn accept_answer(draft: &mut Draft<'_>, call: &Call, rev: Rev) {
    draft.call(CallEvent::Given {
        call: call.id,
        rev,
        outcome: Outcome::ok("\"accepted\""),
        origin: Origin::Engine {
            rule: "the structured answer is taken as it is".into(),
        },
    });
}

fn one(draft: &mut Draft<'_>, advice: &dyn Advice, call: &Call, (rev, asks): (Rev, bool)) {
    let decided = |decision| CallEvent::Decided {
        call: call.id,
        rev,
        digest: call.digest.clone(),
        decision,
    };
    let Some(verdict) = call.verdict.as_ref() else {
        return;
    };
    if verdict.gate == Gate::Deny {
        let decision = Decision::Deny {
            rule: verdict.rule.clone(),
            reason: verdict.reason.clone(),
        };
        draft.call(decided(decision));
        return;
    }
    if restrict::forbids(draft.state, call) {
        draft.call(restrict::denial(draft.state, call));
        return;
    }
    if let Some((rule, reason)) = repeats(draft.state, call) {
        draft.call(decided(Decision::Deny { rule, reason }));
        return;
    }
    if let Some((cause, entries)) = consent_needed(draft.state, call) {
        draft.call(CallEvent::ConsentAsked {
            call: call.id,
            cause,
            entries,
        });
        return;
    }
    // The operator decides about a withdrawn approval, whether policy or operator gave it.
    if auto_approved::is_taken_back(draft.state, call) {
        draft.call(CallEvent::Asked {
            call: call.id,
            rev,
            deadline_ms: verdict.deadline_ms,
            approver: None,
        });
        return;
    }
    if !asks && let Some((from, outcome)) = reusable(draft.state, call) {
        draft.call(decided(Decision::Reuse { from }));
        draft.call(CallEvent::Given {
            call: call.id,
            rev,
            outcome,
            origin: Origin::Reused { from },
        });
        return;
    }
    if !asks {
        if call.approval.edit_approves.is_some()
            && call.approval.edit_approves == call.digest
            && !was_decided(call, rev)
        {
            draft.call(decided(Decision::Edited));
            return;
        }
        if verdict.gate == Gate::Allow {
            draft.call(decided(Decision::Auto {
                rule: verdict.rule.clone(),
            }));
            return;
        }
        if still_approved(draft.state, call, rev) {
            let rule = if call.effect <= EffectClass::Idempotent {
                auto_approved::HARMLESS
            } else {
                auto_approved::UNHAPPENED
            };
            draft.call(decided(Decision::Auto { rule: rule.into() }));
            return;
        }
    }
    draft.call(CallEvent::Asked {
        call: call.id,
        rev,
        deadline_ms: verdict.deadline_ms,
        // Only the operator decides about irreversible calls and questions to the operator.
        approver: advice.approver().filter(|_| {
            !asks && !verdict.operator_only && tags::confirmation(draft.state, call.id).is_none()
        }),
    });
}

/// Returns the reason to deny a call that repeats a loop. The denial applies for one turn.
fn repeats(state: &State, call: &Call) -> Option<(String, String)> {
    let (tool, args) = state.nodes.get(&call.id)?.as_call()?;
    open_step::refused(state, call.id, tool, call.resolved.as_ref().unwrap_or(args))
}

fn was_decided(call: &Call, rev: Rev) -> bool {
    call.decisions
        .iter()
        .any(|(one, seq, _)| *one == rev && *seq > call.approval.revived)
}

/// One approval covers further attempts of the same bytes if no earlier attempt executed, or if
/// repeating it changes nothing. The policy decides about its own approvals each time.
fn still_approved(state: &State, call: &Call, rev: Rev) -> bool {
    let by_person = auto_approved::by_policy(state, call).is_none();
    let approved = by_person && call.approved.is_some() && call.approved == call.digest;
    let mut attempts = call
        .attempts
        .iter()
        .filter(|one| one.rev == rev)
        .filter_map(|one| state.ledger.get(&one.intent));
    let harmless = call.effect <= EffectClass::Idempotent;
    approved && attempts.all(|entry| harmless || entry.outcome == LedgerOutcome::DidNot)
}
