//! Restores an earlier branch or one recorded reply.
//!
//! Must not know: who asked for it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::at::At;
use super::index;
use crate::branch;
use crate::branch::recall::{CallMove, Moves, recall, recall_reply};
use crate::call::{DataRefs, Status, Validation, Way};
use crate::history::{Line, Then};
use crate::id::{Epoch, NodeId, NodeKind, ThreadId, TurnId};
use crate::node::NodeState;
use crate::state::{EpochOrigin, Mode, State};
use crate::turn::{Activity, TurnState};

pub(super) fn apply(state: &mut State, at: At, of: Epoch, by: EpochOrigin) {
    let moves = recall(state, of);
    let branch = branch::of(state, of);
    if let Some(record) = state.operator.epochs.last_mut() {
        record.base = of;
        record.began = by;
        record.branch = branch;
    }
    let fallen = fallen_there(state, &moves.falls, &branch::line(state, of));
    carry_out(state, at, &moves, false);
    for (id, condition) in fallen {
        index::weighed(state, id, |state| {
            if let Some(node) = state.nodes.get_mut(&id) {
                node.set_state(state.epoch, condition);
            }
        });
    }
    record_active(state);
    if matches!(state.mode, Mode::Finished(_)) {
        state.mode = Mode::Running;
    }
}

/// Uses a recorded reply instead of a request.
pub(super) fn revive(state: &mut State, at: At, turn: TurnId, of: Epoch) {
    let moves = recall_reply(state, turn, of);
    carry_out(state, at, &moves, true);
}

/// Returns how superseded nodes were at the end of a line: with their revision there, without corrections of other branches.
fn fallen_there(state: &State, falls: &[NodeId], line: &Line) -> Vec<(NodeId, NodeState)> {
    let both = falls.iter().flat_map(|id| [*id, id.observation()]);
    let nodes = both.filter_map(|id| state.nodes.get(&id));
    let fallen = nodes.map(|node| {
        let then = match node.history.at(line) {
            Then::Was(was) => *was,
            Then::Now => node.state(),
            Then::Absent => NodeState {
                pinned: false,
                ..node.state()
            },
        };
        (
            node.id,
            NodeState {
                active: false,
                ..then
            },
        )
    });
    fallen.collect()
}

/// `one_reply` if a reply follows another past than its own, even an equal one.
fn carry_out(state: &mut State, at: At, moves: &Moves, one_reply: bool) {
    let epoch = state.epoch;
    for id in &moves.turns_fall {
        if let Some(turn) = state.turns.get_mut(id) {
            turn.remember(epoch);
            turn.activity = Activity::Superseded(at.seq);
        }
        state.agenda.open.remove(id);
    }
    let (results, nodes): (Vec<NodeId>, Vec<NodeId>) = moves
        .falls
        .iter()
        .partition(|id| id.kind == NodeKind::Observation);
    index::retire(state, &nodes);
    for id in results {
        index::retract(state, id.call());
    }
    for (id, condition) in &moves.restored {
        index::weighed(state, *id, |state| {
            if let Some(node) = state.nodes.get_mut(id) {
                node.set_state(epoch, *condition);
            }
        });
        if condition.pinned {
            state.agenda.pinned.insert(id.call());
        }
        if condition.active && id.kind == NodeKind::Call {
            state.agenda.retired.remove(id);
        }
    }
    for (id, condition) in &moves.turns_restored {
        set_turn_state(state, at, *id, condition);
    }
    for seq in &moves.attached {
        if let Some(entry) = state.ledger.get_mut(seq) {
            entry.more.orphaned = false;
        }
    }
    for seq in &moves.orphaned {
        if let Some(entry) = state.ledger.get_mut(seq) {
            entry.more.orphaned = true;
        }
    }
    let touched = moves
        .turns_fall
        .iter()
        .chain(moves.turns_restored.iter().map(|(id, _)| id));
    let threads: BTreeSet<ThreadId> = touched
        .filter_map(|id| state.turns.get(id).map(|turn| turn.thread))
        .collect();
    for thread in threads {
        super::turn::note_child(state, thread);
    }
    let in_question = move_calls(state, at, moves, one_reply);
    index::suspect(state, &in_question);
    index::look_at_all(state);
    index::gate_again(state);
}

