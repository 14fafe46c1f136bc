//! Represents where a file is written: an open directory and a name in it.
//!
//! Must not know: what is written.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::allowed::{guarded, writable};
use super::means::READ;
use super::{Place, Workspace};
use crate::errors::{from_io, refused, shown};
use overrule_domain::call::{ErrorClass, ToolError};

/// Where to write a file: an open directory and a name in it.
#[derive(Debug)]
pub struct Target {
    /// The directory that contains it.
    pub dir: OwnedFd,
    /// Its name in that directory.
    pub name: OsString,
    /// Its place in the workspace, for messages.
    pub place: Place,
    /// Its present metadata; `None` if there is nothing.
    pub stat: Option<Stat>,
    /// The outermost directory that was created for it.
    made: Option<PathBuf>,
}

impl Target {
    /// Adds to a failure which directory was created before it.
    pub fn failed(&self, error: ToolError) -> ToolError {
        with_created_dir(error, self.made.as_deref())
    }
}

impl Workspace {
    /// Returns where to write a file. With `make`, missing parent directories are created; if it fails after that, it
    /// says so.
    pub fn target(&self, given: &str, make: bool) -> Result<Target, ToolError> {
        let (found, mut missing) = self.resolve(given)?;
        let mut place = found.clone();
        place.path.extend(&missing);
        if let Some(why) = guarded(&place.path) {
            return Err(refused(
                ErrorClass::Auth,
                format!("`{}` is not written by tools: {why}", shown(given)),
                "protected path",
                "choose another path, or ask the operator to do it",
            ));
        }
        let mut at = found.path.clone();
        let name = match missing.pop() {
            Some(name) => name,
            None => match (at.file_name().map(OsStr::to_owned), at.pop()) {
                (Some(name), true) => name,
                _ => return Err(is_directory(given)),
            },
        };
        if let Some(step) = missing.first().filter(|_| !make) {
            return Err(self.not_there(given, &found, step));
        }
        let mut made = None;
        let there = self
            .below(at, &missing, &mut made)
            .map_err(|errno| from_io("write", given, &errno.into(), false))
            .and_then(|dir| stat(&dir, &name, given).map(|stat| (dir, stat)));
        match there {
            Ok((dir, stat)) => Ok(Target {
                dir,
                name,
                place,
                stat,
                made,
            }),
            Err(error) => Err(with_created_dir(error, made.as_deref())),
        }
    }

    /// Opens a directory below an existing one. Creates missing directories and notes the first one.
    fn below(
        &self,
        mut at: PathBuf,
        missing: &[OsString],
        made: &mut Option<PathBuf>,
    ) -> Result<OwnedFd, Errno> {
        let flags = READ | OFlags::DIRECTORY;
        let mut dir = self.fd(&at, flags, Mode::empty())?;
        for step in missing {
            at.push(step);
            match rustix::fs::mkdirat(&dir, step, Mode::from_raw_mode(0o777)) {
                Ok(()) => _ = made.get_or_insert_with(|| at.clone()),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
            dir = rustix::fs::openat(&dir, step, flags | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(dir)
    }
}

/// The present metadata of what may be replaced; `None` if there is nothing.
fn stat(dir: &OwnedFd, name: &OsStr, given: &str) -> Result<Option<Stat>, ToolError> {
    let failed = |errno: Errno| from_io("write", given, &errno.into(), false);
    let stat = match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    writable(&stat, given)?;
    // Replacing a file by renaming would bypass its own permissions.
    rustix::fs::accessat(dir, name, Access::WRITE_OK, AtFlags::empty()).map_err(failed)?;
    Ok(Some(stat))
}

/// A failure after a directory was created: something was done.
fn with_created_dir(mut error: ToolError, made: Option<&Path>) -> ToolError {
    if let Some(made) = made {
        error.executed = true;
        let made = shown(&made.to_string_lossy());
        let _ = write!(
            error.message,
            "; the directory `{made}` was made for it, and stays"
        );
    }
    error
}

fn is_directory(given: &str) -> ToolError {
    from_io("write", given, &io::Error::from(Errno::ISDIR), false)
}
