//! Tracks the files of one workspace during one run.
//!
//! Must not know: what the calls do, how a change is recorded.

mod exact;
mod first_scan;
mod look;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use overrule_domain::files::{
    ChangeList, ChangeSet, Execution, FilePath, FileState, Head, HeadMove, Looked, Step,
};

use crate::apply::{self, Restored};
use crate::index::Index;
use crate::repository::Repository;
use crate::root::Root;
use crate::rules::Patterns;
use crate::scan::Context;
use crate::store::Store;
use crate::watch::Watch;
use crate::windows::{Scope, Windows};
use crate::{Error, Settings, guard};
use first_scan::First;
use look::Look;

/// Why nothing is known before the first scan has finished.
const NOT_YET: &str = "first scan not finished";
/// Why nothing is known of an execution whose window never opened.
const NO_WINDOW: &str = "the files were not looked at before it";

/// What was found before an execution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Begun {
    /// What no tracked execution changed since the last look: the operator, or another program. Their contents are saved.
    pub outside: ChangeList,
    /// Why the changes of the execution will not be known, or not all; none if they will.
    pub untracked: Option<String>,
}

/// Whether the changes of the next command will be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// They will.
    Ready,
    /// The first scan has not finished.
    NotYet,
    /// They will not, for this reason.
    Not(String),
}

/// Tracks the files of one workspace during one run. Clones share everything. Every function blocks.
#[derive(Debug, Clone)]
pub struct Tracker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    context: Context,
    first: Mutex<First>,
    changed: Condvar,
    state: Mutex<State>,
    /// What was known after the last look. It can be read during a look.
    last_known: Mutex<LastKnown>,
}

/// What is known between two looks.
#[derive(Debug)]
struct LastKnown {
    readiness: Readiness,
    not_restorable: Arc<[FilePath]>,
}

