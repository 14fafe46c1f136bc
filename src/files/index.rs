//! The files of a workspace as they were seen last.
//!
//! Must not know: how they are found.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use ignore::gitignore::Gitignore;
use overrule_domain::files::FilePath;

use crate::entry::{Content, Entry};
use crate::repository::{self, Repository};
use crate::root::{join, split};

/// A directory whose entries are tracked.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// In the order of their names.
    pub(crate) entries: Vec<Entry>,
    /// A scan has read its entries.
    pub(crate) is_read: bool,
    /// It has an entry `.git` and is not the workspace.
    pub(crate) has_repository: bool,
    /// What its `.gitignore` says.
    pub(crate) rules: Option<Arc<Gitignore>>,
}

/// Why a path is not tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unlisted {
    /// A directory that a build makes again.
    Rebuildable,
    /// An ignored directory with too many or too large files.
    TooLarge,
    /// A pattern of the settings excludes it, or a restore left it.
    Excluded,
    /// It cannot be read, or lies too deep.
    Unreadable,
}

/// A path with its entry before and after.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) path: FilePath,
    pub(crate) before: Option<Entry>,
    pub(crate) after: Option<Entry>,
}

/// The files of a workspace as they were seen last.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// By their paths; the workspace itself is empty.
    pub(crate) directories: BTreeMap<Box<[u8]>, Directory>,
    /// Paths that are not tracked, with their newest times.
    pub(crate) unlisted: BTreeMap<Box<[u8]>, (Unlisted, i64)>,
    /// Ignored directories that have files of the repository.
    pub(crate) tracked: BTreeSet<Box<[u8]>>,
    pub(crate) repositories: Vec<Repository>,
    /// The number of entries.
    pub(crate) count: usize,
}

/// A range of paths.
type Range = (Bound<Box<[u8]>>, Bound<Box<[u8]>>);

/// The keys below a directory: those that begin with its path and a slash.
fn below(path: &[u8]) -> Range {
    if path.is_empty() {
        return (Bound::Unbounded, Bound::Unbounded);
    }
    let from = [path, b"/"].concat().into_boxed_slice();
    // The byte after a slash.
    let to = [path, b"0"].concat().into_boxed_slice();
    (Bound::Included(from), Bound::Excluded(to))
}

impl Index {
    /// Returns true if a scan has read the entries of a directory.
    pub(crate) fn is_read(&self, path: &[u8]) -> bool {
        self.directories
            .get(path)
            .is_some_and(|directory| directory.is_read)
    }

    /// The entry of a path.
    pub(crate) fn get(&self, path: &[u8]) -> Option<&Entry> {
        let (parent, name) = split(path);
        let entries = &self.directories.get(parent)?.entries;
        let at = entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok()?;
        entries.get(at)
    }

    /// Sets or removes the entry of a path, if its directory is tracked, and returns what it was. What is below a removed
    /// directory is returned as well.
    pub(crate) fn set(&mut self, path: &FilePath, entry: Option<Entry>) -> Vec<Difference> {
        let (parent, name) = split(path.bytes());
        let Some(directory) = self.directories.get_mut(parent) else {
            return Vec::new();
        };
        let found = directory
            .entries
            .binary_search_by(|entry| (*entry.name).cmp(name));
        let after = entry.clone();
        let before = match (found, entry) {
            (Ok(at), Some(entry)) => directory
                .entries
                .get_mut(at)
                .map(|old| std::mem::replace(old, entry)),
            (Ok(at), None) => {
                self.count = self.count.saturating_sub(1);
                Some(directory.entries.remove(at))
            }
            (Err(at), Some(entry)) => {
                self.count = self.count.saturating_add(1);
                directory.entries.insert(at, entry);
                None
            }
            (Err(_), None) => None,
        };
        let is_dir = |entry: &Option<Entry>| entry.as_ref().is_some_and(|entry| entry.meta.is_dir());
        let mut differences = Vec::new();
        if is_dir(&before) && !is_dir(&after) {
            differences = self.remove_below(path.bytes());
        }
        if is_dir(&after) {
            self.directories.entry(path.bytes().into()).or_default();
        }
        differences.push(Difference {
            path: path.clone(),
            before,
            after,
        });
        differences
    }

