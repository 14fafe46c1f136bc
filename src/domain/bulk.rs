//! Lists the calls that can be approved together, and why each other waiting call cannot.
//!
//! Must not know: who asks, how a reason is shown.
//!
//! Left out: calls that the policy denies or an edit suspends, irreversible ones, ones that cannot
//! be inspected, repeated effects, unknown outcomes.

use std::collections::BTreeMap;

use super::call::{Call, Digest, FileCheck, Gate, Operand, Status};
use super::id::{NodeId, Rev};
use super::node::Node;
use super::state::State;
use super::tags;
use super::turn::Turn;

/// A call that can be approved with others, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The call.
    pub call: NodeId,
    /// Its revision.
    pub rev: Rev,
    /// Hash of what is shown.
    pub digest: Digest,
}

/// Why a waiting call cannot be approved with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alone {
    /// The policy denies it.
    Denied,
    /// Its effect cannot be undone.
    Irreversible,
    /// Its effect cannot be inspected.
    Uninspectable,
    /// Only a shell can say what it runs.
    Shell,
    /// An equal effect may have happened.
    Repeated,
    /// Its outcome is unknown.
    Unknown,
    /// It failed, and the operator must choose a repair.
    Repair,
    /// The operator's answer is its result.
    Question,
    /// The run has no such tool.
    NoTool,
    /// It is suspended: an edit before it has not taken effect yet.
    Held,
    /// It is stale, and is checked again.
    Checked,
}

/// The calls that can be approved together, in the order of the turn, which is the order in which they start.
pub fn together(state: &State) -> Vec<Item> {
    let mut all: Vec<Item> = state.queue().filter_map(|call| item(state, call).ok()).collect();
    // A call that was edited waits later than those after it.
    all.sort_by_key(|item| item.call);
    all
}

/// The waiting calls that cannot, by reason, each in queue order.
pub fn left_out(state: &State) -> BTreeMap<Alone, Vec<NodeId>> {
    let mut out: BTreeMap<Alone, Vec<NodeId>> = BTreeMap::new();
    for call in state.queue() {
        if let Err(why) = item(state, call) {
            out.entry(why).or_default().push(call.id);
        }
    }
    out
}

fn item(state: &State, call: &Call) -> Result<Item, Alone> {
    match call.status {
        Status::AwaitingApproval => {}
        Status::Consent(_) => return Err(Alone::Repeated),
        Status::OutcomeUnknown(_) => return Err(Alone::Unknown),
        Status::Repairing(_) => return Err(Alone::Repair),
        _ => return Err(Alone::Checked),
    }
    if !state.turn_of(call.id).is_some_and(Turn::is_active) {
        return Err(Alone::Held);
    }
    let verdict = call.verdict.as_ref();
    if verdict.is_some_and(|verdict| verdict.gate == Gate::Deny) {
        return Err(Alone::Denied);
    }
    let node = state.nodes.get(&call.id).ok_or(Alone::NoTool)?;
    if let Some(why) = by_tool(state, node) {
        return Err(why);
    }
    let untold = |one: &Operand| matches!(one.seen, FileCheck::Unspecified | FileCheck::Cut);
    if verdict.is_some_and(|verdict| verdict.alone) || call.operands().iter().any(untold) {
        return Err(Alone::Shell);
    }
    let digest = call.digest.clone().filter(|_| !call.suspect);
    Ok(Item {
        call: call.id,
        rev: node.rev(),
        digest: digest.ok_or(Alone::Checked)?,
    })
}

/// Why the tool of a call needs more than a single look: irreversible, not inspectable, a question
/// to the operator, or unknown.
fn by_tool(state: &State, node: &Node) -> Option<Alone> {
    let Some(card) = node.as_call().and_then(|(tool, _)| tags::card(state, tool)) else {
        return Some(Alone::NoTool);
    };
    let reasons = [
        (tags::IRREVERSIBLE, Alone::Irreversible),
        (tags::ASKS_OPERATOR, Alone::Question),
        (tags::UNINSPECTABLE, Alone::Uninspectable),
    ];
    let is = |tag: &str| card.tags.iter().any(|one| one == tag);
    reasons.into_iter().find(|(tag, _)| is(tag)).map(|(_, why)| why)
}

/// False if a single look is not enough.
pub fn plain(state: &State, node: &Node) -> bool {
    by_tool(state, node).is_none()
}

/// Explains why no rule can always allow exactly such a call.
pub fn no_always(id: NodeId) -> String {
    format!("{id} cannot be undone, cannot be inspected, or asks you: there is no \"always\" for it")
}

/// One hash of all items.
pub fn digest(items: &[Item]) -> String {
    let parts: Vec<&[u8]> = items.iter().map(|item| item.digest.0.as_bytes()).collect();
    overrule_base::canon::hash("overrule approve all v1", &parts)
}
