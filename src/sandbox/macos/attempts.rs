//! Tries from inside what the sandbox of macOS forbids.
//!
//! Must not know: what follows from a result.
//!
//! **Untested on a real machine.** What cannot be tried is reported as untried, and counts as missing.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::OFlags;

use crate::probe::attempts::{can_open, common};
use crate::probe::{Targets, Tried};
use overrule_domain::sandbox::Guarantee;

/// Programs of the system that run with the privileges of their owner, if they have the bit for it.
const PRIVILEGED: [&str; 3] = ["/bin/ps", "/usr/bin/top", "/usr/bin/quota"];

/// Tries everything on `targets`, and returns what succeeded; both are JSON. Returns none if `targets` cannot be read.
pub fn run(targets: &str) -> Option<String> {
    let targets: Targets = serde_json::from_str(targets).ok()?;
    let tried: Vec<Tried> = Guarantee::ALL
        .into_iter()
        .map(|guarantee| of(guarantee, &targets))
        .collect();
    serde_json::to_string(&tried).ok()
}

fn of(guarantee: Guarantee, targets: &Targets) -> Tried {
    let mut untried = Vec::new();
    // While the file is where it was.
    let mut tried = match guarantee {
        Guarantee::Writes => vec![(
            "give a file a name in the workspace",
            fs::hard_link(&targets.file, targets.workspace.join("linked")).is_ok(),
        )],
        Guarantee::Hidden => vec![("read by its number", reads_by_number(&targets.hidden))],
        Guarantee::Sockets => vec![(
            "reach one by its path",
            UnixStream::connect(&targets.socket).is_ok(),
        )],
        Guarantee::Processes => {
            // Only system calls that this program does not make would tell.
            untried.push("read the environment of another process");
            let pid = rustix::process::Pid::from_raw(targets.process);
            let is_reached = pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok());
            vec![("send a signal", is_reached)]
        }
        Guarantee::Privilege => {
            if let Some(program) = PRIVILEGED.iter().map(Path::new).find(|path| is_privileged(path)) {
                vec![("run a program with other privileges", runs(program))]
            } else {
                untried.push("run a program with other privileges");
                Vec::new()
            }
        }
        Guarantee::Terminal => terminal(targets),
        Guarantee::Attributes | Guarantee::Protected | Guarantee::Network => Vec::new(),
    };
    tried.extend(common(guarantee, targets).unwrap_or_default());
    Tried::of(guarantee, tried, untried)
}

/// True if a file can be read by the number of its device and its own.
fn reads_by_number(path: &Path) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else {
        return false;
    };
    let place = format!("/.vol/{}/{}", about.dev(), about.ino());
    can_open(Path::new(&place), OFlags::RDONLY)
}

fn is_privileged(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o4000 != 0)
}

/// True if a program begins at all.
fn runs(program: &Path) -> bool {
    let mut command = Command::new(program);
    let nothing = || Stdio::null();
    command
        .arg("-h")
        .stdin(nothing())
        .stdout(nothing())
        .stderr(nothing());
    command
        .spawn()
        .and_then(|mut child| {
            let _ = child.kill();
            child.wait()
        })
        .is_ok()
}

fn terminal(targets: &Targets) -> Vec<(&'static str, bool)> {
    let opens = |path: &Path, flags: OFlags| can_open(path, flags | OFlags::NOCTTY);
    let of = |flags: OFlags| targets.terminal.as_deref().is_some_and(|path| opens(path, flags));
    vec![
        ("read it", of(OFlags::RDONLY)),
        ("write it", of(OFlags::WRONLY)),
        ("open its own", opens(Path::new("/dev/tty"), OFlags::RDWR)),
    ]
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::os::unix::net::UnixListener;

    use super::*;

    /// What a sandbox forbids is possible without one: an attempt that cannot succeed would prove nothing.
    #[test]
    fn without_a_sandbox_the_attempts_succeed() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        let workspace = path("workspace");
        fs::create_dir_all(workspace.join(".git/hooks")).unwrap();
        for file in [&path("file"), &path("hidden"), &workspace.join(".git/config")] {
            fs::write(file, "").unwrap();
        }
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        let targets = Targets {
            file: path("file"),
            workspace,
            hidden: path("hidden"),
            port: listener.local_addr().unwrap().port(),
            socket: path("socket"),
            name: String::new(),
            process: rustix::process::getpid().as_raw_nonzero().get(),
            terminal: Some(path("hidden")),
            terminals: None,
        };
        let all = run(&serde_json::to_string(&targets).unwrap()).unwrap();
        let all: Vec<Tried> = serde_json::from_str(&all).unwrap();
        assert_eq!(all.len(), Guarantee::ALL.len());
        let succeeded = |guarantee: Guarantee| {
            let of = all.iter().find(|one| one.guarantee == guarantee).unwrap();
            of.succeeded.join(", ")
        };
        let writes = succeeded(Guarantee::Writes);
        assert!(
            writes.starts_with("give a file a name in the workspace, write, create, "),
            "{writes}"
        );
        for (guarantee, what) in [
            (Guarantee::Protected, "write a hook"),
            (Guarantee::Hidden, "read"),
            (Guarantee::Network, "reach this machine"),
            (Guarantee::Sockets, "reach one by its path"),
            (Guarantee::Processes, "send a signal"),
            (Guarantee::Terminal, "read it, write it"),
        ] {
            let found = succeeded(guarantee);
            assert!(found.contains(what), "{guarantee:?}: {found}");
        }
    }

    #[test]
    fn what_cannot_be_tried_is_reported() {
        let targets = r#"{"file":"/no/file","workspace":"/no","hidden":"/no/hidden","port":1,"socket":"/no/socket","name":"",
            "process":0,"terminal":null,"terminals":null}"#;
        let all: Vec<Tried> = serde_json::from_str(&run(targets).unwrap()).unwrap();
        let of = |guarantee: Guarantee| all.iter().find(|one| one.guarantee == guarantee).unwrap();
        assert_eq!(
            of(Guarantee::Writes).succeeded,
            ["find nothing to try it on"],
            "an attempt on what is not there proves nothing"
        );
        assert_eq!(
            of(Guarantee::Processes).untried,
            ["read the environment of another process"]
        );
        assert!(run("{}").is_none() && run("").is_none());
    }
}
