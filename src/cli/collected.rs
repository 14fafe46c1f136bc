//! What the collected edits of an earlier console hold back, from the first moment of a run that goes on.
//!
//! The console would hold it again, but only once it is there: until then what is edited would have been started as
//! it was. Must not know: what the edits say, how they are shown.

use std::path::Path;

use crate::console::app;
use crate::domain::advice::Advice;
use crate::domain::command::{Command, EditCommand};
use crate::domain::decide;
use crate::domain::event::{Event, RunEvent};
use crate::domain::id::NodeId;
use crate::domain::state::{Mode, State};
use crate::text::visible;

/// The events that hold back what collected edits touch, to be recorded with the first of the process; and what to
/// tell of them where nobody sees the list. Edits that cannot be read may touch anything, and so may one that was being
/// typed when the program died, of which nothing is left: the run waits.
pub fn hold(draft: Option<&Path>, state: &State, advice: &dyn Advice) -> Holds {
    let nodes = match draft.map_or(Ok(Vec::new()), |path| app::held_by(path, state)) {
        Ok(nodes) => nodes,
        Err(why) => {
            let reason = format!("the collected edits of before cannot be read ({})", visible(&why));
            return Holds {
                events: pause(state, reason),
                ..Holds::default()
            };
        }
    };
    let mut events = Vec::new();
    for node in &nodes {
        let hold = Command::Edit(EditCommand::Hold { node: *node });
        // Whatever counts can be held: the list names nothing else.
        events.extend(decide::command(state, advice, &hold).unwrap_or_default());
    }
    let lost = lost(state, &nodes);
    let lost =
        (!lost.is_empty()).then(|| format!("{}; what it held back goes on when the run does", torn(&lost)));
    events.extend(lost.iter().flat_map(|why| pause(state, why.clone())));
    Holds {
        events,
        collected: (!nodes.is_empty()).then(|| words(&nodes)),
        lost,
    }
}

/// What edits of before hold back.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// To be recorded.
    pub events: Vec<Event>,
    /// To be told where nobody sees the list.
    pub collected: Option<String>,
    /// To be told to everybody: what was typed is not there any more.
    pub lost: Option<String>,
}

/// What was being edited when the program died, and is in no list of collected edits.
pub fn lost(state: &State, collected: &[NodeId]) -> Vec<NodeId> {
    let editing = state.editing.keys().copied();
    editing.filter(|node| !collected.contains(node)).collect()
}

/// That edits were lost, in words.
pub fn torn(lost: &[NodeId]) -> String {
    let names: Vec<String> = lost.iter().map(NodeId::to_string).collect();
    format!(
        "{} was being edited when the program ended, and what was typed is lost",
        names.join(", ")
    )
}

fn pause(state: &State, reason: String) -> Vec<Event> {
    let running = matches!(state.mode, Mode::Running);
    let paused = Event::Run(RunEvent::Paused { reason });
    running.then_some(paused).into_iter().collect()
}

fn words(nodes: &[NodeId]) -> String {
    let names: Vec<String> = nodes.iter().map(NodeId::to_string).collect();
    format!(
        "edits of {} are collected and not committed: what they touch waits until they are committed or dropped \
         (`overrule collected` lists them, and the console does)",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::advice::Cards;
    use crate::domain::event::EditEvent;

    /// A call that reads another, and a kept edit of the first of them, made on a revision.
    fn kept(base: u64, draft: &Path) -> State {
        let mut stage = Stage::new(80, 24);
        stage.begin();
        stage.awaiting("c3", "read_file", r#"{"path":"a"}"#);
        stage.awaiting("c4", "write_file", r#"{"path":"†call.c3"}"#);
        let edit = serde_json::json!({
            "type": "call", "node": "c3", "base": base, "tool": "read_file", "args": "{}", "shown": true,
        });
        let text = serde_json::json!({ "v": 1, "edits": [edit], "reason": "", "keep_later": false });
        std::fs::write(draft, text.to_string()).unwrap();
        stage.model.run.state.clone()
    }

    #[test]
    fn what_the_edits_touch_is_held_and_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("draft.json");
        let state = kept(1, &path);
        let Holds {
            events, collected, ..
        } = hold(Some(&path), &state, &Cards(&state));
        let [Event::Edit(EditEvent::Held { node, calls })] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(*node, id("c3"));
        assert!(calls.contains(&id("c3")), "{calls:?}");
        assert!(collected.unwrap().starts_with("edits of c3 are collected"));
        assert!(path.exists(), "the console reads it too");
        assert_eq!(hold(None, &state, &Cards(&state)), Holds::default());
    }

    #[test]
    fn an_edit_of_what_says_something_else_by_now_holds_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("draft.json");
        let state = kept(7, &path);
        assert_eq!(hold(Some(&path), &state, &Cards(&state)), Holds::default());
    }

    #[test]
    fn a_run_waits_where_nobody_knows_what_was_edited() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("draft.json");
        let mut state = kept(1, &path);
        std::fs::write(&path, "{").unwrap();
        let events = hold(Some(&path), &state, &Cards(&state)).events;
        let [Event::Run(RunEvent::Paused { reason })] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert!(
            reason.starts_with("the collected edits of before cannot be read"),
            "{reason}"
        );
        assert!(!path.exists() && path.with_extension("json.unreadable").exists());
        assert!(
            hold(Some(&path), &state, &Cards(&state)).events.is_empty(),
            "only once"
        );
        std::fs::write(&path, "{").unwrap();
        state.mode = Mode::Stopped("by hand".into());
        assert!(
            hold(Some(&path), &state, &Cards(&state)).events.is_empty(),
            "stopped is more than paused"
        );
    }

    #[test]
    fn what_an_edit_held_that_is_lost_does_not_run_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let mut state = kept(7, &dir.path().join("other.json"));
        state.editing.insert(id("c3"), [id("c3")].into());
        let Holds { events, lost, .. } = hold(None, &state, &Cards(&state));
        let [Event::Run(RunEvent::Paused { reason })] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert!(
            reason.starts_with("c3 was being edited when the program ended"),
            "{reason}"
        );
        assert_eq!(lost.as_ref(), Some(reason), "everybody is told");
        // What is collected is held again, and is not lost.
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("draft.json");
        let mut state = kept(1, &path);
        state.editing.insert(id("c3"), [id("c3")].into());
        let events = hold(Some(&path), &state, &Cards(&state)).events;
        let paused = |event: &Event| matches!(event, Event::Run(RunEvent::Paused { .. }));
        assert!(!events.iter().any(paused), "{events:?}");
    }
}
