//! Ensures one writer per session.
//!
//! Must not know: what is written.
//!
//! The lock is an advisory lock of the system on an open file, so it ends with its holder, however
//! that ends. The process id in the file only shows people which process holds it.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use super::error::{Error, shown};
use super::store::Place;
use overrule_regular_file::{self as regular_file, Links};

/// Name of the lock file in a session's directory.
const NAME: &str = "lock";

/// How often a taken lock is tried again.
const TRIES: u32 = 15;
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// The right to write a session; released on drop.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a session's directory, or returns its holder.
    pub(super) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(NAME);
        let fail = |error| Error::io("lock the session", &path, error);
        let mut file = regular_file::ensure(&path).map_err(fail)?;
        match patiently(|| file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked {
                    path: shown(dir),
                    pid: noted(&file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        // Only people read it: on a full disk a session must still be opened and deleted.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { file })
    }
}

/// Lock on a directory of sessions. It is shared while a session is made that no list shows yet,
/// and exclusive while unfinished sessions are removed.
#[derive(Debug)]
pub(super) struct Making {
    _dir: File,
}

impl Making {
    /// Waits briefly for a process that removes something. A session can be created without this
    /// lock, because it has a lock of its own.
    pub(super) fn together(dir: &Path) -> Option<Self> {
        let dir = regular_file::open_dir(dir).ok()?;
        patiently(|| dir.try_lock_shared()).ok()?;
        Some(Self { _dir: dir })
    }

    /// Returns `None` while a session is being made.
    pub(super) fn alone(dir: &Path) -> Option<Self> {
        let dir = regular_file::open_dir(dir).ok()?;
        dir.try_lock().ok()?;
        Some(Self { _dir: dir })
    }
}

/// Reads the process id that a holder left. It only serves to name the holder, so unreadable content is not
/// an error.
fn noted(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Returns the process that claims to have a session open. This is a hint, not proof: a killed
/// process does not remove its id.
pub fn holder(place: &Place) -> Option<u32> {
    match place {
        Place::Dir { path, .. } => noted(&regular_file::open(&path.join(NAME), Links::Refuse).ok()?),
        Place::File { .. } => None,
    }
}

/// Returns true if some process has the session open. This does not disturb that process: if it is taking the
/// lock right now, it tries again shortly.
pub fn is_held(place: &Place) -> bool {
    let Place::Dir { path, .. } = place else {
        return false;
    };
    let held = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    regular_file::open(&path.join(NAME), Links::Refuse).is_ok_and(held)
}

/// Retries for a short time. A child process holds every open file of its parent until it executes
/// its own program, so a lock can briefly exist longer than its holder.
fn patiently(lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    lock()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Remove the id of this process; the lock itself ends in any case.
        let _ = self.file.set_len(0);
    }
}
