//! Finds the protected paths of a workspace, and undoes their changes.
//!
//! Must not know: how a kernel protects them.
//!
//! Protected are the places of the list that run later ([`overrule_base::runs_later`]), at the top of the workspace and of
//! the repositories in it, and what the settings of a repository name as its hooks or include. A directory below, such as a
//! package with settings of its own, is not searched.

mod at;
mod copy;
mod created;
mod git;
mod index;
mod list;
mod note;
mod undo;
mod watch;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use copy::give;
pub use watch::{How, Undone, Watches};

/// What is protected in a workspace, found in one walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// The workspace, resolved.
    workspace: PathBuf,
    /// The workspace and the directories in it that hold a repository.
    roots: git::Roots,
    /// The protected paths, existing or absent.
    places: Vec<list::Place>,
}

impl Protected {
    /// Looks for it. A workspace that is not there has nothing.
    pub fn find(workspace: &Path) -> Self {
        let Ok(workspace) = workspace.canonicalize() else {
            return Self {
                workspace: workspace.to_owned(),
                roots: git::Roots {
                    paths: Vec::new(),
                    is_complete: true,
                },
                places: Vec::new(),
            };
        };
        let roots = git::roots(&workspace);
        Self {
            places: list::places(&workspace, &roots.paths),
            roots,
            workspace,
        }
    }

    /// Returns false where a bound ended the search, so that a repository may be missing.
    pub const fn is_complete(&self) -> bool {
        self.roots.is_complete
    }

    /// Returns the protected paths that exist, to be mounted read-only.
    ///
    /// Of a link, it returns the target, if that lies in the workspace: a mount follows links, and what lies outside cannot be
    /// written.
    pub fn existing(&self) -> Vec<PathBuf> {
        let places = self.places.iter().filter(|place| place.is_mounted);
        let paths = places.map(list::Place::path);
        let there = paths.filter(|path| path.symlink_metadata().is_ok_and(|meta| !meta.is_symlink()));
        let found: BTreeSet<PathBuf> = there.collect();
        found.into_iter().collect()
    }

    /// Returns the `.git` directories of the workspace and of the repositories in it, to be bound onto themselves: a command
    /// cannot rename them then.
    pub fn git_directories(&self) -> Vec<PathBuf> {
        let entries = self.roots.paths.iter().map(|root| root.join(git::ENTRY));
        entries.filter(|path| is_real(path)).collect()
    }

    /// Returns the files `.git` of the workspace and of the repositories in it, which name a directory elsewhere.
    pub fn git_files(&self) -> Vec<PathBuf> {
        let entries = self.roots.paths.iter().map(|root| root.join(git::ENTRY));
        let is_file = |path: &PathBuf| path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        entries.filter(is_file).collect()
    }

    /// Returns the directories outside of the workspace that git writes where the workspace is a linked work tree or a
    /// submodule: the `.git` of the main repository.
    ///
    /// Such a repository must name this workspace itself. What a file of the workspace alone says is not believed. Of a bare
    /// repository around its work trees, the parts are returned that a commit needs.
    pub fn linked(&self) -> Vec<PathBuf> {
        let workspace = &self.workspace;
        let Some(found) = git::proven(workspace).filter(|found| !found.common.starts_with(workspace)) else {
            return Vec::new();
        };
        if !workspace.starts_with(&found.common) {
            return vec![found.common];
        }
        let parts = ["objects", "refs", "logs"].map(|name| found.common.join(name));
        let parts = parts.into_iter().chain([found.own]);
        parts
            .filter(|path| is_real(path) && !workspace.starts_with(path))
            .collect()
    }
}

/// True for a directory that is no link.
fn is_real(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.is_dir())
}
