//! What came of an edit: read off where its target stands now, and of what happened since. Must not know: where the
//! words are shown, how an edit is carried out.

use crate::domain::branch;
use crate::domain::id::{NodeId, NodeKind};
use crate::domain::state::{EditRecord, Mode, State};

/// The edit by hand that a node stands for; none for one of a step against a repetition, which has words of its own.
pub fn edit(state: &State, intervention: NodeId) -> Option<&EditRecord> {
    let mut by_hand = state.edits.iter().filter(|edit| edit.by.is_none());
    by_hand.find(|edit| edit.intervention == intervention)
}

/// What came of an edit, in words.
pub fn describe(state: &State, edit: &EditRecord) -> String {
    if !branch::line(state, state.epoch).holds(edit.epoch) {
        return "nothing: another branch counts now".to_owned();
    }
    let mut words: Vec<String> = edit
        .target
        .iter()
        .filter_map(|id| of_target(state, *id))
        .collect();
    words.extend(asked(state, edit));
    if words.is_empty() {
        words.push("nothing yet".to_owned());
    }
    words.join("; ")
}

fn of_target(state: &State, id: NodeId) -> Option<String> {
    let node = state.nodes.get(&id)?;
    if !node.active {
        return Some(format!("{id} does not count any more"));
    }
    match id.kind {
        NodeKind::Call => {
            let call = state.calls.get(&id)?;
            Some(format!("{id} {}", call.status.label()))
        }
        NodeKind::Observation if node.pinned => Some(format!("{id} stands as it was written")),
        NodeKind::Observation => Some(format!("{id} is from the tool again")),
        _ => None,
    }
}

/// Requests since, and the answer if one came.
fn asked(state: &State, edit: &EditRecord) -> Option<String> {
    let later = |seq| seq > edit.seq;
    let asked = state
        .turns_of(edit.thread)
        .filter(|turn| turn.is_active() && turn.asked > 0 && later(turn.asked_at))
        .count();
    let answer = match &state.mode {
        Mode::Finished(answer) if state.nodes.get(answer).is_some_and(|node| later(node.born())) => {
            format!(", which answered ({answer})")
        }
        _ => String::new(),
    };
    match asked {
        0 => None,
        1 => Some(format!("the model was asked once since{answer}")),
        count => Some(format!("the model was asked {count} times since{answer}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::testing::{Stage, id};
    use crate::domain::call::Outcome;
    use crate::domain::event::{EditEvent, Event};
    use crate::domain::id::{Epoch, Rev};
    use crate::domain::node::{Content, Origin};

    #[test]
    fn edit_results_are_listed_from_the_commit_on() {
        let mut stage = Stage::new(120, 40);
        stage.begin();
        stage.finished("c3", "fetch", "{}", Outcome::ok("1"));
        stage.engine(Event::Edit(EditEvent::Committed {
            epoch: Epoch(1),
            intervention: id("i9"),
            target: Some(id("c3")),
            after: None,
            what: "changed the arguments of c3".into(),
            reason: Some("the wrong page".into()),
            by: None,
        }));
        stage.engine(Event::Edit(EditEvent::Revised {
            node: id("c3"),
            rev: Rev(2),
            content: Content::Call {
                tool: "fetch".into(),
                args: r#"{"page":2}"#.into(),
            },
            origin: Origin::Operator { user: "ann".into() },
            approves: None,
        }));
        let source = |stage: &Stage| {
            let state = &stage.model.run.state;
            describe(state, edit(state, id("i9")).unwrap())
        };
        assert_eq!(source(&stage), "c3 proposed");
        stage.ready("c3", 2);
        assert!(source(&stage).starts_with("c3 "), "{}", source(&stage));
        let before = source(&stage);
        stage.request(7, 9);
        assert_eq!(
            source(&stage),
            format!("{before}; the model was asked once since")
        );
        // It is shown with the node, beside who did it and why.
        stage.press("g g");
        while stage.selected() != Some(id("i9")) {
            let was = stage.selected();
            stage.press("j");
            assert_ne!(stage.selected(), was, "the node is in the graph");
        }
        let text = stage.text();
        for words in [
            "changed the arguments of c3: the wrong page",
            "target     c3",
            "came of it c3 ",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        assert!(edit(&stage.model.run.state, id("c3")).is_none());
    }
}
