//! What waits for the operator and cannot be approved in a list, each with the reason. Must not know: how a list is
//! shown, what approves it.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::many;
use crate::domain::bulk;
use crate::domain::call::{Call, Gate, Status};
use crate::domain::id::NodeId;
use crate::domain::state::State;
use crate::domain::tags;
use crate::domain::turn::Turn;

/// Calls that are named for each reason.
const NAMED: usize = 6;

/// Why a call that waits is in no list of approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
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

impl Why {
    /// So many of them, in words.
    fn words(self, count: usize) -> String {
        match self {
            Self::Denied => format!("{count} denied"),
            Self::Irreversible => format!("{count} irreversible"),
            Self::Uninspectable => format!("{count} uninspectable"),
            Self::Shell => format!("{count} that only a shell can tell"),
            Self::Repeated => many(count, "repeated effect"),
            Self::Unknown => many(count, "unknown outcome"),
            Self::Repair => format!("{} to be chosen", many(count, "repair")),
            Self::Question => format!("{} to you", many(count, "question")),
            Self::NoTool => many(count, "unknown tool"),
            Self::Held => format!("{count} held by an edit"),
            Self::Checked => format!("{count} being checked"),
        }
    }
}

/// The calls that wait and are in no list, by the reason; within one in the order in which they came.
pub fn left_out(state: &State) -> BTreeMap<Why, Vec<NodeId>> {
    let listed: BTreeSet<NodeId> = bulk::together(state).iter().map(|item| item.call).collect();
    let mut out: BTreeMap<Why, Vec<NodeId>> = BTreeMap::new();
    for call in state.queue() {
        if !listed.contains(&call.id) {
            out.entry(why(state, call)).or_default().push(call.id);
        }
    }
    out
}

/// Why the rules list it with no other.
fn why(state: &State, call: &Call) -> Why {
    match call.status {
        Status::Consent(_) => return Why::Repeated,
        Status::InDoubt(_) => return Why::Unknown,
        Status::Repairing(_) => return Why::Repair,
        _ => {}
    }
    let verdict = call.verdict.as_ref();
    if !state.turn_of(call.id).is_some_and(Turn::is_active) {
        return Why::Held;
    }
    if verdict.is_some_and(|verdict| verdict.gate == Gate::Deny) {
        return Why::Denied;
    }
    let said = state.node(call.id).and_then(|node| node.as_call());
    let Some(card) = said.and_then(|(tool, _)| tags::card(state, tool)) else {
        return Why::NoTool;
    };
    let is = |tag: &str| card.tags.iter().any(|one| one == tag);
    if is(tags::IRREVERSIBLE) {
        Why::Irreversible
    } else if is(tags::ASKS_OPERATOR) {
        Why::Question
    } else if is("uninspectable") {
        Why::Uninspectable
    } else if verdict.is_some_and(|verdict| verdict.alone) {
        Why::Shell
    } else {
        Why::Checked
    }
}

/// All of them in one line, the calls by their names.
pub fn words(left: &BTreeMap<Why, Vec<NodeId>>) -> String {
    let group = |(why, calls): (&Why, &Vec<NodeId>)| {
        let mut names: Vec<String> = calls.iter().take(NAMED).map(NodeId::to_string).collect();
        if calls.len() > NAMED {
            names.push(format!("+{}", calls.len() - NAMED));
        }
        format!("{} ({})", why.words(calls.len()), names.join(" "))
    };
    let groups: Vec<String> = left.iter().map(group).collect();
    groups.join(", ")
}
