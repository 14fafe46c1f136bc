//! Rolls back to a turn by a rule of the engine: supersedes it and asks for it again.
//!
//! Must not know: why.

use std::sync::Arc;

use super::{not_pinned_above, nothing_open_before, waits};
use crate::draft::Draft;
use crate::event::EditEvent;
use crate::id::{NodeId, TurnId};
use crate::invalidation::{self, supersede_turns};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::requested;
use crate::thread;
use crate::trial::try_out;

/// Rolls back to a turn, under a node that represents the step in the graph.
pub(in crate::decide) fn go_back(
    draft: &mut Draft<'_>,
    id: TurnId,
    intervention: NodeId,
    (what, rule): (&str, &str),
) -> Result<(), Refusal> {
    let state = draft.state;
    let Some(turn) = state.turns.get(&id).filter(|turn| thread::acts(state, turn)) else {
        return Err(Refusal::new(
            RefusalKind::Superseded,
            format!("{id} is superseded, or suspended by an edit"),
        ));
    };
    not_pinned_above(state, turn.thread)?;
    nothing_open_before(state, id)?;
    let (turns, after) = invalidation::from_turn(state, turn);
    let epoch = draft.epoch;
    draft.edit(EditEvent::Committed {
        epoch,
        intervention,
        target: None,
        after: Some(id),
        what: Arc::from(what),
        reason: None,
        by: Some(Arc::from(rule)),
    });
    invalidation::resume_callers(draft, turn.thread);
    supersede_turns(draft, turns);
    // The superseded nodes change the request: it is made from what is left.
    let mut left = state.clone();
    try_out(&mut left, &draft.events);
    let new = draft.turn();
    let event = requested(&left, (new, turn.thread, after), 1);
    draft.turn_event(event);
    waits::restore_holds(draft, None);
    Ok(())
}