/// Records what differs from the memory of the branch as part of it: it continued on another
/// branch. Superseded nodes stay as the branch remembers them.
fn record_active(state: &mut State) {
    let epoch = state.epoch;
    let line = branch::line(state, epoch);
    let is_history = |activity: Activity| matches!(activity, Activity::Superseded(_));
    let turns = state.turns.values().filter(|turn| match turn.history.at(&line) {
        Then::Now => false,
        Then::Was(was) if is_history(was.activity) && is_history(turn.activity) => false,
        Then::Was(was) => *was != turn.state(),
        Then::Absent => !is_history(turn.activity),
    });
    let nodes = state.nodes.values().filter(|node| match node.history.at(&line) {
        Then::Now => false,
        Then::Was(was) if !was.active && !node.active => false,
        Then::Was(was) => *was != node.state(),
        Then::Absent => node.active,
    });
    let counts = |id: NodeId| state.nodes.get(&id).is_some_and(|node| node.active);
    let counted = |id: NodeId| {
        let node = state.nodes.get(&id);
        node.is_some_and(|node| matches!(node.history.at(&line), Then::Was(was) if was.active))
    };
    let calls = state.calls.values().filter(|call| match call.history.at(&line) {
        Then::Now => false,
        Then::Was(_) if !counts(call.id) && !counted(call.id) => false,
        Then::Was(was) => *was != call.way(),
        Then::Absent => counts(call.id),
    });
    let turns: Vec<TurnId> = turns.map(|turn| turn.id).collect();
    let nodes: Vec<NodeId> = nodes.map(|node| node.id).collect();
    let calls: Vec<NodeId> = calls.map(|call| call.id).collect();
    for id in turns {
        if let Some(turn) = state.turns.get_mut(&id) {
            turn.remember(epoch);
        }
    }
    for id in nodes {
        if let Some(node) = state.nodes.get_mut(&id) {
            let condition = node.state();
            node.history.keep(epoch, condition);
        }
    }
    for id in calls {
        if let Some(call) = state.calls.get_mut(&id) {
            call.remember(epoch);
        }
    }
}

fn set_turn_state(state: &mut State, at: At, id: TurnId, condition: &TurnState) {
    let epoch = state.epoch;
    let Some(turn) = state.turns.get_mut(&id) else {
        return;
    };
    if matches!(turn.activity, Activity::Superseded(_)) {
        turn.more.revived = at.seq;
    }
    turn.set_state(epoch, condition.clone());
    if condition.settled {
        state.agenda.open.remove(&id);
    } else {
        state.agenda.open.insert(id);
    }
}

/// Moves calls to their status on the branch; returns those whose inputs must be checked.
fn move_calls(state: &mut State, at: At, moves: &Moves, one_reply: bool) -> Vec<NodeId> {
    let epoch = state.epoch;
    let mut in_question = Vec::new();
    for (id, to) in &moves.calls {
        match to {
            CallMove::Ended(way) => {
                revived(state, at, *id, way);
                super::edit::hold_new(state, *id);
                index::set_status(state, *id, way.status.clone());
            }
            CallMove::Restart => {
                if let Some(call) = state.calls.get_mut(id) {
                    call.remember(epoch);
                    let label: Arc<str> = Arc::from(id.to_string());
                    let way = Way {
                        label,
                        refs: DataRefs::default(),
                        validation: Validation::default(),
                        resolved: None,
                        digest: None,
                        verdict: None,
                        ..call.way()
                    };
                    revived(state, at, *id, &way);
                }
                if let Some(turn) = state.nodes.get(id).map(|node| node.turn) {
                    index::reopen_turn(state, turn);
                }
                index::set_status(state, *id, Status::Proposed);
                continue;
            }
            CallMove::WorksOn(attempt) => {
                if let Some(turn) = state.nodes.get(id).map(|node| node.turn) {
                    index::reopen_turn(state, turn);
                }
                index::set_status(state, *id, Status::Running(*attempt));
            }
            CallMove::Resume => {}
        }
        let was = match to {
            CallMove::Ended(way) => way.suspect || one_reply,
            CallMove::Resume | CallMove::WorksOn(_) | CallMove::Restart => true,
        };
        let reads = state.calls.get(id).is_some_and(|call| {
            let looked = !matches!(call.status, Status::Blocked | Status::Proposed);
            !call.refs.references.is_empty() && looked
        });
        if was && reads {
            in_question.push(*id);
        }
    }
    in_question
}

fn revived(state: &mut State, at: At, id: NodeId, way: &Way) {
    let epoch = state.epoch;
    super::call::trust(state, id);
    if let Some(call) = state.calls.get_mut(&id) {
        call.take(epoch, way);
        call.approved = None;
        call.approval.revived = at.seq;
        call.approval.edit_approves = None;
        call.approval.consented.clear();
        call.failure.retries = 0;
    }
}
