//! Asks the model again for a whole turn: the turn and all later ones are superseded.
//!
//! Must not know: who asks, why.

use super::draft::Draft;
use super::event::EditEvent;
use super::id::{ThreadId, TurnId};
use super::invalidation::{from_turn, resume_callers, supersede_turns};
use super::refusal::{Refusal, RefusalKind};
use super::request::requested;
use super::state::State;
use super::thread;
use super::trial::try_out;
use super::turn::Turn;

/// Returns a turn of the current branch: active and not suspended, and so is all that it depends on.
pub(crate) fn acting(state: &State, id: TurnId) -> Result<&Turn, Refusal> {
    let turn = state.turns.get(&id).filter(|turn| thread::acts(state, turn));
    turn.ok_or_else(|| {
        Refusal::new(
            RefusalKind::Superseded,
            format!("{id} is superseded, or suspended by an edit"),
        )
    })
}

/// Supersedes a turn and all later ones, and requests it again although its reply is recorded. `committed` is the edit that
/// this is.
pub(crate) fn regenerate(draft: &mut Draft<'_>, turn: &Turn, committed: EditEvent) -> Result<(), Refusal> {
    let state = draft.state;
    not_pinned_above(state, turn.thread)?;
    nothing_open_before(state, turn.id)?;
    let (turns, after) = from_turn(state, turn);
    draft.edit(committed);
    resume_callers(draft, turn.thread);
    supersede_turns(draft, turns);
    // The superseded nodes change the request: it is made from what is left.
    let mut left = state.clone();
    try_out(&mut left, &draft.events);
    let new = draft.turn();
    let event = requested(&left, (new, turn.thread, after), 1);
    draft.turn_event(event);
    Ok(())
}

/// Refuses to ask the model while an earlier call has not ended: the request would lack its result.
pub(crate) fn nothing_open_before(state: &State, id: TurnId) -> Result<(), Refusal> {
    let open = state
        .turns
        .get(&id)
        .and_then(|turn| thread::open_before(state, turn));
    match open {
        None => Ok(()),
        Some(open) => Err(Refusal::new(
            RefusalKind::Status,
            format!(
                "cannot ask again for {id}: {open} before it has not ended; hint: decide its calls first"
            ),
        )),
    }
}

/// Refuses changes of a sub-agent's work if the operator wrote its result.
pub(crate) fn not_pinned_above(state: &State, thread: ThreadId) -> Result<(), Refusal> {
    match thread::pinned_above(state, thread) {
        None => Ok(()),
        Some(id) => Err(Refusal::new(
            RefusalKind::Status,
            format!(
                "cannot change this sub-agent: the operator wrote its result {id}; hint: unpin {id} first"
            ),
        )),
    }
}
