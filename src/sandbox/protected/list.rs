//! Lists the protected paths of a workspace, existing and absent ones.
//!
//! Must not know: what they hold, who changes them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use overrule_base::git_settings;
use overrule_base::runs_later::ROWS;

use super::git;

/// Links that are followed on the way to one place.
const MOST_LINKS: usize = 8;

/// Files that settings include, one after the other.
const MOST_INCLUDED: usize = 32;

/// A protected path. No part between its base and its last name is a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The directory that it belongs to: the workspace, a repository, a git directory. It is resolved.
    pub base: PathBuf,
    /// The rest of the path.
    pub relative: PathBuf,
    /// True if it is to be mounted read-only where it exists.
    pub is_mounted: bool,
}

impl Place {
    pub(super) fn path(&self) -> PathBuf {
        self.base.join(&self.relative)
    }
}

/// The places that are collected, by their path.
struct Places<'a> {
    workspace: &'a Path,
    found: BTreeMap<PathBuf, Place>,
}

/// Returns the protected places of a resolved workspace, sorted. The roots are its repositories.
pub(super) fn places(workspace: &Path, roots: &[PathBuf]) -> Vec<Place> {
    let mut places = Places {
        workspace,
        found: BTreeMap::new(),
    };
    for root in roots {
        for relative in names() {
            places.add(root, Path::new(relative), true, 0);
        }
        for name in starred(root) {
            places.add(root, Path::new(&name), true, 0);
        }
        places.add_git_directories(root);
    }
    places.found.into_values().collect()
}

/// The names of the table that are whole paths, without the `/` of directories.
fn names() -> impl Iterator<Item = &'static str> {
    let rows = ROWS
        .iter()
        .filter(|row| row.is_protected && !row.place.ends_with('*'));
    rows.map(|row| row.place.trim_end_matches('/'))
}

/// The protected names of a git directory.
fn git_names() -> impl Iterator<Item = &'static str> {
    names().filter_map(|name| name.strip_prefix(".git/"))
}

/// How the names of files end that this program writes before it renames them.
const TEMPORARY: &[u8] = b".tmp";

/// The names in a directory that begin like a name of the table with `*`.
fn starred(root: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names.filter(|name| is_starred(name)).collect()
}

/// True for a name that begins like a name of the table with `*`.
pub(super) fn is_starred(name: &OsStr) -> bool {
    let mut starts = ROWS
        .iter()
        .filter(|row| row.is_protected)
        .filter_map(|row| row.place.strip_suffix('*'));
    let bytes = name.as_encoded_bytes();
    // A file that this program is about to rename takes effect under no such name.
    let is_temporary = bytes.ends_with(TEMPORARY) && bytes.starts_with(b".overrule-");
    !is_temporary && starts.any(|start| bytes.starts_with(start.as_bytes()))
}

impl Places<'_> {
    /// Adds what is protected in the git directories of a repository. Those outside count only where they are writable:
    /// where they are proven to belong to the workspace.
    fn add_git_directories(&mut self, root: &Path) {
        let entry = root.join(git::ENTRY);
        self.add_below(&entry);
        self.add_named(&entry, root);
        let Some(found) = git::named(root) else { return };
        let is_proven = root == self.workspace && git::proven(root).is_some();
        for git in BTreeSet::from([&found.own, &found.common]) {
            if *git != entry && (is_proven || git.starts_with(self.workspace)) {
                self.add_git(git);
                self.add_below(git);
                self.add_named(git, root);
            }
        }
    }

    /// Adds what the settings of a git directory name in the workspace: the directory of hooks, and files that are read like
    /// the settings themselves.
    fn add_named(&mut self, git: &Path, work_tree: &Path) {
        let mut open: Vec<PathBuf> = vec![git.join("config"), git.join("config.worktree")];
        let mut left = MOST_INCLUDED;
        while let Some(file) = open.pop() {
            let Ok(text) = overrule_regular_file::read_text(&file, git::CONFIG_BYTES) else {
                continue;
            };
            for hooks in git_settings::values(&text, "core", "hookspath") {
                self.add_inside(&work_tree.join(hooks));
            }
            let Some(directory) = file.parent() else { continue };
            for section in ["include", "includeif"] {
                for included in git_settings::values(&text, section, "path") {
                    left = left.saturating_sub(1);
                    if left > 0 && self.add_inside(&directory.join(&included)) {
                        open.push(directory.join(included));
                    }
                }
            }
        }
    }

    /// Adds a path, if it lies in the workspace. Returns whether it does.
    fn add_inside(&mut self, path: &Path) -> bool {
        let workspace = self.workspace;
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => _ = plain.pop(),
                part => plain.push(part),
            }
        }
        match plain.strip_prefix(workspace) {
            Ok(inside) if !inside.as_os_str().is_empty() => {
                self.add(workspace, inside, true, 0);
                true
            }
            _ => false,
        }
    }

    /// Adds what is protected in a git directory.
    fn add_git(&mut self, git: &Path) {
        for name in git_names() {
            self.add(git, Path::new(name), true, 0);
        }
    }

    /// Adds what is protected in the git directories of submodules and of other work trees, which are not mounted: git
    /// removes them with their work tree.
    fn add_below(&mut self, git: &Path) {
        for module in git::modules(git) {
            self.add_git(&module);
        }
        for work_tree in git::work_trees(git) {
            for name in git_names().filter(|name| !["hooks", "config"].contains(name)) {
                self.add(&work_tree, Path::new(name), false, 0);
            }
        }
    }

    /// Adds a place, and the links on the way to it with what they lead to in the workspace.
    fn add(&mut self, base: &Path, relative: &Path, is_mounted: bool, links: usize) {
        let mut prefix = PathBuf::new();
        let mut parts = relative.components();
        while let Some(part) = parts.next() {
            prefix.push(part);
            let path = base.join(&prefix);
            let Ok(meta) = path.symlink_metadata() else {
                // Absent, with everything below it.
                return self.push(base, relative, is_mounted);
            };
            if meta.is_symlink() {
                self.push(base, &prefix, is_mounted);
                return self.add_target(&path, parts.as_path(), is_mounted, links + 1);
            }
            if !meta.is_dir() {
                break;
            }
        }
        self.push(base, &prefix, is_mounted);
    }

    /// Adds what a link leads to, if that lies in the workspace. A link to the workspace itself or out of it protects
    /// nothing more.
    fn add_target(&mut self, link: &Path, rest: &Path, is_mounted: bool, links: usize) {
        let workspace = self.workspace;
        let target = link.canonicalize().unwrap_or_default();
        match target.strip_prefix(workspace) {
            Ok(inside) if !inside.as_os_str().is_empty() && links <= MOST_LINKS => {
                self.add(workspace, &inside.join(rest), is_mounted, links);
            }
            _ => {}
        }
    }

    fn push(&mut self, base: &Path, relative: &Path, is_mounted: bool) {
        let place = Place {
            base: base.to_owned(),
            relative: relative.components().collect(),
            is_mounted,
        };
        // What is mounted stays so.
        let path = place.path();
        if is_mounted || !self.found.contains_key(&path) {
            self.found.insert(path, place);
        }
    }
}
