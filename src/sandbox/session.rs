//! Prepares the sandbox of a run: what this machine can do, the private directories, the profile, the plan of each child.
//!
//! Must not know: tools, settings files, who decides.

mod plan;

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use overrule_base::{canon, runs_later};
use overrule_domain::sandbox::{Level, Profile, ReadOnly, Refused};

use crate::channel::StartError;
use crate::layers::{self, Layers};
use crate::places::{self, HideError, HideRequest};
use crate::plan::{Cache, Plan};
use crate::probe::{self, Machine};
use crate::protected::{self, How, Protected, Undone, Watches};
use crate::refusal;
use crate::start::{Confinement, Helper};
pub use plan::{Own, Planned};

/// How the children of a run are to be confined.
#[derive(Debug, Clone)]
pub struct Request {
    /// The level, 1 or 2.
    pub level: Level,
    /// The workspace.
    pub workspace: PathBuf,
    /// Further directories that a child writes.
    pub write: Vec<PathBuf>,
    /// Further paths that it cannot read.
    pub hide: Vec<PathBuf>,
    /// Paths that are hidden by default and may be read.
    pub show: Vec<PathBuf>,
    /// Hosts that it reaches.
    pub network: Vec<String>,
    /// True where it may use Unix sockets.
    pub unix_sockets: bool,
    /// The home directory.
    pub home: Option<PathBuf>,
    /// Files and directories of this program.
    pub own: Vec<PathBuf>,
    /// The directory of all sandboxes.
    pub store: PathBuf,
    /// The session, or another name of what the private directories belong to.
    pub session: String,
    /// False where no namespaces are to be tried.
    pub namespaces: bool,
}

