//! Opens places below the workspace without following any link.
//!
//! Must not know: what is read or written there.
//!
//! Each part of a path is opened from the one before with links refused, so that a link inserted in between causes an
//! error and never leads elsewhere.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use overrule_domain::files::FilePath;
use overrule_regular_file as regular_file;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::Error;

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW);
// Without NONBLOCK, opening a named pipe would block until it has a writer.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

/// The open directory of the workspace.
#[derive(Debug)]
pub(crate) struct Root {
    pub(crate) path: PathBuf,
    dir: OwnedFd,
}

impl Root {
    /// Opens a directory.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let failed = |error| Error::io("open", path, error);
        let path = path.canonicalize().map_err(failed)?;
        let dir = regular_file::open_dir(&path).map_err(failed)?.into();
        Ok(Self { path, dir })
    }

    /// Its descriptor.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// Opens a directory below it; the empty path is the workspace itself.
    pub(crate) fn directory(&self, path: &[u8]) -> Result<OwnedFd, Errno> {
        let mut at = directory(self.dir.as_fd(), b".")?;
        for part in path.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
            at = directory(at.as_fd(), part)?;
        }
        Ok(at)
    }

    /// Opens the directory that holds a path, and returns the name in it.
    pub(crate) fn parent<'a>(&self, path: &'a FilePath) -> Result<(OwnedFd, &'a OsStr), Errno> {
        let (parent, name) = split(path.bytes());
        Ok((self.directory(parent)?, OsStr::from_bytes(name)))
    }
}

/// Splits a path into its directory, empty for the workspace, and its name.
pub(crate) fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (
            path.get(..at).unwrap_or_default(),
            path.get(at.saturating_add(1)..).unwrap_or_default(),
        ),
        None => (&[], path),
    }
}

/// Joins a directory, empty for the workspace, and a name.
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() {
        return name.to_vec();
    }
    [directory, b"/", name].concat()
}

/// Opens a directory in another one.
pub(crate) fn directory(at: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(at, name, DIRECTORY, Mode::empty())
}

/// Opens an entry of a directory for reading. The caller checks that it is a regular file.
pub(crate) fn file(at: BorrowedFd<'_>, name: &[u8]) -> Result<File, Errno> {
    rustix::fs::openat(at, name, FILE, Mode::empty()).map(File::from)
}

/// Creates a file in a directory, for its owner alone. Nothing may have its name.
pub(crate) fn create(at: BorrowedFd<'_>, name: &OsStr) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::openat(at, name, flags, Mode::from_raw_mode(0o600)).map(File::from)
}

/// Changes the permissions of an entry without following a link, and without the right to read it.
#[cfg(target_os = "linux")]
pub(crate) fn set_mode(at: BorrowedFd<'_>, name: &OsStr, mode: u32) -> Result<(), Errno> {
    use rustix::fs::FileType;
    use std::os::fd::AsRawFd as _;

    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(at, name, flags, Mode::empty())?;
    if FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode) == FileType::Symlink {
        return Err(Errno::LOOP);
    }
    let opened = format!("/proc/self/fd/{}", fd.as_raw_fd());
    rustix::fs::chmod(opened, Mode::from_raw_mode(mode))
}

/// Changes the permissions of an entry without following a link, and without the right to read it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn set_mode(at: BorrowedFd<'_>, name: &OsStr, mode: u32) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(mode as rustix::fs::RawMode);
    rustix::fs::chmodat(at, name, mode, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
}
