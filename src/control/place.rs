//! Finds the socket of a session, in a directory that only this user can enter.
//!
//! Must not know: what is sent through it, which directories the environment names.

use std::fs::{self, Metadata, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::io::{Errno, FdFlags};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use super::error::Error;

/// File extension of a socket.
const ENDING: &str = "sock";
/// File extension of a socket that is being created.
const UNFINISHED: &str = "new";

/// Directories for sockets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    /// Directories in which a socket is created: the first usable one is taken.
    pub make: Vec<PathBuf>,
    /// Other directories in which a socket is searched for: another process of the user may have had a
    /// different environment.
    pub look: Vec<PathBuf>,
}

impl Places {
    /// Derives the directories from the user's own: the runtime directory or, without one, the state
    /// directory.
    pub fn of(runtime: Option<&Path>, state: Option<&Path>, own: &str) -> Self {
        let runtime = runtime.map(|dir| dir.join(own));
        let state = state.map(|dir| dir.join(own).join("run"));
        let mut look = Vec::new();
        if cfg!(target_os = "linux") {
            let user = rustix::process::geteuid().as_raw();
            look.push(Path::new("/run/user").join(user.to_string()).join(own));
        }
        Self {
            make: runtime.into_iter().chain(state).collect(),
            look,
        }
    }

    /// Returns the directory for a new socket, creating it if necessary.
    pub(super) fn ready(&self) -> Result<PathBuf, Error> {
        let mut first = None;
        for dir in &self.make {
            match make(dir) {
                Ok(()) => return Ok(dir.clone()),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        Err(first.unwrap_or(Error::NoPlace))
    }

    /// Finds the socket of a session in these directories.
    pub(super) fn find(&self, session: &Path) -> Result<PathBuf, Error> {
        let name = name(session);
        let dirs = self.make.iter().chain(&self.look);
        let Some((dir, path)) = dirs
            .map(|dir| (dir, dir.join(&name)))
            .find(|(_, path)| fs::symlink_metadata(path).is_ok())
        else {
            return Err(Error::NoSocket);
        };
        check(dir)?;
        let meta = fs::symlink_metadata(&path).map_err(|error| Error::io("look at", &path, error))?;
        if !meta.file_type().is_socket() {
            return Err(Error::unsafe_place(&path, "it is not a socket"));
        }
        mine(&path, &meta)?;
        Ok(path)
    }
}

/// Returns the name of a session's socket. It is short, because the system limits the length of the whole
/// path, and derived from the session's directory, because a copy of a session has the same id.
pub(super) fn name(session: &Path) -> String {
    let real = fs::canonicalize(session).unwrap_or_else(|_| session.to_owned());
    let hash = overrule_base::canon::hash("overrule control socket", &[real.as_os_str().as_bytes()]);
    let short: String = hash.chars().take(16).collect();
    format!("{short}.{ENDING}")
}

/// Returns the name under which a socket is created; it gets its own name once it listens.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    path.with_extension(UNFINISHED)
}

fn make(dir: &Path) -> Result<(), Error> {
    overrule_regular_file::make_directories(dir)
        .map_err(|error| Error::io("make the directory", dir, error))?;
    let meta = fs::symlink_metadata(dir).map_err(|error| Error::io("look at", dir, error))?;
    if meta.is_dir() && meta.mode() & 0o077 != 0 {
        mine(dir, &meta)?;
        let only_me = Permissions::from_mode(0o700);
        fs::set_permissions(dir, only_me).map_err(|error| Error::io("close", dir, error))?;
    }
    check(dir)
}

/// Refuses a directory that others can enter.
fn check(dir: &Path) -> Result<(), Error> {
    let meta = fs::symlink_metadata(dir).map_err(|error| Error::io("look at", dir, error))?;
    if !meta.is_dir() {
        return Err(Error::unsafe_place(dir, "it is not a directory"));
    }
    mine(dir, &meta)?;
    if meta.mode() & 0o077 != 0 {
        return Err(Error::unsafe_place(
            dir,
            format!(
                "others can access it (mode {:o}, expected 700)",
                meta.mode() & 0o777
            ),
        ));
    }
    Ok(())
}

fn mine(path: &Path, meta: &Metadata) -> Result<(), Error> {
    let me = rustix::process::geteuid().as_raw();
    if meta.uid() == me {
        return Ok(());
    }
    Err(Error::unsafe_place(
        path,
        format!("it belongs to user {}, and you are user {me}", meta.uid()),
    ))
}

/// Removes sockets without a listener, left by killed processes.
pub(super) fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|ending| ending != ENDING) {
            continue;
        }
        let socket = fs::symlink_metadata(&path).is_ok_and(|meta| meta.file_type().is_socket());
        // A socket gets this extension only once it listens, so a refusal means that it is dead.
        if socket && knock(&path) == Err(Errno::CONNREFUSED) {
            // If it stays, it does no harm.
            fs::remove_file(&path).unwrap_or_default();
        }
    }
}

/// Connects to a socket, without waiting for a listener that takes no connections: a stopped
/// listener would block the caller until it continues.
fn knock(path: &Path) -> Result<(), Errno> {
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&socket, true)?;
    connect(&socket, &SocketAddrUnix::new(path)?)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use rustix::net::{bind, listen};

    use super::*;

    #[test]
    fn only_what_nobody_listens_at_is_swept_and_nobody_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        drop(UnixListener::bind(at("dead.sock")).unwrap());
        let _living = UnixListener::bind(at("living.sock")).unwrap();
        fs::write(at("file.sock"), "").unwrap();
        // It takes no connections, and its backlog is full, so another ordinary connection would
        // wait too.
        let busy = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        bind(&busy, &SocketAddrUnix::new(at("busy.sock")).unwrap()).unwrap();
        listen(&busy, 1).unwrap();
        let last = (0..100).find_map(|_| knock(&at("busy.sock")).err());
        assert_eq!(last, Some(Errno::AGAIN));
        sweep(dir.path());
        let entries = fs::read_dir(dir.path()).unwrap();
        let mut left: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["busy.sock", "file.sock", "living.sock"]);
    }
}
