//! Finds the protected paths of a workspace, and undoes their changes.
//!
//! Must not know: how a kernel protects them.
//!
//! Protected are the places of the list that run later ([`overrule_base::runs_later`]), at the top of the workspace and of
//! the repositories in it. A directory below, such as a package with settings of its own, is not searched.

mod copy;
mod git;
mod list;
mod note;
mod undo;
mod watch;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use copy::give;
pub use watch::{How, Undone, Watch, Watches};

/// Returns the protected paths that exist, to be mounted read-only.
///
/// Of a link, it returns the target, if that lies in the workspace: a mount follows links, and what lies outside cannot be
/// written.
pub fn existing(workspace: &Path) -> Vec<PathBuf> {
    let Ok(workspace) = workspace.canonicalize() else {
        return Vec::new();
    };
    let places = list::places(&workspace, &git::roots(&workspace)).into_iter();
    let paths = places.filter(|place| place.is_mounted).map(|place| place.path());
    let there = paths.filter(|path| path.symlink_metadata().is_ok_and(|meta| !meta.is_symlink()));
    let found: BTreeSet<PathBuf> = there.collect();
    found.into_iter().collect()
}

/// Returns the `.git` directories of the workspace and of the repositories in it, to be bound onto themselves: a command
/// cannot rename them then.
pub fn git_directories(workspace: &Path) -> Vec<PathBuf> {
    let Ok(workspace) = workspace.canonicalize() else {
        return Vec::new();
    };
    let entries = git::roots(&workspace)
        .into_iter()
        .map(|root| root.join(git::ENTRY));
    let is_real = |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    entries.filter(is_real).collect()
}

/// Returns the directories outside of the workspace that git writes where the workspace is a linked work tree or a
/// submodule: the `.git` of the main repository.
///
/// Such a repository must name this workspace itself. What a file of the workspace alone says is not believed. Of a bare
/// repository around its work trees, the parts are returned that a commit needs.
pub fn linked(workspace: &Path) -> Vec<PathBuf> {
    let Ok(workspace) = workspace.canonicalize() else {
        return Vec::new();
    };
    let Some(found) = git::proven(&workspace).filter(|found| !found.common.starts_with(&workspace)) else {
        return Vec::new();
    };
    if !workspace.starts_with(&found.common) {
        return vec![found.common];
    }
    let parts = ["objects", "refs", "logs"].map(|name| found.common.join(name));
    let parts = parts.into_iter().chain([found.own]);
    let is_real = |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
    parts
        .filter(|path| is_real(path) && !workspace.starts_with(path))
        .collect()
}
