//! Opens a path below a directory so that no link leads outside.
//!
//! Must not know: workspaces, tools.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};
use std::sync::OnceLock;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// How links are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confinement {
    /// By the kernel, in one system call (`openat2`).
    Kernel,
    /// Component by component, refusing links at each step.
    Walk,
}

/// Returns what this system offers; determined once.
pub fn confinement() -> Confinement {
    static FOUND: OnceLock<Confinement> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let probe = File::open("/").map(|root| beneath(root.as_fd(), Path::new("."), READ, Mode::empty()));
        match probe {
            Ok(Ok(_)) => Confinement::Kernel,
            // Unknown to the kernel, or forbidden by a container: the walk is just as strict.
            _ => Confinement::Walk,
        }
    })
}

/// Flags for opening a place to read.
pub(super) const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC);

/// Opens a path below a directory in one call; the kernel refuses what leads outside.
#[cfg(target_os = "linux")]
pub(super) fn beneath(dir: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    // The kernel returns EAGAIN if something is renamed at the same moment.
    for _ in 0..16 {
        match rustix::fs::openat2(dir, path, flags, mode, resolve) {
            Err(Errno::AGAIN) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

/// Always fails, because the call exists only on Linux.
#[cfg(not(target_os = "linux"))]
pub(super) fn beneath(_: BorrowedFd<'_>, _: &Path, _: OFlags, _: Mode) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// Opens a path below a directory step by step, refusing every link.
pub(super) fn walk(dir: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let step_flags = READ | OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let mut at = rustix::fs::openat(dir, ".", READ | OFlags::DIRECTORY, Mode::empty())?;
    let mut steps = path
        .components()
        .filter(|step| !matches!(step, Component::CurDir))
        .peekable();
    if steps.peek().is_none() {
        return Ok(at);
    }
    while let Some(step) = steps.next() {
        let Component::Normal(name) = step else {
            return Err(Errno::XDEV);
        };
        if steps.peek().is_none() {
            return rustix::fs::openat(&at, name, flags | OFlags::NOFOLLOW, mode);
        }
        at = rustix::fs::openat(&at, name, step_flags, Mode::empty())?;
    }
    Ok(at)
}
