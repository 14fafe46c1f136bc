//! Records what an execution changes in the workspace.
//!
//! Must not know: how a change is found, what the execution does.
//!
//! A tracker blocks, so each look is on a thread where it may.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::advise::parse_args;
use super::approved::Approved;
use super::handle::{Handle, Message};
use overrule_base::text::visible;
use overrule_domain::files::{ChangeSet, Execution, FilePath, Skipped, Step, StepList};
use overrule_domain::input::Input;
use overrule_files::{Begun, Tracker};
use overrule_tools::{Tool, Writes};

/// How long the last look at an execution may take while the run is being left.
const LEAVING: Duration = Duration::from_millis(300);
/// Maximum number of reasons that are told.
const MOST_TOLD: usize = 20;
/// Why changes are not known.
const DEFECT: &str = "the look at the files failed because of a defect";

/// What an executor needs to track files.
#[derive(Default)]
pub(super) struct Tracking {
    /// Tracks them; none where nothing does.
    pub tracker: Option<Tracker>,
    /// Reasons why changes were not tracked, as far as the operator was told.
    told: BTreeSet<String>,
    /// Held while a restore is carried out.
    pub restoring: Arc<()>,
}

impl Tracking {
    /// Tracks files by a tracker.
    pub fn by(tracker: Option<Tracker>) -> Self {
        Self {
            tracker,
            ..Self::default()
        }
    }

    /// Starts the first scan, unless it was started.
    pub fn start(&self) {
        if let Some(tracker) = &self.tracker {
            tracker.start();
        }
    }

    /// Returns true while a restore is carried out.
    pub fn is_restoring(&self) -> bool {
        Arc::strong_count(&self.restoring) > 1
    }

    /// Returns the window of an execution; none for one that changes no file of the workspace.
    pub fn window(&self, approved: &Approved, tool: &dyn Tool) -> Option<Window> {
        let tracker = self.tracker.clone()?;
        let writes = if approved.only_reads() {
            Writes::Nothing
        } else {
            tool.writes(&parse_args(approved.bytes()))
        };
        (writes != Writes::Nothing).then(|| Window {
            tracker,
            execution: Execution {
                call: approved.call(),
                attempt: approved.attempt(),
            },
            writes,
        })
    }

    /// Returns a notice about the end of an execution whose changes are not known, once for each reason.
    pub fn untracked(&mut self, input: &Input) -> Option<String> {
        let Input::Finished {
            call,
            files: Some(files),
            ..
        } = input
        else {
            return None;
        };
        let why = visible(files.untracked.as_ref()?);
        let is_new = self.told.len() < MOST_TOLD && self.told.insert(why.clone());
        is_new.then(|| {
            format!("What {call} changed in the files is not recorded, and cannot be restored: {why}.")
        })
    }
}

/// The window in which an execution may change files.
pub(super) struct Window {
    tracker: Tracker,
    execution: Execution,
    writes: Writes,
}

/// Opens the window of an execution, and reports what others changed before it. None if it was cancelled meanwhile: its window
/// is closed then.
pub(super) async fn open(
    window: Option<Window>,
    cancel: &CancellationToken,
    inbox: &Handle,
) -> Option<Window> {
    let window = window?;
    let (tracker, execution, writes) = (window.tracker.clone(), window.execution, window.writes.clone());
    let mut look = spawn_blocking(move || begin(&tracker, execution, &writes));
    let begun = tokio::select! {
        biased;
        begun = &mut look => begun.unwrap_or_default(),
        () = cancel.cancelled() => {
            tokio::spawn(async move {
                // What it found does not count.
                drop(look.await);
                let close = move || window.tracker.end(window.execution);
                drop(spawn_blocking(close).await);
            });
            return None;
        }
    };
    if !begun.outside.0.is_empty() {
        let changes = begun.outside;
        inbox
            .send(Message::Input(Input::ChangedOutside { changes }))
            .await;
    }
    Some(window)
}

