//! Calls that gave no value, which an answer may be missing.
//!
//! Must not know: how they are shown.

use std::collections::BTreeMap;

use super::call::{Call, Decision, Status};
use super::id::{NodeId, ThreadId};
use super::node::Node;
use super::state::State;

/// Returns the active calls of a thread that failed, were denied or were skipped, oldest first. A
/// call is left out if a later one with the same tool and arguments succeeded, or if the operator
/// rejected it: they know of it.
pub fn failed_calls(state: &State, thread: ThreadId) -> Vec<NodeId> {
    let turns = state.turns_of(thread).filter(|turn| turn.is_active());
    // By tool and length of the arguments, so that few texts are compared.
    let mut failed: BTreeMap<(&str, usize), Vec<(NodeId, &str)>> = BTreeMap::new();
    for id in turns.flat_map(|turn| &turn.nodes) {
        let node = state.nodes.get(id).filter(|node| node.active);
        let (Some((tool, args)), Some(call)) = (node.and_then(Node::as_call), state.calls.get(id)) else {
            continue;
        };
        let key = (&**tool, args.len());
        if gave_nothing(call) {
            failed.entry(key).or_default().push((*id, args));
        } else if matches!(call.status, Status::Succeeded | Status::Exited(_))
            && let Some(same) = failed.get_mut(&key)
        {
            same.retain(|(_, other)| *other != &**args);
        }
    }
    let mut all: Vec<NodeId> = failed.into_values().flatten().map(|(id, _)| id).collect();
    all.sort_unstable();
    all
}

/// Returns true if a call ended without a value, other than by a decision of the operator.
fn gave_nothing(call: &Call) -> bool {
    match call.status {
        Status::Rejected => {
            let last = call.decisions.last();
            !last.is_some_and(|(_, _, decision)| matches!(**decision, Decision::Reject { .. }))
        }
        Status::Failed(_) | Status::Invalid | Status::Expired | Status::Skipped | Status::Unsatisfiable => {
            true
        }
        _ => false,
    }
}

/// Describes their number; `None` for none.
pub fn describe_count(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 call has no result".to_owned()),
        count => Some(format!("{count} calls have no result")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_described_in_singular_and_plural() {
        assert_eq!(describe_count(0), None);
        assert_eq!(describe_count(1).unwrap(), "1 call has no result");
        assert_eq!(describe_count(3).unwrap(), "3 calls have no result");
    }
}
