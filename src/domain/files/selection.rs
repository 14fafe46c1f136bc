//! Finds the executions whose changes a restore undoes or makes again.
//!
//! Must not know: what they changed.

use std::collections::BTreeSet;

use super::path_history::Selection;
use super::sources::{Sources, execution};
use super::{Execution, RestoreStarted};
use crate::branch;
use crate::history::Line;
use crate::id::{Epoch, NodeId};
use crate::ledger;
use crate::node::Origin;
use crate::state::State;
use crate::thread;
use crate::turn::Activity;

/// The executions of calls, with those of the sub-agents below them.
pub(crate) fn of_calls(state: &State, calls: &[NodeId]) -> Selection {
    let (_, under) = thread::under(state, calls.iter().copied());
    let calls = calls.iter().chain(&under);
    let calls = calls.filter_map(|id| state.calls.get(id));
    let undone = calls.flat_map(|call| {
        call.attempts.iter().map(|one| Execution {
            call: call.id,
            attempt: one.no,
        })
    });
    Selection {
        undone: undone.collect(),
        ..Selection::default()
    }
}

/// The reverse of a restore.
pub(crate) fn of_restore(started: &RestoreStarted) -> Selection {
    Selection {
        undone: started.redone.iter().copied().collect(),
        redone: started.undone.iter().copied().collect(),
        of: Some(started.restore),
    }
}

/// What an edit, an undo, a redo or a switch makes inactive and active: the difference of the course of the run before and
/// after it. A turn that is suspended counts as inactive: nearly always it is superseded later.
pub(crate) fn between(sources: &Sources<'_>, before: &State, after: &State) -> Selection {
    let (old, new) = (
        branch::line(before, before.epoch),
        branch::line(after, after.epoch),
    );
    difference(
        all(sources, before),
        |one| is_on(before, &old, one) && acts(before, one),
        |one| is_on(after, &new, one) && acts(after, one),
    )
}

/// The difference between the current branch and the end of another one.
pub(crate) fn of_branch(sources: &Sources<'_>, state: &State, to: Epoch) -> Selection {
    let now = branch::line(state, state.epoch);
    let then = branch::line(state, branch::end(state, to));
    difference(
        all(sources, state),
        |one| is_on(state, &now, one),
        |one| is_on(state, &then, one),
    )
}

fn difference(
    all: BTreeSet<Execution>,
    was: impl Fn(Execution) -> bool,
    is: impl Fn(Execution) -> bool,
) -> Selection {
    let mut selection = Selection::default();
    for one in all {
        match (was(one), is(one)) {
            (true, false) => _ = selection.undone.insert(one),
            (false, true) => _ = selection.redone.insert(one),
            (true, true) | (false, false) => {}
        }
    }
    selection
}

/// Every execution that changed files, or may have.
fn all(sources: &Sources<'_>, state: &State) -> BTreeSet<Execution> {
    let effects = ledger::effects(state).filter(|entry| entry.thread.is_none());
    let recorded = sources.sets().map(|(execution, _)| execution);
    effects.map(execution).chain(recorded).collect()
}

/// Returns true for an execution that belongs to what a line led to: of the revision of its call that counts there, or of
/// one that a repair replaced.
fn is_on(state: &State, line: &Line, one: Execution) -> bool {
    let Some(node) = state.nodes.get(&one.call) else {
        return false;
    };
    let Some(record) = state.attempt(one) else {
        return false;
    };
    let Some(rev) = branch::counted(state, one.call, line).filter(|_| line.holds(record.epoch)) else {
        return false;
    };
    let mut later =
        (record.rev.0..rev.0).filter_map(|no| node.revision(crate::id::Rev(no.saturating_add(1))));
    record.rev <= rev && later.all(|one| matches!(one.origin, Origin::Repair { .. }))
}

/// False for a call whose turn is suspended or superseded.
fn acts(state: &State, one: Execution) -> bool {
    let turn = state.turn_of(one.call);
    turn.is_some_and(|turn| thread::activity(state, turn) == Activity::Active)
}