/// Why a sandbox could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The hidden paths cannot be named.
    #[error(transparent)]
    Hidden(#[from] HideError),
    /// A directory that is to be written is not there.
    #[error("cannot make `{}` writable in the sandbox: {error}; create it, or remove it from `write`", overrule_base::text::visible(&.path.to_string_lossy()))]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A child sees a private directory in place of one that is to be written.
    #[error("cannot make `{}` writable in the sandbox: commands see a private directory in its place; use a directory below `/tmp`, or elsewhere, or run with --sandbox 0", plan::shown(.0))]
    Replaced(PathBuf),
    /// A path cannot be recorded.
    #[error("cannot prepare the sandbox: the path `{}` is not UTF-8; rename it, or run with --sandbox 0", plan::shown(.0))]
    NotText(PathBuf),
    /// A directory that is to be written is hidden.
    #[error("cannot make `{}` writable in the sandbox: it is hidden; name it in `show` of [sandbox], or remove it from `write`", plan::shown(.0))]
    HiddenDirectory(PathBuf),
    /// The private directories could not be made.
    #[error("cannot prepare the sandbox in `{}`: {error}", overrule_base::text::visible(&.path.to_string_lossy()))]
    Store {
        /// The directory.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// The sandbox of a run.
#[derive(Debug, Clone)]
pub struct Sandbox {
    level: Level,
    helper: Helper,
    machine: Machine,
    /// The workspace, resolved.
    workspace: PathBuf,
    home: Option<PathBuf>,
    scratch: PathBuf,
    caches: Vec<Cache>,
    /// The layers over them, once a child was planned; none where they cannot be mounted.
    layers: Arc<OnceLock<Option<Layered>>>,
    /// The directory of the private layers of caches.
    private: PathBuf,
    /// What the settings hide and show.
    hide: Vec<PathBuf>,
    show: Vec<PathBuf>,
    /// Files and directories of this program, which no child reads.
    own: Vec<PathBuf>,
    /// The directories that were made for it, the outermost first.
    made: Vec<PathBuf>,
    /// The protected paths of the workspace, while calls run.
    watches: Arc<Mutex<Watches>>,
    /// True if the last search found every repository of the workspace.
    is_searched: Arc<AtomicBool>,
}

/// Caches with layers over them.
#[derive(Debug)]
struct Layered {
    layers: Arc<Layers>,
    /// The caches, with the directories of these layers.
    caches: Vec<Cache>,
}

/// Name of the directory of all sandboxes, in the data directory of the program.
pub const DIRECTORY: &str = "sandbox";
/// The directories of sessions, in the store.
const SESSIONS: &str = "sessions";
/// The directories of caches of workspaces, in the store.
pub const CACHES: &str = "caches";
/// What was undone, in the directory of a session.
const UNDONE: &str = "undone";

/// Returns the private directory of a session.
pub fn directory(store: &Path, session: &str) -> PathBuf {
    store.join(SESSIONS).join(session)
}

impl Sandbox {
    /// Finds out what this machine can do, makes the private directories, and names the profile of the run.
    pub async fn prepare(helper: Helper, request: &Request) -> Result<(Self, Profile), PrepareError> {
        let Request { store, session, .. } = request;
        let lost = |path: &Path| {
            let path = path.to_owned();
            move |error| PrepareError::Store { path, error }
        };
        let mut made = Vec::new();
        make(store, &mut made).map_err(lost(store))?;
        let machine = probe::examine(&helper, store, request.namespaces)
            .await
            .map_err(lost(store))?;
        let resolved = |path: &PathBuf| {
            path.canonicalize()
                .map_err(|error| PrepareError::directory(path, error))
        };
        let workspace = resolved(&request.workspace)?;
        let mut write = vec![workspace.clone()];
        for path in &request.write {
            write.push(resolved(path)?);
        }
        if let Some(path) = write.iter().find(|path| machine.namespaces && is_replaced(path)) {
            return Err(PrepareError::Replaced(path.clone()));
        }
        let scratch = directory(store, session);
        for name in Plan::PRIVATE.into_iter().chain([UNDONE]) {
            make(&scratch.join(name), &mut made).map_err(lost(&scratch))?;
        }
        let scratch = scratch.canonicalize().map_err(lost(&scratch))?;
        let home = request.home.as_ref().and_then(|home| home.canonicalize().ok());
        let caches = store.join(CACHES);
        let of_workspace = canon::hash(
            "overrule sandbox caches",
            &[workspace.as_os_str().as_encoded_bytes()],
        );
        let private = caches.join(of_workspace.get(..16).unwrap_or(&of_workspace));
        let keep: Vec<&Path> = write.iter().map(PathBuf::as_path).collect();
        let listed = match &home {
            Some(home) if machine.overlays => places::caches(home, &private, &keep),
            _ => Vec::new(),
        };
        make(&private, &mut made).map_err(lost(&private))?;
        // The child sees it as its own `/tmp`, whoever it becomes.
        for name in ["tmp", "var-tmp"] {
            let mode = Permissions::from_mode(0o1777);
            std::fs::set_permissions(scratch.join(name), mode).map_err(lost(&scratch))?;
        }
        let watches = Watches::new(&scratch.join(UNDONE));
        let is_searched = request.level != Level::Workspace || Protected::find(&workspace).is_complete();
        let sandbox = Self {
            is_searched: Arc::new(AtomicBool::new(is_searched)),
            watches: Arc::new(Mutex::new(watches)),
            own: request.own.clone(),
            made,
            level: request.level,
            helper,
            machine,
            workspace,
            home,
            scratch,
            caches: listed,
            layers: Arc::default(),
            private,
            hide: request.hide.clone(),
            show: request.show.clone(),
        };
        let profile = sandbox.profile(request, &write)?;
        Ok((sandbox, profile))
    }

    fn profile(&self, request: &Request, write: &[PathBuf]) -> Result<Profile, PrepareError> {
        let hidden = self.hidden(write.iter().map(PathBuf::as_path).collect())?;
        let profile = Profile {
            level: request.level,
            write: text(write)?,
            hidden: text(&hidden)?,
            network: request.network.clone(),
            unix_sockets: request.unix_sockets,
            missing: Vec::new(),
            read_only: ReadOnly::default(),
        };
        let hidden: Vec<&Path> = hidden.iter().map(PathBuf::as_path).collect();
        Ok(self.with_missing(profile, &hidden, write))
    }

    /// The hidden paths that exist now, of a child that writes in these directories.
    fn hidden(&self, keep: Vec<&Path>) -> Result<Vec<PathBuf>, HideError> {
        places::hidden(&HideRequest {
            root: Path::new("/"),
            home: self.home.as_deref(),
            own: &[],
            hide: &self.hide,
            show: &self.show,
            keep: &keep,
        })
    }

    /// The hidden paths that exist only since the profile was named. If the search fails, there are none: the profile
    /// has all that were there before.
    fn newly_hidden(&self, profile: &Profile) -> Vec<PathBuf> {
        let keep = profile.write.iter().map(Path::new).collect();
        let mut found = self.hidden(keep).unwrap_or_default();
        found.retain(|path| !profile.hidden.iter().any(|one| path.starts_with(one)));
        found
    }

    /// The layers over the caches; mounts them for the first child.
    fn layers(&self) -> Option<&Layered> {
        let made = self.layers.get_or_init(|| {
            if self.caches.is_empty() {
                return None;
            }
            let layered = self.mount_layers();
            if let Err(error) = &layered {
                tracing::warn!(%error, "caches have no private layers in the sandbox; children get empty ones");
            }
            layered.ok()
        });
        made.as_ref()
    }

    fn mount_layers(&self) -> Result<Layered, StartError> {
        let place = layers::Place::free(&self.private).map_err(|error| StartError::set_up("cache", error))?;
        let here = |path: &Path| match path.strip_prefix(&self.private) {
            Ok(rest) => place.path.join(rest),
            Err(_) => path.to_owned(),
        };
        let caches: Vec<Cache> = (self.caches.iter())
            .map(|cache| Cache {
                lower: cache.lower.clone(),
                upper: here(&cache.upper),
                work: here(&cache.work),
            })
            .collect();
        places::prepare(&self.private, &caches).map_err(|error| StartError::set_up("cache", error))?;
        Ok(Layered {
            layers: Arc::new(Layers::mount(&self.helper, place, &caches)?),
            caches,
        })
    }

    /// Begins the execution of a call: notes the protected paths, and plans the confinement of its children.
    pub fn begin(&self, profile: &Profile) -> Begun {
        let is_written = profile.level == Level::Workspace;
        let protected = is_written.then(|| Protected::find(&self.workspace));
        let Planned {
            confinement,
            variables,
        } = self.planned(profile, protected.as_ref());
        let watch = protected.map(|protected| {
            self.is_searched.store(protected.is_complete(), Ordering::Relaxed);
            locked(&self.watches).begin(&protected);
            Arc::clone(&self.watches)
        });
        Begun {
            confinement,
            workspace: self.workspace.clone(),
            watch,
            is_searched: Arc::clone(&self.is_searched),
            variables,
        }
    }

    /// Returns true if every repository of the workspace was found when a call began or ended, or at the start: each is
    /// protected.
    pub fn is_searched(&self) -> bool {
        self.is_searched.load(Ordering::Relaxed)
    }

    /// Removes the directories that were made for it, as far as they are empty: for a run that did not begin.
    pub fn forget(&self) {
        for path in self.made.iter().rev() {
            let _ = std::fs::remove_dir(path);
        }
    }

    /// Returns the level of the run.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Does what the operator approved with a path of the workspace: a command that runs meanwhile is not blamed for it.
    pub fn approved<T>(&self, path: &Path, change: impl FnOnce() -> T) -> T {
        let is_protected = path
            .strip_prefix(&self.workspace)
            .is_ok_and(|path| runs_later::row(&path.to_string_lossy()).is_some_and(|row| row.is_protected));
        if is_protected {
            locked(&self.watches).approved(path, change)
        } else {
            change()
        }
    }

    /// Restores the content of an undone change: `path` as it was reported, `from` where the content lies. What is there now
    /// is moved away.
    pub fn keep(&self, path: &str, from: &str) -> io::Result<()> {
        let store = self.scratch.join(UNDONE);
        let from = Path::new(from);
        let place = self.workspace.join(path);
        if !is_below(from, &store) || !is_below(&place, &self.workspace) {
            return Err(io::Error::other("it is no change that this session undid"));
        }
        self.approved(&place, || protected::give(from, &place, &store))
    }

    /// Returns what this machine can do.
    pub const fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the directory of the private layers of the workspace's caches.
    pub fn caches(&self) -> &Path {
        &self.private
    }
}

/// An execution that has begun.
#[derive(Debug)]
pub struct Begun {
    /// How its children are confined.
    pub confinement: Confinement,
    /// Variables that its children get in addition.
    pub variables: Vec<(&'static str, PathBuf)>,
    workspace: PathBuf,
    watch: Option<Arc<Mutex<Watches>>>,
    is_searched: Arc<AtomicBool>,
}

impl Begun {
    /// Returns what was refused, as the output of a command that began in `cwd` shows it.
    pub fn refused(&self, output: &str, cwd: &Path) -> Vec<Refused> {
        let Confinement { plan, .. } = &self.confinement;
        let temporary = plan.temporary();
        let mut writable: Vec<&Path> = plan.caches.iter().map(|cache| cache.lower.as_path()).collect();
        writable.extend(plan.linked.iter().map(PathBuf::as_path));
        writable.push(&temporary);
        if plan.namespaces {
            writable.extend(["/tmp", "/var/tmp", "/dev/shm"].map(Path::new));
        }
        let hidden = plan.hidden().map(|path| path.to_string_lossy().into_owned());
        let profile = Profile {
            hidden: hidden.collect(),
            ..plan.profile.clone()
        };
        let read = refusal::Confinement {
            profile: &profile,
            cwd,
            home: plan.home.as_deref(),
            writable: &writable,
            read_only: &plan.read_only,
            pinned: &plan.pinned,
        };
        refusal::found(output, &read, &refusal::able)
    }

    /// Returns where the content of an undone change lies, if it can be restored. A path whose words are not its name
    /// cannot, nor can one that was not moved to the session.
    pub fn stored(&self, undone: &Undone) -> Option<String> {
        let stored = undone.stored.as_ref()?;
        let is_named = self.workspace.join(&undone.path) == undone.place;
        let store = self.confinement.plan.scratch.join(UNDONE);
        let can = is_named && is_below(&undone.place, &self.workspace) && is_below(stored, &store);
        stored.to_str().filter(|_| can).map(str::to_owned)
    }

    /// Ends the execution: undoes the changes of protected paths, and returns them.
    pub fn end(&mut self) -> Vec<Undone> {
        let Some(watch) = self.watch.take() else {
            return Vec::new();
        };
        let undone = locked(&watch).end();
        let is_searched = !undone.iter().any(|one| one.how == How::Unsearched);
        self.is_searched.store(is_searched, Ordering::Relaxed);
        undone
    }
}

impl Drop for Begun {
    /// Also an execution that nobody waits for changes no protected path.
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn locked(watches: &Mutex<Watches>) -> MutexGuard<'_, Watches> {
    watches.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True for a directory that a child does not see, because a private one is shown instead.
fn is_replaced(path: &Path) -> bool {
    ["/tmp", "/var/tmp", "/run"]
        .iter()
        .any(|one| path == Path::new(one))
        || path.starts_with("/dev/shm")
}

/// The paths as text, as they are recorded.
fn text(paths: &[PathBuf]) -> Result<Vec<String>, PrepareError> {
    let text = |path: &PathBuf| path.to_str().map(str::to_owned);
    (paths.iter())
        .map(|path| text(path).ok_or_else(|| PrepareError::NotText(path.clone())))
        .collect()
}

/// True for a path inside of a directory, in plain words.
fn is_below(path: &Path, directory: &Path) -> bool {
    let is_plain = |path: &Path| path.components().all(|part| part != Component::ParentDir);
    path != directory && path.starts_with(directory) && is_plain(path)
}

/// Makes a directory for its owner alone, with those above it, and adds what it made.
fn make(path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    for path in missing.into_iter().rev() {
        match overrule_regular_file::make_directory(path) {
            Ok(()) => made.push(path.to_owned()),
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
