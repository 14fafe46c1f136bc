//! What the end of this process cut off, for whoever ends it. Must not know: who ends it, what follows.

use crate::domain::node::Node;
use crate::domain::state::State;
use crate::text::visible;

/// A line for each execution that was under way and can have changed the world: nobody knows what came of it.
pub fn lines(state: &State) -> Vec<String> {
    let running = state.agenda.running.iter().filter_map(|id| state.call(*id));
    running
        .filter(|call| call.effect.has_effect())
        .map(|call| {
            let tool = state.nodes.get(&call.id).and_then(Node::as_call);
            let tool = tool.map(|(tool, _)| visible(tool)).unwrap_or_default();
            format!(
                "{} {tool} was cut off: whether it happened is not known, and is asked when the run goes on",
                call.id
            )
        })
        .collect()
}
