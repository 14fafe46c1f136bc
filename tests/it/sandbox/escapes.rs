//! Tests that no attempt to leave the sandbox succeeds, as root and as an ordinary user, with namespaces and without.
//!
//! Must not know: how an attempt works.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use overrule::domain::sandbox::{Level, Profile};
use overrule::sandbox::probe::examine;
use overrule::sandbox::{Cache, Confinement, Plan};
use overrule::tools::child::{self, Environment, Start};
use tokio::io::AsyncReadExt as _;

use super::attempts::{self, Attempt, DONE, PART, REFUSED, Targets};
use super::machine::helper;

/// The directory of an ordinary user's run of these tests.
const PLACE: &str = "OVERRULE_TEST_PLACE";

/// A home directory with a workspace, things outside, and everything that must stay as it is.
struct World {
    root: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    listeners: [UnixListener; 2],
    abstract_name: String,
    victim: Child,
    terminal: portable_pty::PtyPair,
    descriptor: fs::File,
}

impl World {
    fn new(place: &Path) -> Self {
        let root = tempfile::tempdir_in(place).unwrap();
        let at = |path: &str| root.path().canonicalize().unwrap().join(path);
        for path in [
            "home/project/.git/hooks",
            "home/project/.vscode",
            "home/.ssh",
            "home/.cache",
            "outside",
            "cache/upper",
            "cache/work",
        ] {
            fs::create_dir_all(at(path)).unwrap();
        }
        for name in Plan::PRIVATE {
            fs::create_dir_all(at("scratch").join(name)).unwrap();
        }
        for path in [
            "home/project/.git/config",
            "home/project/.git/HEAD",
            "home/project/.git/hooks/present",
            "home/.ssh/key",
            "home/.profile",
            "home/.cache/known",
            "outside/file",
        ] {
            fs::write(at(path), "as it was").unwrap();
        }
        symlink(at("outside/file"), at("home/project/link")).unwrap();
        let abstract_name = format!("overrule-test-{}", at("").display());
        let address = SocketAddr::from_abstract_name(abstract_name.as_bytes()).unwrap();
        let listeners = [
            UnixListener::bind(at("outside/socket")).unwrap(),
            UnixListener::bind_addr(&address).unwrap(),
        ];
        let (tcp, udp) = (
            TcpListener::bind("127.0.0.1:0").unwrap(),
            UdpSocket::bind("127.0.0.1:0").unwrap(),
        );
        for listener in &listeners {
            listener.set_nonblocking(true).unwrap();
        }
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        let terminal = portable_pty::native_pty_system()
            .openpty(portable_pty::PtySize::default())
            .unwrap();
        let descriptor = fs::OpenOptions::new()
            .append(true)
            .open(at("outside/file"))
            .unwrap();
        // As a careless parent leaves it: open in every child.
        rustix::io::fcntl_setfd(&descriptor, rustix::io::FdFlags::empty()).unwrap();
        let victim = Command::new("sleep")
            .arg("600")
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            root,
            tcp,
            udp,
            listeners,
            abstract_name,
            victim,
            terminal,
            descriptor,
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    fn plan(&self, machine: &overrule::sandbox::probe::Machine) -> Plan {
        let text = |path: &str| self.at(path).to_str().unwrap().to_owned();
        let project = self.at("home/project");
        Plan {
            profile: Profile {
                level: Level::Workspace,
                write: vec![text("home/project")],
                hidden: vec![text("home/.ssh")],
                missing: machine.missing.clone(),
                ..Profile::default()
            },
            namespaces: machine.namespaces,
            scratch: self.at("scratch"),
            own: Vec::new(),
            pinned: vec![project.join(".git")],
            read_only: [".git/hooks", ".git/config", ".vscode"]
                .map(|path| project.join(path))
                .to_vec(),
            linked: Vec::new(),
            caches: machine
                .overlays
                .then(|| Cache {
                    lower: self.at("home/.cache"),
                    upper: self.at("cache/upper"),
                    work: self.at("cache/work"),
                })
                .into_iter()
                .collect(),
            layered: Vec::new(),
            home: Some(self.at("home")),
            keeps_terminal: false,
            port: None,
        }
    }

    fn targets(&self, name: &str) -> Targets {
        Targets {
            name: name.to_owned(),
            home: self.at("home"),
            workspace: self.at("home/project"),
            outside: self.at("outside"),
            hidden: self.at("home/.ssh/key"),
            victim: i32::try_from(self.victim.id()).unwrap(),
            tcp: self.tcp.local_addr().unwrap().port(),
            udp: self.udp.local_addr().unwrap().port(),
            socket: self.at("outside/socket"),
            abstract_name: self.abstract_name.clone(),
            terminal: self.terminal.master.tty_name().unwrap(),
            descriptor: self.descriptor.as_raw_fd(),
        }
    }

    /// Everything outside of the workspace: names, kinds, contents, permissions and times.
    fn outside(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        for path in [
            "outside",
            "home/.ssh",
            "home/.profile",
            "home/.zshenv",
            "home/.cache",
            "home/renamed",
        ] {
            look(&self.at(path), &mut found);
        }
        for path in [".git/hooks", ".git/config", ".vscode"] {
            look(&self.at("home/project").join(path), &mut found);
        }
        found
    }

    /// What reached somebody outside.
    fn reached(&mut self) -> Vec<&'static str> {
        let mut found = Vec::new();
        if self.tcp.accept().is_ok() {
            found.push("a connection arrived");
        }
        if self.udp.recv(&mut [0; 16]).is_ok() {
            found.push("a packet arrived");
        }
        if self.listeners.iter().any(|one| one.accept().is_ok()) {
            found.push("a connection arrived at a socket");
        }
        if self.victim.try_wait().unwrap().is_some() {
            found.push("another process has ended");
        }
        found
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

fn look(path: &Path, found: &mut BTreeMap<PathBuf, String>) {
    let Ok(about) = fs::symlink_metadata(path) else {
        return;
    };
    let content = if about.is_file() {
        fs::read_to_string(path).unwrap()
    } else {
        String::new()
    };
    let text = format!(
        "{:o} {} {}.{} {content}",
        about.mode(),
        about.uid(),
        about.mtime(),
        about.mtime_nsec()
    );
    found.insert(path.to_owned(), text);
    if about.is_dir() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            look(&entry.path(), found);
        }
    }
}

