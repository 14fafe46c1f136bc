//! Which executions another one would repeat, and whether that needs consent. Must not know: who is
//! asked, how.

use super::call::{Call, ConsentCause, Decision, EffectClass};
use super::id::Seq;
use super::node::Node;
use super::ready;
use super::state::{LedgerEntry, LedgerOutcome, State};

/// Whether an equal effect is orphaned, of unknown outcome, or of this very call.
pub fn consent_needed(state: &State, call: &Call) -> Option<(ConsentCause, Vec<Seq>)> {
    let rev = state.nodes.get(&call.id)?.rev();
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
