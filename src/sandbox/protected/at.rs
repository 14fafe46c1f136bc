//! Looks at, opens, creates and removes names in an open directory that was reached without links.
//!
//! Must not know: which names are protected, why they are changed.
//!
//! A command can exchange a directory for a link at any moment. So a path is opened once, component by component, and everything
//! after that is relative to the descriptor: whatever takes the path's place later is not touched.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::Errno;

/// Flags of a directory that is only passed through or worked in. No permission to list it is needed.
#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;
/// Flags of every directory.
const DIRECTORY: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Permissions of the owner for a directory that is worked in.
pub(super) const OWNER: RawMode = 0o700;
/// Permissions of a directory on the way to something, as far as the mask of this program allows them.
pub(super) const ORDINARY: RawMode = 0o777;
/// The bits of a mode that are permissions.
pub(super) const PERMISSIONS: RawMode = 0o7777;

/// An open directory.
#[derive(Debug)]
pub(super) struct Directory(OwnedFd);

impl Directory {
    /// Opens a directory by its absolute path. A link on the way is an error, as the last name too.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::walk(path, false)
    }

    /// Does the same, and creates directories that are missing.
    pub(super) fn open_or_create(path: &Path) -> io::Result<Self> {
        Self::walk(path, true)
    }

    fn walk(path: &Path, create: bool) -> io::Result<Self> {
        let mut parts = path.components();
        if parts.next() != Some(Component::RootDir) {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut at = Self(rustix::fs::open("/", PASS | DIRECTORY, Mode::empty())?);
        for part in parts {
            let Component::Normal(name) = part else {
                return Err(ErrorKind::InvalidInput.into());
            };
            at = match at.child(name) {
                Err(error) if create && error.kind() == ErrorKind::NotFound => {
                    at.create_directory(name, ORDINARY)?
                }
                other => other?,
            };
        }
        Ok(at)
    }

    /// Returns another descriptor of the same directory.
    pub(super) fn again(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Opens a directory in this one. A link is an error.
    pub(super) fn child(&self, name: &OsStr) -> io::Result<Self> {
        match rustix::fs::openat(&self.0, single(name)?, PASS | DIRECTORY, Mode::empty()) {
            Ok(child) => Ok(Self(child)),
            // Either is the answer for a link, depending on the system.
            Err(Errno::LOOP | Errno::NOTDIR | Errno::MLINK) => Err(io::Error::new(
                ErrorKind::NotADirectory,
                "it is no directory of its own",
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates a directory in this one, and opens it.
    pub(super) fn create_directory(&self, name: &OsStr, mode: RawMode) -> io::Result<Self> {
        rustix::fs::mkdirat(&self.0, single(name)?, Mode::from_raw_mode(mode))?;
        self.child(name)
    }

    /// Creates a file for its owner alone. Nothing may have its name.
    pub(super) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, single(name)?, flags, Mode::from_raw_mode(0o600))?;
        Ok(file.into())
    }

    /// Opens a regular file for reading, and never waits for it. Anything else is an error.
    pub(super) fn file(&self, name: &OsStr) -> io::Result<File> {
        let is_file = |stat: &Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let other = || io::Error::new(ErrorKind::InvalidInput, "it is not a regular file");
        // Looked at first: opening some devices has an effect.
        let found = self.look(name)?.ok_or(ErrorKind::NotFound)?;
        if !is_file(&found) {
            return Err(other());
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, single(name)?, flags, Mode::empty())?;
        if !is_file(&rustix::fs::fstat(&file)?) {
            return Err(other());
        }
        Ok(file.into())
    }

    /// Returns the content of a regular file of at most `most` bytes.
    pub(super) fn read(&self, name: &OsStr, most: u64) -> io::Result<Vec<u8>> {
        overrule_regular_file::read_open(self.file(name)?, most)
    }

    /// Returns what `lstat` finds; nothing if there is nothing.
    pub(super) fn look(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match rustix::fs::statat(&self.0, single(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns what a link contains.
    pub(super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(&self.0, single(name)?, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Creates a link.
    pub(super) fn create_link(&self, name: &OsStr, target: &Path) -> io::Result<()> {
        Ok(rustix::fs::symlinkat(target, &self.0, single(name)?)?)
    }

    /// Returns its entries, at most `most` of them, in the order of the system.
    pub(super) fn names(&self, most: usize) -> io::Result<Vec<OsString>> {
        let listed = rustix::fs::openat(&self.0, ".", OFlags::RDONLY | DIRECTORY, Mode::empty())?;
        let mut names = Vec::new();
        for entry in Dir::new(listed)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() == most {
                break;
            }
            names.push(OsStr::from_bytes(name).to_owned());
        }
        Ok(names)
    }

    /// Gives something in this directory another name, there or in another directory. Links are not followed.
    pub(super) fn rename(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, single(name)?, &to.0, single(new)?)?)
    }

    /// Removes a file or a link.
    pub(super) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, single(name)?, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub(super) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, single(name)?, AtFlags::REMOVEDIR)?)
    }

    /// Returns its permissions.
    pub(super) fn permissions(&self) -> io::Result<RawMode> {
        Ok(rustix::fs::fstat(&self.0)?.st_mode & PERMISSIONS)
    }

    /// Sets its permissions.
    #[cfg(target_os = "linux")]
    pub(super) fn set_permissions(&self, mode: RawMode) -> io::Result<()> {
        use std::os::fd::AsRawFd as _;
        // A descriptor without access cannot be given to `fchmod`; this name of it leads to the same directory.
        let own = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        Ok(rustix::fs::chmod(own, Mode::from_raw_mode(mode))?)
    }

    /// Sets its permissions.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn set_permissions(&self, mode: RawMode) -> io::Result<()> {
        Ok(rustix::fs::fchmod(&self.0, Mode::from_raw_mode(mode))?)
    }
}

/// True for a directory.
pub(super) fn is_directory(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// True for a symbolic link.
pub(super) fn is_link(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Symlink
}

/// True for a regular file.
pub(super) fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// A name in a directory; a path of several names could pass through a link.
fn single(name: &OsStr) -> io::Result<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(name),
        _ => Err(ErrorKind::InvalidInput.into()),
    }
}
