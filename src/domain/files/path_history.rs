//! The changes of each path that are still in it: those of executions and of others, without what restores undid.
//!
//! Must not know: what the files are now.
//!
//! A restore is no change of its own. It takes the changes that it undoes out of the history of each path, and an undo of
//! it puts them back. So a second restore sees only what is still there.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::{Kind, Sources, same};
use super::{ChangeSet, Execution, FilePath, FileState, RestoreRecord, RestoreStarted};
use crate::id::NodeId;

/// The changes of each path.
#[derive(Debug, Default)]
pub(crate) struct Histories<'s> {
    pub(crate) paths: BTreeMap<&'s FilePath, PathHistory<'s>>,
    /// The restore that last took a change of an execution out.
    pub(crate) removed: BTreeMap<Execution, NodeId>,
}

/// The changes of one path that are still in it, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PathHistory<'s> {
    pub(crate) entries: Vec<Entry<'s>>,
    /// What the last change or restore left; none before the first.
    pub(crate) now: Option<&'s FileState>,
    /// What restores of the path replaced, oldest first.
    saved: Vec<Saved<'s>>,
}

/// A change of a path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'s> {
    /// The execution; none for something else.
    pub(crate) by: Option<Execution>,
    pub(crate) before: &'s FileState,
    pub(crate) after: &'s FileState,
    /// The change set that it is in.
    pub(crate) set: Option<&'s ChangeSet>,
}

#[derive(Debug)]
struct Saved<'s> {
    restore: NodeId,
    before: Vec<Entry<'s>>,
    /// The number of changes after the restore.
    len: usize,
}

/// What a restore is to undo and to make again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Executions whose changes are undone.
    pub undone: BTreeSet<Execution>,
    /// Executions whose changes are made again.
    pub redone: BTreeSet<Execution>,
    /// The restore that is undone.
    pub of: Option<NodeId>,
}

impl Selection {
    pub(crate) fn of_restore(started: &RestoreStarted) -> Self {
        Self {
            undone: started.undone.iter().copied().collect(),
            redone: started.redone.iter().copied().collect(),
            of: started.of,
        }
    }
}

/// A selection with what follows from it, looked up once.
pub(crate) struct Selected<'a, 's> {
    selection: &'a Selection,
    calls: BTreeSet<NodeId>,
    /// The changes that are made again, by path.
    again: BTreeMap<&'s FilePath, Vec<Entry<'s>>>,
    /// Every path that may be restored.
    pub(crate) paths: BTreeSet<&'s FilePath>,
}

impl<'a, 's> Selected<'a, 's> {
    pub(crate) fn of(selection: &'a Selection, sources: &'s Sources<'_>) -> Self {
        let mut all = Self {
            selection,
            calls: selection.undone.iter().map(|one| one.call).collect(),
            again: BTreeMap::new(),
            paths: BTreeSet::new(),
        };
        // In the order in which they were made.
        for kind in sources.order() {
            let Kind::Execution(by) = kind else { continue };
            let set = sources.set(by).filter(|_| selection.redone.contains(&by));
            for (path, entry) in set.into_iter().flat_map(|set| entries(by, set)) {
                all.again.entry(path).or_default().push(entry);
            }
        }
        all.paths.extend(all.again.keys());
        for execution in &selection.undone {
            let set = sources.set(*execution);
            all.paths.extend(set.iter().flat_map(|set| paths(set)));
        }
        all
    }

    /// Adds the paths that a selected call may have changed instead of the call that they are recorded with.
    pub(crate) fn with_shared(mut self, sources: &'s Sources<'_>) -> Self {
        for (_, set) in sources.sets() {
            if set.shared.iter().any(|call| self.calls.contains(call)) {
                self.paths.extend(paths(set));
            }
        }
        self
    }

    /// The call because of which a change is not wholly that of the selection, if it is partly.
    fn part(&self, entry: &Entry<'_>) -> Part {
        let Some(by) = entry.by else {
            return Part::None;
        };
        let shared = entry.set.map_or(&[][..], |set| &set.shared);
        let is_selected = |call: &NodeId| self.calls.contains(call);
        let other = shared.iter().find(|call| !is_selected(call)).copied();
        if self.selection.undone.contains(&by) {
            other.map_or(Part::All, Part::With)
        } else if shared.iter().any(is_selected) {
            Part::With(by.call)
        } else {
            Part::None
        }
    }
}

/// How much of a change is the selection's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    /// This call stays, and may have made it.
    With(NodeId),
    None,
}

