//! Keeps the tools that a new setup of a run replaces, and finds the one that a call was written for.
//!
//! Must not know: how a difference is shown, why a run was set up again.

use std::sync::Arc;

use super::{ToolChange, differs};
use crate::call::Decision;
use crate::event::run::{Started, ToolCard};
use crate::id::{NodeId, Rev, Seq};
use crate::node::Node;
use crate::state::State;
use crate::tags;

/// Keeps the tools that the new setup of the run defines differently, from this event on.
pub fn keep(state: &mut State, until: Seq, fitted: &Started) {
    let Some(before) = state.started.clone() else {
        return;
    };
    let replaced = before.tools.iter().filter(|card| {
        let now = fitted.tools.iter().find(|now| now.name == card.name);
        now.is_none_or(|now| differs(card, now))
    });
    let previous = replaced.map(|card| ToolChange {
        until,
        card: card.clone(),
    });
    state.settings.tool_changes.extend(previous);
}

/// Returns the tool of a call as it was when the call was written, or when a call of it was last
/// approved, whichever came first; `None` if it has not changed.
pub fn of(state: &State, call: NodeId) -> Option<&ToolChange> {
    let node = state.node(call)?;
    let (tool, _) = node.as_call()?;
    let is_it = |previous: &&ToolChange| previous.card.name == *tool;
    // What a run never did is not looked for among all of its calls.
    state.settings.tool_changes.iter().find(is_it)?;
    let since = last_run(state, tool).map_or(node.now().event, |seq| seq.min(node.now().event));
    let then = state
        .settings
        .tool_changes
        .iter()
        .filter(is_it)
        .find(|previous| previous.until > since)?;
    let now = tags::card(state, tool)?;
    differs(&then.card, now).then_some(then)
}

/// The same with the tool as it is now.
pub fn both(state: &State, call: NodeId) -> Option<(&ToolChange, &ToolCard)> {
    let then = of(state, call)?;
    Some((then, tags::card(state, &then.card.name)?))
}

/// Event of the newest approval of a call of a tool.
fn last_run(state: &State, tool: &str) -> Option<Seq> {
    let of_tool = state.calls.values().filter(|call| {
        let name = state.nodes.get(&call.id).and_then(Node::as_call);
        name.is_some_and(|(name, _)| **name == *tool)
    });
    let ran = |(_, seq, word): &(Rev, Seq, Arc<Decision>)| word.allows_run().then_some(*seq);
    let runs = of_tool.filter_map(|call| call.decisions.iter().filter_map(ran).max());
    runs.max()
}
