//! A hint whether anything in the workspace changed since the last look.
//!
//! Must not know: what changed.
//!
//! The kernel queues an event before the system call that caused it returns, and the queue is read when it is asked:
//! what an ended process did is in it. An overflow is an event as well. Where there is no watch, something may have
//! changed at any time. Only local file systems tell every change.

use std::os::fd::BorrowedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd as _, OwnedFd};

/// The watch of the directories of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    #[cfg(target_os = "linux")]
    queue: Option<OwnedFd>,
}

#[cfg(target_os = "linux")]
impl Watch {
    /// Begins a watch of nothing, for a workspace that is opened here.
    pub(crate) fn new(root: BorrowedFd<'_>) -> Self {
        use rustix::fs::inotify;
        /// ext2 to ext4, xfs, btrfs, tmpfs, f2fs, overlayfs, zfs.
        const LOCAL: [u32; 7] = [
            0xEF53,
            0x5846_5342,
            0x9123_683E,
            0x0102_1994,
            0xF2F5_2010,
            0x794C_7630,
            0x2FC1_2FC1,
        ];
        let is_local = rustix::fs::fstatfs(root).is_ok_and(|stat| LOCAL.contains(&(stat.f_type as u32)));
        let queue =
            is_local.then(|| inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC));
        Self {
            queue: queue.and_then(Result::ok),
        }
    }

    /// Watches an open directory as well; one that is watched stays so. If it cannot be watched, nothing is any more.
    pub(crate) fn add(&mut self, directory: BorrowedFd<'_>) {
        use rustix::fs::inotify::{WatchFlags, add_watch};
        let Some(queue) = &self.queue else {
            return;
        };
        let flags = WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ONLYDIR;
        let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
        if add_watch(queue, path, flags).is_err() {
            self.queue = None;
        }
    }

    /// Returns true if nothing changed in the watched directories since the last question.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let Some(queue) = &self.queue else {
            return false;
        };
        let mut buffer = [0_u8; 16 * 1024];
        let mut is_quiet = true;
        loop {
            match rustix::io::read(queue, &mut buffer) {
                Err(rustix::io::Errno::AGAIN) => return is_quiet,
                Ok(1..) => is_quiet = false,
                Ok(0) | Err(_) => {
                    self.queue = None;
                    return false;
                }
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl Watch {
    /// There is no watch on this system.
    pub(crate) fn new(_: BorrowedFd<'_>) -> Self {
        Self::default()
    }

    /// Does nothing.
    pub(crate) fn add(&mut self, _: BorrowedFd<'_>) {}

    /// Something may have changed.
    pub(crate) fn is_quiet(&mut self) -> bool {
        false
    }
}
