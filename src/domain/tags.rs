//! What the tags of a tool mean for its calls. Must not know: who sets a tag, how a call is asked about.

use std::sync::Arc;

use super::call::EffectClass;
use super::id::NodeId;
use super::state::State;

/// The tag of a tool whose effect nothing takes back.
pub const IRREVERSIBLE: &str = "irreversible";

/// The tags of a tool; none of one that the run does not have.
pub fn of<'s>(state: &'s State, tool: &str) -> &'s [String] {
    let mut cards = state.started.iter().flat_map(|started| &started.tools);
    cards
        .find(|card| *card.name == *tool)
        .map_or(&[], |card| &card.tags)
}

/// What a tool can do to the world; anything where the run does not have it.
pub fn effect(state: &State, tool: &str) -> EffectClass {
    let mut cards = state.started.iter().flat_map(|started| &started.tools);
    cards
        .find(|card| *card.name == *tool)
        .map_or(EffectClass::Unknown, |card| card.effect)
}

/// Whether what a tool does cannot be undone.
pub fn is_irreversible(state: &State, tool: &str) -> bool {
    of(state, tool).iter().any(|tag| tag == IRREVERSIBLE)
}

/// The tool of a call that cannot be undone: whoever lets it run gives its name as a word.
pub fn word(state: &State, call: NodeId) -> Option<&Arc<str>> {
    let (tool, _) = state.nodes.get(&call)?.as_call()?;
    is_irreversible(state, tool).then_some(tool)
}
