//! Applies events about edits.
//!
//! Must not know: how an edit was typed.

use std::sync::Arc;

use super::at::At;
use super::new_node::add_node;
use super::{call, index, recall, summary};
use crate::call::{Digest, Status, Validation};
use crate::event::EditEvent;
use crate::id::{Epoch, NodeId, NodeKind, Rev, ThreadId};
use crate::node::{Channel, Content, NodeState, Origin, Revision};
use crate::state::{EditRecord, EpochOrigin, EpochRecord, Mode, State};
use crate::thread;

pub(super) fn apply(state: &mut State, at: At, event: &EditEvent) {
    match event {
        EditEvent::Committed { .. } => committed(state, at, event),
        EditEvent::Revised {
            node,
            rev,
            content,
            origin,
            approves,
        } => {
            revised(state, at, (*node, *rev), content, origin, approves.as_ref());
        }
        EditEvent::Pinned { node } => pin(state, *node, true),
        EditEvent::Unpinned { node } => pin(state, *node, false),
        EditEvent::MarkedStale { calls } => {
            index::suspect(state, calls);
        }
        EditEvent::Superseded { nodes } => superseded(state, nodes),
        EditEvent::Orphaned { entries } => {
            for entry in entries {
                if let Some(entry) = state.ledger.get_mut(entry) {
                    entry.more.orphaned = true;
                }
            }
            index::gate_again(state);
        }
        EditEvent::Suspended { node, calls } => {
            state.operator.editing.entry(*node).or_default().extend(calls);
            state.operator.held.extend(calls);
        }
        EditEvent::Released { node: None } => release(state),
        EditEvent::Released { node: Some(node) } => {
            state.operator.editing.remove(node);
            state.operator.held = state.operator.editing.values().flatten().copied().collect();
        }
        EditEvent::Recalled { of, by } => recall::apply(state, at, *of, *by),
        EditEvent::Shortened { calls } => {
            if let Some(edit) = state.operator.edits.last_mut() {
                edit.shortened.clone_from(calls);
            }
        }
        EditEvent::LeftOut { turns, summary } => {
            if let Some(edit) = state.operator.edits.last_mut() {
                edit.left_out.clone_from(turns);
                edit.summary.clone_from(summary);
            }
        }
        EditEvent::SummaryAsked { .. }
        | EditEvent::SummaryBroke { .. }
        | EditEvent::SummaryAnswered { .. } => {
            summary::apply(state, at, event);
        }
        EditEvent::CorrectionsLost { nodes } => {
            state.agenda.lost.extend(nodes.iter().map(|id| id.call()));
        }
        EditEvent::Named { epoch, name } => {
            if let Some(record) = state.operator.epochs.iter_mut().find(|one| one.epoch == *epoch) {
                record.name = Some(name.clone()).filter(|name| !name.is_empty());
            }
        }
    }
}

/// Starts an epoch, with the node of the edit.
fn committed(state: &mut State, at: At, event: &EditEvent) {
    let EditEvent::Committed {
        epoch,
        intervention,
        target,
        after,
        what,
        reason,
        by,
    } = event
    else {
        return;
    };
    begin(state, at, *epoch, what);
    release(state);
    let turn = target
        .and_then(|target| state.nodes.get(&target))
        .map(|node| node.turn)
        .or(*after)
        .or_else(|| state.turns_of(ThreadId(0)).next_back().map(|turn| turn.id))
        .unwrap_or_default();
    let text: Arc<str> = match reason {
        Some(reason) => Arc::from(format!("{what}: {reason}")),
        None => what.clone(),
    };
    let user = state
        .started
        .as_ref()
        .map_or_else(|| Arc::from("operator"), |started| started.user.clone());
    let content = Content::Text {
        text,
        channel: Channel::Spoken,
        opaque: None,
    };
    let origin = match by {
        Some(rule) => Origin::Engine { rule: rule.clone() },
        None => Origin::Operator { user },
    };
    add_node(state, at, turn, *intervention, content, origin);
    let thread = state.turns.get(&turn).map_or(thread::ROOT, |turn| turn.thread);
    state.operator.edits.push(EditRecord {
        seq: at.seq,
        epoch: *epoch,
        intervention: *intervention,
        target: *target,
        thread,
        what: what.clone(),
        by: by.clone(),
        rejected: Vec::new(),
        shortened: Vec::new(),
        left_out: Vec::new(),
        summary: None,
        after: *after,
    });
    mark_edited(state, thread);
}

/// Nodes that an edit supersedes, without their turns.
fn superseded(state: &mut State, nodes: &[NodeId]) {
    index::retire(state, nodes);
    // No other edit of an answer supersedes it alone.
    let edited = state.operator.edits.last_mut().filter(|edit| {
        let target = edit.target.filter(|target| target.kind == NodeKind::Answer);
        target.is_some_and(|target| nodes.contains(&target))
    });
    if let Some(edit) = edited {
        edit.rejected = nodes.to_vec();
    }
    if let Mode::Finished(answer) = state.mode
        && nodes.contains(&answer)
    {
        state.mode = Mode::Running;
    }
}

