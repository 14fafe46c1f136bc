//! Tries from inside what the sandbox forbids.
//!
//! Must not know: what follows from a result.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixStream};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, XattrFlags};
use rustix::mount::MountPropagationFlags;

use crate::probe::{Targets, Tried};
use overrule_domain::sandbox::Guarantee;

/// Tries everything, and writes what succeeded to standard output.
pub(super) fn run(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let targets = args.next().and_then(|text| text.into_string().ok());
    let Some(targets) = targets.and_then(|text| serde_json::from_str::<Targets>(&text).ok()) else {
        return ExitCode::FAILURE;
    };
    let tried: Vec<Tried> = Guarantee::ALL
        .into_iter()
        .map(|guarantee| Tried {
            guarantee,
            succeeded: attempts(guarantee, &targets),
        })
        .collect();
    match serde_json::to_writer(io::stdout(), &tried) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Returns what was possible although it is forbidden.
fn attempts(guarantee: Guarantee, targets: &Targets) -> Vec<String> {
    let is_there = targets.file.exists();
    let tried: Vec<(&str, bool)> = match guarantee {
        // An attempt on what is not there proves nothing.
        Guarantee::Writes | Guarantee::Attributes if !is_there => vec![("find nothing to try it on", true)],
        Guarantee::Writes => writes(targets),
        Guarantee::Attributes => attributes(&targets.file),
        Guarantee::Protected => protected(&targets.workspace),
        Guarantee::Hidden => vec![
            ("read", can_open(&targets.hidden, OFlags::RDONLY)),
            (
                "read by another path",
                can_open(&through_root(&targets.hidden), OFlags::RDONLY),
            ),
        ],
        Guarantee::Network => network(targets),
        Guarantee::Sockets => sockets(targets),
        Guarantee::Processes => processes(targets.process),
        Guarantee::Privilege => privilege(),
        Guarantee::Terminal => terminal(targets),
    };
    let succeeded = tried.into_iter().filter(|(_, done)| *done);
    succeeded.map(|(what, _)| what.to_owned()).collect()
}

fn can_open(path: &Path, flags: OFlags) -> bool {
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::RUSR).is_ok()
}

fn through_root(path: &Path) -> std::path::PathBuf {
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

fn sockets(targets: &Targets) -> Vec<(&'static str, bool)> {
    let unnamed = UnixAddress::from_abstract_name(targets.name.as_bytes());
    let unnamed = unnamed.and_then(|address| UnixStream::connect_addr(&address));
    vec![
        (
            "reach one by its path",
            UnixStream::connect(&targets.socket).is_ok(),
        ),
        ("reach one by its name", unnamed.is_ok()),
    ]
}

fn processes(process: i32) -> Vec<(&'static str, bool)> {
    let pid = rustix::process::Pid::from_raw(process);
    let of = |name: &str| can_open(Path::new(&format!("/proc/{process}/{name}")), OFlags::RDONLY);
    vec![
        (
            "send a signal",
            pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok()),
        ),
        ("read its environment", of("environ")),
        ("read its memory", of("mem")),
    ]
}

fn privilege() -> Vec<(&'static str, bool)> {
    let propagation = MountPropagationFlags::PRIVATE;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let has = |line: &str| {
        status
            .lines()
            .any(|one| one.split_ascii_whitespace().eq(line.split(' ')))
    };
    vec![
        ("mount", rustix::mount::mount_change("/", propagation).is_ok()),
        ("change the root", rustix::process::chroot("/").is_ok()),
        ("gain privileges", !has("NoNewPrivs: 1")),
        ("make any system call", !has("Seccomp: 2")),
        ("use capabilities", !super::capabilities::are_given_up()),
    ]
}

fn terminal(targets: &Targets) -> Vec<(&'static str, bool)> {
    let same = |path: &Path| fs::metadata(path).is_ok_and(|about| Some(about.dev()) == targets.terminals);
    let opened = |path: &Path| {
        let is_same = targets.terminals.is_none() || same(Path::new("/dev/pts"));
        is_same && can_open(path, OFlags::RDWR | OFlags::NOCTTY)
    };
    vec![
        ("open it", targets.terminal.as_deref().is_some_and(opened)),
        (
            "open its own",
            can_open(Path::new("/dev/tty"), OFlags::RDWR | OFlags::NOCTTY),
        ),
    ]
}
