//! The gate before a ready call: consent for effects that may already have happened, earlier
//! approvals of the same bytes, the policy's word. Must not know: how a policy is written.

use crate::domain::advice::Advice;
use crate::domain::call::{Call, ConsentCause, Decision, EffectClass, Gate, Outcome, Status};
use crate::domain::draft::Draft;
use crate::domain::event::CallEvent;
use crate::domain::id::{Rev, Seq};
use crate::domain::node::{Node, Origin};
use crate::domain::ready;
use crate::domain::state::{LedgerEntry, LedgerOutcome, State};

pub(super) fn gate(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    for id in state.agenda.ungated.iter().copied() {
        if !super::acts(draft.state, id) {
            continue;
        }
        let Some(call) = draft.state.calls.get(&id) else {
            continue;
        };
        // What it would run with may be another thing in a moment.
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
        if facts.as_ref().is_some_and(|facts| facts.is_answer) {
            accept_answer(draft, call, rev);
            continue;
        }
        let asks = facts.is_some_and(|facts| facts.asks_operator);
        one(draft, call, rev, asks);
    }
}

/// The structured answer needs no tool: its arguments are the answer.
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

fn one(draft: &mut Draft<'_>, call: &Call, rev: Rev, asks: bool) {
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
    if let Some((cause, entries)) = consent_needed(draft.state, call, rev) {
        draft.call(CallEvent::ConsentAsked {
            call: call.id,
            cause,
            entries,
        });
        return;
    }
    if !asks {
        if call.edit_approves.is_some() && call.edit_approves == call.digest && !was_decided(call, rev) {
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
            draft.call(decided(Decision::Auto {
                rule: "approved before, and proven not to have run".into(),
            }));
            return;
        }
    }
    draft.call(CallEvent::Asked {
        call: call.id,
        rev,
        deadline_ms: verdict.deadline_ms,
    });
}

fn was_decided(call: &Call, rev: Rev) -> bool {
    call.decisions.iter().any(|(one, _, _)| *one == rev)
}

/// One approval covers further attempts of the same bytes only while every earlier one is proven
/// not to have executed, or running it again changes nothing.
fn still_approved(state: &State, call: &Call, rev: Rev) -> bool {
    let approved = call.approved.is_some() && call.approved == call.digest;
    let mut attempts = call
        .attempts
        .iter()
        .filter(|one| one.rev == rev)
        .filter_map(|one| state.ledger.get(&one.intent));
    let harmless = call.effect <= EffectClass::Idempotent;
    approved && attempts.all(|entry| harmless || entry.outcome == LedgerOutcome::DidNot)
}

/// Whether an equal effect is orphaned, of unknown outcome, or of this very call.
fn consent_needed(state: &State, call: &Call, rev: Rev) -> Option<(ConsentCause, Vec<Seq>)> {
    if !call.effect.has_effect() {
        return None;
    }
    let last_consent = call
        .decisions
        .iter()
        .rev()
        .find(|(one, _, decision)| *one == rev && *decision == Decision::RunAgain)
        .map_or(Seq(0), |(_, seq, _)| *seq);
    let mut orphaned = Vec::new();
    let mut unknown = Vec::new();
    let mut own = Vec::new();
    for seq in equal_entries(state, call) {
        let Some(entry) = state.ledger.get(&seq).filter(|entry| entry.seq > last_consent) else {
            continue;
        };
        if entry.outcome == LedgerOutcome::DidNot {
            continue;
        }
        if entry.outcome == LedgerOutcome::Unknown && entry.effect > EffectClass::Idempotent {
            unknown.push(seq);
        } else if entry.orphaned {
            orphaned.push(seq);
        } else if entry.call == call.id && !is_harmless_repeat(entry) {
            own.push(seq);
        }
    }
    if !unknown.is_empty() {
        Some((ConsentCause::Unknown, unknown))
    } else if !orphaned.is_empty() {
        Some((ConsentCause::Orphaned, orphaned))
    } else if !own.is_empty() {
        Some((ConsentCause::SameCall, own))
    } else {
        None
    }
}

/// An idempotent execution cut off by a crash goes on with the same key.
fn is_harmless_repeat(entry: &LedgerEntry) -> bool {
    entry.effect == EffectClass::Idempotent && entry.outcome == LedgerOutcome::Unknown
}

/// Executions with the tool and the final arguments of a call, in journal order.
pub fn equal_entries(state: &State, call: &Call) -> Vec<Seq> {
    let Some(bytes) = ready::resolved_args(state, call) else {
        return Vec::new();
    };
    let Some(tool) = state
        .nodes
        .get(&call.id)
        .and_then(Node::as_call)
        .map(|(tool, _)| tool)
    else {
        return Vec::new();
    };
    let same = sameness(tool, &bytes);
    state.agenda.same.get(same.as_str()).cloned().unwrap_or_default()
}

/// Hash of a tool and its final arguments: equal effects have equal hashes. Argument texts that
/// differ in white space or in the order of keys are equal.
pub fn sameness(tool: &str, args: &str) -> String {
    let canonical = crate::canon::canonical_text(args).unwrap_or_else(|_| args.to_owned());
    crate::canon::hash("overrule sameness v1", &[tool.as_bytes(), canonical.as_bytes()])
}
