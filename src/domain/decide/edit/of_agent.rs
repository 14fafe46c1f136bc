//! Refuses edits that cannot reach the model of another program's agent.
//!
//! Must not know: how requests are changed.

use crate::domain::command::Edit;
use crate::domain::node::Node;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::state::State;

/// Refuses an edit that the agent would contradict with its next request.
pub fn refuse(state: &State, edit: &Edit) -> Result<(), Refusal> {
    let message = match edit {
        Edit::InsertCall { .. } if state.is_of_agent() => {
            "cannot insert a call: the agent carries out only calls of its model; hint: guide the model to make it"
                .to_owned()
        }
        Edit::Text { node, .. } | Edit::Delete { node, .. }
            if state.nodes.get(node).is_some_and(Node::is_from_agent) =>
        {
            format!("cannot change {node}: the agent sends the words of its user itself; hint: guide the model")
        }
        _ => return Ok(()),
    };
    Err(Refusal::new(RefusalKind::Status, message))
}
