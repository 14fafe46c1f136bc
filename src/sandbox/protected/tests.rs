//! Tests which paths are protected, and that their changes are undone.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::watch::Watch;
use super::*;

mod concurrent;
mod created;
mod places;
mod races;
mod restore;
mod undo;

/// A workspace, a directory outside, and a store.
struct Fixture {
    dir: TempDir,
    workspace: PathBuf,
    outside: PathBuf,
    store: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        Self::below(tempfile::tempdir().unwrap())
    }

    /// For thousands of files: in memory, where the system has such a directory.
    fn large() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::below(dir.unwrap())
    }

    fn below(dir: TempDir) -> Self {
        let at = dir.path().canonicalize().unwrap();
        let (workspace, outside) = (at.join("w"), at.join("outside"));
        fs::create_dir_all(&workspace).unwrap();
        fs::create_dir_all(&outside).unwrap();
        Self {
            store: at.join("store"),
            dir,
            workspace,
            outside,
        }
    }

    fn at(&self, place: &str) -> PathBuf {
        assert!(self.dir.path().exists());
        self.workspace.join(place)
    }

    fn write(&self, place: &str, text: &str) -> PathBuf {
        let path = self.at(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn text(&self, place: &str) -> String {
        fs::read_to_string(self.at(place)).unwrap()
    }

    fn watch(&self) -> Watch {
        Watch::begin(&Protected::find(&self.workspace), &self.store)
    }

    /// The existing protected paths, relative to the workspace; those outside as `OUT/…`.
    fn existing(&self) -> Vec<String> {
        Protected::find(&self.workspace)
            .existing()
            .iter()
            .map(|path| self.named(path))
            .collect()
    }

    fn named(&self, path: &Path) -> String {
        match path.strip_prefix(&self.workspace) {
            Ok(path) => path.to_str().unwrap().to_owned(),
            Err(_) => format!(
                "OUT/{}",
                path.strip_prefix(&self.outside).unwrap().to_str().unwrap()
            ),
        }
    }
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Runs git without settings of this machine.
fn git(directory: &Path, args: &[&str]) {
    let out = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(["-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "git {args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
}

fn repository(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    git(directory, &["init", "-q"]);
    git(directory, &["commit", "-q", "--allow-empty", "-m", "one"]);
}

/// Each change as `how path`, with `!` where it is not undone.
fn changes_of(undone: &[Undone]) -> Vec<String> {
    let changes = undone.iter().map(|one| {
        let mark = if one.problem.is_some() { " !" } else { "" };
        format!("{} {}{mark}", one.how.label(), one.path)
    });
    changes.collect()
}

/// The whole content of a directory, with kinds and permissions.
fn tree(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(path) = open.pop() {
        let meta = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(directory).unwrap().display().to_string();
        let what = match () {
            () if meta.is_dir() => String::new(),
            () if meta.is_symlink() => fs::read_link(&path).unwrap().display().to_string(),
            () if meta.is_file() => String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
            () => "special".to_owned(),
        };
        found.push(format!("{name} {:o} {what}", meta.mode()));
        if meta.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found.sort();
    found
}
