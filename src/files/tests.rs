//! Tests of the tracker on real trees.

mod git;
mod limits;
mod random;
mod store;
mod windows;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use overrule_domain::files::{Change, ChangeList, ChangeSet, Execution, FilePath, FileState, RawText, Step};
use overrule_domain::id::{Attempt, NodeId, NodeKind};
use tempfile::TempDir;

use crate::entry::hex;
use crate::root::Root;
use crate::rules::Patterns;
use crate::scan::Context;
use crate::store::Store;
use crate::{Readiness, Settings, Tracker};

/// A workspace, and the directory of the data next to it.
pub(crate) struct Fixture {
    _dir: TempDir,
    pub(crate) workspace: PathBuf,
    pub(crate) data: PathBuf,
}

/// What is at a path: its state and its modification time.
pub(crate) type Snapshot = BTreeMap<FilePath, (FileState, i64)>;

impl Fixture {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (workspace, data) = (root.join("workspace"), root.join("data"));
        std::fs::create_dir(&workspace).unwrap();
        Self {
            _dir: dir,
            workspace,
            data,
        }
    }

    pub(crate) fn open(&self, settings: Settings) -> Tracker {
        Tracker::open(&self.workspace, &self.data, settings).unwrap()
    }

    /// A tracker whose first scan has finished.
    pub(crate) fn tracker(&self) -> Tracker {
        self.tracker_with(settings())
    }

    pub(crate) fn tracker_with(&self, settings: Settings) -> Tracker {
        let tracker = self.open(settings);
        tracker.start();
        while tracker.readiness() == Readiness::NotYet {
            std::thread::yield_now();
        }
        tracker
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.workspace.join(path)
    }

    /// Writes a file, and what it needs above it.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.at(path)).unwrap()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(&self.workspace)
    }
}

/// What a scan and a restore of a workspace work with.
pub(crate) fn context(fixture: &Fixture) -> Context {
    let settings = settings();
    let root = Root::open(&fixture.workspace).unwrap();
    Context {
        store: Store::open(&fixture.data, &root.path, &settings).unwrap(),
        patterns: Patterns::new(&root.path, &[], &[]),
        root,
        settings,
    }
}

/// Settings for a machine that is busy.
pub(crate) fn settings() -> Settings {
    Settings {
        scan: Duration::from_secs(600),
        ..Settings::default()
    }
}

pub(crate) fn key(number: u32) -> Execution {
    Execution {
        call: NodeId::new(NodeKind::Call, number),
        attempt: Attempt(1),
    }
}

pub(crate) fn path(path: impl AsRef<[u8]>) -> FilePath {
    FilePath::new(path.as_ref()).unwrap()
}

pub(crate) fn file(content: impl AsRef<[u8]>, mode: u32) -> FileState {
    let content = content.as_ref();
    FileState::File {
        hash: hex(blake3::hash(content).as_bytes()),
        size: content.len() as u64,
        mode,
    }
}

pub(crate) fn missing() -> FileState {
    FileState::Missing {}
}

/// The paths of changes.
pub(crate) fn names(changes: &ChangeList) -> Vec<String> {
    changes
        .0
        .iter()
        .map(|change| change.path.text().into_owned())
        .collect()
}

/// What a directory holds, without `.git`, by full copies.
pub(crate) fn snapshot(root: &Path) -> Snapshot {
    let mut all = Snapshot::new();
    add(root, Path::new(""), &mut all);
    all
}

fn add(root: &Path, inner: &Path, all: &mut Snapshot) {
    for entry in std::fs::read_dir(root.join(inner)).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() == OsStr::new(".git") {
            continue;
        }
        let relative = inner.join(entry.file_name());
        let absolute = root.join(&relative);
        let meta = absolute.symlink_metadata().unwrap();
        let mode = meta.permissions().mode() & 0o7777;
        let state = if meta.is_symlink() {
            let target = std::fs::read_link(&absolute).unwrap();
            FileState::Symlink {
                target: RawText(target.as_os_str().as_bytes().into()),
            }
        } else if meta.is_dir() {
            FileState::Dir { mode }
        } else {
            file(std::fs::read(&absolute).unwrap(), mode)
        };
        let time = meta.mtime() * 1_000_000_000 + meta.mtime_nsec();
        all.insert(path(relative.as_os_str().as_bytes()), (state, time));
        if meta.is_dir() {
            add(root, &relative, all);
        }
    }
}

