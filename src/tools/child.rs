//! Starts child processes without access to the terminal, secrets or open files of the program.
//!
//! Must not know: what they run for.
//!
//! It ends a child together with everything that the child started.

mod pre_exec;
mod tree;

#[cfg(test)]
pub(crate) mod tests;

use std::ffi::{OsStr, OsString};
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError, mpsc};

use overrule_regular_file as regular_file;
use overrule_sandbox::{Confinement, Outside, Running, StartError};
use tokio::process::{Child, ChildStdin, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

pub use tree::{Tree, is_any_ending, orphan_process, still_running};

/// Search path for programs if the session's environment has none.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Names of the variables that children receive, in addition to those that begin with `LC_`. Everything else,
/// above all keys and tokens, stays with this program.
const PASSED: [&str; 24] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "HOSTNAME",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLUMNS",
    "TMPDIR",
    "TMP",
    "TEMP",
    // The locations of tool chains; a build finds none without them.
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "NVM_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
];

/// Variables that give access to the operator's desktop: for their own programs, never for a tool's.
const DESKTOP: [&str; 5] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
];

/// An editor for programs that would wait for a person: it fails and says why.
const NO_EDITOR: &str = "sh -c 'echo overrule: there is no editor in a command. Give the text as an argument, such as git commit -m. \
                         To keep the text as it is, set GIT_EDITOR=true. >&2; exit 1'";

/// Variables that every child gets, whatever its environment says: no program waits for a person who cannot answer.
const UNATTENDED: [(&str, &str); 8] = [
    ("EDITOR", NO_EDITOR),
    ("VISUAL", NO_EDITOR),
    ("GIT_EDITOR", NO_EDITOR),
    ("GIT_SEQUENCE_EDITOR", NO_EDITOR),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("SSH_ASKPASS_REQUIRE", "never"),
];

/// The environment variables of child processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    vars: Vec<(OsString, OsString)>,
}

impl Default for Environment {
    fn default() -> Self {
        Self::allowed([])
    }
}

impl Environment {
    /// Returns the search path for programs.
    pub fn search_path(&self) -> &OsStr {
        let found = self.vars.iter().find(|(name, _)| name == "PATH");
        found.map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value)
    }

    /// Selects the variables that may be passed on, sorted by name.
    pub fn allowed(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut vars: Vec<(OsString, OsString)> =
            vars.into_iter().filter(|(name, _)| is_passed(name)).collect();
        if !vars
            .iter()
            .any(|(name, value)| name == "PATH" && !value.is_empty())
        {
            vars.retain(|(name, _)| name != "PATH");
            vars.push(("PATH".into(), DEFAULT_PATH.into()));
        }
        vars.sort();
        vars.dedup_by(|a, b| a.0 == b.0);
        Self { vars }
    }

    /// Also selects those that give access to the operator's desktop, for a program that they chose
    /// themselves.
    pub fn of_operator(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let vars: Vec<(OsString, OsString)> = vars.into_iter().collect();
        let mut own = Self::allowed(vars.iter().cloned());
        let is_desktop = |name: &OsStr| name.to_str().is_some_and(|name| DESKTOP.contains(&name));
        own.vars
            .extend(vars.into_iter().filter(|(name, _)| is_desktop(name)));
        own.vars.sort();
        own.vars.dedup_by(|a, b| a.0 == b.0);
        own
    }

    /// Adds variables, which replace those of the same name.
    pub fn with(mut self, vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        for (name, value) in vars {
            self.vars.retain(|(known, _)| *known != name);
            self.vars.push((name, value));
        }
        self.vars.sort();
        self
    }

    /// Iterates over the names of the variables, sorted.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.vars.iter().map(|(name, _)| name.as_os_str())
    }
}

fn is_passed(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| PASSED.contains(&name) || name.starts_with("LC_"))
}

/// A running child, the leader of its session and process group.
#[derive(Debug)]
pub struct Started {
    /// The process, with its output piped.
    pub child: Child,
    /// The process and everything that it starts; ended on drop.
    pub tree: Tree,
    /// Where a confined child reaches the proxy for allowed hosts; none if it has no network of its own.
    pub proxy: Option<TcpListener>,
}

/// The mark of a process; dropping this ends it.
pub type Marked = Box<dyn Send + Sync>;
/// Marks the process of this number; with 0, one that is about to start.
pub type Mark = fn(u32) -> Marked;

/// Marks nothing.
pub fn unmarked(_: u32) -> Marked {
    Box::new(())
}

struct Order {
    command: Command,
    runtime: Handle,
    mark: Mark,
    reply: oneshot::Sender<io::Result<(Child, Option<Marked>)>>,
}

/// What is started, and where.
#[derive(Debug, Clone, Copy)]
pub struct Start<'a, A> {
    /// The program.
    pub program: &'a OsStr,
    /// Its arguments.
    pub args: &'a [A],
    /// Its working directory.
    pub cwd: &'a Path,
    /// Its variables, in addition to those that keep programs from waiting for a person.
    pub environment: &'a Environment,
    /// How it is confined; none where it is not.
    pub confinement: Option<&'a Confinement>,
}

