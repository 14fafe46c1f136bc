//! Compares a path with its note, moves a change away and gives the earlier content back.
//!
//! Must not know: which paths are protected.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, Stat};

use super::at::{Directory, OWNER, PERMISSIONS, is_directory, is_file, is_link};
use super::copy::{self, Spot};
use super::note::{DirectoryNote, FileNote, Note, Stamp, bytes};
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
    /// Compares what is at a place with its note, and undoes a difference.
    pub(super) fn check(&mut self, spot: Spot<'_>, note: &Note) {
        let now = match spot.directory.look(spot.name) {
            Ok(now) => now,
            Err(error) => return self.report(spot.path, How::Changed, Some(error.to_string())),
        };
        match (note, now) {
            (Note::Absent, None) => {}
            (Note::Absent, Some(_)) => self.replace(spot, note, How::Created),
            (Note::Unknown(why), Some(_)) => {
                let why = format!("it could not be read before: {why}");
                self.report(spot.path, How::Changed, Some(why));
            }
            (_, None) => self.restore_or_report(spot, note, How::Removed, None),
            (Note::File(file), Some(stat)) if is_file(&stat) => self.check_file(spot, note, file, &stat),
            (Note::Directory(directory), Some(stat)) if is_directory(&stat) => {
                self.check_directory(spot, directory, &stat);
            }
            (Note::Link(target), Some(stat)) if is_link(&stat) => {
                if spot
                    .directory
                    .read_link(spot.name)
                    .is_ok_and(|now| now == *target)
                {
                    return;
                }
                self.replace(spot, note, How::Changed);
            }
            (Note::Special(stamp), Some(stat)) if stamp.is_same_special(&Stamp::of(&stat)) => {}
            (_, Some(_)) => self.replace(spot, note, How::Changed),
        }
    }

    fn check_file(&mut self, spot: Spot<'_>, note: &Note, file: &FileNote, stat: &Stat) {
        let now = Stamp::of(stat);
        if now == file.stamp {
            return;
        }
        match &file.bytes {
            Ok(before) => {
                let is_same = (now.mode, now.owner) == (file.stamp.mode, file.stamp.owner);
                if !is_same || bytes(spot.directory, spot.name).as_ref() != Ok(before) {
                    self.replace(spot, note, How::Changed);
                }
            }
            // The change may be one of its times alone, so that it stays.
            Err(why) => {
                let why = format!("its earlier content is not known: {why}");
                self.report(spot.path, How::Changed, Some(why));
            }
        }
    }

    fn check_directory(&mut self, spot: Spot<'_>, note: &DirectoryNote, stat: &Stat) {
        let own = match spot.directory.child(spot.name) {
            Ok(own) => own,
            Err(error) => return self.report(spot.path, How::Changed, Some(error.to_string())),
        };
        if stat.st_mode != note.stamp.mode {
            let set = own.set_permissions(note.stamp.mode & PERMISSIONS);
            self.report(spot.path, How::Changed, set.err().map(|error| error.to_string()));
        }
        let path = |name: &OsStr| spot.path.join(name);
        for (name, child) in &note.children {
            let place = path(name);
            self.check(below(&own, name, &place), child);
        }
        if !note.is_whole {
            if Stamp::of(stat) != note.stamp {
                let why = "it holds too much to be compared".to_owned();
                self.report(spot.path, How::Changed, Some(why));
            }
            return;
        }
        let names = match own.names(usize::MAX) {
            Ok(names) => names,
            Err(error) => return self.report(spot.path, How::Changed, Some(error.to_string())),
        };
        let mut new: Vec<_> = names
            .into_iter()
            .filter(|name| !note.children.contains_key(name))
            .collect();
        new.sort();
        // Many are one change: the directory is moved as a whole, and built again.
        if new.len() > MOST_MOVED {
            return self.rebuild(spot, note);
        }
        for name in new {
            let place = path(&name);
            self.replace(below(&own, &name, &place), &Note::Absent, How::Created);
        }
    }

    /// Moves a directory away and builds it again.
    fn rebuild(&mut self, spot: Spot<'_>, note: &DirectoryNote) {
        match copy::take(spot, self.store) {
            Ok(stored) => {
                let built = restore_directory(spot.directory, spot.name, note);
                let problem = built.err().map(|error| error.to_string());
                self.push(spot.path, How::Changed, Some(stored), problem);
            }
            Err(error) => self.report(spot.path, How::Changed, Some(error.to_string())),
        }
    }

    /// Moves what is there away, and restores the earlier content.
    pub(super) fn replace(&mut self, spot: Spot<'_>, note: &Note, how: How) {
        match copy::take(spot, self.store) {
            Ok(stored) => self.restore_or_report(spot, note, how, Some(stored)),
            Err(error) => self.report(spot.path, how, Some(format!("it cannot be moved away: {error}"))),
        }
    }

    fn restore_or_report(&mut self, spot: Spot<'_>, note: &Note, how: How, stored: Option<PathBuf>) {
        let problem = restore(spot.directory, spot.name, note).err();
        let problem = problem.map(|error| format!("its earlier content cannot be given back: {error}"));
        self.push(spot.path, how, stored, problem);
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

const fn below<'a>(directory: &'a Directory, name: &'a OsStr, path: &'a Path) -> Spot<'a> {
    Spot {
        directory,
        name,
        path,
    }
}

/// New entries of a directory that are moved one by one.
const MOST_MOVED: usize = 64;

/// Writes what a note holds. Nothing has the name.
fn restore(at: &Directory, name: &OsStr, note: &Note) -> io::Result<()> {
    match note {
        Note::Absent => Ok(()),
        Note::File(file) => copy::opened(at, || restore_file(at, name, file)),
        Note::Link(target) => copy::opened(at, || at.create_link(name, target)),
        Note::Directory(directory) => copy::opened(at, || restore_directory(at, name, directory)),
        Note::Special(_) => Err(io::Error::other("it was a pipe, a socket or a device")),
        Note::Unknown(why) => Err(io::Error::other(why.clone())),
    }
}

fn restore_file(at: &Directory, name: &OsStr, note: &FileNote) -> io::Result<()> {
    let bytes = note.bytes.as_ref().map_err(|why| io::Error::other(why.clone()))?;
    let mut file = at.create_file(name)?;
    file.write_all(bytes)?;
    let (user, group) = note.stamp.owner;
    let meta = file.metadata()?;
    if (meta.uid(), meta.gid()) != (user, group) {
        // Without privilege the file belongs to this user.
        _ = fchown(&file, Some(user), Some(group));
    }
    let mode = Mode::from_raw_mode(note.stamp.mode & PERMISSIONS);
    Ok(rustix::fs::fchmod(&file, mode)?)
}

fn restore_directory(at: &Directory, name: &OsStr, note: &DirectoryNote) -> io::Result<()> {
    let own = at.create_directory(name, OWNER)?;
    let mut failed = None;
    for (name, child) in &note.children {
        if let Err(error) = restore(&own, name, child) {
            failed = Some(error);
        }
    }
    own.set_permissions(note.stamp.mode & PERMISSIONS)?;
    match failed {
        Some(error) => Err(error),
        None if note.is_whole => Ok(()),
        None => Err(io::Error::other("it held too much to be noted")),
    }
}
