//! Tracks the files of one workspace during one run.
//!
//! Must not know: what the calls do, how a change is recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use overrule_domain::files::{
    Change, ChangeList, ChangeSet, Execution, FilePath, FileState, Head, HeadMove, Looked, Step,
};
use rustix::io::Errno;

use crate::apply::{self, Restored};
use crate::index::Index;
use crate::repository::Repository;
use crate::root::Root;
use crate::rules::Patterns;
use crate::scan::{self, Found, Ground, is_same};
use crate::store::{Batch, Store};
use crate::watch::Watch;
use crate::windows::{Scope, Windows};
use crate::{Error, Settings, guard};

/// Why nothing is known before the first scan has finished.
const NOT_YET: &str = "first scan not finished";

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

/// Why the next changes would not be known after a look that was cut short.
const NOT_WHOLE: &str = "the last scan was not complete";

/// Tracks the files of one workspace during one run. Clones share everything. Every function blocks.
#[derive(Debug, Clone)]
pub struct Tracker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    ground: Ground,
    first: Mutex<First>,
    changed: Condvar,
    state: Mutex<State>,
    /// What was known after the last look. It can be read during a look.
    standing: Mutex<Standing>,
}

/// What is known between two looks.
#[derive(Debug)]
struct Standing {
    readiness: Readiness,
    not_restorable: Arc<[FilePath]>,
}

/// The first scan.
#[derive(Debug, Clone, PartialEq, Eq)]
enum First {
    NotStarted,
    Running,
    Done,
    Failed(String),
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
    /// Why contents are not saved any more.
    problem: Option<String>,
    /// Paths that file tools changed during the first scan.
    late: Vec<FilePath>,
}

/// What a look leaves unknown.
#[derive(Debug, Default)]
struct Look {
    /// Why not everything is known or saved.
    problem: Option<String>,
    /// What is found next may be older.
    is_blind: bool,
}

