//! Decides undo, redo and switch of branches.
//!
//! Must not know: how branches are shown.
//!
//! They change nothing in the world: no effect of a tool is reverted, and no approval comes back.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::begin::begin;
use crate::affected_nodes;
use crate::branch;
use crate::branch::recall::{CallMove, Moves, recall};
use crate::call::{Call, Status};
use crate::decide::checks::seen;
use crate::draft::Draft;
use crate::event::{CallEvent, EditEvent, TurnEvent};
use crate::id::{Attempt, Epoch, NodeId, TurnId};
use crate::refusal::{Refusal, RefusalKind};
use crate::state::{EpochOrigin, LedgerOutcome, State};
use crate::turn::{Stream, TurnState};

/// Refuses if the current epoch is not the one that the operator saw.
fn as_shown(state: &State, epoch: Option<Epoch>) -> Result<(), Refusal> {
    match epoch {
        Some(epoch) if epoch != state.epoch => Err(Refusal::new(
            RefusalKind::Changed,
            "the run changed since this was shown, by an edit, an undo, a redo or a switch; hint: review the new preview",
        )),
        Some(_) | None => Ok(()),
    }
}

pub(super) fn undo(draft: &mut Draft<'_>, epoch: Option<Epoch>, shown: Option<usize>) -> Result<(), Refusal> {
    as_shown(draft.state, epoch)?;
    let Some((to, undone)) = branch::undo_target(draft.state) else {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "nothing to undo: there is no edit",
        ));
    };
    let what = format!("undo: {}", undone.what);
    go(draft, to, (EpochOrigin::Undo, &what), shown)
}

pub(super) fn redo(draft: &mut Draft<'_>, epoch: Option<Epoch>, shown: Option<usize>) -> Result<(), Refusal> {
    as_shown(draft.state, epoch)?;
    let Some(to) = branch::redo_target(draft.state) else {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "nothing to redo: no edit was undone since the last one",
        ));
    };
    go(draft, to, (EpochOrigin::Redo, "redo what was undone"), shown)
}

pub(super) fn switch(
    draft: &mut Draft<'_>,
    to: Epoch,
    epoch: Option<Epoch>,
    shown: Option<usize>,
) -> Result<(), Refusal> {
    known(draft.state, to)?;
    as_shown(draft.state, epoch)?;
    if to == branch::current(draft.state) {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            format!("branch {} is already the current branch", to.0),
        ));
    }
    let what = format!("switch to branch {}", to.0);
    go(
        draft,
        branch::end(draft.state, to),
        (EpochOrigin::Switch, &what),
        shown,
    )
}

pub(super) fn name(draft: &mut Draft<'_>, epoch: Epoch, name: &Arc<str>) -> Result<(), Refusal> {
    known(draft.state, epoch)?;
    if epoch == Epoch(0) {
        return Err(Refusal::new(
            RefusalKind::Status,
            "the first branch is the run itself; hint: name the session instead",
        ));
    }
    let name = name.trim();
    if name.chars().count() > 80 {
        return Err(Refusal::new(
            RefusalKind::Invalid,
            "a branch's name has at most 80 characters",
        ));
    }
    draft.edit(EditEvent::Named {
        epoch,
        name: Arc::from(name),
    });
    Ok(())
}

/// Refuses a number that is not a branch.
pub(in crate::decide) fn known(state: &State, epoch: Epoch) -> Result<(), Refusal> {
    if branch::is_one(state, epoch) {
        return Ok(());
    }
    Err(Refusal::new(RefusalKind::Unknown, branch::unknown(state, epoch)))
}

fn go(
    draft: &mut Draft<'_>,
    to: Epoch,
    (by, what): (EpochOrigin, &str),
    shown: Option<usize>,
) -> Result<(), Refusal> {
    // What is restored matters here only for what it ends, and for a switch that changes nothing.
    let is_switch = by == EpochOrigin::Switch;
    let moves = (is_switch || is_any_under_way(draft.state)).then(|| recall(draft.state, to));
    if is_switch && moves.as_ref().is_some_and(Moves::is_empty) {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            format!(
                "the current branch equals branch {} already",
                branch::of(draft.state, to).0
            ),
        ));
    }
    begin(draft, None, what, None);
    if let Some(moves) = moves {
        end_what_goes(draft, &moves);
    }
    draft.edit(EditEvent::Recalled { of: to, by });
    seen(shown, || {
        affected_nodes::effects_of(draft.state, &draft.events).len()
    })
}

/// Closes the streams and cancels the executions that become superseded.
fn end_what_goes(draft: &mut Draft<'_>, moves: &Moves) {
    let turns = moves
        .turns_fall
        .iter()
        .chain(moves.turns_restored.iter().map(|(id, _)| id));
    let open = |(_, condition): &&(TurnId, TurnState)| condition.stream == Stream::Open;
    let stay_open: BTreeSet<TurnId> = moves
        .turns_restored
        .iter()
        .filter(open)
        .map(|(id, _)| *id)
        .collect();
    for turn in turns.filter_map(|id| draft.state.turns.get(id)) {
        if turn.stream == Stream::Open && !stay_open.contains(&turn.id) {
            draft.turn_event(TurnEvent::Aborted {
                turn: turn.id,
                reason: Arc::from("another branch was chosen"),
            });
        }
    }
    let moved = moves.calls.iter().filter(|(_, to)| *to != CallMove::Resume);
    let ended: Vec<NodeId> = moves
        .falls
        .iter()
        .copied()
        .chain(moved.map(|(id, _)| *id))
        .collect();
    for id in ended {
        let Some(call) = draft.state.calls.get(&id) else {
            continue;
        };
        if let Status::Running(attempt) = call.status
            && is_under_way(draft.state, call, attempt)
        {
            draft.call(CallEvent::CancelAsked {
                call: id,
                attempt,
                reason: "another branch was chosen".into(),
            });
        }
    }
}

/// True while a reply is written, or a call runs, superseded ones included.
fn is_any_under_way(state: &State) -> bool {
    state.turns.values().any(|turn| turn.stream == Stream::Open)
        || state
            .calls
            .values()
            .any(|call| matches!(call.status, Status::Running(_)))
}

/// Whether an execution has not ended. The call of a superseded one may not know.
fn is_under_way(state: &State, call: &Call, attempt: Attempt) -> bool {
    let record = call.attempts.iter().find(|one| one.no == attempt);
    let entry = record.and_then(|record| state.ledger.get(&record.intent));
    entry.is_none_or(|entry| entry.outcome == LedgerOutcome::Running)
}
