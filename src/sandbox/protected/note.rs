//! Notes what is at a path, so that a change is seen and the earlier content can come back.
//!
//! Must not know: why the path matters.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use overrule_regular_file::Links;

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

/// What `lstat` says. A file whose stamp is equal was not changed: no command sets `changed` to a time of its choice. Where
/// the system counts time in steps of some milliseconds, a file that changed just before the note, and again within the
/// same step at the same size, is missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub mode: u32,
    pub owner: (u32, u32),
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self {
            mode: meta.mode(),
            owner: (meta.uid(), meta.gid()),
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
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

/// Returns what `lstat` says of a path; nothing if there is nothing.
pub(super) fn look(path: &Path) -> io::Result<Option<Metadata>> {
    match path.symlink_metadata() {
        Ok(meta) => Ok(Some(meta)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Notes what is at a path. Links are not followed.
pub(super) fn note(path: &Path, budget: &mut Budget) -> Note {
    at(path, budget, 0)
}

fn at(path: &Path, budget: &mut Budget, depth: usize) -> Note {
    let meta = match look(path) {
        Ok(Some(meta)) => meta,
        Ok(None) => return Note::Absent,
        Err(error) => return Note::Unknown(error.to_string()),
    };
    let kind = meta.file_type();
    let stamp = Stamp::of(&meta);
    if kind.is_symlink() {
        fs::read_link(path).map_or_else(|error| Note::Unknown(error.to_string()), Note::Link)
    } else if kind.is_dir() {
        Note::Directory(directory(path, stamp, budget, depth))
    } else if kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device() {
        Note::Special(stamp)
    } else {
        let bytes = if stamp.size > budget.bytes {
            Err("too much was to be noted".to_owned())
        } else {
            bytes(path)
        };
        budget.bytes = budget
            .bytes
            .saturating_sub(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64));
        Note::File(FileNote { stamp, bytes })
    }
}

/// Returns the content of a file of at most 1 MiB.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let file = overrule_regular_file::open_bounded(path, Links::Refuse, MOST_FILE);
    let bytes = file.and_then(|file| overrule_regular_file::read_open(file, MOST_FILE));
    bytes.map_err(|error| error.to_string())
}

fn directory(path: &Path, stamp: Stamp, budget: &mut Budget, depth: usize) -> DirectoryNote {
    let mut note = DirectoryNote {
        stamp,
        children: BTreeMap::new(),
        is_whole: depth < MOST_DEPTH,
    };
    let Ok(entries) = fs::read_dir(path).map(|entries| entries.take(MOST_ENTRIES + 1)) else {
        note.is_whole = false;
        return note;
    };
    // Names first: the budget of the entries belongs to the directory before what lies deeper in it.
    let mut names = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) if note.is_whole && budget.entries > 0 => {
                budget.entries -= 1;
                names.push(entry.file_name());
            }
            _ => {
                note.is_whole = false;
                break;
            }
        }
    }
    names.sort();
    for name in names {
        let child = at(&path.join(&name), budget, depth + 1);
        note.children.insert(name, child);
    }
    note
}