#[derive(Debug, Default)]
struct State {
    index: Option<Index>,
    watch: Watch,
    windows: Windows,
    /// The last look was whole, so that no event since means no change.
    is_current: bool,
    /// The last look was not whole: the next one finds changes of unknown age.
    is_unsure: bool,
    /// Why not all contents are saved.
    problem: Option<String>,
    /// Paths that file tools changed during the first scan.
    late: Vec<FilePath>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tracker {
    /// Opens the workspace and its store below `data_dir`. Nothing is scanned yet.
    ///
    /// # Errors
    ///
    /// The workspace is `/`, a home directory or a parent of one; the store cannot be made.
    pub fn open(workspace: &Path, data_dir: &Path, settings: Settings) -> Result<Self, Error> {
        let root = Root::open(workspace)?;
        guard::check(&root.path, settings.home.as_deref())?;
        let store = Store::open(data_dir, &root.path, &settings)?;
        let patterns = Patterns::new(&root.path, &settings.include, &settings.exclude);
        let state = State {
            watch: Watch::new(root.fd()),
            ..State::default()
        };
        Ok(Self(Arc::new(Shared {
            context: Context {
                root,
                store,
                settings,
                patterns,
            },
            first: Mutex::new(First::NotStarted),
            changed: Condvar::new(),
            state: Mutex::new(state),
            last_known: Mutex::new(LastKnown {
                readiness: Readiness::NotYet,
                not_restorable: Arc::from([]),
            }),
        })))
    }

    /// Starts the first scan on a thread of its own, unless it was started. Returns immediately.
    pub fn start(&self) {
        self.0.start();
    }

    /// Opens the window of an execution that may change anything. Waits for the first scan as long as a scan may take,
    /// and starts it if nothing did. Looks for changes by others first.
    pub fn begin(&self, execution: Execution) -> Begun {
        self.start();
        let missing = self.0.wait_first();
        let head = self.0.head();
        let mut state = locked(&self.0.state);
        let look = match missing {
            Some(why) => Look::blind(why),
            None => self.0.look(&mut state),
        };
        let outside = state.windows.take_outside();
        let untracked = look.problem;
        let scope = Scope::Any {
            head,
            is_blind: look.is_blind,
            untracked: untracked.clone(),
            wrote: BTreeSet::new(),
        };
        state.windows.open(execution, scope);
        self.0.publish(&state);
        Begun { outside, untracked }
    }

    /// Opens the window of an execution that changes at most these paths, such as that of a file tool. Nothing else is
    /// looked at, and no scan is needed. Directories that are missing on the way to them belong to them.
    pub fn begin_exact(&self, execution: Execution, paths: &[FilePath]) -> Begun {
        let paths = self.0.with_missing_parents(paths);
        let mut state = locked(&self.0.state);
        self.0.look_at(&mut state, &paths, false);
        let (states, problem) = self.0.save_states(&paths);
        let before: BTreeMap<FilePath, FileState> = paths.into_iter().zip(states).collect();
        let outside = state.windows.take_outside();
        state.windows.open(execution, Scope::Paths(before));
        self.0.publish(&state);
        Begun {
            outside,
            untracked: problem,
        }
    }

    /// Closes a window and returns what changed in it. The contents before and after are in the store by then, except
    /// those whose state says that they are not saved. Of an unknown execution, the changes are not known.
    pub fn end(&self, execution: Execution) -> ChangeSet {
        let mut state = locked(&self.0.state);
        let state = &mut *state;
        let (head_now, look) = match state.windows.is_exact(execution) {
            Some(false) => (self.0.head(), self.0.look(state)),
            Some(true) | None => (None, Look::default()),
        };
        self.0.publish(state);
        match state.windows.close(execution) {
            None => ChangeSet {
                untracked: Some(NO_WINDOW.to_owned()),
                ..ChangeSet::default()
            },
            Some((Scope::Paths(before), _)) => self.0.exact(state, before),
            Some((
                Scope::Any {
                    head,
                    untracked,
                    wrote,
                    ..
                },
                set,
            )) => ChangeSet {
                head: moved(head, head_now),
                ignored: wrote.into_iter().collect(),
                untracked: untracked.or(look.problem),
                ..set
            },
        }
    }

    /// Returns whether the changes of the next command will be known, as of the last look. It does not wait for one.
    pub fn readiness(&self) -> Readiness {
        locked(&self.0.last_known).readiness.clone()
    }

    /// Returns what could not be restored if a command changed it, as of the last look: files that are not saved or have
    /// several names, what cannot be read or is excluded, ignored directories that are neither tracked nor made again by a
    /// build, and each `.git` below the workspace, but not its own. Empty before the first scan. It does not wait for a look.
    pub fn not_restorable(&self) -> Arc<[FilePath]> {
        Arc::clone(&locked(&self.0.last_known).not_restorable)
    }

    /// Looks at paths, and which of these contents, by their hashes, are not saved. Nothing is saved. A file with several names
    /// is one that cannot be restored.
    pub fn look_up(&self, paths: &[FilePath], contents: &[String]) -> Looked {
        let lost = contents.iter().filter(|hash| !self.0.context.store.has(hash));
        let mut states = self.states(paths);
        for (state, path) in states.iter_mut().zip(paths) {
            if let FileState::File { size, .. } = state
                && self.has_several_names(path)
            {
                *state = FileState::Unsaved {
                    why: apply::SEVERAL_NAMES.to_owned(),
                    size: *size,
                    mtime: 0,
                };
            }
        }
        Looked {
            states,
            lost: lost.cloned().collect(),
        }
    }

    fn has_several_names(&self, path: &FilePath) -> bool {
        let whole = self.workspace().join(OsStr::from_bytes(path.bytes()));
        whole.symlink_metadata().is_ok_and(|about| about.nlink() > 1)
    }

    /// Returns the states of paths now, read and hashed. Nothing is saved.
    pub fn states(&self, paths: &[FilePath]) -> Vec<FileState> {
        let states = paths
            .iter()
            .map(|path| apply::state(&self.0.context, path, &mut |_| Ok(())));
        states.collect()
    }

    /// Carries out the steps in their order, and can be called again with the same steps after a crash.
    ///
    /// A step whose path has the state `to` is done; one whose state is not `from` is skipped. A failing step is
    /// skipped with its reason, and its path retains its state.
    ///
    /// # Errors
    ///
    /// The present contents could not be saved, or there is no room for them: nothing was touched.
    pub fn restore(&self, steps: &[Step]) -> Result<Restored, Error> {
        let mut state = locked(&self.0.state);
        let restored = apply::restore(&self.0.context, steps, &mut |_| Ok(()))?;
        self.0.look_at(&mut state, &restored.done, true);
        self.0.publish(&state);
        Ok(restored)
    }

    /// Removes the temporary files of an interrupted restore of these steps, which is not continued. The paths keep their
    /// present objects. Only a replaced object that was changed after the exchange returns to its path.
    pub fn leave_restore(&self, steps: &[Step]) {
        let mut state = locked(&self.0.state);
        apply::leave(&self.0.context, steps);
        let paths: Vec<FilePath> = steps.iter().map(|step| step.path.clone()).collect();
        self.0.look_at(&mut state, &paths, false);
        self.0.publish(&state);
    }

    /// Returns a saved content by its hash.
    ///
    /// # Errors
    ///
    /// It is not saved, or not any more, or damaged.
    pub fn content(&self, hash: &str) -> Result<Vec<u8>, Error> {
        self.0.context.store.get(hash)
    }

    /// Returns the workspace, with all links resolved.
    pub fn workspace(&self) -> &Path {
        &self.0.context.root.path
    }

    /// Returns the bytes that this run saved.
    pub fn saved(&self) -> u64 {
        self.0.context.store.saved()
    }

    /// Returns the number of files, links and directories that are tracked, and the bytes of memory that they take.
    pub fn size(&self) -> (usize, usize) {
        let state = locked(&self.0.state);
        (state.index.as_ref()).map_or((0, 0), |index| (index.count, index.bytes()))
    }
}

impl Shared {
    fn head(&self) -> Option<Head> {
        Repository::around(&self.context.root.path)?.head()
    }
}

fn moved(before: Option<Head>, after: Option<Head>) -> Option<HeadMove> {
    match (before, after) {
        (Some(before), Some(after)) if before != after => Some(HeadMove { before, after }),
        _ => None,
    }
}
