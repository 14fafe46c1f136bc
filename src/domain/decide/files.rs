//! Decides commands and reports about the files of the workspace.
//!
//! Must not know: how a file is read or written.

use super::edit::known_branch;
use crate::advice::Advice;
use crate::command::{CallCommand, Command, EditCommand, FilesCommand, RunCommand};
use crate::draft::Draft;
use crate::event::{EditEvent, Event, FilesEvent};
use crate::files::path_history::Selection;
use crate::files::plan::{Plan, look};
use crate::files::sources::Sources;
use crate::files::{
    ChangeList, Progress, RestoreCause, RestoreChoice, RestoreRecord, RestoreStarted, Skipped, selection,
};
use crate::id::{NodeId, NodeKind, Seq};
use crate::refusal::{Refusal, RefusalKind};
use crate::state::State;
use crate::trial::try_out;

pub(super) fn decide(
    draft: &mut Draft<'_>,
    advice: &dyn Advice,
    command: &FilesCommand,
) -> Result<(), Refusal> {
    match command {
        FilesCommand::Continue { restore } => return continue_restore(draft, advice, *restore),
        FilesCommand::Leave { restore } => {
            let record = interrupted(draft.state, *restore, "leave")?;
            let event = left_as_it_is(advice, record)?;
            draft.files(event);
            return Ok(());
        }
        FilesCommand::Seen { through } => return seen(draft, *through),
        FilesCommand::Restore { choice, .. }
        | FilesCommand::RestoreBranch { choice, .. }
        | FilesCommand::UndoRestore { choice, .. }
        | FilesCommand::With { choice, .. } => {
            let wanted = wanted(draft.state, advice, command)?;
            let plan = wanted.plan(draft.state, advice, choice)?;
            let events = start(draft.state, wanted, (plan, choice))?;
            draft.events.extend(events);
        }
    }
    Ok(())
}

/// Returns what a command about files would restore, or why it is refused. The digest in it is not compared, and what runs
/// refuses nothing yet.
///
/// # Errors
///
/// The command is none that restores files, or would be refused whatever the files are.
pub fn restore_plan(state: &State, advice: &dyn Advice, command: &FilesCommand) -> Result<Plan, Refusal> {
    let choice = match command {
        FilesCommand::Restore { choice, .. }
        | FilesCommand::RestoreBranch { choice, .. }
        | FilesCommand::UndoRestore { choice, .. }
        | FilesCommand::With { choice, .. } => choice,
        FilesCommand::Continue { .. } | FilesCommand::Leave { .. } | FilesCommand::Seen { .. } => {
            let message = "there is no plan: this restores no files";
            return Err(Refusal::new(RefusalKind::Invalid, message));
        }
    };
    wanted(state, advice, command)?.plan(state, advice, choice)
}

/// What a command is to restore, and what goes with it.
struct Wanted {
    cause: RestoreCause,
    selection: Selection,
    /// The events before it: of the command that it goes with, or the end of a restore that was interrupted.
    events: Vec<Event>,
    /// The state after these events, if there are any.
    after: Option<State>,
}

impl Wanted {
    fn alone(cause: RestoreCause, selection: Selection) -> Self {
        Self {
            cause,
            selection,
            events: Vec::new(),
            after: None,
        }
    }

    fn after<'s>(&'s self, state: &'s State) -> &'s State {
        self.after.as_ref().unwrap_or(state)
    }

    fn plan(&self, state: &State, advice: &dyn Advice, choice: &RestoreChoice) -> Result<Plan, Refusal> {
        let plan = Plan::of(self.after(state), advice, &self.selection, choice)?;
        Ok(Plan {
            still_runs: still_runs(state, advice),
            ..plan
        })
    }
}

fn wanted(state: &State, advice: &dyn Advice, command: &FilesCommand) -> Result<Wanted, Refusal> {
    match command {
        FilesCommand::Restore { calls, .. } => {
            if let Some(unknown) = calls.iter().find(|call| !state.calls.contains_key(call)) {
                let message = format!("there is no call {unknown}");
                return Err(Refusal::new(RefusalKind::Unknown, message));
            }
            let selection = selection::of_calls(state, calls);
            Ok(Wanted::alone(RestoreCause::Calls, selection))
        }
        FilesCommand::RestoreBranch { to, .. } => {
            known_branch(state, *to)?;
            let selection = selection::of_branch(&Sources::of(state), state, *to);
            Ok(Wanted::alone(RestoreCause::Branch, selection))
        }
        FilesCommand::UndoRestore { restore, .. } => undo(state, advice, *restore),
        FilesCommand::With { command, .. } => with(state, advice, command),
        FilesCommand::Continue { .. } | FilesCommand::Leave { .. } | FilesCommand::Seen { .. } => {
            Ok(Wanted::alone(RestoreCause::Calls, Selection::default()))
        }
    }
}

/// The reverse of a restore. One that was interrupted ends first, as it is.
fn undo(state: &State, advice: &dyn Advice, restore: NodeId) -> Result<Wanted, Refusal> {
    let record = known(state, restore)?;
    let selection = selection::of_restore(&record.started);
    let wanted = Wanted::alone(RestoreCause::Restore, selection);
    if record.end.is_some() {
        return Ok(wanted);
    }
    let record = interrupted(state, restore, "undo")?;
    let events = vec![Event::Files(left_as_it_is(advice, record)?)];
    let mut after = state.clone();
    try_out(&mut after, &events);
    Ok(Wanted {
        events,
        after: Some(after),
        ..wanted
    })
}

