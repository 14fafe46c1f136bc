//! Which calls can be approved together, and why each other one that waits cannot. Left out: what the policy denies,
//! what cannot be undone or looked into, repeated effects, unknown outcomes, what an edit holds. Must not know: who
//! asks, how a reason is told.

use std::collections::BTreeMap;

use super::call::{Call, Digest, FileCheck, Gate, Operand, Status};
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

/// Why a call that waits cannot be approved with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Alone {
    /// The policy denies it.
    Denied,
    /// Its effect cannot be undone.
    Irreversible,
    /// What it does cannot be looked into.
    Uninspectable,
    /// Only a shell can tell what it runs.
    Shell,
    /// An equal effect may have happened.
    Repeated,
    /// Nobody knows whether it happened.
    Unknown,
    /// It failed, and a repair is to be chosen.
    Repair,
    /// The operator's answer is its result.
    Question,
    /// The run has no such tool.
    NoTool,
    /// An edit before it is worked in.
    Held,
    /// What it reads changed, and it is checked anew.
    Checked,
}

/// The calls that can be approved together, first come first.
pub fn together(state: &State) -> Vec<Item> {
    state.queue().filter_map(|call| item(state, call).ok()).collect()
}

/// The calls that wait and cannot, by the reason; within one first come first.
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

/// Why a single look at a call is not enough, by its tool: it cannot be undone, cannot be looked into, only the
/// operator can give its result, or it is not known.
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

/// False where a single look is not enough.
pub fn plain(state: &State, node: &Node) -> bool {
    by_tool(state, node).is_none()
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
