//! Attributes changes to the executions that were running when they were found.
//!
//! Must not know: how changes are found.
//!
//! A change is reported by the first of them that ends; the others that may have made it are named with it. What no
//! execution may have made is a change from outside.

use std::collections::{BTreeMap, BTreeSet};

use overrule_domain::files::{Change, ChangeList, ChangeSet, Execution, FilePath, FileState, Head};
use overrule_domain::id::NodeId;

use crate::scan::is_same;

/// What an execution may change.
#[derive(Debug)]
pub(crate) enum Scope {
    /// Anything.
    Any {
        /// What was checked out before.
        head: Option<Head>,
        /// What was found when it ended may be older than it.
        is_blind: bool,
        /// Why its changes are not known.
        untracked: Option<String>,
        /// Directories that are not tracked and in which something was written since.
        wrote: BTreeSet<FilePath>,
    },
    /// These paths, which had these states.
    Paths(BTreeMap<FilePath, FileState>),
}

#[derive(Debug)]
struct Pending {
    before: FileState,
    after: FileState,
    by: BTreeSet<Execution>,
}

/// The open windows, and changes that no execution has reported yet.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    open: BTreeMap<Execution, Scope>,
    pending: BTreeMap<FilePath, Pending>,
    outside: BTreeMap<FilePath, Pending>,
}

impl Windows {
    /// Opens a window.
    pub(crate) fn open(&mut self, execution: Execution, scope: Scope) {
        self.open.insert(execution, scope);
    }

    /// The executions that may change anything.
    fn running(&self) -> BTreeSet<Execution> {
        let any = self
            .open
            .iter()
            .filter(|(_, scope)| matches!(scope, Scope::Any { .. }));
        any.map(|(execution, _)| *execution).collect()
    }

    /// Returns true if an open window names its paths; none if there is no such window.
    pub(crate) fn is_exact(&self, execution: Execution) -> Option<bool> {
        let scope = self.open.get(&execution)?;
        Some(matches!(scope, Scope::Paths(_)))
    }

    fn is_named(&self, path: &FilePath) -> bool {
        let mut scopes = self.open.values();
        scopes.any(|scope| matches!(scope, Scope::Paths(paths) if paths.contains_key(path)))
    }

    /// Attributes changes that a look found. With `is_unsure`, an earlier look missed changes, and these may be older than
    /// every open window.
    pub(crate) fn found(&mut self, changes: ChangeList, wrote: Vec<FilePath>, is_unsure: bool) {
        let by = if is_unsure {
            BTreeSet::new()
        } else {
            self.running()
        };
        for change in changes.0 {
            // A path that a file tool named is that tool's.
            if self.is_named(&change.path) {
                continue;
            }
            let list = if by.is_empty() {
                &mut self.outside
            } else {
                &mut self.pending
            };
            add(list, change, &by);
        }
        for scope in self.open.values_mut() {
            if let Scope::Any { wrote: all, .. } = scope {
                all.extend(wrote.iter().cloned());
            }
        }
    }

    /// Takes the changes from outside that were not reported yet.
    pub(crate) fn take_outside(&mut self) -> ChangeList {
        list(std::mem::take(&mut self.outside))
    }

    /// Returns and removes what is not reported yet of paths that an execution named and changed, so that the changes of each path
    /// form one chain. Its window is closed. Returns the calls that may have made them as well.
    pub(crate) fn chain(&mut self, changes: &mut Vec<Change>) -> BTreeSet<NodeId> {
        let mut shared = BTreeSet::new();
        changes.retain_mut(|change| {
            let mut calls = BTreeSet::new();
            if let Some(pending) = self.pending.remove(&change.path) {
                change.before = pending.before;
                calls.extend(pending.by.iter().map(|by| by.call));
            }
            for (other, scope) in &mut self.open {
                if let Scope::Paths(paths) = scope
                    && let Some(before) = paths.get_mut(&change.path)
                {
                    before.clone_from(&change.after);
                    calls.insert(other.call);
                }
            }
            let is_real = !is_same(&change.before, &change.after);
            shared.extend(calls.into_iter().filter(|_| is_real));
            is_real
        });
        shared
    }

    /// Closes a window. Returns its scope and the changes to report with the others that may have made them.
    pub(crate) fn close(&mut self, execution: Execution) -> Option<(Scope, ChangeSet)> {
        let scope = self.open.remove(&execution)?;
        let (mine, rest) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|(_, pending): &(FilePath, Pending)| pending.by.contains(&execution));
        self.pending = rest;
        let mine: BTreeMap<FilePath, Pending> = mine;
        let mut set = ChangeSet::default();
        if matches!(scope, Scope::Any { is_blind: true, .. }) {
            // Nothing is known of it, but others may have made these, or it may.
            for (path, pending) in mine {
                let Pending { before, after, by } = pending;
                let others: BTreeSet<Execution> = by.into_iter().filter(|by| *by != execution).collect();
                let list = if others.is_empty() {
                    &mut self.outside
                } else {
                    &mut self.pending
                };
                add(list, Change { path, before, after }, &others);
            }
        } else {
            let calls = mine.values().flat_map(|pending| &pending.by).map(|by| by.call);
            let shared: BTreeSet<NodeId> = calls.filter(|call| *call != execution.call).collect();
            set.shared = shared.into_iter().collect();
            set.changes = list(mine);
        }
        Some((scope, set))
    }
}

/// Adds a change to those that were found earlier.
fn add(list: &mut BTreeMap<FilePath, Pending>, change: Change, by: &BTreeSet<Execution>) {
    let Change { path, before, after } = change;
    let pending = list.entry(path).or_insert_with(|| Pending {
        before,
        after: FileState::Missing {},
        by: BTreeSet::new(),
    });
    pending.after = after;
    pending.by.extend(by);
}

/// The changes, without those that were undone again.
fn list(pending: BTreeMap<FilePath, Pending>) -> ChangeList {
    let real = pending
        .into_iter()
        .filter(|(_, pending)| !is_same(&pending.before, &pending.after));
    let changes = real.map(|(path, pending)| Change {
        path,
        before: pending.before,
        after: pending.after,
    });
    ChangeList(changes.collect())
}
