//! Pauses a resumed run if a process ended with an open edit in it.
//!
//! Must not know: what the edit said.
//!
//! Calls that the edit suspended would otherwise run unedited.

use overrule_domain::event::{Event, RunEvent};
use overrule_domain::id::NodeId;
use overrule_domain::state::{Mode, State};

/// Edits that were open when the process ended.
#[derive(Debug, PartialEq, Eq)]
pub struct LostEdits {
    /// Message for the operator.
    pub notice: String,
    /// The events to record before anything runs.
    pub events: Vec<Event>,
}

/// Returns the edits that were open when the process of a session ended, if any.
pub fn lost_edits(state: &State) -> Option<LostEdits> {
    let notice = format!(
        "{}; its suspended calls continue when the run resumes",
        describe(state)?
    );
    let pause = RunEvent::Paused {
        reason: notice.clone(),
    };
    let is_running = matches!(state.mode, Mode::Running);
    let events = is_running.then_some(Event::Run(pause)).into_iter().collect();
    Some(LostEdits { notice, events })
}

/// Describes the lost edits, if any.
pub fn describe(state: &State) -> Option<String> {
    let names: Vec<String> = state.operator.editing.keys().map(NodeId::to_string).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} was being edited when the program ended; the edit is lost",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use overrule_console::testing::{Stage, id};

    fn state() -> State {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
        stage.model.run.state.clone()
    }

    #[test]
    fn what_an_edit_held_that_is_lost_does_not_run_by_itself() {
        let mut state = state();
        assert_eq!(lost_edits(&state), None);
        state.operator.editing.insert(id("c3"), [id("c3")].into());
        let LostEdits { notice, events } = lost_edits(&state).unwrap();
        let [Event::Run(RunEvent::Paused { reason })] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert!(
            reason.starts_with("c3 was being edited when the program ended"),
            "{reason}"
        );
        assert_eq!(notice, *reason, "notice and pause have the same text");
    }

    #[test]
    fn a_stopped_run_is_left_unchanged() {
        let mut state = state();
        state.operator.editing.insert(id("c3"), [id("c3")].into());
        state.mode = Mode::Stopped("by hand".into());
        let lost = lost_edits(&state).unwrap();
        assert!(lost.events.is_empty(), "stopped is more than paused");
        assert!(!lost.notice.is_empty());
    }
}
