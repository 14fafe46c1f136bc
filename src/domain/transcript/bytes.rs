//! How many bytes of a request a node takes, without making the request.
//!
//! Must not know: what a request costs.

use super::result::SENT_BYTES;
use crate::call::Outcome;
use crate::id::NodeId;
use crate::node::Content;
use crate::state::State;

/// Bytes that a node of a turn takes now, a call with its result; none where it does not count.
pub fn of_node(state: &State, id: NodeId) -> usize {
    let Some(node) = state.nodes.get(&id).filter(|node| node.active) else {
        return 0;
    };
    let result = Some(id.observation()).filter(|result| *result != id);
    let result = result.and_then(|result| state.nodes.get(&result));
    of_content(&node.now().content) + result.map_or(0, |result| of_content(&result.now().content))
}

/// Bytes that something said takes.
pub fn of_content(content: &Content) -> usize {
    match content {
        Content::Text { text, opaque, .. } => text.len() + opaque.as_ref().map_or(0, |opaque| opaque.len()),
        Content::Call { tool, args } => tool.len() + args.len(),
        Content::Observation { outcome, .. } => of_outcome(outcome),
        Content::Deleted => 0,
    }
}

/// Bytes that a result takes.
pub fn of_outcome(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Ok { value, .. } => value.len().min(SENT_BYTES),
        Outcome::Err(error) => {
            let partial = error.partial.as_ref();
            error.message.len() + partial.map_or(0, |partial| partial.len().min(SENT_BYTES))
        }
        Outcome::Cancelled { .. } => 0,
    }
}
