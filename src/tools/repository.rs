//! The git repository of a workspace: its branch, and how many files differ from the last commit.
//!
//! Must not know: who shows it.
//!
//! The branch is read from the files of the repository. Only `git status` tells the changes, and it may run programs that the
//! configuration of the repository names: where it names any, the changes are not counted. Source of the files:
//! gitrepository-layout(5), git-config(1), git-status(1).

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use overrule_regular_file as regular_file;
use tokio::io::AsyncReadExt as _;

use crate::child::{self, Environment, Start};

/// The most bytes of a file of a repository that is read.
const MOST: u64 = 256 * 1024;
/// The most bytes of the list of changes; a longer one is not counted.
const LISTED: u64 = 4 * 1024 * 1024;
/// How long git may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The characters of a commit without a branch.
const COMMIT: usize = 7;

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The branch, or the beginning of the commit if none is checked out. Untrusted text.
    pub branch: String,
    /// The number of files below the workspace that differ from the last commit, untracked ones included; none if it is
    /// not known.
    pub changed: Option<usize>,
}

/// The directories of a repository: its own, and the one that it shares with other work trees.
struct Directories {
    own: PathBuf,
    common: PathBuf,
}

/// Looks at the repository that a workspace is in; none outside of one. Git gets these variables.
pub async fn look(workspace: &Path, environment: &Environment) -> Option<Repository> {
    let directories = find(workspace)?;
    let branch = branch(&directories.own)?;
    let changed = if names_programs(&directories) {
        None
    } else {
        changed(workspace, environment).await
    };
    Some(Repository { branch, changed })
}

fn text(path: &Path) -> Option<String> {
    String::from_utf8(regular_file::read(path, MOST).ok()?).ok()
}

/// Finds the repository at or above a directory, as git does.
fn find(workspace: &Path) -> Option<Directories> {
    let entry = workspace.ancestors().map(|dir| dir.join(".git"));
    let entry = entry.into_iter().find(|entry| entry.exists())?;
    let own = if entry.is_dir() {
        entry
    } else {
        // A linked work tree, or a submodule.
        let named = text(&entry)?;
        let named = named.strip_prefix("gitdir:")?.trim().to_owned();
        entry.parent()?.join(named)
    };
    let common = match text(&own.join("commondir")) {
        Some(named) => own.join(named.trim()),
        None => own.clone(),
    };
    Some(Directories { own, common })
}

/// The branch that is checked out.
fn branch(own: &Path) -> Option<String> {
    let head = text(&own.join("HEAD"))?;
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim();
            Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
        }
        None => head.get(..COMMIT).map(str::to_owned),
    }
}

/// Words of a configuration that may make `git status` run a program: a filter of files, a monitor, the way to the objects of
/// a partial clone, or another configuration.
const PROGRAMS: [&str; 5] = ["filter", "fsmonitor", "promisor", "partialclone", "include"];

/// True if the configuration of a repository may name a program that `git status` runs.
fn names_programs(directories: &Directories) -> bool {
    let files = [
        directories.common.join("config"),
        directories.common.join("config.worktree"),
        directories.own.join("config.worktree"),
    ];
    files.iter().filter(|file| file.exists()).any(|file| {
        text(file).is_none_or(|text| {
            let text = text.to_ascii_lowercase();
            PROGRAMS.iter().any(|word| text.contains(word))
        })
    })
}

/// The number of changed files below a directory; none if git does not say it in time.
async fn changed(workspace: &Path, environment: &Environment) -> Option<usize> {
    let args = [
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "safe.bareRepository=explicit",
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=normal",
        "--ignore-submodules=all",
        "--",
        ".",
    ];
    let listed = async {
        let what = Start {
            program: "git".as_ref(),
            args: &args,
            cwd: workspace,
            environment,
            confinement: None,
        };
        let mut git = child::start(what).await.ok()?;
        let mut list = Vec::new();
        let out = git.child.stdout.take()?;
        // Its error output is not read.
        git.child.stderr = None;
        out.take(LISTED).read_to_end(&mut list).await.ok()?;
        let is_whole = (list.len() as u64) < LISTED;
        let ended = git.child.wait().await.ok()?;
        let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        (is_whole && ended.success()).then(|| names.count())
    };
    tokio::time::timeout(PATIENCE, listed).await.ok().flatten()
}
