//! Counts what a rule would have done with the calls of a run, before it is accepted.
//!
//! Must not know: who asks, how it is shown.

use std::path::Path;

use serde_json::Value;

use overrule_domain::bulk::{self, Item};
use overrule_domain::call::{Call, Decision, Digest, Status};
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::NodeId;
use overrule_domain::node::Node;
use overrule_domain::ready;
use overrule_domain::rule::RuleRequest;
use overrule_domain::sandbox::Placement;
use overrule_domain::state::State;
use overrule_domain::tags;
use overrule_domain::turn::Turn;

use super::danger::Danger;
use super::rule::Rule;
use super::session;

/// Maximum number of calls that are examined, the newest ones.
pub const MOST: usize = 10_000;

/// What a rule would have meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Would {
    /// Waiting calls that it matches. It decides them immediately, unless another rule asks about
    /// or denies them.
    pub waiting: Vec<Item>,
    /// The calls that it matches, waiting ones included, oldest first.
    pub matched: Vec<NodeId>,
    /// How many of these ran.
    pub ran: usize,
    /// How many of these the operator rejected.
    pub rejected: usize,
    /// Number of calls that were examined.
    pub of: usize,
}

impl Would {
    /// Returns the digests of the waiting calls; they are named when the rule is accepted.
    pub fn seen(&self) -> Vec<Digest> {
        self.waiting.iter().map(|one| one.digest.clone()).collect()
    }
}

/// Parses the rule that the operator requests, or returns its fault. `None` for "exactly this".
pub fn read(state: &State, requested: &RuleRequest) -> Result<Option<Rule>, String> {
    let RuleRequest::Text { text } = requested else {
        return Ok(None);
    };
    let rule = session::read(text)?;
    session::check_admissible(&rule, cards(state))?;
    Ok(Some(rule))
}

pub(super) fn cards(state: &State) -> impl Iterator<Item = &ToolCard> {
    state.started.iter().flat_map(|started| started.tools.iter())
}

/// Finds the calls that a rule matches. Whether a call has a mark of danger, this table says.
pub fn would(state: &State, requested: &RuleRequest, danger: &Danger) -> Result<Would, String> {
    let rule = read(state, requested)?;
    let same = match requested {
        RuleRequest::Exact { call, .. } => {
            let call = state.calls.get(call).ok_or("the call is not there")?;
            let (tool, args) = tool_and_args(state, call).ok_or("the call is not ready")?;
            may_always(state, call.id, (&tool, &args))?;
            Some((tool, args))
        }
        RuleRequest::Text { .. } => None,
    };
    let workspace = state.started.as_ref().map(|started| started.workspace.as_str());
    let profile = state.sandbox_profile();
    let is_about = |call: &Call| -> bool {
        let Some((tool, args)) = tool_and_args(state, call) else {
            return false;
        };
        if let Some(same) = &same {
            return *same == (tool, args);
        }
        let Some(rule) = &rule else { return false };
        let Some(card) = cards(state).find(|card| *card.name == *tool) else {
            return false;
        };
        // Parse the arguments only if the rule can match the tool.
        rule.matcher.reaches(card) && {
            let args: Value = serde_json::from_str(&args).unwrap_or_default();
            session::is_about(rule, (card, &profile), &args, workspace.map(Path::new), danger)
        }
    };
    let mut found = Would::default();
    for call in state.calls.values().rev().take(MOST) {
        found.of += 1;
        if !is_about(call) {
            continue;
        }
        found.matched.push(call.id);
        found.ran += usize::from(!call.attempts.is_empty());
        let mut decisions = call.decisions.iter().map(|(_, _, decision)| &**decision);
        let rejected = |decision: &Decision| matches!(decision, Decision::Reject { .. });
        found.rejected += usize::from(decisions.any(rejected));
    }
    found.matched.reverse();
    found.waiting = waiting(state)
        .filter(|call| is_about(call))
        .filter_map(|call| item(state, call))
        .collect();
    Ok(found)
}

/// The calls that wait for a decision that a rule can make, in the order of the queue.
pub(super) fn waiting(state: &State) -> impl Iterator<Item = &Call> {
    state.queue().filter(|call| {
        call.status == Status::AwaitingApproval
            && !call.suspect
            && !tags::asks_operator(state, call.id)
            && state.turn_of(call.id).is_some_and(Turn::is_active)
    })
}

/// What names a waiting call when a rule decides it.
pub(super) fn item(state: &State, call: &Call) -> Option<Item> {
    Some(Item {
        call: call.id,
        rev: state.nodes.get(&call.id)?.rev(),
        digest: call.digest.clone()?,
    })
}

/// Checks whether exactly this call may always run, by the same test as when the rule is accepted.
pub(super) fn may_always(state: &State, id: NodeId, (tool, text): (&str, &str)) -> Result<(), String> {
    let node = state.nodes.get(&id);
    if !node.is_some_and(|node| bulk::plain(state, node)) {
        return Err(bulk::no_always(id));
    }
    let args: Value = serde_json::from_str(text).unwrap_or_default();
    let operands = state.calls.get(&id).map_or(&[][..], Call::operands);
    if operands.iter().any(|one| !one.seen.is_file()) {
        return Err(session::UNTOLD.to_owned());
    }
    let card = cards(state).find(|card| *card.name == *tool);
    let is_confined = card.is_some_and(|card| card.confined);
    let placement = state.sandbox_profile().placement(is_confined, text);
    if placement == Placement::Outside {
        return Err(session::LEAVES.to_owned());
    }
    session::may_always(tool, &args)
}

/// Returns the tool of a call and the bytes that run or would run.
pub(super) fn tool_and_args(state: &State, call: &Call) -> Option<(String, String)> {
    let node: &Node = state.nodes.get(&call.id)?;
    let (tool, _) = node.as_call()?;
    Some((tool.to_string(), ready::resolved_args(state, call)?.to_string()))
}
