//! Decides the rows of a plan: whether each path can be restored.
//!
//! Must not know: what the paths changed.

use std::collections::{BTreeMap, BTreeSet};

use super::{Row, RowStatus, What};
use crate::files::path_history::{BY_SOMETHING_ELSE, Turned};
use crate::files::sources::{is_whole, same};
use crate::files::{FilePath, FileState, HeadMove};

/// Why a directory is not removed.
const NOT_EMPTY: &str = "something in it stays";
/// Why a path below one is not restored.
const NO_DIRECTORY: &str = "the directory that it is in is not restored";

/// The row of a path: what the record says it is, and what it is.
pub(super) fn row(
    path: FilePath,
    (recorded, now): (Option<&FileState>, Option<FileState>),
    (turned, lost): (Turned<'_>, &BTreeSet<String>),
    (over, without): (&BTreeSet<&FilePath>, &BTreeSet<&FilePath>),
) -> Row {
    let now = now.unwrap_or_else(|| FileState::Unsaved {
        why: "not looked at".to_owned(),
        size: 0,
        mtime: 0,
    });
    let target = turned.target.clone();
    let status = if is_at(&now, &target) {
        RowStatus::Nothing
    } else if let Some(why) = not_saved(&now, &target, lost) {
        RowStatus::NotRestorable { why }
    } else if let Some(why) = turned.conflict {
        RowStatus::Conflict { why }
    } else if !recorded.is_some_and(|recorded| same(recorded, &now)) {
        RowStatus::Conflict {
            why: BY_SOMETHING_ELSE.to_owned(),
        }
    } else {
        RowStatus::Restore
    };
    let is_chosen = match &status {
        RowStatus::Restore => true,
        RowStatus::Conflict { .. } => over.contains(&path),
        RowStatus::NotRestorable { .. } | RowStatus::Nothing => false,
    };
    Row {
        what: match (&now, &target) {
            (_, FileState::Missing {}) => What::Delete,
            (FileState::Missing {}, _) => What::Recreate,
            _ => What::Restore,
        },
        is_chosen: is_chosen && !without.contains(&path),
        calls: turned.calls,
        path,
        now,
        target,
        status,
    }
}

/// True where nothing is to be done. A state that is not saved is no proof.
fn is_at(now: &FileState, target: &FileState) -> bool {
    !matches!(now, FileState::Unsaved { .. }) && same(now, target)
}

/// Why there is nothing to write, or what is there could not be written again.
fn not_saved(now: &FileState, target: &FileState, lost: &BTreeSet<String>) -> Option<String> {
    let is_lost = |hash: &str| now.hash() != Some(hash) && lost.contains(hash);
    match (target, now) {
        (FileState::Unsaved { why, .. }, _) => Some(format!("not saved ({why})")),
        (_, FileState::Unsaved { why, .. }) => Some(format!("what is there now cannot be saved ({why})")),
        _ if !is_whole(target) => {
            Some("not saved (an earlier version recorded it); hint: compensate".to_owned())
        }
        _ if target.hash().is_some_and(is_lost) => Some("its content is no longer saved here".to_owned()),
        _ => None,
    }
}

/// A directory is removed only if nothing in it stays, and nothing is written below what is no directory then. `others` are
/// paths without a row that are known to be there, `closed` the directories without a row that are none now.
pub(super) fn check_directories(rows: &mut [Row], others: &[&FilePath], closed: &BTreeSet<FilePath>) {
    let is_dir = |state: &FileState| matches!(state, FileState::Dir { .. });
    let mut occupied: BTreeSet<FilePath> = BTreeSet::new();
    for path in others {
        occupy(&mut occupied, path);
    }
    // What is in a directory comes after it.
    for row in rows.iter_mut().rev() {
        if row.is_chosen && is_dir(&row.now) && !is_dir(&row.target) && occupied.contains(&row.path) {
            row.status = RowStatus::NotRestorable {
                why: NOT_EMPTY.to_owned(),
            };
            row.is_chosen = false;
        }
        let then = if row.is_chosen { &row.target } else { &row.now };
        if then.is_there() {
            occupy(&mut occupied, &row.path);
        }
    }
    let mut known: BTreeMap<FilePath, bool> = BTreeMap::new();
    for row in rows.iter_mut() {
        let parent = row.path.parent();
        let is_below = parent.as_ref().and_then(|parent| known.get(parent));
        let is_closed = is_below == Some(&false) || parent.is_some_and(|parent| closed.contains(&parent));
        if row.is_chosen && row.target.is_there() && is_closed {
            row.status = RowStatus::NotRestorable {
                why: NO_DIRECTORY.to_owned(),
            };
            row.is_chosen = false;
        }
        let then = if row.is_chosen { &row.target } else { &row.now };
        known.insert(row.path.clone(), is_dir(then));
    }
}

/// Notes the directories that a path is in.
fn occupy(occupied: &mut BTreeSet<FilePath>, path: &FilePath) {
    let mut above = path.parent();
    while let Some(directory) = above.filter(|directory| !occupied.contains(directory)) {
        above = directory.parent();
        occupied.insert(directory);
    }
}

/// The command with which a person moves `HEAD` back.
pub(super) fn hint(moved: &HeadMove) -> String {
    if moved.before.branch != moved.after.branch {
        return "git switch -".to_owned();
    }
    match &moved.before.commit {
        Some(commit) => format!("git reset --soft {}", commit.get(..7).unwrap_or(commit)),
        None => "git update-ref -d HEAD".to_owned(),
    }
}
