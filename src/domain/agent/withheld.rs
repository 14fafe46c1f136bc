//! Finds the calls that an agent of another program does not have yet.
//!
//! Must not know: clocks, how a reply reaches the agent.

use crate::call::{Call, Status};
use crate::id::NodeId;
use crate::state::State;

/// The earlier call of the same reply. The bytes of this one are withheld until it is decided.
pub fn held_behind(state: &State, call: &Call) -> Option<NodeId> {
    if !matches!(call.status, Status::Running(_)) || !state.is_of_agent() {
        return None;
    }
    let nodes = &state.turn_of(call.id)?.nodes;
    let before = nodes.iter().take_while(|id| **id != call.id);
    let mut before = before.filter_map(|id| state.calls.get(id));
    let undecided = |one: &&Call| {
        let is_active = state.nodes.get(&one.id).is_some_and(|node| node.active);
        is_active && one.attempts.is_empty() && !one.status.is_settled()
    };
    before.find(undecided).map(|one| one.id)
}
