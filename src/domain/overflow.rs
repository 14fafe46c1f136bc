//! Tells how far a request that is too long shrinks, and when it may be made again.
//!
//! Must not know: who shortens it, how it is shortened.

use super::draft::Draft;
use super::id::{ThreadId, TurnId};
use super::reduction::{overflowed, tokens};
use super::refusal::{Refusal, RefusalKind};
use super::request::request_again;
use super::state::State;
use super::transcript::hash::context_hash;
use super::trial::try_out;
use super::turn::Turn;

/// The tokens that the next request may have. A server knows its window better than any estimate.
pub(crate) fn most(state: &State, thread: ThreadId, refused: Option<&Turn>) -> u64 {
    match state.settings.limits.context.and_then(|limit| limit.tokens) {
        Some(tokens) if refused.is_none() => tokens,
        _ => {
            let now = tokens(state, thread);
            now - now / 4
        }
    }
}

/// Asks again for a turn. The request is made after the reduction.
pub(crate) fn ask_reduced(draft: &mut Draft<'_>, turn: TurnId) {
    let mut left = draft.state.clone();
    try_out(&mut left, &draft.events);
    let events = request_again(&left, turn);
    draft.events.extend(events);
}

/// Refuses to ask again with a request that was too long and has not changed.
pub(crate) fn not_unchanged(state: &State, id: TurnId) -> Result<(), Refusal> {
    let Some(turn) = state.turns.get(&id).filter(|turn| overflowed(turn)) else {
        return Ok(());
    };
    let now = context_hash(state, turn.thread, Some(id));
    if turn.context.as_ref() != Some(&now) {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalKind::Status,
        format!(
            "cannot ask again for {id}: the request is too long for the model and has not changed; hint: shorten, \
             summarize or drop-turns"
        ),
    ))
}
