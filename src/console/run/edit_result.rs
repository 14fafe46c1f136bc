//! Describes the outcome of an edit by the current state of its target and later requests.
//!
//! Must not know: where the text is shown, how an edit is carried out.

use overrule_domain::branch;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::state::{EditRecord, Mode, State};

/// The manual edit of an intervention node; none for an edit by a step against a loop, which has
/// its own text.
pub fn edit(state: &State, intervention: NodeId) -> Option<&EditRecord> {
    let mut by_hand = state.operator.edits.iter().filter(|edit| edit.by.is_none());
    by_hand.find(|edit| edit.intervention == intervention)
}

/// Describes the outcome of an edit.
pub fn describe(state: &State, edit: &EditRecord) -> String {
    if !branch::line(state, state.epoch).holds(edit.epoch) {
        return "none: another branch is active".to_owned();
    }
    let mut words: Vec<String> = edit
        .target
        .iter()
        .filter_map(|id| of_target(state, *id))
        .collect();
    words.extend(asked(state, edit));
    if words.is_empty() {
        words.push("no outcome yet".to_owned());
    }
    words.join("; ")
}

fn of_target(state: &State, id: NodeId) -> Option<String> {
    let node = state.nodes.get(&id)?;
    if !node.active {
        return Some(format!("{id} is no longer active"));
    }
    match id.kind {
        NodeKind::Call => {
            let call = state.calls.get(&id)?;
            Some(format!("{id} {}", call.status.label()))
        }
        NodeKind::Observation if node.pinned => Some(format!("{id} stays as written")),
        NodeKind::Observation => Some(format!("{id} comes from the tool again")),
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
    use crate::testing::{Stage, id};
    use overrule_domain::call::Outcome;
    use overrule_domain::event::{EditEvent, Event};
    use overrule_domain::id::{Epoch, Rev};
    use overrule_domain::node::{Content, Origin};

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
        // Shown with the node, next to its author and reason.
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
            "outcome    c3 ",
        ] {
            assert!(text.contains(words), "{words}\n{text}");
        }
        assert!(edit(&stage.model.run.state, id("c3")).is_none());
    }
}
