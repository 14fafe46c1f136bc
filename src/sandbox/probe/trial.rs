//! Lets the helper try in a sandbox what it forbids.
//!
//! Must not know: how a guarantee is held, where results are shown.
//!
//! The places are made for it, so that nothing is lost where an attempt succeeds. The means are those of every child.

use std::io;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::Machine;
use super::attempts::{self, Attempts};
use crate::channel::{Outside, StartError};
use crate::plan::{Cache, Plan};
use crate::start::{Confinement, Helper};
use overrule_base::text::visible;
use overrule_domain::sandbox::{Guarantee, Level, Missing, Profile};
use overrule_regular_file::make_directories;

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
    /// What a probe cannot try on this system.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) untried: Vec<String>,
}

impl Tried {
    /// Names what was possible of what was tried.
    pub(crate) fn of(guarantee: Guarantee, tried: Attempts, untried: Vec<&str>) -> Self {
        let succeeded = tried.into_iter().filter(|(_, done)| *done);
        Self {
            guarantee,
            succeeded: succeeded.map(|(what, _)| what.to_owned()).collect(),
            untried: untried.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// Finds out what this machine can do. Without `with_namespaces` none are tried.
#[cfg(target_os = "linux")]
pub(super) async fn examine(helper: &Helper, store: &Path, with_namespaces: bool) -> io::Result<Machine> {
    let terminal = terminal();
    let mut why = "switched off".to_owned();
    if with_namespaces {
        for overlays in [true, false] {
            let place = Place::make(store)?;
            let tried = attempt(helper, &place, (true, overlays), terminal.clone()).await;
            drop(place);
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
    let mut machine = without_namespaces(helper, store).await?;
    for one in &mut machine.missing {
        one.why = format!("{}; no namespaces: {why}", one.why);
    }
    Ok(machine)
}

/// Finds out what this machine can do without namespaces.
pub(super) async fn without_namespaces(helper: &Helper, store: &Path) -> io::Result<Machine> {
    let place = Place::make(store)?;
    let tried = attempt(helper, &place, (false, false), terminal()).await;
    drop(place);
    let missing = match tried {
        Ok(missing) => missing,
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
#[cfg(target_os = "linux")]
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
    let socket = place.root.join("s");
    let short = attempts::ShortPath::of(&socket).map_err(lost)?;
    let _named = UnixListener::bind(short.path()).map_err(lost)?;
    let name = format!("overrule-probe-{}", place.root.display());
    #[cfg(target_os = "linux")]
    let _unnamed = unnamed(&name).map_err(lost)?;
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
    let confinement = Confinement {
        plan: place.plan(namespaces, overlays),
        helper: helper.clone(),
        layers: None,
    };
    let nothing = overrule_regular_file::null().map_err(lost)?;
    let (outside, inside) = Outside::order(&confinement, std::os::fd::AsFd::as_fd(&nothing))?;
    let mut command = helper.command(inside, PROBE.as_ref(), [targets]);
    command
        .current_dir(&place.workspace)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut command = tokio::process::Command::from(command);
    let child = command.kill_on_drop(true).spawn().map_err(lost)?;
    drop(command);
    let _running = outside.started().await?;
    let output = child.wait_with_output().await.map_err(lost)?;
    results(&output).map(|tried| missing(&tried)).map_err(lost)
}

/// The most characters that are shown of what a probe printed instead of its results.
const MOST_SHOWN: usize = 200;

/// Reads the results of a probe that has ended.
fn results(output: &Output) -> io::Result<Vec<Tried>> {
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let words: String = String::from_utf8_lossy(&output.stderr)
            .trim()
            .chars()
            .take(MOST_SHOWN)
            .collect();
        let colon = if words.is_empty() { "" } else { ": " };
        let words = visible(&words);
        io::Error::other(format!("the probe ended with {}{colon}{words}", output.status))
    })
}

/// Listens at a name that is no file.
#[cfg(target_os = "linux")]
fn unnamed(name: &str) -> io::Result<UnixListener> {
    use std::os::linux::net::SocketAddrExt as _;
    let address = std::os::unix::net::SocketAddr::from_abstract_name(name.as_bytes())?;
    UnixListener::bind_addr(&address)
}

/// A guarantee counts only if its attempts were made, and none succeeded.
fn missing(tried: &[Tried]) -> Vec<Missing> {
    let each = Guarantee::ALL.into_iter().filter_map(|guarantee| {
        let of = tried.iter().find(|one| one.guarantee == guarantee);
        let why = match of {
            None => "it was not tried".to_owned(),
            Some(one) if one.succeeded.is_empty() && one.untried.is_empty() => return None,
            Some(one) if one.succeeded.is_empty() => {
                format!("a probe cannot try to {}", one.untried.join(", "))
            }
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
        make_directories(store)?;
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
            make_directories(path)?;
        }
        for name in Plan::PRIVATE {
            make_directories(&place.root.join("scratch").join(name))?;
        }
        for name in ["lower", "upper", "work"] {
            make_directories(&place.root.join("cache").join(name))?;
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
            layered: Vec::new(),
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

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    fn output(code: i32, out: &str, error: &str) -> Output {
        Output {
            status: std::process::ExitStatus::from_raw(code << 8),
            stdout: out.into(),
            stderr: error.into(),
        }
    }

    #[test]
    fn only_what_was_tried_and_refused_is_proven() {
        let text = r#"[{"guarantee":"writes","succeeded":[]},
            {"guarantee":"hidden","succeeded":["read"]},
            {"guarantee":"processes","succeeded":[],"untried":["read memory"]},
            {"guarantee":"privilege","succeeded":["mount"],"untried":["more"]}]"#;
        let tried = results(&output(0, text, "")).unwrap();
        let missing = missing(&tried);
        let why = |guarantee: Guarantee| {
            let mut all = missing.iter();
            all.find(|one| one.guarantee == guarantee)
                .map(|one| one.why.as_str())
        };
        assert_eq!(why(Guarantee::Writes), None);
        assert_eq!(why(Guarantee::Hidden), Some("a probe could read"));
        assert_eq!(
            why(Guarantee::Processes),
            Some("a probe cannot try to read memory")
        );
        assert_eq!(why(Guarantee::Privilege), Some("a probe could mount"));
        for other in [
            Guarantee::Attributes,
            Guarantee::Protected,
            Guarantee::Network,
            Guarantee::Sockets,
            Guarantee::Terminal,
        ] {
            assert_eq!(why(other), Some("it was not tried"), "{other:?}");
        }
    }

    #[test]
    fn a_probe_without_results_proves_nothing_and_its_words_are_shown() {
        let error = |out: &str, error: &str| results(&output(65, out, error)).unwrap_err().to_string();
        assert_eq!(
            error("", "sandbox-exec: unbound variable\u{1b}[2J\n"),
            "the probe ended with exit status: 65: sandbox-exec: unbound variable⟨U+001B⟩[2J"
        );
        assert_eq!(error("[{]", ""), "the probe ended with exit status: 65");
        let long = error("", &"x".repeat(9999));
        assert!(long.len() < 300, "{long}");
    }
}