async fn made(world: &World, confinement: Option<&Confinement>, attempt: &Attempt) -> String {
    let targets = serde_json::to_string(&world.targets(attempt.1)).unwrap();
    let own = [
        (PART.into(), targets.into()),
        ("HOME".into(), world.at("home").into_os_string()),
    ];
    let program = std::env::current_exe().unwrap();
    let what = Start {
        program: program.as_os_str(),
        args: &[
            "--exact",
            "sandbox::attempts::a_part_of_an_attempt",
            "--nocapture",
        ],
        cwd: &world.at("home/project"),
        environment: &Environment::default().with(own),
        confinement,
    };
    let mut started = child::start(what).await.unwrap();
    let mut output = String::new();
    started
        .child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut output)
        .await
        .unwrap();
    started.child.wait().await.unwrap();
    output
}

/// Makes every attempt, and returns those that succeeded.
async fn succeeded(place: &Path, with_namespaces: bool) -> Option<Vec<(&'static str, &'static str)>> {
    let machine = examine(&helper(), place, with_namespaces).await.unwrap();
    if machine.namespaces != with_namespaces {
        println!("SKIPPED: escapes with namespaces: {:?}", machine.missing);
        return None;
    }
    let mut found = Vec::new();
    for attempt in attempts::all() {
        let mut world = World::new(place);
        let confinement = Confinement {
            plan: world.plan(&machine),
            helper: helper(),
            layers: None,
        };
        let before = world.outside();
        let output = made(&world, Some(&confinement), attempt).await;
        assert!(
            output.contains(DONE) || output.contains(REFUSED),
            "{}: {output}",
            attempt.1
        );
        let after = world.outside();
        let reached = world.reached();
        if output.contains(DONE) || before != after || !reached.is_empty() {
            println!("{} {} succeeded {reached:?}", attempt.0, attempt.1);
            found.push((attempt.0, attempt.1));
        }
    }
    println!("{} attempts, {} succeeded", attempts::all().count(), found.len());
    Some(found)
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings")]
fn place() -> tempfile::TempDir {
    let base = std::env::var_os(PLACE).map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
    tempfile::tempdir_in(base).unwrap()
}

#[tokio::test]
async fn every_attempt_fails_with_namespaces() {
    let place = place();
    if let Some(found) = succeeded(place.path(), true).await {
        assert!(found.is_empty(), "{found:?}");
    }
}

#[tokio::test]
async fn without_namespaces_only_what_is_reported_succeeds() {
    let place = place();
    let machine = examine(&helper(), place.path(), false).await.unwrap();
    let mut missing: Vec<&str> = machine.missing.iter().map(|one| one.guarantee.number()).collect();
    // The names of hidden files can be seen then; what is in them cannot.
    missing.push("names");
    let Some(found) = succeeded(place.path(), false).await else {
        return;
    };
    let untold: Vec<_> = found
        .iter()
        .filter(|(guarantee, _)| !missing.contains(guarantee))
        .collect();
    assert!(untold.is_empty(), "missing {missing:?}, but also {untold:?}");
}

#[tokio::test]
async fn outside_of_a_sandbox_the_attempts_succeed() {
    let place = place();
    let mut failed = Vec::new();
    // Without the attempts to gain privileges, which would change this machine.
    let harmless = || attempts::all().filter(|attempt| attempt.0 != "G8");
    for attempt in harmless() {
        let world = World::new(place.path());
        let output = made(&world, None, attempt).await;
        if !output.contains(DONE) {
            failed.push((
                attempt.1,
                output
                    .lines()
                    .find(|line| line.starts_with(REFUSED))
                    .unwrap_or("")
                    .to_owned(),
            ));
        }
    }
    // An attempt that fails by itself proves nothing. Some need root, or a device that a machine may lack.
    assert!(failed.len() * 4 < harmless().count(), "{failed:#?}");
}

#[test]
fn the_same_holds_for_an_ordinary_user() {
    use std::os::unix::process::CommandExt as _;
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: the tests are not run by root, so they are those of an ordinary user already");
        return;
    }
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let nobody = 65_534;
    for test in [
        "every_attempt_fails_with_namespaces",
        "without_namespaces_only_what_is_reported_succeeds",
    ] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &format!("sandbox::escapes::{test}"), "--nocapture"])
            .env(PLACE, place.path())
            .uid(nobody)
            .gid(nobody)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                println!("SKIPPED: an ordinary user cannot run the test program: {error}");
                return;
            }
        };
        let (mut output, mut errors) = (String::new(), String::new());
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(child.wait().unwrap().success(), "{output}\n{errors}");
        println!("{output}");
    }
}