/// What a path becomes.
#[derive(Debug)]
pub(crate) struct Turned<'s> {
    /// The changes that are in it then.
    pub(crate) entries: Vec<Entry<'s>>,
    pub(crate) target: &'s FileState,
    /// The selected calls whose changes are undone or made again.
    pub(crate) calls: Vec<NodeId>,
    pub(crate) conflict: Option<String>,
}

/// What is told where something else than a call of the run changed a path.
pub(crate) const BY_SOMETHING_ELSE: &str = "changed since by something else";

impl<'s> PathHistory<'s> {
    fn push(&mut self, entry: Entry<'s>) {
        // Nobody saw who changed it between.
        if let Some(now) = self.now.filter(|now| !same(now, entry.before)) {
            self.entries.push(Entry {
                by: None,
                before: now,
                after: entry.before,
                set: None,
            });
        }
        self.now = Some(entry.after);
        self.entries.push(entry);
    }

    /// Returns what it becomes without the selected changes at its end, and with those that are made again; none if that
    /// changes nothing of its history.
    pub(crate) fn turned(&self, path: &FilePath, selected: &Selected<'_, 's>) -> Option<Turned<'s>> {
        let parts: Vec<Part> = self.entries.iter().map(|entry| selected.part(entry)).collect();
        let last = parts.iter().rposition(|part| *part != Part::None);
        let base = last.map_or(self.entries.len(), |last| {
            let before = parts
                .get(..last)
                .and_then(|parts| parts.iter().rposition(|part| *part == Part::None));
            before.map_or(0, |at| at.saturating_add(1))
        });
        let (stay, go) = self.entries.split_at_checked(base)?;
        let later = last
            .and_then(|last| self.entries.get(last.saturating_add(1)..))
            .unwrap_or_default();
        let run = go.get(..go.len().saturating_sub(later.len())).unwrap_or_default();
        let again = selected.again.get(path).map_or(&[][..], Vec::as_slice);
        let again = without(again, stay);
        let left = go.first().map(|first| first.before).or(self.now);
        let target = again.last().map(|last| last.after).or(left)?;
        if run.is_empty() && again.is_empty() {
            return None;
        }
        let with = parts.iter().skip(base).find_map(|part| match part {
            Part::With(call) => Some(*call),
            Part::All | Part::None => None,
        });
        let conflict = later
            .first()
            .map(stays)
            .or_else(|| with.map(|call| format!("{call} ran at the same time and stays")))
            .or_else(|| moved_head(run))
            .or_else(|| breaks(left, &again));
        let mut calls: Vec<NodeId> = Vec::new();
        for call in run.iter().chain(&again).filter_map(|entry| Some(entry.by?.call)) {
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
        let mut entries = stay.to_vec();
        entries.extend(again);
        Some(Turned {
            entries,
            target,
            calls,
            conflict,
        })
    }

    /// Returns what it becomes without a restore; none if that did not restore it.
    pub(crate) fn turned_back(&self, of: NodeId, from: &'s FileState) -> Option<Turned<'s>> {
        let at = self.saved.iter().rposition(|one| one.restore == of)?;
        let saved = self.saved.get(at)?;
        let restored_later = self.saved.get(at.saturating_add(1));
        let conflict = match (self.entries.get(saved.len..), restored_later) {
            (_, Some(later)) => Some(format!("{} restored it later and stays", later.restore)),
            (Some([first, ..]), None) => Some(stays(first)),
            (_, None) => None,
        };
        let now: BTreeSet<_> = self.entries.iter().filter_map(|entry| entry.by).collect();
        let then: BTreeSet<_> = saved.before.iter().filter_map(|entry| entry.by).collect();
        let calls: BTreeSet<NodeId> = now.symmetric_difference(&then).map(|one| one.call).collect();
        Some(Turned {
            entries: saved.before.clone(),
            target: from,
            calls: calls.into_iter().collect(),
            conflict,
        })
    }

    fn replace(&mut self, restore: NodeId, turned: Turned<'s>, now: &'s FileState) -> Vec<Entry<'s>> {
        let len = turned.entries.len();
        let before = std::mem::replace(&mut self.entries, turned.entries);
        self.now = Some(now);
        self.saved.push(Saved {
            restore,
            before: before.clone(),
            len,
        });
        before
    }
}

