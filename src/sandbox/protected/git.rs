//! Finds the repositories of a workspace and their git directories.
//!
//! Must not know: which of their files are protected.
//!
//! What is found here is only named: a change opens it again without links. A `.git` file may point anywhere. It is
//! believed only where the directory it names is one of git.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use overrule_base::git_settings;

use super::index;

/// The name of the git directory of a repository, or of the file that names it.
pub(super) const ENTRY: &str = ".git";
/// Repositories in a workspace.
const MOST_REPOSITORIES: usize = 64;
/// How deep they lie.
const MOST_DEPTH: usize = 3;
/// Entries of directories that are looked at for one list.
const MOST_ENTRIES: usize = 10_000;
/// The bounds in words, for a search that they ended.
pub(super) const BOUNDS: &str = "repositories are looked for in 10,000 entries of the workspace and in an index of 64 MiB, and 64 are protected";
/// Git directories of submodules in one repository, and how deep they lie.
const MOST_MODULES: usize = 64;
const MODULE_DEPTH: usize = 6;
/// Work trees of one repository.
const MOST_WORK_TREES: usize = 64;
/// Bytes of a file that names a directory. Git reads no longer one.
const MOST_BYTES: u64 = 1 << 20;
/// Bytes of a configuration.
pub(super) const CONFIG_BYTES: u64 = 1 << 20;
/// Directories that builds fill and that hold no repository of a person.
const SKIPPED: [&str; 3] = ["node_modules", "target", ENTRY];

/// The git directories of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitDirectories {
    /// That of the work tree.
    pub own: PathBuf,
    /// That of the repository; the same but for linked work trees.
    pub common: PathBuf,
}

/// The repositories of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Roots {
    /// The workspace and the directories in it that hold a repository.
    pub paths: Vec<PathBuf>,
    /// False where a bound on entries or repositories ended the search.
    pub is_complete: bool,
}

/// Returns the repositories of a workspace. Links are not followed.
pub(super) fn roots(workspace: &Path) -> Roots {
    let mut roots = Roots {
        paths: vec![workspace.to_owned()],
        is_complete: true,
    };
    let mut open = VecDeque::from([(workspace.to_owned(), 0)]);
    let mut left = MOST_ENTRIES;
    while let Some((directory, depth)) = open.pop_front() {
        if depth == MOST_DEPTH {
            continue;
        }
        for path in directories(&directory, &mut left) {
            if SKIPPED.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if exists(&path.join(ENTRY)) {
                if roots.paths.len() > MOST_REPOSITORIES {
                    roots.is_complete = false;
                } else {
                    roots.paths.push(path.clone());
                }
            }
            open.push_back((path, depth + 1));
        }
    }
    roots.is_complete &= left > 0;
    add_listed(&mut roots);
    roots
}

/// Adds the repositories that the index of another one lists, however deep they lie.
fn add_listed(roots: &mut Roots) {
    let mut at = 0;
    while let Some(root) = roots.paths.get(at).cloned() {
        at += 1;
        let Some(found) = named(&root) else { continue };
        let (listed, is_whole) = index::repositories(&found.own);
        roots.is_complete &= is_whole;
        for path in listed.into_iter().map(|path| root.join(path)) {
            if roots.paths.contains(&path) || !exists(&path.join(ENTRY)) {
                continue;
            }
            if roots.paths.len() > MOST_REPOSITORIES {
                roots.is_complete = false;
                return;
            }
            roots.paths.push(path);
        }
    }
}

/// The real directories in a directory, sorted.
fn directories(directory: &Path, left: &mut usize) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().take(*left);
    let mut seen = 0;
    let mut found: Vec<PathBuf> = entries
        .inspect(|_| seen += 1)
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect();
    *left -= seen;
    found.sort();
    found
}

/// Returns the git directories that a work tree names, if they are directories of git. This is enough to protect them, and
/// not enough to let anyone write there.
pub(super) fn named(root: &Path) -> Option<GitDirectories> {
    let entry = root.join(ENTRY);
    let own = if entry.is_dir() {
        entry.canonicalize().ok()?
    } else {
        let text = text(&entry)?;
        let directory = git_settings::git_directory(&text)?;
        root.join(directory).canonicalize().ok()?
    };
    let common = match text(&own.join("commondir")) {
        Some(named) => own.join(line(&named)).canonicalize().ok()?,
        None => own.clone(),
    };
    let is_git = exists(&own.join("HEAD")) && exists(&common.join("HEAD")) && common.join("objects").is_dir();
    is_git.then_some(GitDirectories { own, common })
}

/// Returns the git directories of a linked work tree, a submodule or a work tree apart from its git directory, if they name
/// the work tree themselves.
pub(super) fn proven(root: &Path) -> Option<GitDirectories> {
    // A link is no file of git.
    let entry = root.join(ENTRY);
    if !entry.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let found = named(root)?;
    let is_back = if found.own == found.common {
        work_tree(&found.own)? == root
    } else {
        let back = text(&found.own.join("gitdir"))?;
        let back = found.own.join(back.trim());
        let is_inside = found.own.parent() == Some(&found.common.join("worktrees"));
        is_inside && !back.is_symlink() && back.canonicalize().ok()? == entry.canonicalize().ok()?
    };
    is_back.then_some(found)
}

/// The work tree that a configuration names (`core.worktree`).
fn work_tree(own: &Path) -> Option<PathBuf> {
    let config = overrule_regular_file::read_text(&own.join("config"), CONFIG_BYTES).ok()?;
    let value = config.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "worktree").then(|| value.trim().trim_matches('"').to_owned())
    })?;
    own.join(value).canonicalize().ok()
}

/// Returns the git directories of the submodules below a git directory. Names of several parts are found as well.
pub(super) fn modules(git: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = VecDeque::from([(git.join("modules"), 0)]);
    let mut left = MOST_ENTRIES;
    while let Some((directory, depth)) = open.pop_front() {
        if depth == MODULE_DEPTH {
            continue;
        }
        for path in directories(&directory, &mut left) {
            if !exists(&path.join("HEAD")) && !exists(&path.join("config")) {
                open.push_back((path, depth + 1));
            } else if found.len() < MOST_MODULES {
                open.push_back((path.join("modules"), depth + 1));
                found.push(path);
            }
        }
    }
    found
}

/// Returns the administrative directories of the linked work trees of a repository.
pub(super) fn work_trees(git: &Path) -> Vec<PathBuf> {
    let mut left = MOST_ENTRIES;
    let mut found = directories(&git.join("worktrees"), &mut left);
    found.truncate(MOST_WORK_TREES);
    found
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The path in a file, as git reads it: without the end of its line.
fn line(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

pub(super) fn text(path: &Path) -> Option<String> {
    overrule_regular_file::read_text(path, MOST_BYTES).ok()
}
