//! Applies events about how well tools serve.
//!
//! Must not know: why they were decided.

use super::at::At;
use crate::event::WeightEvent;
use crate::state::State;
use crate::weight::{Imported, Word};

pub(super) fn apply(state: &mut State, at: At, event: &WeightEvent) {
    let word = match event {
        WeightEvent::Set { kind, tool, weight } => Word::Set {
            seq: at.seq,
            kind: kind.clone(),
            tool: tool.clone(),
            weight: *weight,
        },
        WeightEvent::Reset { tool } => Word::Reset {
            seq: at.seq,
            tool: tool.clone(),
        },
        WeightEvent::Offered { thread, tools } => {
            state.learned.weights.offers.insert(*thread, tools.clone());
            return;
        }
        WeightEvent::Imported { from, learned } => {
            state.learned.escape.earlier.clone_from(&learned.steps);
            state.learned.weights.imported = Some(Imported {
                from: from.clone(),
                learned: learned.clone(),
            });
            return;
        }
        WeightEvent::Noted { executions, .. } => {
            state.learned.weights.noted = *executions;
            return;
        }
    };
    state.learned.weights.words.push(word);
}
