//! Moves a file or directory away, to another file system as well, and removes what it moved.
//!
//! Must not know: why it is moved.
//!
//! Everything is named in open directories. Links are moved as links, and never followed.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use overrule_regular_file::make_directories;
use rustix::fs::Stat;

use super::at::{Directory, OWNER, is_directory, is_file, is_link};

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

/// Where something is: a name in an open directory, and the path for reports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    /// The directory.
    pub directory: &'a Directory,
    /// The name in it.
    pub name: &'a OsStr,
    /// The path of both. Nothing is opened by it.
    pub path: &'a Path,
}

/// Moves what is at a place to a directory of its own in a store, and returns its new path.
///
/// The store is created if it is missing, for its owner alone. Where it lies on another file system and what is moved is
/// too large to be copied, it gets another name in its own directory.
pub(super) fn take(spot: Spot<'_>, store: &Path) -> io::Result<PathBuf> {
    let Ok((all, place)) = fresh(store) else {
        return rename_in_place(spot);
    };
    let moved = all
        .child(&place)
        .and_then(|own| match rename(spot, &own, spot.name) {
            Err(error) if error.kind() == ErrorKind::CrossesDevices => across(spot, &own, spot.name),
            other => other,
        });
    if moved.is_err() {
        // What was copied in part goes; the original is still there.
        _ = remove(&all, &place, 0);
        return rename_in_place(spot);
    }
    Ok(store.join(place).join(spot.name))
}

/// Moves what was taken to a place again. What is there now is moved to the store. The directory of the place must be
/// reached without links; it is created if it is missing.
pub fn give(stored: &Path, place: &Path, store: &Path) -> io::Result<()> {
    let gone = |error: io::Error| io::Error::new(error.kind(), "its content is gone");
    let (from, name) = opened_parent(stored, Directory::open).map_err(gone)?;
    from.look(name)?.ok_or(ErrorKind::NotFound.into()).map_err(gone)?;
    let (parent, new) =
        opened_parent(place, Directory::open_or_create).map_err(|error| match error.kind() {
            ErrorKind::NotADirectory => io::Error::other("a link or a file is on the way to it"),
            _ => error,
        })?;
    if parent.look(new)?.is_some() {
        let spot = Spot {
            directory: &parent,
            name: new,
            path: place,
        };
        take(spot, store)?;
    }
    let spot = Spot {
        directory: &from,
        name,
        path: stored,
    };
    match rename(spot, &parent, new) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => across(spot, &parent, new),
        other => other,
    }
}

/// Opens the directory of a path. Returns it with the name in it.
fn opened_parent(path: &Path, open: fn(&Path) -> io::Result<Directory>) -> io::Result<(Directory, &OsStr)> {
    let parent = path.parent().ok_or(ErrorKind::InvalidInput)?;
    Ok((open(parent)?, path.file_name().ok_or(ErrorKind::InvalidInput)?))
}

/// Creates a directory with a new name in a store. Returns the store and the name.
fn fresh(store: &Path) -> io::Result<(Directory, OsString)> {
    make_directories(store)?;
    let all = Directory::open(&store.canonicalize()?)?;
    for number in 1..=MOST_NAMES {
        let name = OsString::from(format!("{NAME}{number}"));
        match all.create_directory(&name, OWNER) {
            Ok(_) => return Ok((all, name)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(
        "the store has too many entries; remove the session",
    ))
}

/// Gives something another name in its directory, which nothing runs by itself.
fn rename_in_place(spot: Spot<'_>) -> io::Result<PathBuf> {
    for number in 1..=MOST_NAMES {
        let mut other = OsString::from(format!("{NAME}{number}"));
        other.push(spot.name);
        if spot.directory.look(&other)?.is_none() {
            return rename(spot, spot.directory, &other).map(|()| spot.path.with_file_name(other));
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Renames. Directories whose permissions do not allow it get them for this.
fn rename(spot: Spot<'_>, to: &Directory, new: &OsStr) -> io::Result<()> {
    match spot.directory.rename(spot.name, to, new) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {}
        other => return other,
    }
    opened(spot.directory, || {
        if spot
            .directory
            .look(spot.name)?
            .is_some_and(|stat| is_directory(&stat))
        {
            permitted(&spot.directory.child(spot.name)?)?;
        }
        spot.directory.rename(spot.name, to, new)
    })
}

/// Does something in a directory, which the owner may write meanwhile.
pub(super) fn opened<T>(directory: &Directory, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mode = directory.permissions()?;
    if mode & 0o300 == 0o300 {
        return act();
    }
    directory.set_permissions(mode | OWNER)?;
    let done = act();
    directory.set_permissions(mode)?;
    done
}

/// Gives the owner every permission of a directory.
fn permitted(directory: &Directory) -> io::Result<()> {
    let mode = directory.permissions()?;
    if mode & OWNER == OWNER {
        return Ok(());
    }
    directory.set_permissions(mode | OWNER)
}

/// Copies and removes.
pub(super) fn across(spot: Spot<'_>, to: &Directory, new: &OsStr) -> io::Result<()> {
    let mut left = (MOST_BYTES, MOST_ENTRIES);
    copy((spot.directory, spot.name), (to, new), &mut left, 0)?;
    opened(spot.directory, || remove(spot.directory, spot.name, 0))
}

fn copy(
    (from, name): (&Directory, &OsStr),
    (to, new): (&Directory, &OsStr),
    left: &mut (u64, usize),
    depth: usize,
) -> io::Result<()> {
    let stat: Stat = from.look(name)?.ok_or(ErrorKind::NotFound)?;
    left.1 = left.1.checked_sub(1).ok_or(ErrorKind::QuotaExceeded)?;
    if is_link(&stat) {
        return to.create_link(new, &from.read_link(name)?);
    }
    if is_file(&stat) {
        let mut file = from.file(name)?;
        let meta = file.metadata()?;
        left.0 = left.0.checked_sub(meta.len()).ok_or(ErrorKind::QuotaExceeded)?;
        let mut copy = to.create_file(new)?;
        // A file that grows meanwhile is copied as long as it was.
        io::copy(&mut io::Read::take(&mut file, meta.len()), &mut copy)?;
        let permissions = std::fs::Permissions::from_mode(meta.permissions().mode() & 0o777);
        return copy.set_permissions(permissions);
    }
    if !is_directory(&stat) {
        // A pipe or a socket holds nothing, and a device is none of a workspace.
        return Ok(());
    }
    if depth == MOST_DEPTH {
        return Err(ErrorKind::QuotaExceeded.into());
    }
    let (from, to) = (from.child(name)?, to.create_directory(new, OWNER)?);
    permitted(&from)?;
    for name in from.names(MOST_ENTRIES + 1)? {
        copy((&from, &name), (&to, &name), left, depth + 1)?;
    }
    Ok(())
}

/// Removes a file, a link or a directory with everything in it. Directories without permissions get them.
fn remove(directory: &Directory, name: &OsStr, depth: usize) -> io::Result<()> {
    let stat = directory.look(name)?.ok_or(ErrorKind::NotFound)?;
    if !is_directory(&stat) {
        return directory.remove_file(name);
    }
    // What is removed was copied before, one level deeper at most.
    if depth > MOST_DEPTH + 1 {
        return Err(ErrorKind::QuotaExceeded.into());
    }
    let own = directory.child(name)?;
    permitted(&own)?;
    for entry in own.names(usize::MAX)? {
        remove(&own, &entry, depth + 1)?;
    }
    directory.remove_directory(name)
}
