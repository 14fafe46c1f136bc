//! Tests how long an agent waits, in the view and on the screen.
//!
//! Must not know: how the view is built.

use crate::testing::{Stage, id};
use overrule_domain::event::{Event, RunEvent};
use overrule_present::call::AgentWaitView;

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
    assert!(screen.contains(" agent waits 5 min more "), "{screen}");
    stage.engine(Event::Run(RunEvent::AgentAsked { wait_ms: None }));
    assert_eq!(view(&stage), None);
    assert!(!stage.text().contains("agent waits"));
}
