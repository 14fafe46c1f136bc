//! Requests that the model refused because they are too long.
//!
//! Must not know: what is shortened.

use overrule_domain::id::TurnId;
use overrule_domain::reduction;
use overrule_domain::state::State;

/// True if the request of a turn was refused because it is too long.
pub fn is_about(state: &State, turn: TurnId) -> bool {
    reduction::refused(state).is_some_and(|refused| refused.id == turn)
}

/// True if the run waits because a request is too long.
pub fn is_too_long(state: &State) -> bool {
    let limit = state.tally.limit_reached.as_ref();
    limit.is_some_and(|(which, _)| which == reduction::LIMIT) || reduction::refused(state).is_some()
}