/// Marks the executions above an edited thread: their results are no longer what equal calls would
/// give.
fn mark_edited(state: &mut State, thread: ThreadId) {
    let above: Vec<_> = thread::above(state, thread)
        .map(|child| (child.call, child.attempt))
        .collect();
    for (call, attempt) in above {
        let attempts = state.calls.get(&call).into_iter().flat_map(|call| &call.attempts);
        let intent = attempts
            .filter(|one| one.no == attempt)
            .map(|one| one.intent)
            .next();
        if let Some(entry) = intent.and_then(|intent| state.ledger.get_mut(&intent)) {
            entry.more.edited = true;
        }
    }
}

/// Starts a new epoch unless the edit belongs to one that has just begun.
fn begin(state: &mut State, at: At, epoch: Epoch, what: &Arc<str>) {
    if epoch <= state.epoch {
        return;
    }
    state.operator.epochs.push(EpochRecord {
        epoch,
        base: state.epoch,
        left: state.epoch,
        began: EpochOrigin::Edit,
        seq: at.seq,
        what: what.clone(),
        name: None,
        branch: epoch,
    });
    state.epoch = epoch;
}

/// Closes all editors.
pub(super) fn release(state: &mut State) {
    state.operator.editing.clear();
    state.operator.held.clear();
}

/// Suspends a call that is new, or whose references are new, if it depends on an open edit.
pub(super) fn hold_new(state: &mut State, id: NodeId) {
    let depends_value = |editing: &NodeId| {
        // The work of a sub-agent determines the result of its call.
        let above = thread::above(state, thread::of(state, *editing)).map(|child| child.call.observation());
        std::iter::once(*editing)
            .chain(above)
            .any(|editing| depends(state, id, editing))
    };
    let edited: Vec<NodeId> = state
        .operator
        .editing
        .keys()
        .copied()
        .filter(depends_value)
        .collect();
    for node in edited {
        state.operator.editing.entry(node).or_default().insert(id);
        state.operator.held.insert(id);
    }
}

/// Whether a call depends on a node that is being edited.
fn depends(state: &State, id: NodeId, editing: NodeId) -> bool {
    let (Some(turn), Some(own)) = (state.turn_of(editing.call()), state.turn_of(id)) else {
        return false;
    };
    let place = |requested: NodeId| own.nodes.iter().position(|one| *one == requested);
    if turn.id != own.id {
        turn.thread == own.thread && own.pos > turn.pos
    } else if editing.kind == NodeKind::Thought {
        place(editing) < place(id)
    } else {
        crate::graph::readers_of(state, editing.call()).contains(&id)
    }
}

pub(super) fn pin(state: &mut State, node: NodeId, pinned: bool) {
    if pinned {
        state.agenda.pinned.insert(node.call());
    }
    if let Some(node) = state.nodes.get_mut(&node) {
        let status = NodeState {
            pinned,
            ..node.state()
        };
        node.set_state(state.epoch, status);
    }
}

fn revised(
    state: &mut State,
    at: At,
    (id, rev): (NodeId, Rev),
    content: &Content,
    origin: &Origin,
    approves: Option<&Digest>,
) {
    let epoch = state.epoch;
    let output = Revision {
        no: rev,
        content: content.clone(),
        origin: origin.clone(),
        epoch,
        event: at.seq,
    };
    let is_result = matches!(content, Content::Observation { .. });
    let turn = index::weighed(state, id, |state| {
        let node = state.nodes.get_mut(&id)?;
        node.revise(epoch, output);
        let status = NodeState {
            active: node.active || is_result,
            ..node.state()
        };
        node.set_state(epoch, status);
        Some(node.turn)
    });
    let Some(turn) = turn else { return };
    if let Content::Observation { outcome, .. } = content {
        let outcome = outcome.clone();
        call::trust(state, id.call());
        super::outcome::end_call(state, id.call(), &outcome);
        return;
    }
    if *content == Content::Deleted {
        index::retire(state, &[id]);
        return;
    }
    if id.kind == NodeKind::Call {
        call::trust(state, id);
        if let Some(life) = state.calls.get_mut(&id) {
            life.remember(epoch);
            life.refs.references.clear();
            life.refs.bindings.clear();
            life.refs.pinned_args = None;
            life.resolved = None;
            life.digest = None;
            life.verdict = None;
            life.validation = Validation::default();
            life.failure.retries = 0;
            life.approval.consented.clear();
            life.approval.edit_approves = approves.cloned();
        }
        pin(state, id.observation(), false);
        index::reopen_turn(state, turn);
        index::set_status(state, id, Status::Proposed);
    }
}
