//! Tries from inside what the sandbox forbids.
//!
//! Must not know: what follows from a result.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr as UnixAddress, UnixStream};
use std::path::Path;
use std::process::ExitCode;

use rustix::fs::OFlags;
use rustix::mount::MountPropagationFlags;
use rustix::process::{Pid, Resource, getrlimit, prlimit};

use crate::probe::attempts::{Attempts, ShortPath, can_open, common};
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
        .map(|guarantee| Tried::of(guarantee, attempts(guarantee, &targets), Vec::new()))
        .collect();
    match serde_json::to_writer(io::stdout(), &tried) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Returns what was possible although it is forbidden.
fn attempts(guarantee: Guarantee, targets: &Targets) -> Attempts {
    match guarantee {
        Guarantee::Sockets => sockets(targets),
        Guarantee::Processes => processes(targets.process),
        Guarantee::Privilege => privilege(),
        Guarantee::Terminal => terminal(targets),
        other => common(other, targets).unwrap_or_default(),
    }
}

fn sockets(targets: &Targets) -> Attempts {
    let unnamed = UnixAddress::from_abstract_name(targets.name.as_bytes());
    let unnamed = unnamed.and_then(|address| UnixStream::connect_addr(&address));
    vec![
        (
            "reach one by its path",
            ShortPath::of(&targets.socket).is_ok_and(|short| UnixStream::connect(short.path()).is_ok()),
        ),
        ("reach one by its name", unnamed.is_ok()),
    ]
}

fn processes(process: i32) -> Attempts {
    let pid = Pid::from_raw(process);
    let of = |name: &str| can_open(Path::new(&format!("/proc/{process}/{name}")), OFlags::RDONLY);
    vec![
        (
            "send a signal",
            pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok()),
        ),
        ("read its environment", of("environ")),
        ("read its memory", of("mem")),
        ("limit it", pid.is_some_and(can_limit)),
    ]
}

/// Gives a process the limit that it has: what it inherited is what this one has.
fn can_limit(process: Pid) -> bool {
    let same = getrlimit(Resource::Nofile);
    prlimit(Some(process), Resource::Nofile, same).is_ok()
}

fn privilege() -> Attempts {
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

fn terminal(targets: &Targets) -> Attempts {
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
