//! Finds what an execution changes that names its paths.
//!
//! Must not know: what else changes in the workspace.

use std::collections::{BTreeMap, BTreeSet};

use overrule_domain::files::{Change, ChangeList, ChangeSet, FilePath, FileState};
use rustix::io::Errno;

use super::{Shared, State};
use crate::apply;
use crate::scan::is_same;
use crate::store::Batch;

impl Shared {
    /// The paths with the directories that are missing on the way to them, each after those above it.
    pub(super) fn with_missing_parents(&self, paths: &[FilePath]) -> Vec<FilePath> {
        let mut all: BTreeSet<FilePath> = paths.iter().cloned().collect();
        for path in paths {
            let mut at = path.parent();
            while let Some(directory) = at {
                let found = self.context.root.directory(directory.bytes());
                if !matches!(found, Err(Errno::NOENT)) {
                    break;
                }
                at = directory.parent();
                all.insert(directory);
            }
        }
        all.into_iter().collect()
    }

    /// Reads and saves what paths are now. Returns why not all of it was saved.
    pub(super) fn save_states(&self, paths: &[FilePath]) -> (Vec<FileState>, Option<String>) {
        let mut batch = Batch::default();
        let store = &self.context.store;
        let mut problem = None;
        let mut save = |bytes: &[u8]| {
            let saved = store.put(bytes, &mut batch).map(|_| ());
            saved.inspect_err(|error| problem = Some(error.label()))
        };
        let states = paths
            .iter()
            .map(|path| apply::state(&self.context, path, &mut save));
        let states = states.collect();
        if let Err(error) = store.commit(&mut batch) {
            problem = Some(error.label());
        }
        (states, problem)
    }

    /// The changes of an execution that named its paths.
    pub(super) fn exact(&self, state: &mut State, before: BTreeMap<FilePath, FileState>) -> ChangeSet {
        let paths: Vec<FilePath> = before.keys().cloned().collect();
        let (after, untracked) = self.save_states(&paths);
        self.look_at(state, &paths, true);
        let changes = before.into_iter().zip(after);
        let changes = changes.filter(|((_, before), after)| !is_same(before, after));
        let changes = changes.map(|((path, before), after)| Change { path, before, after });
        let mut changes = changes.collect();
        let shared = state.windows.chain(&mut changes);
        ChangeSet {
            changes: ChangeList(changes),
            shared: shared.into_iter().collect(),
            untracked,
            ..ChangeSet::default()
        }
    }
}
