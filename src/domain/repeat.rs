//! Tells which executions a call would repeat, and whether that needs consent.
//!
//! Must not know: who is asked, how.

mod earlier;
mod staleness;

use super::call::{Call, ConsentCause, EffectClass, Outcome};
use super::correction;
use super::id::{NodeId, Seq};
use super::node::{Content, Node, Origin};
use super::ready;
use super::state::{LedgerEntry, LedgerOutcome, State};

pub use earlier::{Earlier, Since, earlier, repeating, since};
pub(crate) use staleness::note_effect;
pub use staleness::{begun_since, beside, changes, is_outdated, world_changed_since};

/// Returns why a call needs consent: an equal effect is orphaned, has an unknown outcome, is of
/// this very call, or of the run that this one was forked from.
pub fn consent_needed(state: &State, call: &Call) -> Option<(ConsentCause, Vec<Seq>)> {
    let (tool, _) = state.nodes.get(&call.id)?.as_call()?;
    consent_for(state, call, (tool, &ready::resolved_args(state, call)?))
}

/// The same for a call as it would be: with this tool and these final arguments, and an effect as `call` has.
pub fn consent_for(
    state: &State,
    call: &Call,
    (tool, bytes): (&str, &str),
) -> Option<(ConsentCause, Vec<Seq>)> {
    if !call.effect.has_effect() {
        return None;
    }
    let mut orphaned = Vec::new();
    let mut unknown = Vec::new();
    let mut own = Vec::new();
    let mut elsewhere = Vec::new();
    // An effect with unknown arguments may be the same.
    elsewhere.extend(untold(state, tool).filter(|seq| !call.approval.consented.contains(seq)));
    for seq in equal_to(state, tool, bytes) {
        if state.origin.elsewhere.contains_key(&seq) {
            elsewhere.extend(Some(seq).filter(|seq| !call.approval.consented.contains(seq)));
            continue;
        }
        let Some(entry) = state
            .ledger
            .get(&seq)
            .filter(|entry| !call.approval.consented.contains(&entry.seq))
        else {
            continue;
        };
        if !entry.effect.has_effect() {
            continue;
        }
        if entry.outcome == LedgerOutcome::DidNot {
            continue;
        }
        if entry.outcome == LedgerOutcome::Unknown && entry.effect > EffectClass::Idempotent {
            unknown.push(seq);
        } else if entry.more.orphaned && entry.more.reverted_by.is_none() {
            orphaned.push(seq);
        } else if entry.call == call.id && !is_harmless_repeat(entry) {
            own.push(seq);
        }
    }
    unknown.extend(
        unknown_before_repair(state, call)
            .filter(|seq| !unknown.contains(seq))
            .collect::<Vec<_>>(),
    );
    let cause = if !unknown.is_empty() {
        ConsentCause::Unknown
    } else if !orphaned.is_empty() {
        ConsentCause::Orphaned
    } else if !elsewhere.is_empty() {
        ConsentCause::Elsewhere
    } else if !own.is_empty() {
        ConsentCause::SameCall
    } else {
        return None;
    };
    // The answer covers all of them, and nothing that is doubtful later.
    let mut entries = [unknown, orphaned, elsewhere, own].concat();
    entries.sort_unstable();
    Some((cause, entries))
}

/// Executions of a repaired call with unknown outcomes: other arguments may repeat their effect. A
/// person who edits the call knows that; a repair does not.
fn unknown_before_repair<'s>(state: &'s State, call: &'s Call) -> impl Iterator<Item = Seq> + 's {
    let repaired = state
        .nodes
        .get(&call.id)
        .is_some_and(|node| matches!(node.now().origin, Origin::Repair { .. }));
    let entries = call
        .attempts
        .iter()
        .filter_map(|one| state.ledger.get(&one.intent));
    entries
        .filter(move |entry| repaired && entry.effect > EffectClass::Idempotent)
        .filter(|entry| {
            entry.outcome == LedgerOutcome::Unknown && !call.approval.consented.contains(&entry.seq)
        })
        .map(|entry| entry.seq)
}

/// Returns the result that a call asking for consent may reuse: of the newest execution that it
/// would repeat, if all of those are known to have succeeded. Other equal executions say nothing
/// about one whose end was not seen.
pub fn reusable_result(state: &State, call: &Call) -> Option<(Seq, Outcome)> {
    let equal = equal_entries(state, call);
    let ended_well = call.approval.asked_about.iter().map(|seq| {
        let outcome = match state.ledger.get(seq).map(|entry| &entry.outcome) {
            Some(LedgerOutcome::Known(outcome)) => outcome,
            Some(_) => return None,
            None => state.origin.elsewhere.get(seq)?.what.outcome.as_ref()?,
        };
        (outcome.has_value() && equal.contains(seq)).then_some((*seq, outcome))
    });
    let all: Option<Vec<_>> = ended_well.collect();
    let (newest, outcome) = all?.into_iter().max_by_key(|(seq, _)| *seq)?;
    Some((newest, outcome.clone()))
}

