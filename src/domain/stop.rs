//! Stops a run: ends streaming replies and running calls.
//!
//! Must not know: who stops it, why.

use std::sync::Arc;

use super::draft::Draft;
use super::event::{CallEvent, RunEvent, TurnEvent};
use super::id::TurnId;
use super::state::State;
use super::turn::Stream;

/// The turns whose replies stream.
pub(crate) fn open_turns(state: &State) -> Vec<TurnId> {
    state
        .turns
        .values()
        .filter(|turn| turn.stream == Stream::Open)
        .map(|turn| turn.id)
        .collect()
}

/// Stops a run that is neither stopped nor finished.
pub(crate) fn stop_for(draft: &mut Draft<'_>, reason: &str) {
    for turn in open_turns(draft.state) {
        draft.turn_event(TurnEvent::Aborted {
            turn,
            reason: Arc::from(reason),
        });
    }
    for id in &draft.state.agenda.running {
        if let Some(record) = draft.state.calls.get(id).and_then(|call| call.last_attempt()) {
            draft.call(CallEvent::CancelAsked {
                call: *id,
                attempt: record.no,
                reason: reason.to_owned(),
            });
        }
    }
    draft.run(RunEvent::Stopped {
        reason: reason.to_owned(),
    });
}
