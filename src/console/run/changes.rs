//! Lists what changed files of the workspace: calls, restores and others.
//!
//! Must not know: how a row is drawn, what a key does.

use std::ops::Bound;

use super::file_look::FileVersions;
use super::refusal::Refusal;
use super::restore_preview::RestoreOf;
use overrule_base::text::{head, visible};
use overrule_domain::call::Call;
use overrule_domain::files::{ChangeList, ChangeSet, Execution, FilesChange, RestoreRecord, Skipped};
use overrule_domain::id::{NodeId, Seq};
use overrule_domain::state::State;

/// The most characters of a reason.
const REASON: usize = 300;

/// What an execution changed, if that is recorded.
pub fn set_of(state: &State, execution: Execution) -> Option<&ChangeSet> {
    state.attempt(execution)?.files.as_deref()
}

/// The restore that undid everything that an execution changed.
pub fn restored_by(state: &State, execution: Execution) -> Option<NodeId> {
    let record = state.attempt(execution)?;
    state.ledger.get(&record.intent)?.more.reverted_by
}

/// What the row of a call says of a restore of its files; none where all of them are as it left them.
pub fn describe_restored(state: &State, call: &Call) -> Option<String> {
    let record = call.attempts.last().filter(|record| record.files.is_some())?;
    let execution = Execution {
        call: call.id,
        attempt: record.no,
    };
    restored_by(state, execution).map(|by| format!("files restored by {by}"))
}

/// Everything that changed files, or may have, newest first.
pub fn listed(state: &State) -> Vec<Seq> {
    let log = state.operator.files.log.iter().rev();
    let is_listed = |change: &FilesChange| match change {
        FilesChange::Execution(execution) => set_of(state, *execution).is_some_and(|set| {
            !set.changes.0.is_empty() || !set.ignored.is_empty() || set.untracked.is_some()
        }),
        FilesChange::Outside(changes) => !changes.0.is_empty(),
        FilesChange::Restore(_) => true,
    };
    log.filter(|(_, change)| is_listed(change))
        .map(|(seq, _)| *seq)
        .collect()
}

/// True for a change that a call made: the operator marks it as seen.
pub fn is_markable(state: &State, seq: Seq) -> bool {
    matches!(
        state.operator.files.log.get(&seq),
        Some(FilesChange::Execution(_))
    )
}

/// The number of executions that changed files and that the operator has not seen.
pub fn unseen(state: &State) -> usize {
    let files = &state.operator.files;
    let later = files.log.range((Bound::Excluded(files.seen), Bound::Unbounded));
    let changed = |change: &FilesChange| match change {
        FilesChange::Execution(execution) => {
            set_of(state, *execution).is_some_and(|set| !set.changes.0.is_empty())
        }
        FilesChange::Outside(_) | FilesChange::Restore(_) => false,
    };
    later.filter(|(_, change)| changed(change)).count()
}

/// Whose files are restored to take back a change.
pub fn restorable(state: &State, seq: Seq) -> Result<RestoreOf, Refusal> {
    match state.operator.files.log.get(&seq) {
        Some(FilesChange::Execution(execution)) => Ok(RestoreOf::Calls(vec![execution.call])),
        Some(FilesChange::Restore(restore)) => Ok(RestoreOf::Restore(*restore)),
        Some(FilesChange::Outside(_)) => Err(Refusal::new(
            "Changed by something else than this run: nothing to restore",
        )),
        None => Err(Refusal::removed("change")),
    }
}

/// The paths that a restore left as they were, each with the reason.
pub fn skipped(state: &State, restore: NodeId) -> &[Skipped] {
    let record = state.operator.files.restores.get(&restore);
    let end = record.and_then(|record| record.end.as_ref());
    end.map_or(&[], |end| &end.skipped)
}

/// A reason in one row. Safe to show.
pub fn reason(why: &str) -> String {
    let (head, is_cut) = head(why, REASON);
    let more = if is_cut { "…" } else { "" };
    format!("{}{more}", visible(&head.replace('\n', "; ")))
}

/// The paths of a change, from what they were to what they became.
pub fn versions(state: &State, seq: Seq) -> Vec<FileVersions> {
    let of = |changes: &ChangeList| {
        let all = changes.0.iter().map(|change| FileVersions {
            path: change.path.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        });
        all.collect()
    };
    match state.operator.files.log.get(&seq) {
        Some(FilesChange::Execution(execution)) => {
            set_of(state, *execution).map_or_else(Vec::new, |set| of(&set.changes))
        }
        Some(FilesChange::Outside(changes)) => of(changes),
        Some(FilesChange::Restore(id)) => {
            let record = state.operator.files.restores.get(id);
            let steps = record.into_iter().flat_map(RestoreRecord::done);
            steps
                .map(|step| FileVersions {
                    path: step.path.clone(),
                    before: step.from.clone(),
                    after: step.to.clone(),
                })
                .collect()
        }
        None => Vec::new(),
    }
}
