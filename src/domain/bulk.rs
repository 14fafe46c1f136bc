//! Which calls can be approved together. Left out: what the policy denies, what cannot be undone or
//! looked into, repeated effects, unknown outcomes, what an edit holds. Must not know: who asks.

use super::call::{Digest, Gate, Status};
use super::id::{NodeId, Rev};
use super::node::Node;
use super::state::State;
use super::tags;
use super::turn::Turn;

/// A call that can be approved with others, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The call.
    pub call: NodeId,
    /// Its revision.
    pub rev: Rev,
    /// Hash of what is shown.
    pub digest: Digest,
}

/// The calls that can be approved together, first come first.
pub fn together(state: &State) -> Vec<Item> {
    let waiting = state.queue().filter(|call| {
        let verdict = call.verdict.as_ref();
        call.status == Status::Awaiting
            && !call.suspect
            && state.turn_of(call.id).is_some_and(Turn::is_active)
            && verdict.is_none_or(|verdict| verdict.gate != Gate::Deny && !verdict.alone)
    });
    waiting
        .filter_map(|call| {
            let node = state.nodes.get(&call.id)?;
            plain(state, node).then_some(())?;
            Some(Item {
                call: call.id,
                rev: node.rev(),
                digest: call.digest.clone()?,
            })
        })
        .collect()
}

/// False where a single look is not enough: it cannot be undone, cannot be looked into, or only the
/// operator can give its result. A tool that is not known is none of the plain ones.
pub fn plain(state: &State, node: &Node) -> bool {
    const ALONE: [&str; 3] = ["irreversible", "uninspectable", "asks_operator"];
    let card = node.as_call().and_then(|(tool, _)| tags::card(state, tool));
    card.is_some_and(|card| !card.tags.iter().any(|tag| ALONE.contains(&tag.as_str())))
}

/// Why there is no rule that lets exactly such a call run, always.
pub fn no_always(id: NodeId) -> String {
    format!("{id} cannot be undone, cannot be looked into, or asks you: there is no \"always\" for it")
}

/// One hash of them all.
pub fn digest(items: &[Item]) -> String {
    let parts: Vec<&[u8]> = items.iter().map(|item| item.digest.0.as_bytes()).collect();
    crate::canon::hash("overrule approve all v1", &parts)
}
