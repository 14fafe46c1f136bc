//! Compares a path with its note, moves a change away and gives the earlier content back.
//!
//! Must not know: which paths are protected.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown, symlink};
use std::path::{Path, PathBuf};

use super::copy;
use super::note::{DirectoryNote, FileNote, Note, Stamp, bytes, look};
use super::watch::How;

/// A change of a path.
#[derive(Debug)]
pub(super) struct Change {
    pub path: PathBuf,
    pub how: How,
    /// Where the changed content is now.
    pub stored: Option<PathBuf>,
    /// Why the change is not undone, or not all of it.
    pub problem: Option<String>,
}

/// Undoes changes, and remembers them.
#[derive(Debug)]
pub(super) struct Undo<'a> {
    pub store: &'a Path,
    pub changes: Vec<Change>,
}

impl Undo<'_> {
    /// Compares a path with its note, and undoes a difference.
    pub(super) fn check(&mut self, path: &Path, note: &Note) {
        let now = match look(path) {
            Ok(now) => now,
            Err(error) => return self.report(path, How::Changed, Some(error.to_string())),
        };
        match (note, now) {
            (Note::Absent, None) => {}
            (Note::Absent, Some(_)) => self.replace(path, note, How::Created),
            (Note::Unknown(why), Some(_)) => {
                self.report(
                    path,
                    How::Changed,
                    Some(format!("it could not be read before: {why}")),
                );
            }
            (_, None) => self.restore_or_report(path, note, How::Removed, None),
            (Note::File(file), Some(meta)) if meta.is_file() => self.check_file(path, note, file, &meta),
            (Note::Directory(directory), Some(meta)) if meta.is_dir() => {
                self.check_directory(path, directory, &meta);
            }
            (Note::Link(target), Some(meta)) if meta.is_symlink() => {
                if fs::read_link(path).is_ok_and(|now| now == *target) {
                    return;
                }
                self.replace(path, note, How::Changed);
            }
            (Note::Special(stamp), Some(meta)) if stamp.is_same_special(&Stamp::of(&meta)) => {}
            (_, Some(_)) => self.replace(path, note, How::Changed),
        }
    }

    fn check_file(&mut self, path: &Path, note: &Note, file: &FileNote, meta: &Metadata) {
        let now = Stamp::of(meta);
        if now == file.stamp {
            return;
        }
        match &file.bytes {
            Ok(before) => {
                let is_same = (now.mode, now.owner) == (file.stamp.mode, file.stamp.owner);
                if !is_same || bytes(path).as_ref() != Ok(before) {
                    self.replace(path, note, How::Changed);
                }
            }
            // The change may be one of its times alone, so that it stays.
            Err(why) => self.report(
                path,
                How::Changed,
                Some(format!("its earlier content is not known: {why}")),
            ),
        }
    }

    fn check_directory(&mut self, path: &Path, note: &DirectoryNote, meta: &Metadata) {
        if meta.mode() != note.stamp.mode {
            let given = fs::set_permissions(path, Permissions::from_mode(note.stamp.mode & 0o7777));
            self.report(path, How::Changed, given.err().map(|error| error.to_string()));
        }
        for (name, child) in &note.children {
            self.check(&path.join(name), child);
        }
        if !note.is_whole {
            if Stamp::of(meta) != note.stamp {
                self.report(
                    path,
                    How::Changed,
                    Some("it holds too much to be compared".to_owned()),
                );
            }
            return;
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return self.report(path, How::Changed, Some(error.to_string())),
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut new: Vec<_> = names.filter(|name| !note.children.contains_key(name)).collect();
        new.sort();
        // Many are one change: the directory is moved as a whole, and built again.
        if new.len() > MOST_MOVED {
            return self.rebuild(path, note);
        }
        for name in new {
            self.replace(&path.join(name), &Note::Absent, How::Created);
        }
    }

    /// Moves a directory away and builds it again.
    fn rebuild(&mut self, path: &Path, note: &DirectoryNote) {
        match copy::take(path, self.store) {
            Ok(stored) => {
                let problem = restore_directory(path, note).err().map(|error| error.to_string());
                self.push(path, How::Changed, Some(stored), problem);
            }
            Err(error) => self.report(path, How::Changed, Some(error.to_string())),
        }
    }

    /// Moves what is there away, and gives the earlier content back.
    pub(super) fn replace(&mut self, path: &Path, note: &Note, how: How) {
        match copy::take(path, self.store) {
            Ok(stored) => self.restore_or_report(path, note, how, Some(stored)),
            Err(error) => self.report(path, how, Some(format!("it cannot be moved away: {error}"))),
        }
    }

    fn restore_or_report(&mut self, path: &Path, note: &Note, how: How, stored: Option<PathBuf>) {
        let problem = restore(path, note).err();
        let problem = problem.map(|error| format!("its earlier content cannot be given back: {error}"));
        self.push(path, how, stored, problem);
    }

    pub(super) fn report(&mut self, path: &Path, how: How, problem: Option<String>) {
        self.push(path, how, None, problem);
    }

    fn push(&mut self, path: &Path, how: How, stored: Option<PathBuf>, problem: Option<String>) {
        self.changes.push(Change {
            path: path.to_owned(),
            how,
            stored,
            problem,
        });
    }
}

/// New entries of a directory that are moved one by one.
const MOST_MOVED: usize = 64;

/// Writes what a note holds. Nothing is at the path.
fn restore(path: &Path, note: &Note) -> io::Result<()> {
    match note {
        Note::Absent => Ok(()),
        Note::File(file) => copy::opened(path, || restore_file(path, file)),
        Note::Link(target) => copy::opened(path, || symlink(target, path)),
        Note::Directory(directory) => copy::opened(path, || restore_directory(path, directory)),
        Note::Special(_) => Err(io::Error::other("it was a pipe, a socket or a device")),
        Note::Unknown(why) => Err(io::Error::other(why.clone())),
    }
}

fn restore_file(path: &Path, note: &FileNote) -> io::Result<()> {
    let bytes = note.bytes.as_ref().map_err(|why| io::Error::other(why.clone()))?;
    let mut file = overrule_regular_file::create(path)?;
    file.write_all(bytes)?;
    let (user, group) = note.stamp.owner;
    let meta = file.metadata()?;
    if (meta.uid(), meta.gid()) != (user, group) {
        // Without privilege the file belongs to this user.
        _ = fchown(&file, Some(user), Some(group));
    }
    file.set_permissions(Permissions::from_mode(note.stamp.mode & 0o7777))
}

fn restore_directory(path: &Path, note: &DirectoryNote) -> io::Result<()> {
    overrule_regular_file::make_directory(path)?;
    let mut failed = None;
    for (name, child) in &note.children {
        if let Err(error) = restore(&path.join(name), child) {
            failed = Some(error);
        }
    }
    fs::set_permissions(path, Permissions::from_mode(note.stamp.mode & 0o7777))?;
    match failed {
        Some(error) => Err(error),
        None if note.is_whole => Ok(()),
        None => Err(io::Error::other("it held too much to be noted")),
    }
}
