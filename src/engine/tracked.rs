//! Records what an execution changes in the workspace.
//!
//! Must not know: how a change is found, what the execution does.
//!
//! A tracker blocks, so each look is on a thread where it may.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::advise::parse_args;
use super::approved::Approved;
use super::handle::{Handle, Message};
use overrule_base::text::visible;
use overrule_domain::files::{ChangeSet, Execution, FilePath, Progress, Skipped, Step, StepList};
use overrule_domain::input::Input;
use overrule_domain::sandbox::ReadOnly;
use overrule_files::{Begun, Tracker};
use overrule_tools::{Tool, Writes};

/// How long the last look at an execution may take while the run is being left.
const LEAVING: Duration = Duration::from_millis(300);
/// Maximum number of reasons that are reported.
const MOST_REPORTED: usize = 20;
/// Maximum number of links that are followed on the way to one path.
const MOST_LINKS: usize = 40;
/// Why changes are not known.
const DEFECT: &str = "the look at the files failed because of a defect";

/// What an executor needs to track files.
#[derive(Default)]
pub(super) struct Tracking {
    /// Tracks them; none where nothing does.
    pub tracker: Option<Tracker>,
    /// Reasons why changes were not tracked, as far as they were reported.
    reported: BTreeSet<String>,
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

    /// Returns the window of an execution; none for one that has no effect.
    pub fn window(&self, approved: &Approved, tool: &dyn Tool) -> Option<Window> {
        let tracker = self.tracker.clone()?;
        (!approved.only_reads()).then(|| Window {
            tracker,
            execution: Execution {
                call: approved.call(),
                attempt: approved.attempt(),
            },
            writes: tool.writes(&parse_args(approved.bytes())),
            undoable: approved.undoable().cloned(),
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
        let is_new = self.reported.len() < MOST_REPORTED && self.reported.insert(why.clone());
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
    /// What is read-only for it, where it is allowed because its changes can be undone.
    undoable: Option<ReadOnly>,
}

/// Opens the window of an execution, and reports what others changed before it. None if it was cancelled meanwhile: its window
/// is closed then. An error says why the execution must not begin.
pub(super) async fn open(
    window: Option<Window>,
    cancel: &CancellationToken,
    inbox: &Handle,
) -> Result<Option<Window>, String> {
    let Some(window) = window else {
        return Ok(None);
    };
    let (tracker, execution, writes) = (window.tracker.clone(), window.execution, window.writes.clone());
    let mut look = spawn_blocking(move || begin(&tracker, execution, &writes));
    let begun = tokio::select! {
        biased;
        begun = &mut look => found(begun),
        () = cancel.cancelled() => {
            let inbox = inbox.clone();
            tokio::spawn(async move {
                report_outside(found(look.await), &inbox).await;
                let close = move || window.tracker.end(window.execution);
                drop(spawn_blocking(close).await);
            });
            return Ok(None);
        }
    };
    let refused = window.refuses(&begun);
    report_outside(begun, inbox).await;
    match refused {
        None => Ok(Some(window)),
        Some(why) => {
            let close = move || window.tracker.end(window.execution);
            drop(spawn_blocking(close).await);
            Err(why)
        }
    }
}

/// What a look found; nothing is known after one that failed.
fn found(look: Result<Begun, tokio::task::JoinError>) -> Begun {
    look.unwrap_or_else(|_| Begun {
        untracked: Some(DEFECT.to_owned()),
        ..Begun::default()
    })
}

async fn report_outside(begun: Begun, inbox: &Handle) {
    if !begun.outside.0.is_empty() {
        let changes = begun.outside;
        inbox
            .send(Message::Input(Input::ChangedOutside { changes }))
            .await;
    }
}

impl Window {
    /// Why an execution that is allowed because its changes can be undone must not begin: the look before it found what could
    /// not be restored.
    fn refuses(&self, begun: &Begun) -> Option<String> {
        let known = self.undoable.as_ref()?;
        if let Some(why) = &begun.untracked {
            return Some(format!("its changes could not be undone: {}", visible(why)));
        }
        let workspace = self.tracker.workspace();
        let is_covered = |path: &FilePath| {
            let whole = workspace.join(OsStr::from_bytes(path.bytes()));
            let is_git = known.repositories && whole.ends_with(".git");
            is_git || known.paths.iter().any(|one| whole.starts_with(one))
        };
        let is_written = |path: &FilePath| match &self.writes {
            Writes::Paths(paths) => {
                let mut named = paths.iter().flat_map(|one| below(workspace, one));
                named.any(|one| one.is_within(path))
            }
            Writes::Anything | Writes::Nothing => true,
        };
        let all = self.tracker.not_restorable();
        let mut new = all.iter().filter(|path| is_written(path) && !is_covered(path));
        let path = visible(&new.next()?.text());
        Some(format!(
            "{path} could not be restored, and changed since the decision"
        ))
    }

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
        // A tool may find it by another name.
        Writes::Paths(paths) if paths.iter().any(|path| is_replaced(path)) => tracker.begin(execution),
        Writes::Paths(paths) => {
            let paths: BTreeSet<FilePath> = paths
                .iter()
                .flat_map(|path| below(tracker.workspace(), path))
                .collect();
            tracker.begin_exact(execution, &paths.into_iter().collect::<Vec<_>>())
        }
        Writes::Nothing => tracker.begin_exact(execution, &[]),
        Writes::Anything => tracker.begin(execution),
    }
}

/// True for a path with a character that stands for bytes that are no text.
fn is_replaced(path: &Path) -> bool {
    path.to_string_lossy().contains(char::REPLACEMENT_CHARACTER)
}

/// Returns what a tool may write that was given a path: the path itself and what it leads to, with all links followed, as far
/// as they are below the workspace.
fn below(workspace: &Path, path: &Path) -> Vec<FilePath> {
    let whole = workspace.join(path);
    let itself = (whole.parent().zip(whole.file_name()))
        .and_then(|(directory, name)| Some(target(directory.to_owned())?.join(name)));
    let all = [itself, target(whole)].into_iter().flatten();
    let relative = all.filter_map(|path| {
        let rest = path.strip_prefix(workspace).ok()?.as_os_str();
        FilePath::new(rest.as_bytes()).ok()
    });
    relative.collect()
}

/// Where a path leads. What is not there is below the last directory that is.
fn target(mut at: PathBuf) -> Option<PathBuf> {
    let mut rest: Vec<OsString> = Vec::new();
    let mut links = 0;
    loop {
        if let Ok(real) = at.canonicalize() {
            return Some(rest.into_iter().rev().fold(real, |path, part| path.join(part)));
        }
        match at.read_link() {
            Ok(_) if links == MOST_LINKS => return None,
            Ok(link) => {
                links += 1;
                at.pop();
                at.push(link);
            }
            Err(_) => {
                rest.push(at.file_name()?.to_owned());
                at.pop();
            }
        }
    }
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
        Err(error) => {
            // An earlier process may have carried out some of them.
            let paths: Vec<FilePath> = steps.0.iter().map(|step| step.path.clone()).collect();
            let done = steps.0.iter().zip(tracker.states(&paths));
            let done = done.filter(|(step, now)| step.progress(now) == Progress::Done);
            let done: BTreeSet<&FilePath> = done.map(|(step, _)| &step.path).collect();
            let why = visible(&error.to_string().replace('\n', "; "));
            let mut skipped = all(&why);
            skipped.retain(|one| !done.contains(&one.path));
            skipped
        }
    }
}

/// Removes what a restore prepared. Blocks.
pub(super) fn clear(tracker: Option<&Tracker>, steps: &StepList) {
    if let Some(tracker) = tracker {
        tracker.leave_restore(&steps.0);
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
        std::fs::write(workspace.join("a/file"), "x").unwrap();
        for (to, name) in [
            ("/", "out"),
            ("a/file", "last"),
            ("a/none", "dangling"),
            ("round", "round"),
            ("/etc/passwd", "away"),
        ] {
            std::os::unix::fs::symlink(to, workspace.join(name)).unwrap();
        }
        let whole = workspace.join("a/x").display().to_string();
        for (path, expected) in [
            ("x", vec!["x"]),
            ("./a/../y", vec!["y"]),
            ("link/z", vec!["a/b/z"]),
            // As the system reads it: in the directory of what the link leads to.
            ("link/../z", vec!["a/z"]),
            ("new/deep/z", vec!["new/deep/z"]),
            (whole.as_str(), vec!["a/x"]),
            // The link, and what it leads to.
            ("link", vec!["link", "a/b"]),
            ("last", vec!["last", "a/file"]),
            ("dangling", vec!["dangling", "a/none"]),
            ("round", vec!["round"]),
            ("away", vec!["away"]),
            ("out/etc/z", vec![]),
            ("../z", vec![]),
            ("/etc/passwd", vec![]),
            (".", vec![]),
        ] {
            let found = below(&workspace, Path::new(path));
            let found: BTreeSet<String> = found.iter().map(|path| path.text().into_owned()).collect();
            let expected: BTreeSet<String> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(found, expected, "{path}");
        }
    }

    /// A window in a workspace with these files of 9 bytes; a content has at most 8.
    fn window(dir: &Path, writes: Writes, undoable: Option<&[&str]>) -> Window {
        let workspace = dir.join("work");
        std::fs::create_dir_all(&workspace).unwrap();
        let settings = overrule_files::Settings {
            max_file: 8,
            ..overrule_files::Settings::default()
        };
        let tracker = Tracker::open(&workspace, &dir.join("data"), settings).unwrap();
        tracker.start();
        while tracker.readiness() == overrule_files::Readiness::NotYet {
            std::thread::yield_now();
        }
        let workspace = tracker.workspace().to_owned();
        let whole = |name: &&str| workspace.join(name).display().to_string();
        Window {
            tracker,
            execution: Execution {
                call: overrule_domain::id::NodeId::new(overrule_domain::id::NodeKind::Call, 3),
                attempt: overrule_domain::id::Attempt(1),
            },
            writes,
            undoable: undoable.map(|names| ReadOnly {
                paths: names.iter().map(whole).collect(),
                repositories: false,
            }),
        }
    }

    #[test]
    fn what_could_not_be_restored_and_came_after_the_decision_keeps_a_call_from_beginning() {
        let any = || Writes::Anything;
        let edit = |name: &str| Writes::Paths(vec![name.into()]);
        for (writes, known, refused) in [
            (any(), Some(&[][..]), true),
            (any(), Some(&["big"][..]), false),
            (any(), None, false),
            (edit("big"), Some(&[][..]), true),
            (edit("small"), Some(&[][..]), false),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let window = window(dir.path(), writes.clone(), known);
            std::fs::write(window.tracker.workspace().join("big"), "123456789").unwrap();
            let begun = begin(&window.tracker, window.execution, &window.writes);
            let why = window.refuses(&begun);
            assert_eq!(why.is_some(), refused, "{writes:?} {known:?}: {why:?} {begun:?}");
        }
    }

    #[test]
    fn a_look_that_failed_keeps_only_a_call_from_beginning_whose_changes_must_be_known() {
        let dir = tempfile::tempdir().unwrap();
        let lost = Begun {
            untracked: Some("store full".to_owned()),
            ..Begun::default()
        };
        let why = window(dir.path(), Writes::Anything, Some(&[])).refuses(&lost);
        assert_eq!(
            why.as_deref(),
            Some("its changes could not be undone: store full")
        );
        assert_eq!(window(dir.path(), Writes::Anything, None).refuses(&lost), None);
    }

    #[test]
    fn a_call_without_files_has_a_record_of_no_change() {
        let dir = tempfile::tempdir().unwrap();
        let window = window(dir.path(), Writes::Nothing, None);
        let begun = begin(&window.tracker, window.execution, &window.writes);
        assert_eq!(begun, Begun::default());
        std::fs::write(window.tracker.workspace().join("theirs"), "x").unwrap();
        let set = window.tracker.end(window.execution);
        assert_eq!(set, ChangeSet::default(), "it changed nothing");
    }
}
