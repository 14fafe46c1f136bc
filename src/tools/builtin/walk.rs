//! Walks the files of a workspace as a person would list them: ignore files honoured, hidden files skipped,
//! links not followed, in the same order everywhere. Must not know: what is done with them.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::tools::workspace::{Place, Workspace};

/// An entry that a walk came upon.
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
/// the same if it was named, because then it is wanted.
pub(super) fn below(
    workspace: &Workspace,
    place: &Place,
    depth: Option<usize>,
) -> impl Iterator<Item = Option<Step>> + use<> {
    let root = workspace.root().to_owned();
    let start = root.join(&place.path);
    let level = place.path.components().count();
    let from_root = level == 0 || reaches(&root, &start, level);
    let private = workspace.private().to_vec();
    let builder = if from_root {
        let mut builder = toward(&root, &start, private);
        builder.max_depth(depth.map(|depth| depth + level));
        builder
    } else {
        let mut builder = plain(&start);
        builder.filter_entry(move |entry| !is_private(&private, entry.path()));
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

fn plain(start: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(start);
    builder
        .parents(false)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_name(std::cmp::Ord::cmp);
    builder
}

fn is_private(private: &[PathBuf], path: &Path) -> bool {
    private.iter().any(|private| path.starts_with(private))
}

/// Walks from the root, entering only what leads to the start, and everything below the start.
fn toward(root: &Path, start: &Path, private: Vec<PathBuf>) -> WalkBuilder {
    let mut builder = plain(root);
    let start = start.to_owned();
    builder.filter_entry(move |entry| {
        let path = entry.path();
        (path.starts_with(&start) || start.starts_with(path)) && !is_private(&private, path)
    });
    builder
}

fn reaches(root: &Path, start: &Path, level: usize) -> bool {
    let mut builder = toward(root, start, Vec::new());
    builder.max_depth(Some(level));
    builder.build().flatten().any(|entry| entry.path() == start)
}