/// The changes that are not by one of these executions.
fn without<'s>(all: &[Entry<'s>], there: &[Entry<'_>]) -> Vec<Entry<'s>> {
    if all.is_empty() {
        return Vec::new();
    }
    let there: BTreeSet<Option<Execution>> = there.iter().map(|entry| entry.by).collect();
    all.iter()
        .filter(|one| !there.contains(&one.by))
        .copied()
        .collect()
}

/// What is told of a change that stays.
fn stays(entry: &Entry<'_>) -> String {
    match entry.by {
        Some(by) => format!("{} changed it later and stays", by.call),
        None => BY_SOMETHING_ELSE.to_owned(),
    }
}

/// A path that a checkout or a commit changed is that of another commit.
fn moved_head(run: &[Entry<'_>]) -> Option<String> {
    let moved = |entry: &&Entry<'_>| entry.set.is_some_and(|set| set.head.is_some());
    let by = run.iter().find(moved)?.by?;
    Some(format!("{} moved HEAD", by.call))
}

/// Changes that are made again have to begin with what is there.
fn breaks(left: Option<&FileState>, again: &[Entry<'_>]) -> Option<String> {
    let mut now = left;
    for entry in again {
        if let (Some(by), Some(_)) = (entry.by, now.filter(|now| !same(now, entry.before))) {
            return Some(format!("{} changed it from another state", by.call));
        }
        now = Some(entry.after);
    }
    None
}

fn paths(set: &ChangeSet) -> impl Iterator<Item = &FilePath> {
    set.changes.0.iter().map(|change| &change.path)
}

fn entries(by: Execution, set: &ChangeSet) -> impl Iterator<Item = (&FilePath, Entry<'_>)> {
    set.changes.0.iter().map(move |change| {
        let entry = Entry {
            by: Some(by),
            before: &change.before,
            after: &change.after,
            set: Some(set),
        };
        (&change.path, entry)
    })
}

impl<'s> Histories<'s> {
    /// The changes that are still there now.
    pub(crate) fn of<'a: 's>(sources: &'s Sources<'a>) -> Self {
        let mut all = Self::default();
        for kind in sources.order() {
            match kind {
                Kind::Execution(by) => {
                    for (path, entry) in sources.set(by).into_iter().flat_map(|set| entries(by, set)) {
                        all.paths.entry(path).or_default().push(entry);
                    }
                }
                Kind::Outside(changes) => {
                    for change in &changes.0 {
                        all.paths.entry(&change.path).or_default().push(Entry {
                            by: None,
                            before: &change.before,
                            after: &change.after,
                            set: None,
                        });
                    }
                }
                Kind::Restore(record) => all.restored(sources, record),
            }
        }
        all
    }

    /// Takes a restore that has ended. What it did not restore stays as it was.
    fn restored(&mut self, sources: &'s Sources<'_>, record: &'s RestoreRecord) {
        let started = &*record.started;
        let steps: BTreeMap<&FilePath, Option<&'s FileState>> = {
            let mut steps: BTreeMap<_, _> = started.steps.0.iter().map(|step| (&step.path, None)).collect();
            steps.extend(record.done().map(|step| (&step.path, Some(&step.to))));
            steps
        };
        let selection = Selection::of_restore(started);
        let selected = Selected::of(&selection, sources).with_shared(sources);
        let paths = selected.paths.iter().copied().chain(steps.keys().copied());
        for path in paths.collect::<BTreeSet<_>>() {
            let Some(history) = self.paths.get_mut(path) else {
                continue;
            };
            let turned = match started.of {
                Some(of) => steps.get(path).and_then(|to| history.turned_back(of, (*to)?)),
                None => history.turned(path, &selected),
            };
            let Some(turned) = turned else {
                continue;
            };
            // A path without a step was what it should be already.
            let is_there =
                || turned.conflict.is_none() && history.now.is_some_and(|now| same(now, turned.target));
            let now = match steps.get(path) {
                Some(Some(to)) => *to,
                None if is_there() => turned.target,
                Some(None) | None => continue,
            };
            let before = history.replace(started.restore, turned, now);
            let gone = without(&before, &history.entries);
            let gone = gone.iter().filter_map(|one| one.by);
            self.removed.extend(gone.map(|by| (by, started.restore)));
        }
    }

    /// Executions of whose changes nothing is left, each with the restore that took out the last one.
    pub(crate) fn reverted(&self, sources: &Sources<'_>) -> BTreeMap<Execution, NodeId> {
        let left: BTreeSet<Execution> = (self.paths.values())
            .flat_map(|history| history.entries.iter().filter_map(|entry| entry.by))
            .collect();
        let is_known = |set: &ChangeSet| {
            !set.changes.0.is_empty()
                && set.untracked.is_none()
                && set.ignored.is_empty()
                && set.head.is_none()
        };
        let all = self.removed.iter().map(|(by, restore)| (*by, *restore));
        all.filter(|(by, _)| !left.contains(by) && sources.set(*by).is_some_and(is_known))
            .collect()
    }
}
