//! Folds facts about edits. Must not know: how an edit was typed.

use std::sync::Arc;

use super::{At, add_node, call, index};
use crate::domain::call::{Digest, Status};
use crate::domain::event::EditEvent;
use crate::domain::id::{NodeId, NodeKind, Rev, ThreadId};
use crate::domain::node::{Channel, Content, Origin, Revision};
use crate::domain::state::{EditRecord, Mode, State};
use crate::domain::thread;

pub(super) fn apply(state: &mut State, at: At, event: &EditEvent) {
    match event {
        EditEvent::Committed {
            epoch,
            intervention,
            target,
            what,
            reason,
        } => {
            state.epoch = *epoch;
            release(state);
            let turn = target
                .and_then(|target| state.nodes.get(&target))
                .map(|node| node.turn)
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
            add_node(state, at, turn, *intervention, content, Origin::Operator { user });
            state.edits.push(EditRecord {
                seq: at.seq,
                epoch: *epoch,
                intervention: *intervention,
                target: *target,
                what: what.clone(),
            });
        }
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
        EditEvent::Suspected { calls } => {
            index::suspect(state, calls);
        }
        EditEvent::Superseded { nodes } => {
            index::retire(state, nodes);
            if let Mode::Finished(answer) = state.mode
                && nodes.contains(&answer)
            {
                state.mode = Mode::Running;
            }
        }
        EditEvent::Orphaned { entries } => {
            for entry in entries {
                if let Some(entry) = state.ledger.get_mut(entry) {
                    entry.orphaned = true;
                }
            }
            index::gate_again(state);
        }
        EditEvent::Held { node, calls } => {
            state.editing = Some(*node);
            state.held = calls.iter().copied().collect();
        }
        EditEvent::Released {} => release(state),
    }
}

/// The editor is closed.
pub(super) fn release(state: &mut State) {
    state.editing = None;
    state.held.clear();
}

/// Holds a call that appeared, or whose references were read, behind an open editor.
pub(super) fn hold_new(state: &mut State, id: NodeId) {
    let Some(editing) = state.editing else { return };
    // What a sub-agent does goes into the result of its call.
    let above = thread::above(state, thread::of(state, editing)).map(|child| child.call.observation());
    if std::iter::once(editing)
        .chain(above)
        .any(|editing| depends(state, editing, id))
    {
        state.held.insert(id);
    }
}

/// True where a call comes after a node in its thread, or reads it in its turn.
fn depends(state: &State, editing: NodeId, id: NodeId) -> bool {
    let (Some(turn), Some(own)) = (state.turn_of(editing.call()), state.turn_of(id)) else {
        return false;
    };
    let place = |wanted: NodeId| own.nodes.iter().position(|one| *one == wanted);
    if turn.id != own.id {
        turn.thread == own.thread && own.pos > turn.pos
    } else if editing.kind == NodeKind::Thought {
        place(editing) < place(id)
    } else {
        crate::domain::graph::readers_of(state, editing.call()).contains(&id)
    }
}

fn pin(state: &mut State, node: NodeId, pinned: bool) {
    if let Some(node) = state.nodes.get_mut(&node) {
        node.pinned = pinned;
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
    let Some(node) = state.nodes.get_mut(&id) else {
        return;
    };
    node.revisions.push(Revision {
        no: rev,
        content: content.clone(),
        origin: origin.clone(),
        epoch,
        event: at.seq,
    });
    let turn = node.turn;
    if let Content::Observation { outcome, .. } = content {
        node.active = true;
        let outcome = outcome.clone();
        call::trust(state, id.call());
        call::end_call(state, id.call(), &outcome);
        return;
    }
    if *content == Content::Deleted {
        index::retire(state, &[id]);
        return;
    }
    if id.kind == NodeKind::Call {
        call::trust(state, id);
        if let Some(life) = state.calls.get_mut(&id) {
            life.faults.clear();
            life.references.clear();
            life.bindings.clear();
            life.resolved = None;
            life.digest = None;
            life.verdict = None;
            life.because = None;
            life.edit_approves = approves.cloned();
        }
        if let Some(observation) = state.nodes.get_mut(&id.observation()) {
            observation.pinned = false;
        }
        index::reopen_turn(state, turn);
        index::set_status(state, id, Status::Proposed);
    }
}
