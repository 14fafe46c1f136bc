//! Builds the view of how long an agent waits for a reply that a call holds back.
//!
//! Must not know: clocks, what else waits.

use serde::Serialize;

use overrule_domain::call::Call;
use overrule_domain::ladder::span;
use overrule_domain::state::State;
use overrule_domain::thread::ROOT;
use overrule_domain::turn::Producer;

/// How long an agent of another program waits for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AgentWaitView {
    /// Its length in milliseconds, from the request on.
    pub ms: u64,
    /// UTC time of its end in milliseconds since 1970.
    pub due: i64,
}

impl AgentWaitView {
    /// Builds the view. `None` if the agent does not say how long it waits, or waits for another reply.
    pub fn of(state: &State, call: &Call) -> Option<Self> {
        let wait = state.origin.agent.wait?;
        let mut turns = state.turns_of(ROOT).rev();
        let newest = turns.find(|turn| turn.producer == Producer::Model && turn.is_active())?;
        let waits = call.status.needs_operator() && call.attempts.is_empty();
        let is_held = waits && state.turn_of(call.id).is_some_and(|turn| turn.id == newest.id);
        is_held.then_some(Self {
            ms: wait.ms,
            due: wait.due,
        })
    }

    /// Describes how long the agent waits after `now`, in milliseconds since 1970.
    pub fn describe(self, now: i64) -> String {
        match u64::try_from(self.due.saturating_sub(now)) {
            Ok(left) if left > 0 => format!("agent waits {} more", span(left)),
            _ => "agent stopped waiting".to_owned(),
        }
    }
}
