//! Starts an edit: a new epoch, and the node of the edit in the graph.
//!
//! Must not know: what is edited.

use std::sync::Arc;

use crate::draft::Draft;
use crate::event::EditEvent;
use crate::id::{NodeId, NodeKind, TurnId};
use crate::invalidation;

/// Starts an edit: a new epoch and the node that represents it.
pub(in crate::decide) fn begin(
    draft: &mut Draft<'_>,
    target: Option<NodeId>,
    what: &str,
    reason: Option<&Arc<str>>,
) {
    begin_at(draft, target, None, what, reason);
}

/// Starts an edit that inserts something after a turn.
pub(super) fn begin_after(draft: &mut Draft<'_>, turn: TurnId, what: &str, reason: Option<&Arc<str>>) {
    begin_at(draft, None, Some(turn), what, reason);
}

fn begin_at(
    draft: &mut Draft<'_>,
    target: Option<NodeId>,
    after: Option<TurnId>,
    what: &str,
    reason: Option<&Arc<str>>,
) {
    let intervention = draft.node(NodeKind::Intervention);
    let epoch = draft.epoch;
    draft.edit(EditEvent::Committed {
        epoch,
        intervention,
        target,
        after,
        what: Arc::from(what),
        reason: reason.cloned(),
        by: None,
    });
    let after = after.and_then(|id| draft.state.turns.get(&id));
    if let Some(turn) = after.or_else(|| draft.state.turn_of(target?)) {
        invalidation::resume_callers(draft, turn.thread);
    }
}
