//! Reads the ledger of effects: what happened, what may have happened, what was reverted.
//!
//! Must not know: how it is shown, who repeats an effect.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::call::{AttemptRecord, Decision, EffectClass, ErrorClass, Outcome};
use super::envelope::Via;
use super::id::{NodeId, Seq};
use super::node::Origin;
use super::node_set::NodeSet;
use super::reference::rewrite;
use super::repeat::dedup_key;
use super::state::{LedgerEntry, LedgerOutcome, State};
use super::template::{self, Filled};

/// One execution with what belongs to it.
#[derive(Debug, Clone, Copy)]
pub struct Row<'s> {
    /// The entry.
    pub entry: &'s LedgerEntry,
    /// The exact argument bytes that ran.
    pub args: &'s str,
    /// The decision that approved it.
    pub consent: Option<&'s Decision>,
    /// Where that decision was made; `None` if no person made it, or it is not recorded.
    pub via: Option<Via>,
}

/// Executions of class idempotent and above, in the order in which they began, those that sub-agents work in included.
pub fn effects(state: &State) -> impl Iterator<Item = &LedgerEntry> {
    let effects = state.agenda.effects.keys();
    effects.filter_map(|seq| state.ledger.get(seq))
}

/// Executions of class idempotent and above, in the order in which they began.
pub fn rows(state: &State) -> impl Iterator<Item = Row<'_>> {
    // The work of a sub-agent is listed by its own calls.
    let own = effects(state).filter(|entry| entry.thread.is_none());
    own.map(|entry| row(state, entry))
}

/// An execution with its arguments and the decision that approved it.
pub fn row<'s>(state: &'s State, entry: &'s LedgerEntry) -> Row<'s> {
    let (text, consent) = consent(state, entry).unzip();
    Row {
        entry,
        args: args(state, entry),
        consent,
        via: text.and_then(|seq| state.operator.via.get(&seq).copied()),
    }
}

/// The newest execution of a call.
pub fn newest_of(state: &State, call: NodeId) -> Option<Seq> {
    Some(state.calls.get(&call)?.last_attempt()?.intent)
}

/// The record of an execution on its call.
pub(crate) fn attempt<'s>(state: &'s State, entry: &LedgerEntry) -> Option<&'s AttemptRecord> {
    let call = state.calls.get(&entry.call)?;
    call.attempts.iter().find(|one| one.intent == entry.seq)
}

/// The exact argument bytes that ran.
pub fn args<'s>(state: &'s State, entry: &LedgerEntry) -> &'s str {
    attempt(state, entry).map_or("", |attempt| &attempt.args)
}

fn consent<'s>(state: &'s State, entry: &LedgerEntry) -> Option<(Seq, &'s Decision)> {
    let decisions = state.calls.get(&entry.call)?.decisions.iter().rev();
    let mut before = decisions.filter(|(rev, seq, _)| *rev == entry.rev && *seq < entry.seq);
    before.next().map(|(_, seq, decision)| (*seq, &**decision))
}

/// What the end of an execution tells: a time-out or a cancelled execution of something with effects proves nothing.
pub fn ledger_outcome(outcome: &Outcome, effect: EffectClass) -> LedgerOutcome {
    let unproven = match outcome {
        Outcome::Ok { .. } => false,
        Outcome::Err(error) => {
            error.executed && matches!(error.class, ErrorClass::Transient | ErrorClass::Lost)
        }
        Outcome::Cancelled { executed } => *executed,
    };
    let nothing = match outcome {
        Outcome::Ok { .. } => false,
        Outcome::Err(error) => !error.executed,
        Outcome::Cancelled { executed } => !executed,
    };
    if nothing {
        LedgerOutcome::DidNot
    } else if unproven && effect.has_effect() {
        LedgerOutcome::Unknown
    } else {
        LedgerOutcome::Known(outcome.clone())
    }
}

/// True where an execution did something, or may have.
pub fn may_have_happened(entry: &LedgerEntry) -> bool {
    match &entry.outcome {
        LedgerOutcome::DidNot => false,
        LedgerOutcome::Known(Outcome::Err(error)) => error.executed,
        LedgerOutcome::Known(Outcome::Cancelled { executed }) => *executed,
        LedgerOutcome::Known(Outcome::Ok { .. }) | LedgerOutcome::Unknown | LedgerOutcome::Running => true,
    }
}

/// Returns what reverted an execution: the restore of all its file changes, or the call from its template, succeeded and
/// later than it.
pub fn taken_back(state: &State, entry: &LedgerEntry) -> Option<NodeId> {
    if entry.more.reverted_by.is_some() {
        return entry.more.reverted_by;
    }
    let Filled { tool, args } = template::compensate_of(state, entry.seq).ok()?;
    // As it runs: without the escapes that keep data from being read as references.
    let args = rewrite::resolve(&args, |_| None);
    let same = dedup_key(&tool, &args);
    state
        .same(&same)
        .filter(|one| one.seq > entry.seq && !one.more.orphaned)
        .find(|one| matches!(&one.outcome, LedgerOutcome::Known(outcome) if outcome.has_value()))
        .map(|one| one.call)
}

/// Executions with an unknown outcome, or still running.
pub fn unknown(state: &State) -> impl Iterator<Item = Row<'_>> {
    rows(state).filter(|row| matches!(row.entry.outcome, LedgerOutcome::Unknown | LedgerOutcome::Running))
}

