//! Compares the entries of a directory with those of the last look.
//!
//! Must not know: which directories a scan goes into.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::ffi::OsStrExt as _;

use overrule_domain::files::FilePath;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::{Place, Scan, text};
use crate::entry::{self, Content, Entry, Meta, Why};
use crate::index::{Difference, Unlisted};
use crate::repository;
use crate::root::{self, join};
use crate::temporary;

/// A directory to go into.
pub(super) type Inner = (Box<[u8]>, Place);

impl Scan<'_> {
    /// Compares the entries of a directory with those of the last look. Returns the directories to go into.
    pub(super) fn entries(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        names: Vec<Box<[u8]>>,
        place: &Place,
    ) -> Vec<Inner> {
        let directory = self.index.directories.entry(path.into()).or_default();
        let mut old = std::mem::take(&mut directory.entries).into_iter().peekable();
        let mut entries = Vec::with_capacity(names.len());
        let mut inner = Vec::new();
        for unlisted in self.index.unlisted_in(path) {
            let name = root::split(&unlisted).1;
            if names.binary_search_by(|one| (**one).cmp(name)).is_err() {
                self.index.unlisted.remove(&unlisted);
                self.note_written(&unlisted);
            }
        }
        for name in names {
            if self.is_stopped() {
                break;
            }
            if *name == *repository::ENTRY {
                continue;
            }
            while let Some(gone) = old.next_if(|entry| entry.name < name) {
                self.removed(path, gone);
            }
            let known = old.next_if(|entry| entry.name == name);
            entries.extend(self.entry(path, fd, name, place, known, &mut inner));
        }
        if self.stop.is_some() {
            // What was not reached stays as it was.
            entries.extend(old);
        } else {
            old.for_each(|gone| self.removed(path, gone));
        }
        entries.shrink_to_fit();
        if let Some(directory) = self.index.directories.get_mut(path) {
            directory.entries = entries;
        }
        inner
    }

    /// Looks at one entry. Returns it if it is tracked. Adds a directory to go into.
    fn entry(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        name: Box<[u8]>,
        place: &Place,
        known: Option<Entry>,
        inner: &mut Vec<Inner>,
    ) -> Option<Entry> {
        let stat = rustix::fs::statat(fd, OsStr::from_bytes(&name), AtFlags::SYMLINK_NOFOLLOW);
        let meta = match stat {
            Ok(stat) => Meta::of(&stat),
            Err(Errno::NOENT) => {
                if let Some(gone) = known {
                    self.removed(path, gone);
                }
                return None;
            }
            Err(_) => {
                let full = join(path, &name);
                if known.is_some() {
                    self.unread(&full);
                } else {
                    self.leave(&full, Unlisted::Unreadable, 0);
                }
                return known;
            }
        };
        let mut is_baseline = place.is_baseline;
        if meta.is_dir() {
            let Some(next) = self.listed(path, fd, &name, place) else {
                if let Some(gone) = known {
                    self.unlist(path, fd, gone);
                }
                return None;
            };
            is_baseline = next.is_baseline;
            inner.push((name.clone(), next));
        } else if self.is_excluded(path, &name) {
            self.leave(&join(path, &name), Unlisted::Excluded, meta.mtime);
            return None;
        } else if known.is_none() {
            is_baseline |= self.relist(&join(path, &name));
        }
        // What could not be saved is tried again, until one fails in this scan.
        let is_tried = |entry: &Entry| entry.is_full() && self.failure.is_none();
        match known {
            Some(entry) if entry.meta == meta && !entry.is_racy && !is_tried(&entry) => Some(entry),
            known => {
                let place = Place {
                    is_baseline,
                    ..place.clone()
                };
                self.looked_at(path, fd, name, &meta, &place, known)
            }
        }
    }

    /// Tracks a file. Returns true if something untracked had its path, so that its content is not a new one.
    fn relist(&mut self, path: &[u8]) -> bool {
        let last = self.index.unlisted.remove(path);
        if last.is_some_and(|(why, _)| why != Unlisted::Unreadable) {
            self.note_written(path);
        }
        last.is_some()
    }

    /// Returns true for a file that is not tracked: a pattern excludes it, or a restore left it.
    fn is_excluded(&self, path: &[u8], name: &[u8]) -> bool {
        let patterns = &self.context.patterns;
        let is_left = temporary::is_one(name);
        is_left || !patterns.is_empty() && patterns.excludes(&self.absolute(&join(path, name)), false)
    }

    /// Reads an entry that is new or may differ, and notes a difference.
    fn looked_at(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        name: Box<[u8]>,
        meta: &Meta,
        place: &Place,
        known: Option<Entry>,
    ) -> Option<Entry> {
        let full = join(path, &name);
        let clean = if self.is_first {
            self.clean(&full, fd, &name, meta, place)
        } else {
            // The index of a repository is what the last command wrote.
            None
        };
        let read = match clean {
            Some(content) => Ok(Entry {
                name,
                meta: *meta,
                is_racy: false,
                content,
            }),
            None => self.read(fd, &name),
        };
        let Ok(entry) = read else {
            if let Some(gone) = known {
                self.removed(path, gone);
            }
            return None;
        };
        if known.is_none() {
            self.index.count = self.index.count.saturating_add(1);
        }
        let is_dir = |entry: &Entry| entry.meta.is_dir();
        if known.as_ref().is_some_and(is_dir) && !is_dir(&entry) {
            let removed = self.index.remove_below(&full);
            self.differences.extend(removed);
        }
        // The same content, which could not be saved.
        let is_same = known
            .as_ref()
            .is_some_and(|known| known.is_full() && known.meta == entry.meta);
        if !place.is_baseline && !is_same {
            self.note(full, known, Some(entry.clone()));
        }
        Some(entry)
    }

    /// Returns the content of a file that the index of its repository proves.
    fn clean(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        name: &[u8],
        meta: &Meta,
        place: &Place,
    ) -> Option<Content> {
        let number = place.repository?;
        let repository = self.index.repositories.get_mut(usize::from(number))?;
        if name == repository::ATTRIBUTES && text(fd, name).is_none_or(|text| repository::converts(&text)) {
            repository.is_used = false;
        }
        if meta.kind() != FileType::RegularFile || meta.size > self.context.settings.max_file {
            return None;
        }
        repository.clean(path, meta).map(|oid| Content::Git(number, oid))
    }

    pub(super) fn read(&mut self, fd: BorrowedFd<'_>, name: &[u8]) -> Result<Entry, Errno> {
        let (store, batch, failure) = (&self.context.store, &mut self.batch, &mut self.failure);
        let mut save = |bytes: &[u8]| {
            store.put(bytes, batch).map_err(|error| {
                failure.get_or_insert(error);
                Why::Full
            })
        };
        entry::read(fd, name, self.context.settings.max_file, self.now, &mut save)
    }

    /// Looks at one path.
    pub(super) fn path(&mut self, path: &FilePath) {
        let (parent, name) = root::split(path.bytes());
        if !self.index.directories.contains_key(parent) || self.is_excluded(parent, name) {
            return;
        }
        let entry = self
            .context
            .root
            .directory(parent)
            .and_then(|fd| self.read(fd.as_fd(), name));
        let differences = self.index.set(path, entry.ok());
        self.differences.extend(differences);
    }

    fn removed(&mut self, directory: &[u8], entry: Entry) {
        let path = join(directory, &entry.name);
        self.index.count = self.index.count.saturating_sub(1);
        if entry.meta.is_dir() {
            let removed = self.index.remove_below(&path);
            self.differences.extend(removed);
        }
        self.note(path, Some(entry), None);
    }

    pub(super) fn note(&mut self, path: Vec<u8>, before: Option<Entry>, after: Option<Entry>) {
        if self.is_first {
            return;
        }
        if let Ok(path) = FilePath::new(path) {
            self.differences.push(Difference { path, before, after });
        }
    }

    pub(super) fn note_written(&mut self, path: &[u8]) {
        if !self.is_first {
            self.wrote.extend(FilePath::new(path.to_vec()));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd as _;

    use super::{Place, Scan};
    use crate::deadline::Deadline;
    use crate::index::Index;
    use crate::tests::{Fixture, as_user, context, path, set_mode};
    use crate::watch::Watch;

    #[test]
    fn an_entry_that_cannot_be_looked_at_is_named() {
        as_user(|| {
            let fixture = Fixture::new();
            fixture.write("d/a", "1");
            let context = context(&fixture);
            let fd = context.root.directory(b"d").unwrap();
            let (mut index, mut watch) = (Index::default(), Watch::default());
            let names = || vec![Box::from(&b"a"[..])];
            let mut look = |mode| {
                set_mode(&fixture.at("d"), mode);
                let mut scan = Scan::new(&context, &mut index, &mut watch, Deadline::NONE, false);
                scan.entries(b"d", fd.as_fd(), names(), &Place::default());
                let found = scan.finish();
                let count = index.directories[&b"d"[..]].entries.len();
                (found, index.not_restorable(), count)
            };
            // Its names can be read, and nothing else.
            let (found, named, count) = look(0o444);
            assert_eq!((found.problem, found.is_partial, count), (None, false, 0));
            assert_eq!((named, found.wrote), (vec![path("d/a")], vec![path("d/a")]));
            let (found, named, count) = look(0o755);
            assert_eq!(
                (found.changes.0.len(), found.wrote.len()),
                (0, 0),
                "it is not new"
            );
            assert_eq!((named.len(), count), (0, 1));
            let (found, named, count) = look(0o444);
            assert_eq!(found.problem.as_deref(), Some("cannot read d/a"));
            assert_eq!((found.is_partial, found.changes.0.len()), (true, 0));
            assert_eq!((named.len(), count), (0, 1), "what is known of it stays");
            set_mode(&fixture.at("d"), 0o755);
        });
    }
}
