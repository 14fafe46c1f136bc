//! Knows the places on a machine that matter to a sandbox: hidden ones, and caches.
//!
//! Must not know: how they are hidden or layered.

mod caches;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use overrule_base::text::visible;
use rustix::fs::{Access, AtFlags, CWD, accessat};

pub use caches::{MOST_BYTES, Removal, caches, prepare, private_caches, trim};

/// Entries of one directory that are hidden one by one because the workspace lies below it.
const MOST_SIBLINGS: usize = 1024;

/// What decides which paths are hidden.
#[derive(Debug, Clone, Copy)]
pub struct HideRequest<'a> {
    /// The root of the file system: `/`.
    pub root: &'a Path,
    /// The home directory.
    pub home: Option<&'a Path>,
    /// Files and directories of this program. They are always hidden.
    pub own: &'a [PathBuf],
    /// More hidden paths, from the settings. They are always hidden.
    pub hide: &'a [PathBuf],
    /// Paths that are taken off the built-in list, with everything below them.
    pub show: &'a [PathBuf],
    /// The workspace and the other writable directories. None of them is hidden, and no parent of one.
    pub keep: &'a [&'a Path],
}

/// Why the hidden paths cannot be named.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum HideError {
    /// A path below a hidden directory was to be shown.
    #[error("cannot show `{}`: it lies below the hidden `{}`; show the directory itself", shown(.path), shown(.hidden))]
    ShownBelow {
        /// The path of the setting.
        path: PathBuf,
        /// The directory.
        hidden: PathBuf,
    },
    /// A path that is always hidden was to be shown.
    #[error("cannot show `{}`: it belongs to this program, or `hide` names it; remove it from `show`", shown(.0))]
    AlwaysHidden(PathBuf),
    /// A hidden directory holds the workspace, and too much next to it.
    #[error(
        "cannot hide what lies beside the workspace in `{}`: {MOST_SIBLINGS} entries are the most; show the directory, or \
         move the workspace",
        shown(.0)
    )]
    TooMany(PathBuf),
    /// A hidden directory holds the workspace, and cannot be listed.
    #[error(
        "cannot hide what lies beside the workspace in `{}`: {why}; show the directory, or move the workspace",
        shown(.path)
    )]
    Unlisted {
        /// The directory.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}

/// Returns the paths that a child cannot read: those that exist, resolved, sorted, and none below another one.
///
/// Of a link, the target is hidden. Where the workspace or another writable directory lies below a hidden directory, its
/// other entries are hidden instead. Where it is that directory itself, nothing of it is hidden.
///
/// # Errors
///
/// Returns an error where a setting shows a part of a hidden directory, and where what lies next to a workspace cannot be
/// hidden.
pub fn hidden(request: &HideRequest) -> Result<Vec<PathBuf>, HideError> {
    let resolved = |paths: &[PathBuf]| -> BTreeSet<PathBuf> { paths.iter().filter_map(resolve).collect() };
    let always: BTreeSet<PathBuf> = resolved(request.own)
        .into_iter()
        .chain(resolved(request.hide))
        .collect();
    let listed = built_in(request);
    let show = resolved(request.show);
    for path in &show {
        if always.iter().any(|hidden| path.starts_with(hidden)) {
            return Err(HideError::AlwaysHidden(path.clone()));
        }
        let above = listed
            .iter()
            .find(|hidden| path.starts_with(hidden) && path != *hidden);
        // A directory above that is shown as well hides nothing.
        if let Some(hidden) = above.filter(|above| !show.iter().any(|one| above.starts_with(one))) {
            return Err(HideError::ShownBelow {
                path: path.clone(),
                hidden: hidden.clone(),
            });
        }
    }
    let is_shown = |path: &PathBuf| show.iter().any(|shown| path.starts_with(shown));
    let listed = listed.into_iter().filter(|path| !is_shown(path));
    let keep: Vec<PathBuf> = request.keep.iter().filter_map(resolve).collect();
    let mut paths = BTreeSet::new();
    for path in always.into_iter().chain(listed) {
        add(path, &keep, &mut paths)?;
    }
    Ok(outermost(paths))
}

/// Adds a path, or what lies in it next to the directories to keep.
fn add(path: PathBuf, keep: &[PathBuf], to: &mut BTreeSet<PathBuf>) -> Result<(), HideError> {
    if keep.contains(&path) || path.parent().is_none() {
        return Ok(());
    }
    if !keep.iter().any(|kept| kept.starts_with(&path)) {
        to.insert(path);
        return Ok(());
    }
    let unlisted = |error: std::io::Error| HideError::Unlisted {
        path: path.clone(),
        why: error.to_string(),
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(&path).map_err(unlisted)? {
        if entries.len() == MOST_SIBLINGS {
            return Err(HideError::TooMany(path));
        }
        entries.push(entry.map_err(unlisted)?.path());
    }
    for entry in entries {
        // A link leads to what is reached, and hidden, at its own place.
        if !entry.is_symlink() {
            add(entry, keep, to)?;
        }
    }
    Ok(())
}

/// The paths of the tables and other people's homes, resolved.
fn built_in(request: &HideRequest) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    if let Some(home) = request.home {
        for row in table::AT_HOME {
            found.extend(resolve(home.join(row.place)));
        }
    }
    for row in table::IN_SYSTEM {
        let paths = matching(request.root, row.place).into_iter();
        found.extend(paths.filter_map(resolve).filter(|path| is_readable(path)));
    }
    found.extend(other_homes(request.root, request.home));
    found.retain(|path| path.parent().is_some());
    found
}

/// Returns the homes of others: what lies next to the home, where that directory is one of homes, and that of root.
fn other_homes(root: &Path, home: Option<&Path>) -> BTreeSet<PathBuf> {
    let home = home.and_then(resolve);
    let places: Vec<PathBuf> = table::HOMES.iter().map(|name| root.join(name)).collect();
    let beside = home.as_deref().and_then(Path::parent).filter(|parent| {
        let is_named = parent.file_name().and_then(|name| name.to_str());
        is_named.is_some_and(|name| table::NAMES_OF_HOMES.contains(&name))
            || places
                .iter()
                .filter_map(resolve)
                .any(|place| parent.starts_with(place))
    });
    let mut homes: BTreeSet<PathBuf> = resolve(root.join("root")).into_iter().collect();
    for directory in places.iter().map(PathBuf::as_path).chain(beside) {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_person = |name: &std::ffi::OsStr| !table::NOT_HOMES.iter().any(|other| name == *other);
        let entries = entries.filter(|entry| is_person(&entry.file_name()));
        homes.extend(entries.filter_map(|entry| resolve(entry.path())));
    }
    homes.retain(|path| path.is_dir() && !home.as_ref().is_some_and(|home| home.starts_with(path)));
    homes
}

/// The paths that a row stands for.
fn matching(root: &Path, place: &str) -> Vec<PathBuf> {
    let path = root.join(place);
    let (Some(directory), Some(name)) = (path.parent(), Path::new(place).file_name()) else {
        return Vec::new();
    };
    let Some((start, end)) = name.to_str().and_then(|name| name.split_once('*')) else {
        return vec![path];
    };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_like =
        |name: &str| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    let entries = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_like));
    entries.map(|entry| entry.path()).take(MOST_SIBLINGS).collect()
}

fn resolve(path: impl AsRef<Path>) -> Option<PathBuf> {
    path.as_ref().canonicalize().ok()
}

fn is_readable(path: &Path) -> bool {
    accessat(CWD, path, Access::READ_OK, AtFlags::EACCESS).is_ok()
}

/// Leaves out what lies below another one.
fn outermost(paths: BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let mut outer: Vec<PathBuf> = Vec::new();
    // Components sort before those below them, and nothing else lies between.
    for path in paths {
        if !outer.last().is_some_and(|last| path.starts_with(last)) {
            outer.push(path);
        }
    }
    outer
}
