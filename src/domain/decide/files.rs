//! Decides commands and reports about the files of the workspace.
//!
//! Must not know: how a file is read or written.

use crate::advice::Advice;
use crate::command::FilesCommand;
use crate::draft::Draft;
use crate::event::FilesEvent;
use crate::files::plan::Plan;
use crate::files::{ChangeList, Progress, RestoreRecord, Skipped};
use crate::id::{NodeId, Seq};
use crate::refusal::{Refusal, RefusalKind};
use crate::state::State;

pub(super) fn decide(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    command: &FilesCommand,
) -> Result<(), Refusal> {
    match command {
        FilesCommand::Continue { restore } => continue_restore(draft, *restore),
        FilesCommand::Leave { restore } => {
            let record = interrupted(draft.state, *restore, "leave")?;
            let event = left_as_it_is(advice, record);
            draft.files(event);
            Ok(())
        }
        FilesCommand::Seen { through } => seen(draft, *through),
        FilesCommand::Restore { .. }
        | FilesCommand::RestoreBranch { .. }
        | FilesCommand::UndoRestore { .. }
        | FilesCommand::With { .. } => {
            Err(Refusal::new(RefusalKind::Status, "cannot restore: not built yet"))
        }
    }
}

/// Returns what a command about files would restore, or why it is refused. The digest in it is not compared.
pub fn restore_plan(_state: &State, _advice: &dyn Advice, _command: &FilesCommand) -> Result<Plan, Refusal> {
    Err(Refusal::new(RefusalKind::Status, "cannot restore: not built yet"))
}

/// Decides a report that something else than a call changed files.
pub(super) fn changed_outside(draft: &mut Draft<'_>, changes: &ChangeList) {
    if !changes.0.is_empty() {
        draft.files(FilesEvent::ChangedOutside {
            changes: changes.clone(),
        });
    }
}

/// Decides a report of how a restore ended. One about a restore that has ended gives no event.
pub(super) fn restored(draft: &mut Draft<'_>, restore: NodeId, skipped: &[Skipped]) {
    let open = draft.state.operator.files.open();
    if let Some(record) = open.filter(|record| record.started.restore == restore) {
        let event = ended(record, skipped.to_vec());
        draft.files(event);
    }
}

/// The end of a restore without these steps.
fn ended(record: &RestoreRecord, mut skipped: Vec<Skipped>) -> FilesEvent {
    let steps = &record.started.steps.0;
    skipped.retain(|one| steps.iter().any(|step| step.path == one.path));
    let done = steps.len().saturating_sub(skipped.len());
    FilesEvent::Restored {
        restore: record.started.restore,
        done: u32::try_from(done).unwrap_or(u32::MAX),
        skipped,
    }
}

/// The end of an interrupted restore, by what the files are now.
fn left_as_it_is(advice: &dyn Advice, record: &RestoreRecord) -> FilesEvent {
    let steps = &record.started.steps.0;
    let paths: Vec<_> = steps.iter().map(|step| step.path.clone()).collect();
    let now = advice.file_states(&paths);
    let mut now = now.iter();
    let open = steps.iter().filter_map(|step| {
        let progress = now.next().map_or(Progress::Conflict, |now| step.progress(now));
        let why = match progress {
            Progress::Done => return None,
            Progress::Open => "left by the operator",
            Progress::Conflict => "changed since by something else",
        };
        Some(Skipped {
            path: step.path.clone(),
            why: why.to_owned(),
        })
    });
    ended(record, open.collect())
}

fn continue_restore(draft: &mut Draft<'_>, restore: NodeId) -> Result<(), Refusal> {
    interrupted(draft.state, restore, "continue")?;
    draft.files(FilesEvent::RestoreContinued { restore });
    Ok(())
}

/// The restore, if it was interrupted and nobody has decided about it since.
fn interrupted<'s>(state: &'s State, restore: NodeId, verb: &str) -> Result<&'s RestoreRecord, Refusal> {
    let record = known(state, restore)?;
    if record.end.is_some() {
        let message = format!("cannot {verb} {restore}: it has ended");
        return Err(Refusal::new(RefusalKind::Status, message));
    }
    if !record.interrupted {
        let message = format!("cannot {verb} {restore}: it is being carried out; hint: wait for it");
        return Err(Refusal::new(RefusalKind::Status, message));
    }
    Ok(record)
}

fn known(state: &State, restore: NodeId) -> Result<&RestoreRecord, Refusal> {
    let found = state.operator.files.restores.get(&restore);
    found.ok_or_else(|| Refusal::new(RefusalKind::Unknown, format!("there is no restore {restore}")))
}

fn seen(draft: &mut Draft<'_>, through: Seq) -> Result<(), Refusal> {
    if through > draft.state.seq {
        let message = format!("cannot mark changes as seen: there is no event {through}");
        return Err(Refusal::new(RefusalKind::Unknown, message));
    }
    if through <= draft.state.operator.files.seen {
        let message = "no change: these changes are already marked as seen";
        return Err(Refusal::new(RefusalKind::NoChange, message));
    }
    draft.files(FilesEvent::Seen { through });
    Ok(())
}