/// Explains why a call asking for consent cannot reuse a result, and what to do.
pub fn no_result(call: &Call) -> String {
    let entries: Vec<String> = call.approval.asked_about.iter().map(Seq::to_string).collect();
    format!(
        "cannot reuse a result for {}: not all executions in question ({}) are known to have succeeded; \
         hint: report the outcome, run it again, or reject it",
        call.id,
        entries.join(", ")
    )
}

/// Returns the recorded result that a call may take without an execution: of an equal call on a
/// superseded branch, harmless, and still true as far as this run can tell. A call that already had
/// a result runs again.
pub fn reusable(state: &State, call: &Call) -> Option<(Seq, Outcome)> {
    if !may_be_reused(state, call, &state.nodes.get(&call.id)?.now().origin) {
        return None;
    }
    // Where every call counts, an equal one is in sight.
    if state.agenda.retired.is_empty() {
        return None;
    }
    let counts = |id: &NodeId| state.nodes.get(id).is_some_and(|node| node.active);
    let entries = equal_entries(state, call);
    // Proposed where the result is in sight, it is a new intention.
    let visible = entries
        .iter()
        .filter_map(|seq| state.ledger.get(seq))
        .any(|entry| counts(&entry.call) || entry.more.reused_by.iter().any(counts));
    if visible || correction::has_equal_correction(state, call) {
        return None;
    }
    entries.iter().rev().find_map(|seq| {
        let entry = state.ledger.get(seq)?;
        let LedgerOutcome::Known(outcome) = &entry.outcome else {
            return None;
        };
        let true_still = entry.effect == EffectClass::Pure || !world_changed_since(state, *seq);
        let fits = outcome.has_value() && !entry.more.edited && entry.effect == call.effect && true_still;
        fits.then(|| (*seq, outcome.clone()))
    })
}

/// Returns true if a call takes an equal recorded result, if there is one. `origin` is the author
/// of its arguments.
pub fn may_be_reused(state: &State, call: &Call, origin: &Origin) -> bool {
    // A call that the operator inserted or edited runs.
    let by_model = *origin == Origin::Model;
    let had_result = state.nodes.contains_key(&call.id.observation());
    let reuse = state.started.as_ref().map(|started| started.reuse);
    let requested = reuse.is_some_and(|reuse| match call.effect {
        EffectClass::Pure => reuse.pure,
        EffectClass::Read => reuse.reads,
        EffectClass::Idempotent | EffectClass::Write | EffectClass::Unknown => false,
    });
    by_model && !had_result && requested
}

/// The execution that the result of a call came from.
fn execution_of(state: &State, call: &Call) -> Option<Seq> {
    let text = state.observation(call.id)?.now();
    match (&text.origin, &text.content) {
        (Origin::Reused { from }, _) => Some(*from),
        (_, Content::Observation { attempt, .. }) => {
            let record = call.attempts.iter().find(|one| one.no == *attempt)?;
            Some(record.intent)
        }
        _ => None,
    }
}

/// An idempotent execution that a crash cut off continues with the same key.
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
    equal_to(state, tool, &bytes)
}

/// Executions with a tool and final arguments, here and in the run that this one left, in journal order.
fn equal_to(state: &State, tool: &str, args: &str) -> Vec<Seq> {
    let same = dedup_key(tool, args);
    let mut all: Vec<Seq> = state.same(&same).map(|entry| entry.seq).collect();
    all.extend(state.same_elsewhere(&same).map(|(seq, _)| seq));
    all.sort_unstable();
    all
}

/// Effects of other runs with unknown arguments: any call of the tool may repeat them.
fn untold<'s>(state: &'s State, tool: &'s str) -> impl Iterator<Item = Seq> + 's {
    let untold = state.same_elsewhere("");
    untold
        .filter(move |(_, one)| one.what.is_of(tool))
        .map(|(seq, _)| seq)
}

/// Hash of a tool and its final arguments: equal effects have equal hashes. Argument texts that
/// differ in whitespace or in the order of keys are equal.
pub fn dedup_key(tool: &str, args: &str) -> String {
    let canonical = overrule_base::canon::canonical_text(args).unwrap_or_else(|_| args.to_owned());
    overrule_base::canon::hash("overrule sameness v1", &[tool.as_bytes(), canonical.as_bytes()])
}
