//! Moves a file or directory away, to another file system as well, and removes what it moved.
//!
//! Must not know: why it is moved.
//!
//! Links are moved as links, and never followed.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use overrule_regular_file::{Links, make_directories, make_directory};

/// Bytes that are copied to another file system.
const MOST_BYTES: u64 = 64 << 20;
/// Entries that are copied.
const MOST_ENTRIES: usize = 10_000;
/// How deep directories are copied.
const MOST_DEPTH: usize = 64;
/// Names that are tried.
const MOST_NAMES: u32 = 100_000;
/// How the names begin.
const NAME: &str = "undone-";

/// Moves what is at a path to a directory of its own in a store, and returns its new path.
///
/// The store is created if it is missing, for its owner alone. Where it lies on another file system and what is moved is
/// too large to be copied, it gets another name in its own directory.
pub(super) fn take(path: &Path, store: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let Ok(place) = fresh(store) else {
        return rename_in_place(path);
    };
    let stored = place.join(name);
    let moved = match rename(path, &stored) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => across(path, &stored),
        other => other,
    };
    if moved.is_err() {
        // What was copied in part goes; the original is still there.
        _ = remove(&place);
        return rename_in_place(path);
    }
    Ok(stored)
}

/// Moves what was taken to a place again. What is there now is moved to the store. The directory of the place must be
/// reached without links; it is created if it is missing.
pub fn give(stored: &Path, place: &Path, store: &Path) -> io::Result<()> {
    stored
        .symlink_metadata()
        .map_err(|error| io::Error::new(error.kind(), "its content is gone"))?;
    let parent = place.parent().ok_or(ErrorKind::InvalidInput)?;
    // A directory that is missing is created below a real one only.
    let above = parent.ancestors().find(|above| above.symlink_metadata().is_ok());
    let above = above.ok_or(ErrorKind::NotFound)?;
    if above.canonicalize()? != above || !above.is_dir() {
        return Err(io::Error::other("a link is on the way to it"));
    }
    fs::create_dir_all(parent)?;
    if place.symlink_metadata().is_ok() {
        take(place, store)?;
    }
    match rename(stored, place) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => across(stored, place),
        other => other,
    }
}

/// Creates a directory with a new name.
fn fresh(store: &Path) -> io::Result<PathBuf> {
    make_directories(store)?;
    for number in 1..=MOST_NAMES {
        let place = store.join(format!("{NAME}{number}"));
        match make_directory(&place) {
            Ok(()) => return Ok(place),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(
        "the store has too many entries; remove the session",
    ))
}

/// Gives a path another name in its directory, which nothing runs by itself.
fn rename_in_place(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    for number in 1..=MOST_NAMES {
        let mut other = std::ffi::OsString::from(format!("{NAME}{number}"));
        other.push(name);
        let other = path.with_file_name(other);
        if other.symlink_metadata().is_err() {
            return rename(path, &other).map(|()| other);
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Renames. Directories whose permissions do not allow it get them for this.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
        other => return other,
    }
    let own = from.symlink_metadata()?;
    if own.is_dir() {
        fs::set_permissions(from, Permissions::from_mode(own.mode() | 0o700))?;
    }
    opened(from, || fs::rename(from, to))
}

/// Does something in the directory of a path, which the owner may write meanwhile.
pub(super) fn opened<T>(path: &Path, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let parent = path.parent().ok_or(ErrorKind::InvalidInput)?;
    let meta = parent.symlink_metadata()?;
    if !meta.is_dir() || meta.mode() & 0o300 == 0o300 {
        return act();
    }
    fs::set_permissions(parent, Permissions::from_mode(meta.mode() | 0o700))?;
    let done = act();
    fs::set_permissions(parent, Permissions::from_mode(meta.mode()))?;
    done
}

/// Copies and removes.
pub(super) fn across(from: &Path, to: &Path) -> io::Result<()> {
    let mut left = (MOST_BYTES, MOST_ENTRIES);
    copy(from, to, &mut left, 0)?;
    opened(from, || remove(from))
}

fn copy(from: &Path, to: &Path, left: &mut (u64, usize), depth: usize) -> io::Result<()> {
    let meta = from.symlink_metadata()?;
    let kind = meta.file_type();
    left.1 = left.1.checked_sub(1).ok_or(ErrorKind::QuotaExceeded)?;
    if kind.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if kind.is_file() {
        left.0 = left.0.checked_sub(meta.len()).ok_or(ErrorKind::QuotaExceeded)?;
        let mut file = overrule_regular_file::open_bounded(from, Links::Refuse, MOST_BYTES)?;
        let mut copy = overrule_regular_file::create(to)?;
        io::copy(&mut file, &mut copy)?;
        return copy.set_permissions(Permissions::from_mode(meta.mode() & 0o777));
    }
    if !kind.is_dir() {
        // A pipe or a socket holds nothing, and a device is none of a workspace.
        return Ok(());
    }
    if depth == MOST_DEPTH {
        return Err(ErrorKind::QuotaExceeded.into());
    }
    if meta.mode() & 0o500 != 0o500 {
        fs::set_permissions(from, Permissions::from_mode(meta.mode() | 0o700))?;
    }
    make_directory(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy(&from.join(&name), &to.join(&name), left, depth + 1)?;
    }
    Ok(())
}

/// Removes a file, a link or a directory with everything in it. Directories without permissions get them.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    if !path.symlink_metadata()?.is_dir() {
        return fs::remove_file(path);
    }
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let mode = directory.symlink_metadata()?.mode();
        if mode & 0o700 != 0o700 {
            fs::set_permissions(&directory, Permissions::from_mode(mode | 0o700))?;
        }
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(path)
}
