//! What the attempts have in common: results, paths and calls of the system.
//!
//! Must not know: which attempts there are.

use std::ffi::CString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Targets, Tried};

pub(super) fn describe(error: impl ToString) -> String {
    error.to_string()
}

/// The result of a call of the system: a negative one has failed.
pub(super) fn call(result: libc::c_long) -> Tried {
    match result {
        -1 => Err(describe(std::io::Error::last_os_error())),
        _ => Ok(()),
    }
}

pub(super) fn c(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).unwrap()
}

pub(super) fn append(path: &Path) -> Tried {
    let mut file = fs::OpenOptions::new().append(true).open(path).map_err(describe)?;
    file.write_all(b"changed").map_err(describe)
}

pub(super) fn create(path: &Path) -> Tried {
    fs::write(path, "new").map_err(describe)
}

pub(super) fn read(path: impl AsRef<Path>) -> Tried {
    let found = fs::read(path).map_err(describe)?;
    if found.is_empty() {
        Err("it is empty".to_owned())
    } else {
        Ok(())
    }
}

pub(super) fn file(targets: &Targets) -> PathBuf {
    targets.outside.join("file")
}

pub(super) fn under(root: &str, path: &Path) -> PathBuf {
    Path::new(root).join(path.strip_prefix("/").unwrap())
}

pub(super) fn up(targets: &Targets) -> PathBuf {
    let mut path = PathBuf::new();
    for _ in targets.workspace.components().skip(1) {
        path.push("..");
    }
    path.join(file(targets).strip_prefix("/").unwrap())
}

pub(super) fn syscall(number: libc::c_long, args: [libc::c_long; 5]) -> Tried {
    // SAFETY: an attacker's call; whatever it does, it does to this child alone.
    call(unsafe { libc::syscall(number, args[0], args[1], args[2], args[3], args[4]) })
}

pub(super) fn pointer<T>(value: &T) -> libc::c_long {
    std::ptr::from_ref(value) as libc::c_long
}

pub(super) fn socket(family: libc::c_int, kind: libc::c_int) -> Tried {
    syscall(libc::SYS_socket, [family.into(), kind.into(), 0, 0, 0])
}

/// Runs a function in a child of this process, so that the test program itself stays what it is.
pub(super) fn forked(what: impl FnOnce() -> Tried) -> Tried {
    // SAFETY: the child only runs the attempt and leaves.
    match unsafe { libc::fork() } {
        0 => {
            let code = i32::from(what().is_err());
            // SAFETY: ends the child without the destructors of the test program.
            unsafe { libc::_exit(code) }
        }
        child => {
            let mut status = 0;
            // SAFETY: waits for the child that was just made.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
                Ok(())
            } else {
                Err(format!("its child ended with {status:#x}"))
            }
        }
    }
}
