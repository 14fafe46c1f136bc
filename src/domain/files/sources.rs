//! Everything recorded that changed files, in journal order.
//!
//! Must not know: what is restored.
//!
//! Earlier versions recorded only the hashes of the files that file tools wrote. Such a record counts as a change set: it
//! shows who changed a file, but no content can be restored from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{Change, ChangeList, ChangeSet, Execution, FileState, FilesChange, RestoreRecord};
use crate::changes;
use crate::id::{NodeId, Seq};
use crate::ledger;
use crate::state::{LedgerEntry, State};

/// Permission bits of a file of which only the hash was recorded.
const NOT_RECORDED: u32 = u32::MAX;

/// Everything recorded that changed files.
#[derive(Debug)]
pub(crate) struct Sources<'s> {
    /// In the order in which it ended.
    order: Vec<(Seq, Kind<'s>)>,
    /// What each execution changed.
    sets: BTreeMap<Execution, Cow<'s, ChangeSet>>,
}

/// Something that changed files.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind<'s> {
    /// An execution; what it changed is asked for by its name.
    Execution(Execution),
    /// Something else than a call.
    Outside(&'s ChangeList),
    /// A restore that has ended.
    Restore(&'s RestoreRecord),
}

impl<'s> Sources<'s> {
    pub(crate) fn of(state: &'s State) -> Self {
        let mut all = Self {
            order: Vec::new(),
            sets: BTreeMap::new(),
        };
        for (seq, change) in &state.operator.files.log {
            match change {
                FilesChange::Execution(execution) => {
                    if let Some(set) = recorded(state, *execution) {
                        all.add(*seq, *execution, Cow::Borrowed(set));
                    }
                }
                FilesChange::Outside(changes) => all.order.push((*seq, Kind::Outside(changes))),
                FilesChange::Restore(id) => {
                    let record = state.operator.files.restores.get(id);
                    all.order
                        .extend(record.map(|record| (*seq, Kind::Restore(record))));
                }
            }
        }
        let recorded = all.order.len();
        for entry in ledger::effects(state).filter(|entry| entry.thread.is_none()) {
            if let Some(set) = of_intent(state, entry).filter(|_| !all.sets.contains_key(&execution(entry))) {
                let seq = entry.ended.unwrap_or(entry.seq);
                all.add(seq, execution(entry), Cow::Owned(set));
            }
        }
        if all.order.len() > recorded {
            all.order.sort_by_key(|(seq, _)| *seq);
        }
        all
    }

    fn add(&mut self, seq: Seq, execution: Execution, set: Cow<'s, ChangeSet>) {
        self.sets.insert(execution, set);
        self.order.push((seq, Kind::Execution(execution)));
    }

    /// In the order in which it ended.
    pub(crate) fn order(&self) -> impl Iterator<Item = Kind<'s>> {
        self.order.iter().map(|(_, kind)| *kind)
    }

    /// What an execution changed.
    pub(crate) fn set(&self, execution: Execution) -> Option<&ChangeSet> {
        self.sets.get(&execution).map(|set| &**set)
    }

    /// The calls that may have changed what is recorded with another one.
    pub(crate) fn shared(&self) -> BTreeSet<NodeId> {
        let sets = self.sets.values();
        sets.flat_map(|set| set.shared.iter().copied()).collect()
    }

    /// What each execution changed.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (Execution, &ChangeSet)> {
        self.sets.iter().map(|(execution, set)| (*execution, &**set))
    }
}

/// The execution of an entry of the ledger.
pub(crate) fn execution(entry: &LedgerEntry) -> Execution {
    Execution {
        call: entry.call,
        attempt: entry.attempt,
    }
}

fn recorded(state: &State, execution: Execution) -> Option<&ChangeSet> {
    state.attempt(execution)?.files.as_deref()
}

/// What a file tool recorded of the file that it wrote, before there were change sets.
fn of_intent(state: &State, entry: &LedgerEntry) -> Option<ChangeSet> {
    let (path, before, after) = changes::hashes(state, entry)?;
    let known = |hash| FileState::File {
        hash,
        size: 0,
        mode: NOT_RECORDED,
    };
    let change = Change {
        path,
        before: before.map_or(FileState::Missing {}, known),
        after: known(after),
    };
    Some(ChangeSet {
        changes: ChangeList(vec![change]),
        ..ChangeSet::default()
    })
}

/// Returns true for the same state, as far as it was recorded.
pub(crate) fn same(one: &FileState, other: &FileState) -> bool {
    let is_bare = |state: &FileState| !is_whole(state);
    one == other || (is_bare(one) || is_bare(other)) && one.hash().is_some() && one.hash() == other.hash()
}

/// Returns true unless only the hash of a file was recorded.
pub(crate) const fn is_whole(state: &FileState) -> bool {
    !matches!(
        state,
        FileState::File {
            mode: NOT_RECORDED,
            ..
        }
    )
}
