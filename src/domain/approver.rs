//! Describes the operator's program that decides about calls awaiting approval.
//!
//! Must not know: how it is asked.

use std::sync::Arc;

use super::call::{Call, Decision, Status};
use super::state::State;
use super::thread;

/// Prefix of the program's name where it is cited as the rule that denied.
const PREFIX: &str = "approver ";

/// Returns how the program is cited as the rule that denied a call.
pub fn rule(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// True for a call about which the program is asked and has not answered.
pub fn is_asked(state: &State, call: &Call) -> bool {
    let acts = state
        .turn_of(call.id)
        .is_some_and(|turn| thread::acts(state, turn));
    acts && call.status == Status::AwaitingApproval && call.approval.approver.is_some()
}

/// Returns the program that made a decision, if one did.
pub fn of(decision: &Decision) -> Option<Arc<str>> {
    match decision {
        Decision::Allowed { by, .. } | Decision::LeftToOperator { by, .. } => Some(by.clone()),
        Decision::Deny { rule, .. } => rule.strip_prefix(PREFIX).map(Arc::from),
        _ => None,
    }
}

/// Describes the program's answer about a call awaiting approval; contains untrusted text.
pub fn describe(call: &Call) -> Option<String> {
    if call.status != Status::AwaitingApproval {
        return None;
    }
    if let Some(name) = &call.approval.approver {
        return Some(format!("{name} is being asked; the first answer counts"));
    }
    let (_, seq, last) = call.decisions.last()?;
    match &**last {
        Decision::LeftToOperator { by, reason } if *seq == call.approval.due_set => {
            Some(match reason.as_str() {
                "" => format!("{by} leaves it to you"),
                reason => format!("{by} leaves it to you: {reason}"),
            })
        }
        _ => None,
    }
}
