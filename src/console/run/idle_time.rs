//! Tracks how long an open request has received no data.
//!
//! Must not know: how it is drawn, when the engine gives up.
//!
//! A model that thinks and one that hangs look the same, so the screen shows the time.

use std::collections::BTreeMap;

use overrule_domain::envelope::Envelope;
use overrule_domain::event::{Event, TurnEvent};
use overrule_domain::id::TurnId;
use overrule_domain::state::State;
use overrule_domain::turn::Stream;

/// Minimum idle time that is shown, in milliseconds.
pub const IDLE_MS: u64 = 20_000;

/// Time of the last data for each open request, in UTC milliseconds.
#[derive(Debug, Clone, Default)]
pub struct LastActivity(BTreeMap<TurnId, i64>);

/// A request without data for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleTime {
    /// Its turn.
    pub turn: TurnId,
    /// Idle time in milliseconds.
    pub ms: u64,
}

impl LastActivity {
    /// Records data for a turn, or its request.
    pub fn note(&mut self, turn: TurnId, at: i64) {
        self.0.insert(turn, at);
    }

    /// Records an event that is data or a request.
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

    /// Forgets requests that are no longer open.
    pub fn prune(&mut self, state: &State) {
        let open = |id: &TurnId| {
            let turn = state.turns.get(id);
            turn.is_some_and(|turn| turn.stream == Stream::Open && turn.asked > 0)
        };
        self.0.retain(|id, _| open(id));
    }

    /// The request with the longest idle time, however short it is.
    pub fn longest(&self, now: i64) -> Option<IdleTime> {
        let (turn, at) = self.0.iter().min_by_key(|(_, at)| **at)?;
        Some(IdleTime {
            turn: *turn,
            ms: u64::try_from(now.saturating_sub(*at)).unwrap_or(0),
        })
    }
}
