//! Tries from inside what every sandbox forbids, in the same way on every system.
//!
//! Must not know: how a guarantee is held, what follows from a result.

use std::fs;
use std::io;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, XattrFlags};

use super::Targets;
use overrule_domain::sandbox::Guarantee;

/// What was tried, and whether it was possible.
pub(crate) type Attempts = Vec<(&'static str, bool)>;

/// Returns what was possible; none for a guarantee that each system has to try in its own way.
pub(crate) fn common(guarantee: Guarantee, targets: &Targets) -> Option<Attempts> {
    let is_there = targets.file.exists();
    match guarantee {
        // An attempt on what is not there proves nothing.
        Guarantee::Writes | Guarantee::Attributes if !is_there => {
            Some(vec![("find nothing to try it on", true)])
        }
        Guarantee::Writes => Some(writes(targets)),
        Guarantee::Attributes => Some(attributes(&targets.file)),
        Guarantee::Protected => Some(protected(&targets.workspace)),
        Guarantee::Hidden => Some(vec![
            ("read", can_open(&targets.hidden, OFlags::RDONLY)),
            (
                "read by another path",
                can_open(&through_root(&targets.hidden), OFlags::RDONLY),
            ),
        ]),
        Guarantee::Network => Some(network(targets)),
        Guarantee::Sockets | Guarantee::Processes | Guarantee::Privilege | Guarantee::Terminal => None,
    }
}

/// True if a file can be opened.
pub(crate) fn can_open(path: &Path, flags: OFlags) -> bool {
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::RUSR).is_ok()
}

/// A path for a socket, whose length has a low limit: it goes through the open directory.
pub(crate) struct ShortPath {
    path: PathBuf,
    _directory: Option<OwnedFd>,
}

impl ShortPath {
    /// Opens the directory of a path.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let (Some(parent), Some(name), true) = (path.parent(), path.file_name(), cfg!(target_os = "linux"))
        else {
            return Ok(Self {
                path: path.to_owned(),
                _directory: None,
            });
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(parent, flags, Mode::empty())?;
        Ok(Self {
            path: PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd())).join(name),
            _directory: Some(directory),
        })
    }

    /// Returns the path; it counts as long as this value exists.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn through_root(path: &Path) -> PathBuf {
    Path::new("/proc/self/root").join(path.strip_prefix("/").unwrap_or(path))
}

fn writes(targets: &Targets) -> Vec<(&'static str, bool)> {
    let file = &targets.file;
    let beside = |name: &str| file.with_file_name(name);
    vec![
        ("write", can_open(file, OFlags::WRONLY)),
        (
            "create",
            can_open(&beside("new"), OFlags::WRONLY | OFlags::CREATE),
        ),
        ("truncate", can_open(file, OFlags::WRONLY | OFlags::TRUNC)),
        (
            "create a directory",
            fs::create_dir(beside("new directory")).is_ok(),
        ),
        ("rename", fs::rename(file, beside("renamed")).is_ok()),
        (
            "move into the workspace",
            fs::rename(file, targets.workspace.join("moved")).is_ok(),
        ),
        ("remove", fs::remove_file(file).is_ok()),
        (
            "write by another path",
            can_open(&through_root(file), OFlags::WRONLY),
        ),
    ]
}

fn attributes(file: &Path) -> Vec<(&'static str, bool)> {
    let now = Timespec {
        tv_sec: 1,
        tv_nsec: 0,
    };
    let times = Timestamps {
        last_access: now,
        last_modification: now,
    };
    vec![
        (
            "change permissions",
            rustix::fs::chmod(file, Mode::RUSR | Mode::WUSR).is_ok(),
        ),
        (
            "change times",
            rustix::fs::utimensat(CWD, file, &times, AtFlags::empty()).is_ok(),
        ),
        (
            "set an attribute",
            rustix::fs::setxattr(file, "user.probe", b"1", XattrFlags::empty()).is_ok(),
        ),
    ]
}

fn protected(workspace: &Path) -> Vec<(&'static str, bool)> {
    let git = workspace.join(".git");
    vec![
        (
            "write a hook",
            can_open(&git.join("hooks/new"), OFlags::WRONLY | OFlags::CREATE),
        ),
        ("write a file", can_open(&git.join("config"), OFlags::WRONLY)),
        (
            "rename its directory",
            fs::rename(&git, workspace.join("elsewhere")).is_ok(),
        ),
    ]
}

fn network(targets: &Targets) -> Vec<(&'static str, bool)> {
    let address = SocketAddr::from(([127, 0, 0, 1], targets.port));
    let connected = TcpStream::connect_timeout(&address, Duration::from_millis(200)).is_ok();
    // An address of documentation: nothing is sent there.
    let routed = UdpSocket::bind(("0.0.0.0", 0)).and_then(|socket| socket.connect(("192.0.2.1", 9)));
    vec![
        ("reach this machine", connected),
        ("find a way out", routed.is_ok()),
    ]
}
