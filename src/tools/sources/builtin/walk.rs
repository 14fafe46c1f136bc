//! Walks the files of a workspace in a fixed order, without ignored, hidden and linked files.
//!
//! Must not know: what is done with them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder};

use super::ignored::Ignored;
use crate::workspace::{Place, Workspace};

/// An entry that a walk found.
pub(super) struct Step {
    /// Its path, relative to the workspace.
    pub(super) path: PathBuf,
    pub(super) is_dir: bool,
    pub(super) is_file: bool,
}

/// Iterates over everything below a place, but not the place itself, down to a depth. `None` stands for an
/// unreadable entry.
///
/// The walk begins at the workspace so that its ignore files apply. A place that they ignore is walked all
/// the same if it was named.
pub(super) fn below(
    workspace: &Arc<Workspace>,
    place: &Place,
    depth: Option<usize>,
) -> impl Iterator<Item = Option<Step>> + use<> {
    let root = workspace.root().to_owned();
    let start = root.join(&place.path);
    let level = place.path.components().count();
    let from_root = level == 0 || reaches(workspace, &start, level);
    let builder = if from_root {
        let mut builder = toward(workspace, &start, workspace.private().to_vec());
        builder.max_depth(depth.map(|depth| depth + level));
        builder
    } else {
        let ignored = Ignored::below(workspace, &place.path);
        let mut builder = plain(&start);
        let filter = filter(ignored, workspace.private().to_vec());
        builder.filter_entry(filter);
        builder.max_depth(depth);
        builder
    };
    builder.build().filter_map(move |entry| {
        let Ok(entry) = entry else {
            return Some(None);
        };
        let path = entry.path();
        if path == start || !path.starts_with(&start) {
            return None;
        }
        let kind = entry.file_type();
        Some(Some(Step {
            path: path.strip_prefix(&root).ok()?.to_owned(),
            is_dir: kind.is_some_and(|kind| kind.is_dir()),
            is_file: kind.is_some_and(|kind| kind.is_file()),
        }))
    })
}

/// A walk without the library's ignore files: the library would open any kind of file under such a name.
fn plain(start: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder
        .standard_filters(false)
        .follow_links(false)
        .sort_by_file_name(std::cmp::Ord::cmp);
    builder
}

/// True for entries that are neither private nor left out. The start of the walk was named, so it is included.
fn filter(ignored: Ignored, private: Vec<PathBuf>) -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
    move |entry| {
        let path = entry.path();
        let is_private = private.iter().any(|private| path.starts_with(private));
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        !is_private && (entry.depth() == 0 || !ignored.leaves_out(path, is_dir))
    }
}

/// A walk from the root that enters only the ancestors of the start, and everything below it.
fn toward(workspace: &Arc<Workspace>, start: &Path, private: Vec<PathBuf>) -> WalkBuilder {
    let mut builder = plain(workspace.root());
    let start = start.to_owned();
    let filter = filter(Ignored::below(workspace, Path::new("")), private);
    builder.filter_entry(move |entry| {
        let path = entry.path();
        (path.starts_with(&start) || start.starts_with(path)) && filter(entry)
    });
    builder
}

fn reaches(workspace: &Arc<Workspace>, start: &Path, level: usize) -> bool {
    let mut builder = toward(workspace, start, Vec::new());
    builder.max_depth(Some(level));
    builder.build().flatten().any(|entry| entry.path() == start)
}
