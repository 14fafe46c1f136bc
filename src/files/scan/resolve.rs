//! Turns what a scan found into recorded changes: fetches blobs, saves contents, drops what is the same.
//!
//! Must not know: how directories are walked.

use std::collections::BTreeMap;
use std::os::fd::AsFd as _;

use overrule_domain::files::{Change, ChangeList, FilePath, FileState};

use super::{Found, Scan, Stop};
use crate::Error;
use crate::blobs::{self, Oid};
use crate::entry::{Content, Why, hex};
use crate::index::Difference;
use crate::root::join;

/// The bytes of blobs that are fetched together.
const TOGETHER: u64 = 64 << 20;
/// The bytes of the line before each of them, at most.
const LINE: u64 = 128;

impl Scan<'_> {
    /// Checks that the blobs of clean files have the size of the files: if one does not, line ends or filters make them
    /// differ, and the files of that repository are saved instead. A blob that the repository lacks is saved as well.
    pub(super) fn check_blobs(&mut self) {
        let mut by_repository: BTreeMap<u16, Vec<(Oid, u64)>> = BTreeMap::new();
        for entry in self
            .index
            .directories
            .values()
            .flat_map(|directory| &directory.entries)
        {
            if let Content::Git(number, oid) = entry.content {
                by_repository
                    .entry(number)
                    .or_default()
                    .push((oid, entry.meta.size));
            }
        }
        for (number, blobs) in by_repository {
            let Some(repository) = self.index.repositories.get(usize::from(number)) else {
                continue;
            };
            let oids: Vec<Oid> = blobs.iter().map(|(oid, _)| *oid).collect();
            let sizes = if repository.is_used {
                blobs::sizes(&repository.dir, &oids)
            } else {
                None
            };
            let is_same = |sizes: &Vec<Option<u64>>| {
                let mut pairs = sizes.iter().zip(&blobs);
                pairs.all(|(size, (_, expected))| size.is_none_or(|size| size == *expected))
            };
            if let Some(sizes) = sizes.filter(is_same) {
                let absent = oids.iter().zip(sizes).filter(|(_, size)| size.is_none());
                let absent: Vec<Oid> = absent.map(|(oid, _)| *oid).collect();
                if !absent.is_empty() {
                    self.copy(number, |oid| absent.contains(oid));
                }
            } else {
                self.copy(number, |_| true);
            }
        }
    }

    /// Saves files whose contents were thought to be blobs of a repository.
    fn copy(&mut self, number: u16, is_wanted: impl Fn(&Oid) -> bool) {
        let mut paths = Vec::new();
        for (key, directory) in &self.index.directories {
            for entry in &directory.entries {
                if matches!(&entry.content, Content::Git(one, oid) if *one == number && is_wanted(oid)) {
                    paths.extend(FilePath::new(join(key, &entry.name)));
                }
            }
        }
        for path in paths {
            let read = (self.context.root.parent(&path))
                .and_then(|(fd, _)| self.read(fd.as_fd(), crate::root::split(path.bytes()).1));
            self.index.set(&path, read.ok());
        }
    }

    /// Ends the scan: everything that it saved survives a crash.
    pub(super) fn finish(mut self) -> Found {
        let differences = std::mem::take(&mut self.differences);
        let mut differences = self.fetch(differences);
        if let Err(error) = self.context.store.commit(&mut self.batch) {
            self.failure = Some(error);
            self.forget_unsaved(&mut differences);
        }
        let mut changes: Vec<Change> = differences.into_iter().filter_map(change).collect();
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        for repository in &mut self.index.repositories {
            repository.unload();
        }
        let limit = &self.context.settings;
        let is_partial = self.stop.is_some() || self.unread.is_some();
        let problem = match self.stop {
            Some(Stop::TooMany) => Some(format!("too many files, limit {}", limit.max_files)),
            Some(Stop::Late) => Some(format!(
                "scanning took longer than {} s",
                limit.scan.as_secs_f32()
            )),
            None => self.unread.or_else(|| self.failure.as_ref().map(Error::label)),
        };
        Found {
            changes: ChangeList(changes),
            wrote: self.wrote,
            problem,
            is_partial,
        }
    }

    /// Notes which contents are not saved after all.
    fn forget_unsaved(&mut self, differences: &mut [Difference]) {
        let directories = self.index.directories.values_mut();
        let entries = directories.flat_map(|directory| &mut directory.entries);
        let changed = differences.iter_mut();
        let changed = changed.flat_map(|one| one.before.iter_mut().chain(&mut one.after));
        for entry in entries.chain(changed) {
            if let Content::Stored(hash) = &entry.content
                && !self.context.store.has(&hex(hash))
            {
                entry.content = Content::Unsaved(Why::Full);
            }
        }
    }

    /// Fetches the contents that files had before and that only a repository has, and saves them.
    fn fetch(&mut self, mut differences: Vec<Difference>) -> Vec<Difference> {
        let mut wanted: BTreeMap<u16, BTreeMap<Oid, u64>> = BTreeMap::new();
        for difference in &differences {
            if let Some(entry) = &difference.before
                && let Content::Git(number, oid) = entry.content
            {
                wanted.entry(number).or_default().insert(oid, entry.meta.size);
            }
        }
        let mut fetched: BTreeMap<(u16, Oid), Content> = BTreeMap::new();
        for (number, blobs) in wanted {
            let mut group: Vec<(Oid, u64)> = Vec::new();
            let mut bytes = 0_u64;
            for (oid, size) in blobs {
                if bytes.saturating_add(size) > TOGETHER {
                    self.fetch_group(number, &std::mem::take(&mut group), &mut fetched);
                    bytes = 0;
                }
                bytes = bytes.saturating_add(size);
                group.push((oid, size));
            }
            self.fetch_group(number, &group, &mut fetched);
        }
        for difference in &mut differences {
            if let Some(entry) = &mut difference.before
                && let Content::Git(number, oid) = entry.content
            {
                let content = fetched.get(&(number, oid)).cloned();
                entry.content = content.unwrap_or(Content::Unsaved(Why::Repository));
            }
        }
        differences
    }

    fn fetch_group(
        &mut self,
        number: u16,
        group: &[(Oid, u64)],
        fetched: &mut BTreeMap<(u16, Oid), Content>,
    ) {
        let Some(repository) = self.index.repositories.get(usize::from(number)) else {
            return;
        };
        if group.is_empty() {
            return;
        }
        let oids: Vec<Oid> = group.iter().map(|(oid, _)| *oid).collect();
        let most = group
            .iter()
            .map(|(_, size)| size.saturating_add(LINE))
            .sum::<u64>();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let Some(blobs) = blobs::contents(&repository.dir, &oids, most, self.deadline) else {
            if self.deadline.is_over() {
                self.stop = Some(Stop::Late);
            }
            return;
        };
        for ((oid, size), blob) in group.iter().zip(blobs) {
            let content = match blob.filter(|blob| blob.len() as u64 == *size) {
                None => Content::Unsaved(Why::Repository),
                Some(blob) => match self.context.store.put(&blob, &mut self.batch) {
                    Ok(hash) => Content::Stored(hash),
                    Err(error) => {
                        self.failure.get_or_insert(error);
                        Content::Unsaved(Why::Full)
                    }
                },
            };
            fetched.insert((number, *oid), content);
        }
    }
}

/// Returns a difference as a change; none if the states are the same.
fn change(difference: Difference) -> Option<Change> {
    let state = |entry: Option<&crate::entry::Entry>| match entry {
        None => FileState::Missing {},
        Some(entry) => entry.state().unwrap_or(FileState::Missing {}),
    };
    let before = state(difference.before.as_ref());
    let after = state(difference.after.as_ref());
    (!is_same(&before, &after)).then_some(Change {
        path: difference.path,
        before,
        after,
    })
}

/// Returns true if two states of a path are one. Of a content that is not saved, size and time are compared.
pub(crate) fn is_same(one: &FileState, other: &FileState) -> bool {
    match (one, other) {
        (
            FileState::Unsaved { size, mtime, .. },
            FileState::Unsaved {
                size: other_size,
                mtime: other_mtime,
                ..
            },
        ) => size == other_size && mtime == other_mtime,
        _ => one == other,
    }
}
