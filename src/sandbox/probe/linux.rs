//! Lets the helper try in a sandbox what it forbids.
//!
//! Must not know: how a guarantee is held, who is told.
//!
//! The places are made for it, so that nothing is lost where an attempt succeeds. The means are those of every child.

use std::io;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::Machine;
use crate::channel::{Outside, StartError};
use crate::plan::{Cache, Plan};
use crate::start::Helper;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile};

/// What a probe tries to reach.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Targets {
    /// A file outside.
    pub(crate) file: PathBuf,
    /// The workspace, a repository.
    pub(crate) workspace: PathBuf,
    /// A hidden file.
    pub(crate) hidden: PathBuf,
    /// A port of this machine on which something listens.
    pub(crate) port: u16,
    /// A socket on which something listens.
    pub(crate) socket: PathBuf,
    /// The same by a name without a file.
    pub(crate) name: String,
    /// A process outside.
    pub(crate) process: i32,
    /// The terminal of this program, if it has one.
    pub(crate) terminal: Option<PathBuf>,
    /// The device of all terminals outside.
    pub(crate) terminals: Option<u64>,
}

/// What an attempt led to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Tried {
    /// What it is about.
    pub(crate) guarantee: Guarantee,
    /// What was possible.
    pub(crate) succeeded: Vec<String>,
}

/// Finds out what this machine can do. `store` is the directory of all sandboxes; a directory below it is made for the time
/// of the probe. Without `with_namespaces` none are tried.
pub(super) async fn examine(helper: &Helper, store: &Path, with_namespaces: bool) -> io::Result<Machine> {
    let terminal = terminal();
    let mut why = "switched off".to_owned();
    if with_namespaces {
        for overlays in [true, false] {
            let place = Place::make(store)?;
            let tried = attempt(helper, &place, (true, overlays), terminal.clone()).await;
            place.remove_later();
            match tried {
                Ok(missing) => {
                    return Ok(Machine {
                        namespaces: true,
                        overlays,
                        missing,
                    });
                }
                Err(StartError::SetUp { step, .. }) if overlays && step == CACHE => {}
                Err(error) => {
                    why = error.to_string();
                    break;
                }
            }
        }
    }
    let place = Place::make(store)?;
    let tried = attempt(helper, &place, (false, false), terminal).await;
    place.remove_later();
    let missing = match tried {
        Ok(missing) => {
            let told = missing.into_iter().map(|one| Missing {
                why: format!("{}; no namespaces: {why}", one.why),
                ..one
            });
            told.collect()
        }
        Err(error) => {
            let all = Guarantee::ALL.into_iter().map(|guarantee| Missing {
                guarantee,
                why: error.to_string(),
            });
            all.collect()
        }
    };
    Ok(Machine {
        namespaces: false,
        overlays: false,
        missing,
    })
}

/// What stands in place of a program where the helper tries by itself what the sandbox forbids.
pub(crate) const PROBE: &str = "--probe";

/// The step that fails where a file system carries no private layer.
pub(crate) const CACHE: &str = "cache";

/// The terminal of this program: that of its standard streams.
fn terminal() -> Option<PathBuf> {
    let streams = [
        rustix::stdio::stdin(),
        rustix::stdio::stdout(),
        rustix::stdio::stderr(),
    ];
    let name = streams
        .into_iter()
        .find_map(|one| rustix::termios::ttyname(one, Vec::new()).ok())?;
    Some(PathBuf::from(
        String::from_utf8_lossy(name.as_bytes()).into_owned(),
    ))
}

