//! Refuses edits that cannot reach the model of another program's agent.
//!
//! Must not know: how requests are changed.

use crate::command::Edit;
use crate::id::TurnId;
use crate::node::Node;
use crate::refusal::{Refusal, RefusalKind};
use crate::state::State;
use crate::thread::ROOT;

/// The reason with which the words of the agent's user are inserted. It is also the name of that edit.
pub const OF_AGENTS_USER: &str = "words of the agent's user";

/// True for the last turn of the run.
fn is_last(state: &State, turn: TurnId) -> bool {
    let mut turns = state.turns_of(ROOT).rev();
    turns
        .find(|one| one.is_active())
        .is_none_or(|last| last.id == turn)
}

/// Refuses an edit that the agent would contradict with its next request.
pub fn refuse(state: &State, edit: &Edit) -> Result<(), Refusal> {
    let message = match edit {
        Edit::InsertCall { .. } if state.is_of_agent() => {
            "cannot insert a call: the agent carries out only calls of its model; hint: guide the model to make it"
                .to_owned()
        }
        Edit::InsertThought { .. } if state.is_of_agent() => {
            "cannot insert a thought: the agent's history has none at this place; hint: guide the model".to_owned()
        }
        Edit::InsertPrompt { after: Some(turn), .. } if state.is_of_agent() && !is_last(state, *turn) => format!(
            "cannot insert after {turn}: the agent's history continues from it; hint: guide the model at its end"
        ),
        Edit::Text { node, .. } | Edit::Delete { node, .. }
            if state.nodes.get(node).is_some_and(Node::is_from_agent) =>
        {
            format!("cannot change {node}: the agent sends the words of its user itself; hint: guide the model")
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(RefusalKind::Status, message))
}