/// What differs between two snapshots.
pub(crate) fn differences(before: &Snapshot, after: &Snapshot) -> ChangeList {
    let state =
        |all: &Snapshot, path: &FilePath| all.get(path).map_or_else(missing, |(state, _)| state.clone());
    let mut paths: Vec<&FilePath> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    let changes = paths.into_iter().map(|path| Change {
        path: path.clone(),
        before: state(before, path),
        after: state(after, path),
    });
    ChangeList(changes.filter(|change| change.before != change.after).collect())
}

/// The states of a snapshot, without times.
pub(crate) fn states(all: &Snapshot) -> BTreeMap<FilePath, FileState> {
    all.iter()
        .map(|(path, (state, _))| (path.clone(), state.clone()))
        .collect()
}

/// The steps that undo changes, in the order of a plan: removals deepest first, directories, the rest.
pub(crate) fn undo(changes: &ChangeList) -> Vec<Step> {
    let steps = changes.0.iter().map(|change| Step {
        path: change.path.clone(),
        from: change.after.clone(),
        to: change.before.clone(),
    });
    in_order(steps.collect())
}

pub(crate) fn in_order(mut steps: Vec<Step>) -> Vec<Step> {
    steps.sort_by_key(|step| {
        let depth = step.path.depth() as i64;
        match step.to {
            FileState::Missing {} => (0, -depth),
            FileState::Dir { .. } => (1, depth),
            _ => (2, depth),
        }
    });
    steps
}

/// A small file system on a directory, until it is dropped.
pub(crate) struct Small(PathBuf);

impl Small {
    pub(crate) fn mount(at: &Path, options: &str) -> Option<Self> {
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "none"])
            .arg(at)
            .output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(at.to_owned()));
        }
        println!("skipped: nothing can be mounted here");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// Runs something as a user who may not read and write everything.
pub(crate) fn as_user(act: impl FnOnce() + Send) {
    if !rustix::process::geteuid().is_root() {
        return act();
    }
    // On Linux, each thread has an identity of its own.
    #[cfg(target_os = "linux")]
    std::thread::scope(|scope| {
        use rustix::thread::{set_thread_res_gid, set_thread_res_uid};
        let thread = scope.spawn(|| {
            let (user, group) = (
                rustix::fs::Uid::from_raw(65_534),
                rustix::fs::Gid::from_raw(65_534),
            );
            set_thread_res_gid(group, group, group).unwrap();
            set_thread_res_uid(user, user, user).unwrap();
            act();
        });
        thread.join().unwrap();
    });
    #[cfg(not(target_os = "linux"))]
    println!("skipped: root may read and write everything");
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs git in a directory; returns false where git is not installed.
pub(crate) fn git(at: &Path, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    command
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
        ])
        .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgSign=false"])
        .args(args)
        .current_dir(at)
        .env("HOME", at)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let Ok(output) = command.output() else {
        println!("skipped: git is not installed");
        return false;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {args:?}: {error}");
    true
}

/// Makes files old enough for the index of git to prove that they are clean.
pub(crate) fn age(root: &Path) {
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            if path.file_name() != Some(OsStr::new(".git")) {
                age(&path);
            }
        } else if meta.is_file() {
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000))
                .unwrap();
        }
    }
}

/// Makes a repository with all files committed; returns false where git is not installed.
pub(crate) fn commit_all(at: &Path) -> bool {
    age(at);
    git(at, &["init", "-q"]) && git(at, &["add", "-A"]) && git(at, &["commit", "-qm", "a", "--allow-empty"])
}

/// Runs `act` as a call and returns its changes. Nothing may have changed outside.
pub(crate) fn call(tracker: &Tracker, number: u32, act: impl FnOnce()) -> ChangeSet {
    let begun = tracker.begin(key(number));
    assert_eq!(begun.untracked, None);
    assert_eq!(begun.outside, ChangeList::default());
    act();
    tracker.end(key(number))
}