async fn attempt(
    helper: &Helper,
    place: &Place,
    (namespaces, overlays): (bool, bool),
    terminal: Option<PathBuf>,
) -> Result<Vec<Missing>, StartError> {
    let lost = |error: io::Error| StartError::Command(error);
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(lost)?;
    let socket = place.outside.join("socket");
    let _named = UnixListener::bind(&socket).map_err(lost)?;
    let name = format!("overrule-probe-{}", place.root.display());
    let address = SocketAddr::from_abstract_name(name.as_bytes()).map_err(lost)?;
    let _unnamed = UnixListener::bind_addr(&address).map_err(lost)?;
    let targets = Targets {
        file: place.outside.join("file"),
        workspace: place.workspace.clone(),
        hidden: place.hidden.join("file"),
        port: listener.local_addr().map_err(lost)?.port(),
        socket,
        name,
        process: rustix::process::getpid().as_raw_nonzero().get(),
        terminal,
        terminals: std::fs::metadata("/dev/pts").ok().map(|about| about.dev()),
    };
    let targets = serde_json::to_string(&targets).map_err(|error| lost(error.into()))?;
    let plan = place.plan(namespaces, overlays);
    let nothing = overrule_regular_file::null().map_err(lost)?;
    let (outside, inside) =
        Outside::order(&plan, std::os::fd::AsFd::as_fd(&nothing), helper.program.clone())?;
    let mut command = helper.command(inside, PROBE.as_ref(), [targets]);
    command
        .current_dir(&place.workspace)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut command = tokio::process::Command::from(command);
    let child = command.kill_on_drop(true).spawn().map_err(lost)?;
    drop(command);
    let _running = outside.started().await?;
    let output = child.wait_with_output().await.map_err(lost)?;
    let tried: Vec<Tried> = serde_json::from_slice(&output.stdout).map_err(|_| {
        lost(io::Error::other(format!(
            "the probe ended with {}",
            output.status
        )))
    })?;
    Ok(missing(&tried))
}

/// A guarantee counts only if its attempts were made, and none succeeded.
fn missing(tried: &[Tried]) -> Vec<Missing> {
    let each = Guarantee::ALL.into_iter().filter_map(|guarantee| {
        let of = tried.iter().find(|one| one.guarantee == guarantee);
        let why = match of {
            None => "it was not tried".to_owned(),
            Some(one) if one.succeeded.is_empty() => return None,
            Some(one) => format!("a probe could {}", one.succeeded.join(", ")),
        };
        Some(Missing { guarantee, why })
    });
    each.collect()
}

/// Numbers the probes of this process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The places of one probe; removed on drop.
struct Place {
    root: PathBuf,
    outside: PathBuf,
    workspace: PathBuf,
    hidden: PathBuf,
}

impl Place {
    fn make(store: &Path) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        let make = |path: &Path| {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
        };
        make(store)?;
        let store = store.canonicalize()?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = store.join(format!("probe-{}-{number}", std::process::id()));
        let place = Self {
            outside: root.join("outside"),
            workspace: root.join("workspace"),
            hidden: root.join("hidden"),
            root,
        };
        for path in [&place.outside, &place.hidden, &place.workspace.join(".git/hooks")] {
            make(path)?;
        }
        for name in Plan::PRIVATE {
            make(&place.root.join("scratch").join(name))?;
        }
        for name in ["lower", "upper", "work"] {
            make(&place.root.join("cache").join(name))?;
        }
        for path in [
            place.outside.join("file"),
            place.hidden.join("file"),
            place.workspace.join(".git/config"),
        ] {
            overrule_regular_file::create(&path)?;
        }
        Ok(place)
    }

    /// Removes the places on another thread: nobody waits for that.
    fn remove_later(self) {
        tokio::task::spawn_blocking(move || drop(self));
    }

    fn plan(&self, namespaces: bool, overlays: bool) -> Plan {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let cache = |name: &str| self.root.join("cache").join(name);
        let caches = overlays.then(|| Cache {
            lower: cache("lower"),
            upper: cache("upper"),
            work: cache("work"),
        });
        let git = self.workspace.join(".git");
        Plan {
            profile: Profile {
                level: Level::Workspace,
                write: vec![text(&self.workspace)],
                hidden: vec![text(&self.hidden)],
                // Nothing is promised yet, so that a step that fails is no end of the others.
                missing: Vec::new(),
                ..Profile::default()
            },
            namespaces,
            scratch: self.root.join("scratch"),
            own: Vec::new(),
            pinned: vec![git.clone()],
            read_only: vec![git.join("hooks"), git.join("config")],
            linked: Vec::new(),
            caches: caches.into_iter().collect(),
            // Stays in its place where the store is below a directory that is replaced.
            home: Some(self.root.clone()),
            keeps_terminal: false,
            port: None,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