/// Orphaned effects: they happened or may have, no active call has their result, and none was
/// reverted.
pub fn orphaned_effects(state: &State) -> impl Iterator<Item = Row<'_>> {
    rows(state).filter(|row| {
        is_orphaned(state, row.entry)
            && may_have_happened(row.entry)
            && taken_back(state, row.entry).is_none()
    })
}

/// Returns true if an edit superseded the call of an execution, and no active call was given its
/// result since.
pub fn is_orphaned(state: &State, entry: &LedgerEntry) -> bool {
    entry.more.orphaned && reusing_call(state, entry).is_none()
}

/// Effects with recorded results that these calls were given, and that no other active call has.
/// They are orphaned again once the calls are superseded.
pub fn orphaned_without(state: &State, calls: impl Iterator<Item = NodeId>) -> BTreeSet<Seq> {
    let entries = calls.filter_map(|id| given_to(state, id));
    entries
        .filter(|seq| {
            state
                .ledger
                .get(seq)
                .is_some_and(|entry| entry.effect.has_effect() && entry.more.orphaned)
        })
        .collect()
}

/// The active call that was given the recorded result of an execution instead of running.
pub(super) fn reusing_call(state: &State, entry: &LedgerEntry) -> Option<NodeId> {
    let mut calls = entry.more.reused_by.iter().copied();
    calls.find(|id| given_to(state, *id) == Some(entry.seq))
}

/// The execution whose result an active call was given instead of running.
fn given_to(state: &State, call: NodeId) -> Option<Seq> {
    match state.observation(call)?.now().origin {
        Origin::Reused { from } => Some(from),
        _ => None,
    }
}

/// Effects of the run that this one was forked from, if no call here has their results, with
/// counts. A long list is cut.
fn others(state: &State) -> Vec<String> {
    let mut tools: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for (seq, one) in &state.origin.elsewhere {
        if !one.reused_by.iter().any(|id| given_to(state, *id) == Some(*seq)) {
            *tools.entry(one.what.tool.clone()).or_default() += 1;
        }
    }
    tools
        .into_iter()
        .map(|(tool, count)| match count {
            1 => tool.to_string(),
            count => format!("{tool} ({count} times)"),
        })
        .collect()
}

/// Returns the notice to the model about orphaned effects, in one line; `None` if there are none.
/// It omits the arguments: what the operator removed from the context must not return.
pub fn orphan_notice(state: &State) -> Option<Arc<str>> {
    let (mut happened, mut perhaps) = (Vec::new(), Vec::new());
    for row in orphaned_effects(state) {
        let name = format!("{} ({})", row.entry.tool, row.entry.call);
        match &row.entry.outcome {
            LedgerOutcome::Known(Outcome::Ok { .. }) => happened.push(name),
            LedgerOutcome::Known(_) => perhaps.push(format!("{name}, which failed")),
            _ => perhaps.push(name),
        }
    }
    let describe =
        |what: &str, list: &[String]| (!list.is_empty()).then(|| format!("{what}: {}.", list.join(", ")));
    let lines = [
        describe(
            "Already happened before the operator changed the course, and not undone",
            &happened,
        ),
        describe("May have happened as well; nobody knows", &perhaps),
    ];
    let elsewhere = describe(
        "Already happened in another course of this run, and not undone",
        &others(state),
    );
    let lines: Vec<String> = lines.into_iter().chain([elsewhere]).flatten().collect();
    (!lines.is_empty()).then(|| Arc::from(lines.join(" ")))
}

/// Effects that calls already had which may run again.
pub(crate) fn repeated(state: &State, calls: &NodeSet) -> Vec<Seq> {
    let happened = |entry: &&LedgerEntry| match &entry.outcome {
        LedgerOutcome::Known(outcome) => !matches!(outcome, Outcome::Err(error) if !error.executed),
        LedgerOutcome::Unknown | LedgerOutcome::Running => true,
        LedgerOutcome::DidNot => false,
    };
    let entries = of_calls(state, calls).into_iter().filter(happened);
    entries.map(|entry| entry.seq).collect()
}

/// Effects of calls that happened, or may have, and are not listed as orphaned yet, in the order in which they began.
pub(crate) fn not_orphaned(state: &State, calls: &NodeSet) -> Vec<Seq> {
    let counts = |entry: &&LedgerEntry| entry.outcome != LedgerOutcome::DidNot && !entry.more.orphaned;
    let entries = of_calls(state, calls).into_iter().filter(counts);
    let mut entries: Vec<Seq> = entries.map(|entry| entry.seq).collect();
    entries.sort_unstable();
    entries
}

/// Executions of calls that may have changed the world. Looked for among the calls or among the effects, whichever are
/// fewer.
fn of_calls<'s>(state: &'s State, calls: &NodeSet) -> Vec<&'s LedgerEntry> {
    let known = &state.agenda.effects;
    if known.len() < calls.len() {
        return effects(state)
            .filter(|entry| calls.contains(entry.call))
            .collect();
    }
    let attempts = calls.calls().filter_map(|id| state.calls.get(&id));
    let intents = attempts
        .flat_map(|call| &call.attempts)
        .map(|attempt| attempt.intent);
    intents
        .filter(|intent| known.contains_key(intent))
        .filter_map(|intent| state.ledger.get(&intent))
        .collect()
}
