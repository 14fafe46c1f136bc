//! How long nothing has come of an open request: a model that thinks and one that hangs look the same, so the time is
//! told. Must not know: how it is drawn, when the engine gives up.

use std::collections::BTreeMap;

use crate::domain::envelope::Envelope;
use crate::domain::event::{Event, TurnEvent};
use crate::domain::id::TurnId;
use crate::domain::state::State;
use crate::domain::turn::Stream;

/// Milliseconds of silence that are worth a word.
pub const IDLE_MS: u64 = 20_000;

/// When something was heard last of each open request, in UTC milliseconds.
#[derive(Debug, Clone, Default)]
pub struct LastActivity(BTreeMap<TurnId, i64>);

/// A request of which nothing has come for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleTime {
    /// Its turn.
    pub turn: TurnId,
    /// For how long, in milliseconds.
    pub ms: u64,
}

impl LastActivity {
    /// Something came of a turn, or it was asked.
    pub fn note(&mut self, turn: TurnId, at: i64) {
        self.0.insert(turn, at);
    }

    /// The same, where an event says so.
    pub fn take(&mut self, envelope: &Envelope) {
        if let Event::Turn(
            TurnEvent::Requested { turn, .. }
            | TurnEvent::Thought { turn, .. }
            | TurnEvent::Proposed { turn, .. }
            | TurnEvent::Answered { turn, .. }
            | TurnEvent::Matched { turn, .. }
            | TurnEvent::Partial { turn, .. },
        ) = &envelope.event
        {
            self.note(*turn, envelope.at);
        }
    }

    /// Forgets what is not open any more.
    pub fn prune(&mut self, state: &State) {
        let open = |id: &TurnId| {
            let turn = state.turns.get(id);
            turn.is_some_and(|turn| turn.stream == Stream::Open && turn.asked > 0)
        };
        self.0.retain(|id, _| open(id));
    }

    /// The request of which nothing was heard for the longest time, however short that is.
    pub fn longest(&self, now: i64) -> Option<IdleTime> {
        let (turn, at) = self.0.iter().min_by_key(|(_, at)| **at)?;
        Some(IdleTime {
            turn: *turn,
            ms: u64::try_from(now.saturating_sub(*at)).unwrap_or(0),
        })
    }
}
