//! Mounts the private layers of caches once, for all children of this process.
//!
//! Must not know: what a child runs, which caches there are.
//!
//! The kernel does not define what two mounts of one layer do to each other, so there is only one: it is made in a mount
//! namespace of its own, and each child gets a copy of that. Another process with the same workspace takes layers of its own.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::channel::{Outside, StartError};
use crate::plan::{Cache, Plan};
use crate::start::{Confinement, Helper};

/// What stands in place of a program where the helper mounts the layers and ends.
pub(crate) const LAYERS: &str = "--layers";

/// Processes that have layers of their own over the caches of one workspace at the same time. One more has none.
const MOST: u32 = 64;

/// How long the helper that mounts layers may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The layers of this process. The mounts exist as long as this value, or a child that has a copy of them.
#[derive(Debug)]
pub struct Layers {
    /// The user namespace that owns the mounts, where there is one.
    pub(crate) user: Option<OwnedFd>,
    /// The mount namespace.
    pub(crate) mounts: OwnedFd,
    /// What no other process layers meanwhile.
    _place: File,
}

impl PartialEq for Layers {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Layers {}

impl Layers {
    /// Returns the descriptors that the helper enters.
    pub(crate) fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        let user = self.user.iter().map(OwnedFd::as_fd);
        std::iter::once(self.mounts.as_fd()).chain(user)
    }

    /// Mounts the layers of these caches in the place. Blocks for some milliseconds.
    pub(crate) fn mount(helper: &Helper, place: Place, caches: &[Cache]) -> Result<Self, StartError> {
        Self::mount_within(PATIENCE, helper, place, caches)
    }

    fn mount_within(
        patience: Duration,
        helper: &Helper,
        place: Place,
        caches: &[Cache],
    ) -> Result<Self, StartError> {
        let lost = |error: io::Error| StartError::set_up("cache", error);
        let confinement = Confinement {
            plan: Plan::of_layers(caches),
            helper: helper.clone(),
            layers: None,
        };
        let nothing = overrule_regular_file::null().map_err(lost)?;
        let (outside, inside) = Outside::order(&confinement, nothing.as_fd())?;
        let mut command = helper.command(inside, LAYERS.as_ref(), [""; 0]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(lost)?;
        // It holds the end of the helper.
        drop(command);
        let made = outside.namespaces(patience);
        if made.is_err() {
            // It may not answer any more, nor end.
            let _ = child.kill();
        }
        child.wait().map_err(lost)?;
        let (mounts, user) = made?;
        Ok(Self {
            user,
            mounts,
            _place: place.lock,
        })
    }
}

/// A directory for layers that no other process uses.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory.
    pub(crate) path: PathBuf,
    lock: File,
}

impl Place {
    /// Finds the first free one in the store of a workspace, which exists.
    pub(crate) fn free(store: &Path) -> io::Result<Self> {
        for number in 0..MOST {
            let lock = overrule_regular_file::ensure(&store.join(format!("lock-{number}")))?;
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
                let path = match number {
                    0 => store.to_owned(),
                    _ => store.join(number.to_string()),
                };
                return Ok(Self { path, lock });
            }
        }
        Err(io::Error::other(format!("{MOST} processes use them already")))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_helper_that_does_not_answer_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        let stuck = dir.path().join("stuck");
        let pid = dir.path().join("pid");
        fs::write(
            &stuck,
            format!("#!/bin/sh\necho $$ > {}\nexec sleep 600\n", pid.display()),
        )
        .unwrap();
        fs::set_permissions(&stuck, Permissions::from_mode(0o700)).unwrap();
        let helper = Helper {
            start: stuck.clone(),
            program: stuck,
        };
        let place = Place::free(dir.path()).unwrap();
        assert!(Layers::mount_within(Duration::from_millis(500), &helper, place, &[]).is_err());
        let pid = fs::read_to_string(pid).unwrap();
        assert!(!Path::new("/proc").join(pid.trim()).exists());
    }
}