/// Starts a program in a session of its own, without a terminal and with empty standard input. It inherits no open file of
/// this program except the pipes for its output.
pub async fn start(what: Start<'_, impl AsRef<OsStr>>) -> Result<Started, StartError> {
    Ok(start_with(what, false, unmarked).await?.0)
}

/// Does the same as [`start`], but with a pipe to its standard input.
pub async fn start_fed(what: Start<'_, impl AsRef<OsStr>>) -> Result<Started, StartError> {
    Ok(start_with(what, true, unmarked).await?.0)
}

/// Does the same as [`start_fed`], and marks the process at its start.
pub async fn start_marked(
    what: Start<'_, impl AsRef<OsStr>>,
    mark: Mark,
) -> Result<(Started, Option<Marked>), StartError> {
    start_with(what, true, mark).await
}

async fn start_with(
    what: Start<'_, impl AsRef<OsStr>>,
    is_fed: bool,
    mark: Mark,
) -> Result<(Started, Option<Marked>), StartError> {
    let (mut command, confined) = match what.confinement {
        None => {
            let mut command = std::process::Command::new(what.program);
            let input = if is_fed { Stdio::piped() } else { Stdio::null() };
            command.args(what.args).stdin(input);
            (command, None)
        }
        Some(confinement) => {
            let (input, feeds) = input(is_fed)?;
            let Confinement { plan, helper } = confinement;
            let (outside, inside) = Outside::order(plan, input.as_fd(), helper.program.clone())?;
            (
                helper.command(inside, what.program, what.args),
                Some((outside, feeds)),
            )
        }
    };
    command
        .current_dir(what.cwd)
        .env_clear()
        .envs(what.environment.vars.iter().map(|(name, value)| (name, value)))
        .envs(UNATTENDED)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (child, mark) = spawn(command, mark).await?;
    let tree = Tree::of(child.id().ok_or_else(gone)?);
    let mut started = Started {
        child,
        tree,
        proxy: None,
    };
    if let Some((outside, feeds)) = confined {
        match outside.started().await {
            Ok(Running { listeners, mounts }) => {
                started.proxy = listeners.into_iter().next();
                started.tree.hold(mounts);
            }
            Err(error) => {
                let _ = tokio::join!(started.tree.end(), started.child.wait());
                return Err(error);
            }
        }
        started.child.stdin = feeds.map(ChildStdin::from_std).transpose()?;
    }
    Ok((started, mark))
}

/// What a confined command reads: nothing, or what is fed through a pipe.
fn input(is_fed: bool) -> io::Result<(OwnedFd, Option<std::process::ChildStdin>)> {
    if is_fed {
        let (reads, feeds) = io::pipe()?;
        return Ok((reads.into(), Some(OwnedFd::from(feeds).into())));
    }
    Ok((regular_file::null()?.into(), None))
}

fn gone() -> io::Error {
    io::Error::other("the thread that starts processes has ended")
}

async fn spawn(command: std::process::Command, mark: Mark) -> io::Result<(Child, Option<Marked>)> {
    let (reply, answer) = oneshot::channel();
    let mut command = Command::from(command);
    // If the caller no longer waits for the answer, the child is killed on drop.
    command.kill_on_drop(true);
    let order = Order {
        command,
        runtime: Handle::current(),
        mark,
        reply,
    };
    spawner()?.send(order).map_err(|_| gone())?;
    answer.await.map_err(|_| gone())?
}

/// Returns the one thread that starts all children. The system ends a child together with the thread that
/// started it, so this thread lives as long as the program.
fn spawner() -> io::Result<mpsc::Sender<Order>> {
    static SPAWNER: Mutex<Option<mpsc::Sender<Order>>> = Mutex::new(None);
    let mut slot = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sender) = slot.as_ref() {
        return Ok(sender.clone());
    }
    let (sender, orders) = mpsc::channel::<Order>();
    std::thread::Builder::new()
        .name("spawner".to_owned())
        .spawn(move || {
            for mut order in orders {
                let _inside = order.runtime.enter();
                pre_exec::isolate(&mut order.command, open_files());
                // Whatever the program does first finds its mark, or that it starts.
                let _starts = (order.mark)(0);
                let started = order.command.spawn().map(|child| {
                    let mark = child.id().map(order.mark);
                    (child, mark)
                });
                let _ = order.reply.send(started);
            }
        })?;
    *slot = Some(sender.clone());
    Ok(sender)
}

/// Keeps the open files of this program from a child that is started in another way.
pub fn without_files(command: &mut std::process::Command) {
    pre_exec::without(command, open_files());
}

/// Returns the file descriptors that a child might inherit: the parent of this program may have left some
/// open without close-on-exec.
fn open_files() -> Vec<i32> {
    let list = if cfg!(target_os = "linux") {
        "/proc/self/fd"
    } else {
        "/dev/fd"
    };
    std::fs::read_dir(list)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect()
}