/// What a command makes inactive.
fn with(state: &State, advice: &dyn Advice, command: &Command) -> Result<Wanted, Refusal> {
    let cause = match command {
        Command::Edit(EditCommand::Commit { .. })
        | Command::Run(RunCommand::AskAgain { .. })
        | Command::Call(CallCommand::Retry { .. }) => RestoreCause::Edit,
        Command::Edit(EditCommand::Undo { .. }) => RestoreCause::Undo,
        Command::Edit(EditCommand::Redo { .. }) => RestoreCause::Redo,
        Command::Edit(EditCommand::Switch { .. }) => RestoreCause::Switch,
        _ => {
            let message = "no files can be restored with this command; hint: restore them on their own";
            return Err(Refusal::new(RefusalKind::Invalid, message));
        }
    };
    let events = super::command(state, advice, command)?;
    let mut after = state.clone();
    try_out(&mut after, &events);
    Ok(Wanted {
        cause,
        selection: selection::between(&Sources::of(state), state, &after),
        events,
        after: Some(after),
    })
}

/// Returns the events of a restore, if it is what was shown and nothing stands against it.
fn start(
    state: &State,
    wanted: Wanted,
    (plan, choice): (Plan, &RestoreChoice),
) -> Result<Vec<Event>, Refusal> {
    if choice.over.len() + choice.without.len() > 0 {
        let named: std::collections::BTreeSet<_> = plan.rows.iter().map(|row| &row.path).collect();
        let mut paths = choice.over.iter().chain(&choice.without);
        if let Some(path) = paths.find(|path| !named.contains(path)) {
            let path = overrule_base::text::visible(&path.text());
            let message = format!("cannot restore {path}: none of these calls changed it");
            return Err(Refusal::new(RefusalKind::Unknown, message));
        }
    }
    if plan.digest != choice.digest {
        let message = format!(
            "cannot restore: the files or the run changed since this was shown (you saw {}, it is {}); hint: review the \
             new preview",
            choice.digest.short(),
            plan.digest.short()
        );
        return Err(Refusal::new(RefusalKind::Changed, message));
    }
    let is_alone = !matches!(
        wanted.cause,
        RestoreCause::Edit | RestoreCause::Undo | RestoreCause::Redo | RestoreCause::Switch
    );
    let mut events = wanted.events;
    if plan.steps.0.is_empty() {
        if is_alone {
            let message = "nothing to restore: no file would change";
            return Err(Refusal::new(RefusalKind::NoChange, message));
        }
        return Ok(events);
    }
    let after = wanted.after.as_ref().unwrap_or(state);
    if let Some(open) = after.operator.files.open {
        let message = format!("cannot restore: {open} has not ended; hint: continue it, leave it or undo it");
        return Err(Refusal::new(RefusalKind::Status, message));
    }
    if let Some(call) = plan.still_runs {
        let message = format!("cannot restore: {call} still runs; hint: cancel {call}");
        return Err(Refusal::new(RefusalKind::Status, message));
    }
    let started = RestoreStarted {
        restore: Draft::new(after).node(NodeKind::Intervention),
        cause: wanted.cause,
        digest: plan.digest,
        steps: plan.steps,
        undone: plan.undone,
        redone: plan.redone,
        of: wanted.selection.of,
    };
    // It comes before the requests of the edit: they wait for it.
    let commit = |event: &Event| matches!(event, Event::Edit(EditEvent::Committed { .. }));
    let place = if is_alone {
        events.len()
    } else {
        events
            .iter()
            .position(commit)
            .map_or(0, |at| at.saturating_add(1))
    };
    let event = Event::Files(FilesEvent::RestoreStarted(Box::new(started)));
    events.insert(place, event);
    Ok(events)
}

/// What still runs and may write files: it would be overwritten, or overwrite.
fn still_runs(state: &State, advice: &dyn Advice) -> Option<NodeId> {
    let writes = |call: &NodeId| state.calls.get(call).is_some_and(|call| call.effect.has_effect());
    let agenda = &state.agenda;
    let ending = agenda.ending.iter().map(|(call, _)| call);
    let running = agenda.running.iter().chain(ending).find(|call| writes(call));
    let lost = || {
        agenda.unknown.iter().find(|call| {
            let attempts = state.calls.get(call).map(|call| &call.attempts);
            let mut processes = attempts
                .into_iter()
                .flatten()
                .filter_map(|one| one.launch.process);
            writes(call) && processes.any(|(pid, ticks)| advice.still_runs(pid, ticks).is_some())
        })
    };
    running.or_else(lost).copied()
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
fn left_as_it_is(advice: &dyn Advice, record: &RestoreRecord) -> Result<FilesEvent, Refusal> {
    let steps = &record.started.steps.0;
    let paths: Vec<_> = steps.iter().map(|step| step.path.clone()).collect();
    let now = look(advice, &paths, &[])?.states;
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
    Ok(ended(record, open.collect()))
}

fn continue_restore(draft: &mut Draft<'_>, advice: &dyn Advice, restore: NodeId) -> Result<(), Refusal> {
    let record = interrupted(draft.state, restore, "continue")?;
    // Where nothing can be looked at, it would end without what it has done.
    let paths = record.started.steps.0.iter().map(|step| step.path.clone());
    look(advice, &paths.collect::<Vec<_>>(), &[])?;
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
