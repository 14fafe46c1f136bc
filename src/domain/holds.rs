//! Restores the holds of other open editors after a commit.
//!
//! Must not know: who has an editor open, what is typed in it.
//!
//! A commit closes every editor in the state, and the events that follow from it are computed
//! immediately. So the same decision restores the holds.

use super::command::{Command, Edit, EditCommand};
use super::draft::Draft;
use super::event::{EditEvent, Event};
use super::graph;
use super::id::{NodeId, NodeKind};
use super::state::State;
use super::trial::try_out;

/// Suspends the descendants of open edits again, unless this decision commits or invalidates the edit.
pub(crate) fn restore_holds(draft: &mut Draft<'_>, command: Option<&Command>) {
    let commits = |event: &Event| matches!(event, Event::Edit(EditEvent::Committed { .. }));
    if draft.state.operator.editing.is_empty() || !draft.events.iter().any(commits) {
        return;
    }
    let mut left = draft.state.clone();
    try_out(&mut left, &draft.events);
    let edited: Vec<NodeId> = command.into_iter().flat_map(edits).filter_map(target).collect();
    let is_stated = |id: NodeId| {
        let revised =
            |event: &Event| matches!(event, Event::Edit(EditEvent::Revised { node, .. }) if *node == id);
        edited.contains(&id) || draft.events.iter().any(revised)
    };
    let editing = draft.state.operator.editing.keys().copied();
    let others: Vec<NodeId> = editing
        .filter(|id| !is_stated(*id) && left.nodes.get(id).is_some_and(|node| node.active))
        .collect();
    for node in others {
        let calls = touched(&left, node);
        draft.edit(EditEvent::Suspended { node, calls });
    }
}

fn edits(command: &Command) -> &[Edit] {
    match command {
        Command::Edit(EditCommand::Commit { edits, .. }) => edits,
        _ => &[],
    }
}

/// The node whose editor closes when this edit is committed.
const fn target(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::Call { node, .. }
        | Edit::Text { node, .. }
        | Edit::Observation { node, .. }
        | Edit::RejectAnswer { node, .. }
        | Edit::Delete { node, .. } => Some(*node),
        Edit::Copy { .. }
        | Edit::InsertPrompt { .. }
        | Edit::InsertThought { .. }
        | Edit::InsertCall { .. } => None,
    }
}

/// The calls that an edit of a node may change.
pub(crate) fn touched(state: &State, node: NodeId) -> Vec<NodeId> {
    let mut calls: Vec<NodeId> = graph::descendants(state, node)
        .into_iter()
        .filter(|id| id.kind == NodeKind::Call)
        .collect();
    if node.kind == NodeKind::Call {
        calls.push(node);
    }
    calls
}
