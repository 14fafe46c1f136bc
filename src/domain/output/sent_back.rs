//! Finds the answers that went back to the model.
//!
//! Must not know: schemas, how an answer is shown.

use super::InvalidAnswer;
use crate::id::ThreadId;
use crate::state::State;
use crate::turn::{Producer, Turn};

/// Returns what is wrong with the answer of a turn, if it is active and went back to the model.
pub fn of<'s>(state: &State, turn: &'s Turn) -> Option<&'s InvalidAnswer> {
    let unfit = turn.more.invalid_answer.as_ref()?;
    let node = state.nodes.get(&unfit.node)?;
    (node.active && node.rev() == unfit.rev).then_some(unfit)
}

/// Counts the answers that went back to the model since the last turn of the operator.
pub fn sent_back(state: &State, thread: ThreadId) -> u32 {
    let turns = state.turns_of(thread).rev().filter(|turn| turn.is_active());
    let since = turns.take_while(|turn| turn.producer != Producer::Operator);
    let wrong = since.filter(|turn| of(state, turn).is_some()).count();
    u32::try_from(wrong).unwrap_or(u32::MAX)
}
