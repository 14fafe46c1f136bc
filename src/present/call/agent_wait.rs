//! Builds the view of how long an agent waits for a reply that a call holds back.
//!
//! Must not know: clocks, what else waits.

use serde::Serialize;

use crate::domain::call::Call;
use crate::domain::ladder::span;
use crate::domain::state::State;
use crate::domain::thread::ROOT;
use crate::domain::turn::Producer;

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
        let wait = state.agent.wait?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::event::{Event, RunEvent};

    fn view(stage: &Stage) -> Option<AgentWaitView> {
        let state = &stage.model.run.state;
        AgentWaitView::of(state, &state.calls[&id("c3")])
    }

    #[test]
    fn the_time_counts_from_the_request_and_is_shown_at_a_call_that_waits() {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        let wait_ms = Some(300_000);
        stage.engine(Event::Run(RunEvent::AgentAsked { wait_ms }));
        stage.awaiting_by("c3", ("write_file", r#"{"path":"a"}"#), Stage::verdict());
        let found = view(&stage).unwrap();
        assert_eq!(found.ms, 300_000);
        assert_eq!(found.describe(found.due - 240_000), "agent waits 4 min more");
        assert_eq!(found.describe(found.due - 41_000), "agent waits 41 s more");
        assert_eq!(found.describe(found.due), "agent stopped waiting");
        let screen = stage.text();
        assert!(screen.contains("(agent waits 5 min more)"), "{screen}");
        stage.engine(Event::Run(RunEvent::AgentAsked { wait_ms: None }));
        assert_eq!(view(&stage), None);
        assert!(!stage.text().contains("agent waits"));
    }
}
