//! Adds nodes.
//!
//! Must not know: what a node says.

use super::at::At;
use super::index;
use crate::history::History;
use crate::id::{NodeId, NodeKind, Rev, TurnId};
use crate::node::{Content, Node, Origin, Revision};
use crate::state::State;

/// Adds a node with its first revision to a turn.
pub(super) fn add_node(
    state: &mut State,
    at: At,
    turn: TurnId,
    id: NodeId,
    content: Content,
    origin: Origin,
) {
    state.tally.last_no = state.tally.last_no.max(id.no);
    if state.nodes.contains_key(&id) {
        return;
    }
    let first = Revision {
        no: Rev(1),
        content,
        origin,
        epoch: state.epoch,
        event: at.seq,
    };
    let node = Node {
        id,
        turn,
        active: true,
        pinned: false,
        revisions: vec![first],
        current: Rev(1),
        replaced: None,
        history: History::begun(state.epoch),
    };
    index::weighed(state, id, |state| _ = state.nodes.insert(id, node));
    let in_stream = !matches!(id.kind, NodeKind::Observation | NodeKind::Intervention);
    if in_stream && let Some(turn) = state.turns.get_mut(&turn) {
        turn.nodes.push(id);
    }
}
