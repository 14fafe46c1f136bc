//! A tree of files in memory: what calls do to it, and how a restore is carried out on it.
//!
//! Must not know: what is restored.
//!
//! The hash of a file is its text. The parents of everything in the tree are directories.

use std::collections::{BTreeMap, BTreeSet};

use overrule_domain::files::{
    Change, ChangeList, FilePath, FileState, Progress, RawText, Skipped, Step, StepList,
};

pub type Tree = BTreeMap<FilePath, FileState>;

pub fn path(text: &str) -> FilePath {
    FilePath::new(text).unwrap()
}

pub const fn missing() -> FileState {
    FileState::Missing {}
}

pub const fn dir() -> FileState {
    FileState::Dir { mode: 0o755 }
}

pub fn file(text: &str) -> FileState {
    with_mode(text, 0o644)
}

pub fn with_mode(text: &str, mode: u32) -> FileState {
    FileState::File {
        hash: text.to_owned(),
        size: text.len() as u64,
        mode,
    }
}

pub fn link(target: &str) -> FileState {
    FileState::Symlink {
        target: RawText(target.as_bytes().into()),
    }
}

/// A file that is too large to be saved.
pub fn large(no: u64) -> FileState {
    FileState::Unsaved {
        why: "9.1 MiB, limit 8 MiB".to_owned(),
        size: no,
        mtime: 1,
    }
}

pub fn at(tree: &Tree, path: &FilePath) -> FileState {
    tree.get(path).cloned().unwrap_or(missing())
}

fn is_dir(tree: &Tree, path: &FilePath) -> bool {
    matches!(tree.get(path), Some(FileState::Dir { .. }))
}

/// Removes a path with all that is in it.
pub fn remove(tree: &mut Tree, path: &FilePath) {
    tree.retain(|one, _| !one.is_within(path));
}

/// Puts something at a path, instead of all that is there. Its parents become directories.
pub fn put(tree: &mut Tree, path: &FilePath, state: FileState) {
    let mut above = path.parent();
    while let Some(parent) = above {
        if !is_dir(tree, &parent) {
            // Nothing is in what is no directory.
            tree.insert(parent.clone(), dir());
        }
        above = parent.parent();
    }
    let stays_dir = is_dir(tree, path) && matches!(state, FileState::Dir { .. });
    if !stays_dir {
        remove(tree, path);
    }
    if state.is_there() {
        tree.insert(path.clone(), state);
    }
}

/// Moves a path with all that is in it to another one, which is replaced.
pub fn rename(tree: &mut Tree, from: &FilePath, to: &FilePath) {
    if to.is_within(from) || from.is_within(to) || !tree.contains_key(from) {
        return;
    }
    let inside: Vec<(FilePath, FileState)> = tree
        .iter()
        .filter(|(one, _)| one.is_within(from))
        .map(|(one, state)| (one.clone(), state.clone()))
        .collect();
    remove(tree, from);
    for (one, state) in inside {
        let rest = &one.bytes()[from.bytes().len()..];
        let moved = FilePath::new([to.bytes(), rest].concat()).unwrap();
        put(tree, &moved, state);
    }
}

pub fn difference(before: &Tree, after: &Tree) -> Vec<Change> {
    let paths: BTreeSet<&FilePath> = before.keys().chain(after.keys()).collect();
    let changed = paths
        .into_iter()
        .filter(|path| before.get(path) != after.get(path));
    changed
        .map(|path| Change {
            path: path.clone(),
            before: at(before, path),
            after: at(after, path),
        })
        .collect()
}

pub fn changes(before: &Tree, after: &Tree) -> ChangeList {
    ChangeList(difference(before, after))
}

/// Carries out at most `most` steps as a careful program does, and returns those that were skipped.
pub fn carry_out(tree: &mut Tree, steps: &StepList, most: usize) -> Vec<Skipped> {
    let mut skipped = Vec::new();
    for step in steps.0.iter().take(most) {
        if let Err(why) = one(tree, step) {
            skipped.push(Skipped {
                path: step.path.clone(),
                why: why.to_owned(),
            });
        }
    }
    skipped
}

fn one(tree: &mut Tree, step: &Step) -> Result<(), &'static str> {
    match step.progress(&at(tree, &step.path)) {
        Progress::Done => return Ok(()),
        Progress::Conflict => return Err("changed since by something else"),
        Progress::Open => {}
    }
    if step.to.is_there()
        && let Some(parent) = step.path.parent()
        && !is_dir(tree, &parent)
    {
        return Err("no directory");
    }
    let is_kept_dir = matches!(step.to, FileState::Dir { .. });
    let mut inside = tree
        .keys()
        .filter(|one| one.is_within(&step.path) && **one != step.path);
    if !is_kept_dir && inside.next().is_some() {
        return Err("not empty");
    }
    if step.to.is_there() {
        tree.insert(step.path.clone(), step.to.clone());
    } else {
        tree.remove(&step.path);
    }
    Ok(())
}