impl Look {
    fn blind(why: impl Into<String>) -> Self {
        Self {
            problem: Some(why.into()),
            is_blind: true,
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tracker {
    /// Opens the workspace and its store below `data_dir`. Nothing is scanned yet.
    ///
    /// # Errors
    ///
    /// The workspace is `/`, a home directory or a parent of one; the disk is nearly full; the store cannot be made.
    pub fn open(workspace: &Path, data_dir: &Path, settings: Settings) -> Result<Self, Error> {
        let root = Root::open(workspace)?;
        guard::check(&root.path, settings.home.as_deref())?;
        let store = Store::open(data_dir, &root.path, &settings)?;
        let patterns = Patterns::new(&root.path, &settings.include, &settings.exclude);
        let state = State {
            watch: Watch::new(root.fd()),
            ..State::default()
        };
        let readiness = if settings.track {
            Readiness::NotYet
        } else {
            Readiness::Not(Shared::off())
        };
        Ok(Self(Arc::new(Shared {
            ground: Ground {
                root,
                store,
                settings,
                patterns,
            },
            first: Mutex::new(First::NotStarted),
            changed: Condvar::new(),
            state: Mutex::new(state),
            standing: Mutex::new(Standing {
                readiness,
                not_restorable: Arc::from([]),
            }),
        })))
    }

    /// Starts the first scan on a thread of its own, unless it was started or commands are not tracked. Returns
    /// immediately.
    pub fn start(&self) {
        let mut first = locked(&self.0.first);
        if *first != First::NotStarted || !self.0.ground.settings.track {
            return;
        }
        *first = First::Running;
        drop(first);
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("files".to_owned());
        if let Err(error) = thread.spawn(move || shared.first_scan()) {
            self.0
                .end_first(First::Failed(format!("cannot start the first scan: {error}")));
        }
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

    /// Closes a window and returns what changed in it. All contents, before and after, are in the store by then. An
    /// unknown execution has no changes.
    pub fn end(&self, execution: Execution) -> ChangeSet {
        let head_now = self.0.head();
        let mut state = locked(&self.0.state);
        let state = &mut *state;
        let look = self.0.look_for(state, execution);
        self.0.publish(state);
        match state.windows.close(execution) {
            None => ChangeSet::default(),
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
        locked(&self.0.standing).readiness.clone()
    }

    /// Returns what could not be restored if a command changed it, as of the last look: files that are not saved or have
    /// several names, directories that cannot be read or are excluded, and ignored ones that are neither tracked nor made
    /// again by a build. Empty before the first scan. It does not wait for a look.
    pub fn not_restorable(&self) -> Arc<[FilePath]> {
        Arc::clone(&locked(&self.0.standing).not_restorable)
    }

    /// Looks at paths, and which of these contents, by their hashes, are not saved. Nothing is saved.
    pub fn look_up(&self, paths: &[FilePath], contents: &[String]) -> Looked {
        let lost = contents.iter().filter(|hash| !self.0.ground.store.has(hash));
        Looked {
            states: self.states(paths),
            lost: lost.cloned().collect(),
        }
    }

    /// Returns the states of paths now, read and hashed. Nothing is saved.
    pub fn states(&self, paths: &[FilePath]) -> Vec<FileState> {
        let states = paths
            .iter()
            .map(|path| apply::state(&self.0.ground, path, &mut |_| Ok(())));
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
        let restored = apply::restore(&self.0.ground, steps, &mut |_| Ok(()))?;
        self.0.look_at(&mut state, &restored.done, true);
        self.0.publish(&state);
        Ok(restored)
    }

    /// Returns a saved content by its hash.
    ///
    /// # Errors
    ///
    /// It is not saved, or not any more, or damaged.
    pub fn content(&self, hash: &str) -> Result<Vec<u8>, Error> {
        self.0.ground.store.get(hash)
    }

    /// Returns the workspace, with all links resolved.
    pub fn workspace(&self) -> &Path {
        &self.0.ground.root.path
    }

    /// Returns the bytes that this run saved.
    pub fn saved(&self) -> u64 {
        self.0.ground.store.saved()
    }

    /// Returns the number of files, links and directories that are tracked, and the bytes of memory that they take.
    pub fn size(&self) -> (usize, usize) {
        let state = locked(&self.0.state);
        (state.index.as_ref()).map_or((0, 0), |index| (index.count, index.bytes()))
    }
}

impl Shared {
    fn off() -> String {
        "`track` is off".to_owned()
    }

    /// Makes what a look found known.
    fn publish(&self, state: &State) {
        let readiness = match (&state.index, &state.problem) {
            (None, _) => return,
            (Some(_), Some(why)) => Readiness::Not(why.clone()),
            (Some(_), None) if state.is_unsure => Readiness::Not(NOT_WHOLE.to_owned()),
            (Some(_), None) => Readiness::Ready,
        };
        let not_restorable = state.index.as_ref().map(Index::not_restorable);
        *locked(&self.standing) = Standing {
            readiness,
            not_restorable: not_restorable.unwrap_or_default().into(),
        };
    }

    fn end_first(&self, how: First) {
        if let First::Failed(why) = &how {
            locked(&self.standing).readiness = Readiness::Not(why.clone());
        }
        *locked(&self.first) = how;
        self.changed.notify_all();
    }

    fn first_scan(&self) {
        let mut watch = Watch::new(self.ground.root.fd());
        let how = match scan::first(&self.ground, &mut watch) {
            Err(why) => First::Failed(why),
            Ok((index, problem)) => {
                let mut state = locked(&self.state);
                state.index = Some(index);
                state.watch = watch;
                state.problem = problem;
                let late = std::mem::take(&mut state.late);
                self.look_at(&mut state, &late, true);
                self.publish(&state);
                First::Done
            }
        };
        self.end_first(how);
    }

    /// Waits for the first scan. Returns why nothing is known without it.
    fn wait_first(&self) -> Option<String> {
        if !self.ground.settings.track {
            return Some(Self::off());
        }
        let first = locked(&self.first);
        let is_running = |first: &mut First| *first == First::Running;
        let waited = self
            .changed
            .wait_timeout_while(first, self.ground.settings.scan, is_running);
        let (first, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &*first {
            First::Done => None,
            First::Failed(why) => Some(why.clone()),
            First::NotStarted | First::Running => Some(NOT_YET.to_owned()),
        }
    }

    fn head(&self) -> Option<Head> {
        Repository::around(&self.ground.root.path)?.head()
    }

    /// Looks at everything, unless nothing changed since the last look.
    fn look(&self, state: &mut State) -> Look {
        let State {
            index: Some(index),
            watch,
            ..
        } = state
        else {
            return Look::blind(NOT_YET);
        };
        // Asked before the look: what changes during it is found by the next one.
        let is_quiet = watch.is_quiet();
        if is_quiet && state.is_current {
            return Look {
                problem: state.problem.clone(),
                is_blind: false,
            };
        }
        let found = scan::again(&self.ground, index, watch);
        let has_linked = index.has_linked();
        let is_unsure = std::mem::replace(&mut state.is_unsure, found.is_partial);
        state.is_current = !found.is_partial && !has_linked;
        Self::attribute(state, found, is_unsure)
    }

    fn attribute(state: &mut State, found: Found, is_unsure: bool) -> Look {
        let Found {
            changes,
            wrote,
            problem,
            is_partial,
        } = found;
        state.windows.found(changes, wrote, is_unsure);
        // What is not saved once is not known afterwards either.
        if !is_partial && problem.is_some() {
            state.problem.clone_from(&problem);
        }
        Look {
            problem: problem.or_else(|| state.problem.clone()),
            is_blind: is_partial,
        }
    }

    /// Looks before a window closes.
    fn look_for(&self, state: &mut State, execution: Execution) -> Look {
        match state.windows.is_exact(execution) {
            None | Some(true) => Look::default(),
            Some(false) => self.look(state),
        }
    }

    /// Looks at these paths alone. What is found is attributed like what a scan finds, unless it `is_known` whose it is.
    fn look_at(&self, state: &mut State, paths: &[FilePath], is_known: bool) {
        let Some(index) = &mut state.index else {
            if is_known && *locked(&self.first) == First::Running {
                state.late.extend_from_slice(paths);
            }
            return;
        };
        let mut paths = paths.to_vec();
        paths.sort();
        let found = scan::paths(&self.ground, index, &mut state.watch, &paths);
        if !is_known {
            let is_unsure = state.is_unsure;
            Self::attribute(state, found, is_unsure);
        }
    }

    /// The paths with the directories that are missing on the way to them, each after those above it.
    fn with_missing_parents(&self, paths: &[FilePath]) -> Vec<FilePath> {
        let mut all: BTreeSet<FilePath> = paths.iter().cloned().collect();
        for path in paths {
            let mut at = path.parent();
            while let Some(directory) = at {
                let found = self.ground.root.directory(directory.bytes());
                if !matches!(found, Err(Errno::NOENT)) {
                    break;
                }
                at = directory.parent();
                all.insert(directory);
            }
        }
        all.into_iter().collect()
    }

    /// Reads and saves what paths are now. Returns why not all of it was saved.
    fn save_states(&self, paths: &[FilePath]) -> (Vec<FileState>, Option<String>) {
        let mut batch = Batch::default();
        let store = &self.ground.store;
        let mut problem = None;
        let mut save = |bytes: &[u8]| {
            let saved = store.put(bytes, &mut batch).map(|_| ());
            saved.inspect_err(|error| problem = Some(error.label()))
        };
        let states = paths
            .iter()
            .map(|path| apply::state(&self.ground, path, &mut save));
        let states = states.collect();
        if let Err(error) = store.commit(&mut batch) {
            problem = Some(error.label());
        }
        (states, problem)
    }

    /// The changes of an execution that named its paths.
    fn exact(&self, state: &mut State, before: BTreeMap<FilePath, FileState>) -> ChangeSet {
        let paths: Vec<FilePath> = before.keys().cloned().collect();
        let (after, untracked) = self.save_states(&paths);
        self.look_at(state, &paths, true);
        let changes = before.into_iter().zip(after);
        let changes = changes.filter(|((_, before), after)| !is_same(before, after));
        let changes = changes.map(|((path, before), after)| Change { path, before, after });
        let mut changes = changes.collect();
        let shared = state.windows.chain(&mut changes);
        ChangeSet {
            changes: ChangeList(changes),
            shared: shared.into_iter().collect(),
            untracked,
            ..ChangeSet::default()
        }
    }
}

fn moved(before: Option<Head>, after: Option<Head>) -> Option<HeadMove> {
    match (before, after) {
        (Some(before), Some(after)) if before != after => Some(HeadMove { before, after }),
        _ => None,
    }
}
