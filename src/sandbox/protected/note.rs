//! Notes what is at a path, so that a change is seen and the earlier content can come back.
//!
//! Must not know: why the path matters.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{RawMode, Stat};

use super::at::{Directory, is_directory, is_file, is_link};

/// Bytes of a file whose content is noted.
pub(super) const MOST_FILE: u64 = 1 << 20;
/// Bytes of all files together.
const MOST_BYTES: u64 = 32 << 20;
/// Entries of directories together.
const MOST_ENTRIES: usize = 4096;
/// How deep directories are noted.
const MOST_DEPTH: usize = 16;

/// What is at a path.
#[derive(Debug)]
pub(super) enum Note {
    /// Nothing.
    Absent,
    /// A regular file.
    File(FileNote),
    /// A symbolic link, and what it says.
    Link(PathBuf),
    /// A directory.
    Directory(DirectoryNote),
    /// A pipe, a socket or a device.
    Special(Stamp),
    /// It could not be looked at.
    Unknown(String),
}

/// A regular file.
#[derive(Debug)]
pub(super) struct FileNote {
    pub stamp: Stamp,
    /// The content, or why it is not noted.
    pub bytes: Result<Vec<u8>, String>,
}

/// A directory.
#[derive(Debug)]
pub(super) struct DirectoryNote {
    pub stamp: Stamp,
    pub children: BTreeMap<OsString, Note>,
    /// False where there is more in it than was noted.
    pub is_whole: bool,
}

/// What `lstat` finds. A file whose stamp is equal was not changed: no command sets `changed` to a time of its choice. Where
/// the system counts time in steps of some milliseconds, a file that changed just before the note, and again within the
/// same step at the same size, is missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp {
    pub mode: RawMode,
    pub owner: (u32, u32),
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    #[allow(
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        clippy::unnecessary_cast,
        trivial_numeric_casts,
        reason = "the types differ between systems, and the values are only compared"
    )]
    pub(super) fn of(stat: &Stat) -> Self {
        Self {
            mode: stat.st_mode,
            owner: (stat.st_uid, stat.st_gid),
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Returns true for the same pipe, socket or device. Its times change with its use.
    pub(super) fn is_same_special(&self, other: &Self) -> bool {
        (self.device, self.inode, self.mode) == (other.device, other.inode, other.mode)
    }
}

/// What may still be noted.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: u64,
    entries: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            bytes: MOST_BYTES,
            entries: MOST_ENTRIES,
        }
    }
}

/// Notes what is at a path below an open directory. Links are not followed: a path through one counts as absent.
pub(super) fn note(base: &Directory, relative: &Path, budget: &mut Budget) -> Note {
    let (Some(parent), Some(name)) = (relative.parent(), relative.file_name()) else {
        return Note::Unknown("it has no name".to_owned());
    };
    let mut way: Option<Directory> = None;
    for part in parent.components() {
        let from = way.as_ref().unwrap_or(base);
        match from.look(part.as_os_str()) {
            Ok(Some(stat)) if is_directory(&stat) => {}
            Ok(_) => return Note::Absent,
            Err(error) => return Note::Unknown(error.to_string()),
        }
        match from.child(part.as_os_str()) {
            Ok(child) => way = Some(child),
            Err(error) => return Note::Unknown(error.to_string()),
        }
    }
    entry(way.as_ref().unwrap_or(base), name, budget, 0)
}

fn entry(at: &Directory, name: &OsStr, budget: &mut Budget, depth: usize) -> Note {
    let stat = match at.look(name) {
        Ok(Some(stat)) => stat,
        Ok(None) => return Note::Absent,
        Err(error) => return Note::Unknown(error.to_string()),
    };
    let stamp = Stamp::of(&stat);
    if is_link(&stat) {
        at.read_link(name)
            .map_or_else(|error| Note::Unknown(error.to_string()), Note::Link)
    } else if is_directory(&stat) {
        Note::Directory(directory(at.child(name), stamp, budget, depth))
    } else if !is_file(&stat) {
        Note::Special(stamp)
    } else {
        let bytes = if stamp.size > budget.bytes {
            Err("too much was to be noted".to_owned())
        } else {
            bytes(at, name)
        };
        budget.bytes = budget
            .bytes
            .saturating_sub(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64));
        Note::File(FileNote { stamp, bytes })
    }
}

/// Returns the content of a file of at most 1 MiB.
pub(super) fn bytes(at: &Directory, name: &OsStr) -> Result<Vec<u8>, String> {
    at.read(name, MOST_FILE).map_err(|error| error.to_string())
}

fn directory(
    opened: std::io::Result<Directory>,
    stamp: Stamp,
    budget: &mut Budget,
    depth: usize,
) -> DirectoryNote {
    let mut note = DirectoryNote {
        stamp,
        children: BTreeMap::new(),
        is_whole: depth < MOST_DEPTH,
    };
    let listed = opened.and_then(|own| Ok((own.names(MOST_ENTRIES + 1)?, own)));
    let Ok((mut names, own)) = listed else {
        note.is_whole = false;
        return note;
    };
    // Names first: the budget of the entries belongs to the directory before what lies deeper in it.
    let most = if note.is_whole { budget.entries } else { 0 };
    if names.len() > most {
        names.truncate(most);
        note.is_whole = false;
    }
    budget.entries -= names.len();
    names.sort();
    for name in names {
        let child = entry(&own, &name, budget, depth + 1);
        note.children.insert(name, child);
    }
    note
}
