//! How a node stood on the branch that comes back, where that branch shares a reply of the model with others.
//!
//! Must not know: what becomes of calls, what is done with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::domain::history::{Line, Then};
use crate::domain::id::{Rev, ThreadId, TurnId};
use crate::domain::node::{Node, NodeState, Origin, Revision};
use crate::domain::state::State;

/// What both branches have in common.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The epochs of the branch that stands.
    pub(super) now: Line,
    /// Turns that count on both.
    pub(super) common: BTreeSet<TurnId>,
    /// Of those the ones whose stream may have brought more since.
    pub(super) turns: BTreeSet<TurnId>,
    /// Sub-agents that no edit between the branches touched.
    pub(super) children: BTreeSet<ThreadId>,
    /// Turns that are asked for again, of whose reply more may have arrived on another branch: the line on which it
    /// last stood, and the request.
    pub(super) arrived: BTreeMap<TurnId, (Line, Option<Arc<str>>)>,
}

/// How a node stood; none where it did not count, or the reply of both branches says something else now.
pub(super) fn state_at(state: &State, node: &Node, line: &Line, shared: &Shared) -> Option<NodeState> {
    let turn = state.turns.get(&node.turn);
    if shared.common.contains(&node.turn)
        && turn.is_some_and(|turn| was_replaced(node, turn.request.as_ref()))
    {
        return None;
    }
    match node.history.at(line) {
        Then::Now => Some(node.state()).filter(|now| now.active),
        Then::Was(was) => Some(*was).filter(|was| was.active),
        Then::Absent => match shared.arrived.get(&node.turn) {
            Some((line, request)) => arrived(node, line).filter(|_| !was_replaced(node, request.as_ref())),
            None => streamed(node, &shared.now).filter(|_| shared.turns.contains(&node.turn)),
        },
    }
}

/// True where the model, asked for the same again, said something else.
fn was_replaced(node: &Node, request: Option<&Arc<str>>) -> bool {
    node.replaced.is_some() && node.replaced.as_ref() == request
}

/// The same for a reply that had come further when it last stood than on the branch that comes back.
fn arrived(node: &Node, line: &Line) -> Option<NodeState> {
    let last = match node.history.at(line) {
        Then::Now => node.state(),
        Then::Was(was) => *was,
        Then::Absent => return None,
    };
    let counted = last.active || node.is_deleted_on(line);
    as_generated(node, last.rev).filter(|_| counted)
}

/// How a node stands on a branch to which the reply that it came with belongs as well: as the model
/// said it, whatever the operator made of it on the branch that it arrived on.
fn streamed(node: &Node, now: &Line) -> Option<NodeState> {
    // An answer that was refused, a node that was deleted: that was done to it on another branch.
    let counts = node.active || node.is_deleted_on(now) || node.history.was_ever(now, |was| was.active);
    let status = as_generated(node, node.current).filter(|_| counts)?;
    Some(NodeState {
        pinned: node.pinned,
        ..status
    })
}

/// A node of the model by the newest of its revisions, up to one, that no operator wrote.
fn as_generated(node: &Node, up_to: Rev) -> Option<NodeState> {
    let by_model = |one: &&Revision| matches!(one.origin, Origin::Model | Origin::Engine { .. });
    node.revisions.first().filter(by_model)?;
    let by_operator = |rev| {
        let text = node.revision(rev);
        text.is_some_and(|one| matches!(one.origin, Origin::Operator { .. }))
    };
    let rev = (1..=up_to.0).rev().map(Rev).find(|rev| !by_operator(*rev))?;
    Some(NodeState {
        rev,
        active: true,
        pinned: false,
    })
}
