//! Tells whether the world may have changed since an execution ran.
//!
//! Must not know: who asks, what follows from it.

use std::ops::Bound;

use overrule_base::known_tool::{PATH, value_in};

use super::execution_of;
use crate::call::{Call, EffectClass};
use crate::changes;
use crate::id::Seq;
use crate::state::{LedgerEntry, LedgerOutcome, State};

/// Returns true if an execution that may have changed the world began since this one, ran at the
/// same time, or has an unknown outcome.
pub fn world_changed_since(state: &State, seq: Seq) -> bool {
    changed_between(state, seq, Bound::Unbounded)
}

fn changed_between(state: &State, seq: Seq, end: Bound<Seq>) -> bool {
    begun_between(state, seq, end) || beside(state, seq).any(changes)
}

/// True where something that may have changed the world was begun since an execution.
pub fn begun_since(state: &State, seq: Seq) -> bool {
    begun_between(state, seq, Bound::Unbounded)
}

fn begun_between(state: &State, seq: Seq, end: Bound<Seq>) -> bool {
    let since = (Bound::Excluded(seq), end);
    let effects = state.agenda.effects.range(since);
    effects.filter_map(|(seq, _)| state.ledger.get(seq)).any(changes)
        || state.origin.elsewhere.range(since).next().is_some()
}

/// Returns true for an execution that may have changed the world.
pub fn changes(entry: &LedgerEntry) -> bool {
    entry.effect.has_effect() && entry.outcome != LedgerOutcome::DidNot
}

/// Executions that may have changed the world and began before this event, if they were running at
/// it or have an unknown outcome.
pub fn beside(state: &State, seq: Seq) -> impl Iterator<Item = &LedgerEntry> {
    let before = state.agenda.effects.range(..seq).next_back();
    let from = before.map_or(seq, |(_, first)| *first);
    let effects = state.agenda.effects.range(from..seq);
    let entries = effects.filter_map(|(seq, _)| state.ledger.get(seq));
    entries.filter(move |entry| match entry.outcome {
        LedgerOutcome::Running | LedgerOutcome::Unknown => true,
        LedgerOutcome::Known(_) | LedgerOutcome::DidNot => entry.ended.is_none_or(|ended| ended > seq),
    })
}

/// Notes that an execution may have changed the world. With it goes the first execution that was
/// running, or had an unknown outcome, when it began: a search for what ran at some time need not
/// look further back.
pub(crate) fn note_effect(state: &mut State, seq: Seq) {
    let first = beside(state, seq).next().map_or(seq, |entry| entry.seq);
    // That of a sub-agent is known only once it has had an effect.
    for (_, known) in state.agenda.effects.range_mut(seq..) {
        *known = seq.min(*known);
    }
    state.agenda.effects.insert(seq, first);
}

/// True for a result that came back from another branch and is older than a write, and for one of a file that was restored
/// since: the world may say something else by now.
pub fn is_outdated(state: &State, call: &Call) -> bool {
    let back = state
        .turn_of(call.id)
        .map_or(Seq(0), |turn| turn.more.revived)
        .max(call.approval.revived);
    let Some(read) = execution_of(state, call) else {
        return false;
    };
    call.effect == EffectClass::Read
        && (read < back && changed_between(state, read, Bound::Excluded(back))
            || is_restored_since(state, call, read))
}

/// True for a call that names a file or directory of which something was restored after an execution began.
fn is_restored_since(state: &State, call: &Call, read: Seq) -> bool {
    let restored = &state.operator.files.restored_at;
    if restored.is_empty() {
        return false;
    }
    let args = call
        .last_attempt()
        .and_then(|record| serde_json::from_str(&record.args).ok());
    let path = args.as_ref().and_then(|args| value_in(args, PATH)?.as_str());
    let Some(path) = path.and_then(|path| changes::workspace_path(state, path)) else {
        return false;
    };
    let within = restored.range(path.clone()..);
    // What is below it begins with it.
    let mut within = within.take_while(|(one, _)| one.bytes().starts_with(path.bytes()));
    within.any(|(one, at)| *at > read && one.is_within(&path))
}