    /// Removes what is below a directory, and returns it.
    pub(crate) fn remove_below(&mut self, path: &[u8]) -> Vec<Difference> {
        let mut keys: Vec<Box<[u8]>> = vec![path.into()];
        keys.extend(self.directories.range(below(path)).map(|(key, _)| key.clone()));
        let mut removed = Vec::new();
        for key in keys {
            for entry in self.directories.remove(&key).unwrap_or_default().entries {
                self.count = self.count.saturating_sub(1);
                if let Ok(path) = FilePath::new(join(&key, &entry.name)) {
                    removed.push(Difference {
                        path,
                        before: Some(entry),
                        after: None,
                    });
                }
            }
        }
        let range = below(path);
        self.unlisted.retain(|key, _| !within(key, &range));
        self.tracked.retain(|key| !within(key, &range));
        removed
    }

    /// The paths directly in a directory that are not tracked.
    pub(crate) fn unlisted_in(&self, path: &[u8]) -> Vec<Box<[u8]>> {
        let inside = self.unlisted.range(below(path)).map(|(key, _)| key);
        inside.filter(|key| split(key).0 == path).cloned().collect()
    }

    /// The repository whose work tree begins at a directory below the workspace.
    pub(crate) fn nested(&self, root: &[u8]) -> Option<u16> {
        let mut roots = self.repositories.iter();
        let at = roots.position(|one| !root.is_empty() && *one.root == *root)?;
        u16::try_from(at).ok()
    }

    /// What could not be restored if it changed, the repositories below the workspace included: nothing in them is saved.
    pub(crate) fn not_restorable(&self) -> Vec<FilePath> {
        let mut paths = Vec::new();
        for (key, directory) in &self.directories {
            let is_bad =
                |entry: &&Entry| entry.meta.is_linked || matches!(entry.content, Content::Unsaved(_));
            let bad = directory.entries.iter().filter(is_bad);
            paths.extend(bad.filter_map(|entry| FilePath::new(join(key, &entry.name)).ok()));
            if directory.has_repository {
                paths.extend(FilePath::new(join(key, repository::ENTRY)));
            }
        }
        let unlisted = self.unlisted.iter();
        let unlisted = unlisted.filter(|(_, (why, _))| *why != Unlisted::Rebuildable);
        paths.extend(unlisted.filter_map(|(key, _)| FilePath::new(key.to_vec()).ok()));
        paths.sort();
        paths
    }

    /// Returns true if a file has several names: it may change by one that is not watched.
    pub(crate) fn has_linked(&self) -> bool {
        let mut entries = self.directories.values().flat_map(|directory| &directory.entries);
        entries.any(|entry| entry.meta.is_linked)
    }

    /// The bytes that it takes in memory, without those of the allocator.
    pub(crate) fn bytes(&self) -> usize {
        let heap = |entry: &Entry| match &entry.content {
            Content::Link(target) => entry.name.len().saturating_add(target.len()),
            _ => entry.name.len(),
        };
        let directories = self.directories.iter().map(|(key, directory)| {
            let entries = directory.entries.iter().map(heap).sum::<usize>();
            let list = directory.entries.capacity().saturating_mul(size_of::<Entry>());
            let own = size_of::<(Box<[u8]>, Directory)>().saturating_add(key.len());
            entries.saturating_add(list).saturating_add(own)
        });
        directories.sum()
    }
}

fn within(key: &[u8], (from, to): &Range) -> bool {
    match (from, to) {
        (Bound::Included(from), Bound::Excluded(to)) => key >= &**from && key < &**to,
        _ => true,
    }
}
