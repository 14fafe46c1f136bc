//! Finds the state of a node on a branch that shares a reply of the model with others.
//!
//! Must not know: what happens to calls, how the state is used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::history::{Line, Then};
use crate::id::{Rev, ThreadId, TurnId};
use crate::node::{Node, NodeState, Origin, Revision};
use crate::turn::Turn;

/// What both branches have in common.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// The epochs of the current branch.
    pub(super) now: Line,
    /// Turns that are active on both.
    pub(super) common: BTreeSet<TurnId>,
    /// Those among them whose stream may have brought more since.
    pub(super) turns: BTreeSet<TurnId>,
    /// Sub-agents that no edit between the branches touched.
    pub(super) children: BTreeSet<ThreadId>,
    /// Turns that are requested again and whose reply may have progressed on another branch: the
    /// line on which it was last active, and the request.
    pub(super) arrived: BTreeMap<TurnId, (Line, Option<Arc<str>>)>,
}

/// The state of a node; none if it was not active, or if the shared reply differs now.
pub(super) fn state_at((turn, node): (&Turn, &Node), line: &Line, shared: &Shared) -> Option<NodeState> {
    if was_replaced(node, turn.request.as_ref()) && shared.common.contains(&turn.id) {
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

/// True if the model gave another reply to the same request.
fn was_replaced(node: &Node, request: Option<&Arc<str>>) -> bool {
    node.replaced.is_some() && node.replaced.as_ref() == request
}

/// The same for a reply that had progressed further on the branch where it was last active.
fn arrived(node: &Node, line: &Line) -> Option<NodeState> {
    let last = match node.history.at(line) {
        Then::Now => node.state(),
        Then::Was(was) => *was,
        Then::Absent => return None,
    };
    let counted = last.active || node.is_deleted_on(line);
    as_generated(node, last.rev).filter(|_| counted)
}

/// The state of a node on a branch that shares its reply: as the model wrote it, without changes
/// that the operator made on the other branch.
fn streamed(node: &Node, now: &Line) -> Option<NodeState> {
    // A rejected answer and a deleted node were changed on another branch.
    let counts = node.active || node.is_deleted_on(now) || node.history.was_ever(now, |was| was.active);
    let status = as_generated(node, node.current).filter(|_| counts)?;
    Some(NodeState {
        pinned: node.pinned,
        ..status
    })
}

/// A node of the model by its newest revision, up to one, that no operator wrote.
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
