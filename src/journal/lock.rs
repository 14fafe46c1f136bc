//! One writer per session. Must not know: what is written.
//!
//! The lock is the system's own on an open file, so that it ends with its holder, however that ends.
//! The number in the file only tells people who it is.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;
use std::time::Duration;

use super::error::{Error, shown};
use super::files;
use super::store::Place;

/// Name of the file inside of a session.
const NAME: &str = "lock";

/// How often a taken lock is tried again.
const TRIES: u32 = 15;
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// The right to write a session, until dropped.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a session's directory, or says who has it.
    pub(super) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(NAME);
        let fail = |error| Error::io("lock the session", &path, error);
        let mut file = files::ensure(&path).map_err(fail)?;
        match patiently(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked {
                    path: shown(dir),
                    pid: noted(&file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
        file.set_len(0).map_err(fail)?;
        file.rewind().map_err(fail)?;
        writeln!(file, "{}", std::process::id()).map_err(fail)?;
        Ok(Self { file })
    }
}

/// The number that a holder has left. Only to name them: whatever stands there is no reason to fail.
fn noted(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Who says that they have a session open: a hint where to ask, and not proof, because one that was
/// killed could not take it back.
pub fn holder(place: &Place) -> Option<u32> {
    match place {
        Place::Dir { path, .. } => noted(&File::open(path.join(NAME)).ok()?),
        Place::File { .. } => None,
    }
}

/// True where somebody has a session open. Takes nothing from them: who begins this very moment tries
/// again a little later.
pub fn is_held(place: &Place) -> bool {
    let Place::Dir { path, .. } = place else {
        return false;
    };
    let held = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    File::open(path.join(NAME)).is_ok_and(held)
}

/// Tries for a moment: a child that is being started holds every open file of its parent until it
/// becomes a program of its own, so that the lock of a holder who is gone may outlive them that long.
fn patiently(file: &File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    file.try_lock()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // So that nobody reads the number of a process that is gone; the lock itself ends anyway.
        let _ = self.file.set_len(0);
    }
}
