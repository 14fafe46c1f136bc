//! Tells the model which files were restored.
//!
//! Must not know: when a request is made.

use super::{FileState, RestoreRecord, Step};
use crate::id::{NodeId, Seq};
use crate::state::State;

/// One line for each restore that ended after an event and changed something, oldest first.
pub fn notices_since(state: &State, since: Seq) -> Vec<String> {
    let all = state.operator.files.restores.values();
    let ended = |one: &&RestoreRecord| one.end.as_ref().is_some_and(|end| end.seq > since);
    all.filter(ended).filter_map(notice).collect()
}

/// The line for a restore; none if it changed nothing.
fn notice(record: &RestoreRecord) -> Option<String> {
    let is_file = |step: &&Step| {
        let is_none = |one: &FileState| matches!(one, FileState::Missing {} | FileState::Dir { .. });
        !(is_none(&step.from) && is_none(&step.to))
    };
    let (files, directories): (Vec<&Step>, Vec<&Step>) = record.done().partition(is_file);
    let what = match (files.len(), directories.len()) {
        (0, 0) => return None,
        (0, 1) => "1 directory".to_owned(),
        (0, count) => format!("{count} directories"),
        (1, _) => "1 file".to_owned(),
        (count, _) => format!("{count} files"),
    };
    let started = &record.started;
    let first: Option<NodeId> = started.undone.iter().map(|one| one.call).min();
    let last: Option<NodeId> = started.redone.iter().map(|one| one.call).max();
    let when = match (started.of, first, last) {
        (Some(of), ..) => format!("their state before the restore {of}"),
        (None, Some(first), _) => format!("their state before {first}"),
        (None, None, Some(last)) => format!("their state after {last}"),
        (None, None, None) => "an earlier state".to_owned(),
    };
    Some(format!("operator restored {what} to {when}"))
}