impl Window {
    /// Closes the window of an execution, and returns what changed in it. While the run is being left, it does not wait for
    /// long.
    pub async fn close(window: Option<Self>, leaving: &CancellationToken) -> Option<Box<ChangeSet>> {
        let window = window?;
        let look = spawn_blocking(move || window.tracker.end(window.execution));
        let late = async {
            leaving.cancelled().await;
            tokio::time::sleep(LEAVING).await;
        };
        let why = tokio::select! {
            biased;
            found = look => match found {
                Ok(found) => return Some(Box::new(found)),
                Err(_) => DEFECT,
            },
            () = late => "the run was left before the files were looked at",
        };
        Some(Box::new(ChangeSet {
            untracked: Some(why.to_owned()),
            ..ChangeSet::default()
        }))
    }
}

fn begin(tracker: &Tracker, execution: Execution, writes: &Writes) -> Begun {
    match writes {
        Writes::Paths(paths) => {
            let below = paths
                .iter()
                .filter_map(|path| below(tracker.workspace(), path))
                .collect::<Vec<_>>();
            tracker.begin_exact(execution, &below)
        }
        Writes::Anything | Writes::Nothing => tracker.begin(execution),
    }
}

/// Returns a path as one below the workspace, with the links to its directory followed; none for one outside.
fn below(workspace: &Path, path: &Path) -> Option<FilePath> {
    use std::os::unix::ffi::OsStringExt as _;
    let mut whole = PathBuf::new();
    for part in workspace.join(path).components() {
        match part {
            Component::ParentDir => _ = whole.pop(),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    let mut rest = vec![whole.file_name()?.to_owned()];
    let mut directory = whole.parent()?;
    let real = loop {
        if let Ok(real) = directory.canonicalize() {
            break real;
        }
        rest.push(directory.file_name()?.to_owned());
        directory = directory.parent()?;
    };
    let parts = rest.into_iter().rev();
    let path = parts.fold(real, |path, part: OsString| path.join(part));
    let path = path.strip_prefix(workspace).ok()?.as_os_str().to_owned();
    FilePath::new(path.into_vec()).ok()
}

/// Restores files. Returns what was not restored, and why. Blocks.
pub(super) fn restore(tracker: Option<&Tracker>, steps: &StepList) -> Vec<Skipped> {
    let all = |why: &str| -> Vec<Skipped> {
        let skipped = |step: &Step| Skipped {
            path: step.path.clone(),
            why: why.to_owned(),
        };
        steps.0.iter().map(skipped).collect()
    };
    let Some(tracker) = tracker else {
        return all("this process does not track files");
    };
    match tracker.restore(&steps.0) {
        Ok(restored) => {
            let skipped = restored.skipped.into_iter();
            skipped.map(|(path, why)| Skipped { path, why }).collect()
        }
        Err(error) => all(&visible(&error.to_string())),
    }
}

/// Restores files on a thread where it may block.
pub(super) async fn restored(tracker: Option<Tracker>, steps: StepList) -> Vec<Skipped> {
    let paths: Vec<FilePath> = steps.0.iter().map(|step| step.path.clone()).collect();
    let done = spawn_blocking(move || restore(tracker.as_ref(), &steps)).await;
    done.unwrap_or_else(|_| {
        let why = "the restore failed because of a defect".to_owned();
        let skipped = |path| Skipped {
            path,
            why: why.clone(),
        };
        paths.into_iter().map(skipped).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_below_the_workspace_or_none() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = dir.path().canonicalize().unwrap().join("work");
        std::fs::create_dir_all(workspace.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a/b", workspace.join("link")).unwrap();
        std::os::unix::fs::symlink("/", workspace.join("out")).unwrap();
        let whole = workspace.join("a/x").display().to_string();
        for (path, expected) in [
            ("x", Some("x")),
            ("./a/../y", Some("y")),
            ("link/z", Some("a/b/z")),
            ("new/deep/z", Some("new/deep/z")),
            (whole.as_str(), Some("a/x")),
            // The link itself.
            ("link", Some("link")),
            ("out/etc/z", None),
            ("../z", None),
            ("/etc/passwd", None),
            (".", None),
        ] {
            let found = below(&workspace, Path::new(path)).map(|path| path.text().into_owned());
            assert_eq!(found.as_deref(), expected, "{path}");
        }
    }
}
