//! Decides which directories a scan goes into, and what it notes of the others.
//!
//! Must not know: how entries are compared.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::AtFlags;

use super::{Place, Scan, list};
use crate::entry::{Entry, Meta};
use crate::index::Unlisted;
use crate::root::{directory, join};
use crate::temporary;

/// Above either, the entries of an ignored directory are not tracked.
const FILES: usize = 2_000;
const BYTES: u64 = 64 << 20;
/// How deep the times in a directory that is not tracked are looked at, and of how many entries.
const LEVELS: usize = 2;
const TIMES: usize = 1_000;
/// Directories that nobody edits, ignored or not.
const INSTALLED: [&[u8]; 2] = [b"node_modules", b"__pycache__"];

impl Scan<'_> {
    /// Returns where a directory lies whose entries are tracked. Notes what was written in any other.
    pub(super) fn listed(
        &mut self,
        path: &[u8],
        fd: BorrowedFd<'_>,
        name: &[u8],
        place: &Place,
    ) -> Option<Place> {
        let full = join(path, name);
        let absolute = self.absolute(&full);
        let patterns = &self.context.patterns;
        let mut next = place.clone();
        let why = if temporary::is_one(name) || patterns.excludes(&absolute, true) {
            Some(Unlisted::Excluded)
        } else if place.is_ignored || patterns.includes(&absolute) {
            None
        } else if place.rules.ignores(&absolute) {
            self.ignored(&full, fd, name, place, &mut next)
        } else if place.repository.is_none() && INSTALLED.contains(&name) && !self.index.is_read(&full) {
            Some(Unlisted::Rebuildable)
        } else {
            None
        };
        let Some(why) = why else {
            next.is_baseline |= self.index.unlisted.remove(&*full).is_some();
            return Some(next);
        };
        let newest = directory(fd, name).map_or(0, |fd| {
            let mut left = TIMES;
            self.newest(fd, LEVELS, &mut left)
        });
        self.leave(&full, why, newest);
        None
    }

    /// Leaves a path untracked. Notes that something was written if its time is another one.
    pub(super) fn leave(&mut self, path: &[u8], why: Unlisted, newest: i64) {
        let last = self.index.unlisted.insert(path.into(), (why, newest));
        if last.is_none_or(|(_, before)| before != newest) {
            self.note_written(path);
        }
    }

    /// Returns why an ignored directory is not tracked. One that was tracked stays so during the run, however large it
    /// becomes: what was in it would be lost.
    fn ignored(
        &mut self,
        full: &[u8],
        fd: BorrowedFd<'_>,
        name: &[u8],
        place: &Place,
        next: &mut Place,
    ) -> Option<Unlisted> {
        if self.index.tracked.contains(full) {
            return None;
        }
        let is_known = self.index.unlisted.contains_key(full);
        let repository = place.repository.map(usize::from);
        let repository = repository.and_then(|number| self.index.repositories.get_mut(number));
        if !is_known && repository.is_some_and(|repository| repository.tracks_below(full)) {
            self.index.tracked.insert(full.into());
            return None;
        }
        if self.index.is_read(full) {
            next.is_ignored = true;
            return None;
        }
        if self.context.settings.is_rebuildable(name) {
            return Some(Unlisted::Rebuildable);
        }
        let (mut files, mut bytes) = (FILES, BYTES);
        let fits = directory(fd, name).is_ok_and(|fd| fits(fd, &mut files, &mut bytes, 0));
        if !fits {
            return Some(Unlisted::TooLarge);
        }
        next.is_ignored = true;
        None
    }

    /// Forgets an entry that is a directory now whose entries are not tracked: of another kind until now, or one that only
    /// a file tool named.
    pub(super) fn unlist(&mut self, path: &[u8], fd: BorrowedFd<'_>, entry: Entry) {
        self.index.count = self.index.count.saturating_sub(1);
        let full = join(path, &entry.name);
        self.index.remove_below(&full);
        if !entry.meta.is_dir() {
            let now = self.read(fd, &entry.name).ok();
            self.note(full, Some(entry), now);
        }
    }

    /// The newest time in a directory, which is watched to this depth.
    fn newest(&mut self, fd: OwnedFd, levels: usize, left: &mut usize) -> i64 {
        self.watch.add(fd.as_fd());
        let own = rustix::fs::fstat(&fd).map_or(0, |stat| Meta::of(&stat).mtime);
        let Some((fd, names)) = list(fd) else {
            return own;
        };
        let mut newest = own;
        for name in names {
            let Some(rest) = left.checked_sub(1) else {
                break;
            };
            *left = rest;
            let stat = rustix::fs::statat(&fd, OsStr::from_bytes(&name), AtFlags::SYMLINK_NOFOLLOW);
            let Ok(meta) = stat.map(|stat| Meta::of(&stat)) else {
                continue;
            };
            newest = newest.max(meta.mtime);
            if meta.is_dir()
                && let Some(levels) = levels.checked_sub(1)
                && let Ok(inner) = directory(fd.as_fd(), &name)
            {
                newest = newest.max(self.newest(inner, levels, left));
            }
        }
        newest
    }
}

/// Returns true if a directory has at most this many files and bytes.
fn fits(fd: OwnedFd, files: &mut usize, bytes: &mut u64, depth: usize) -> bool {
    let Some((fd, names)) = list(fd) else {
        return false;
    };
    names.iter().all(|name| {
        let stat = rustix::fs::statat(&fd, OsStr::from_bytes(name), AtFlags::SYMLINK_NOFOLLOW);
        let Ok(meta) = stat.map(|stat| Meta::of(&stat)) else {
            return true;
        };
        let (Some(fewer), Some(rest)) = (files.checked_sub(1), bytes.checked_sub(meta.size)) else {
            return false;
        };
        (*files, *bytes) = (fewer, rest);
        let inner = meta.is_dir().then(|| directory(fd.as_fd(), name));
        match inner {
            Some(Ok(inner)) => depth < super::DEPTH && fits(inner, files, bytes, depth.saturating_add(1)),
            Some(Err(_)) => false,
            None => true,
        }
    })
}
