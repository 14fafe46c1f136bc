//! Prepares a child between fork and exec: the only unsafe code.
//!
//! Must not know: anything else.
#![expect(
    unsafe_code,
    reason = "the standard library has no safe way to leave the session in a child before it becomes its program"
)]

use std::io;
use std::os::fd::BorrowedFd;

use tokio::process::Command;

/// Makes the future child the leader of its own session, without a terminal; on Linux it is killed when this
/// program dies, however it dies. None of `files` stays open in it.
pub(super) fn isolate(command: &mut Command, files: Vec<i32>) {
    let parent = rustix::process::getpid();
    let prepare = move || -> io::Result<()> {
        rustix::process::setsid()?;
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // The parent may have died before the death signal was requested.
        if rustix::process::getppid() != Some(parent) {
            return Err(io::Error::from(rustix::io::Errno::SRCH));
        }
        close(&files);
        Ok(())
    };
    // SAFETY: between fork and exec this makes only system calls; nothing allocates, locks or touches what
    // another thread may have held. The list was made before the fork and is only read.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// Makes that none of `files` stays open in the future child.
pub(super) fn without(command: &mut std::process::Command, files: Vec<i32>) {
    use std::os::unix::process::CommandExt as _;
    let prepare = move || -> io::Result<()> {
        close(&files);
        Ok(())
    };
    // SAFETY: as above.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// Marks the files to be closed when the program begins.
fn close(files: &[i32]) {
    for file in files {
        // SAFETY: the descriptor is borrowed for this one call, which only sets a flag in the child's own
        // table; a descriptor that is no longer open gives an error, which is ignored.
        let file = unsafe { BorrowedFd::borrow_raw(*file) };
        let _ = rustix::io::fcntl_setfd(file, rustix::io::FdFlags::CLOEXEC);
    }
}
