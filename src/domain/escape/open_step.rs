//! Effects of an open step on a turn: what its request says, what its gate denies.
//!
//! Must not know: how a step is chosen.

use std::sync::Arc;

use super::{Incident, Signature, Step, args_hash};
use crate::id::NodeId;
use crate::node::Origin;
use crate::state::State;
use crate::turn::Turn;

/// Start of the name of the rule that denies repeated calls for a turn.
pub const GUARD: &str = "loop guard";

/// Returns the step that applies to a turn: the newest of its thread, if the turn is the first that
/// was asked for after it.
fn holds<'s>(state: &'s State, turn: &Turn) -> Option<(&'s Incident, &'s Step)> {
    let incident = state.learned.escape.of(turn.thread)?;
    let step = incident.steps.last()?;
    let asked_since = |one: &Turn| one.is_active() && one.asked > 0 && one.asked_at > step.seq;
    let first = state
        .turns_of(turn.thread)
        .rev()
        .take_while(|one| one.asked == 0 || one.asked_at > step.seq)
        .filter(|one| asked_since(one))
        .last()?;
    (first.id == turn.id).then_some((incident, step))
}

/// Returns the notice to the model in the request of a turn.
pub fn notice(state: &State, turn: &Turn) -> Option<Arc<str>> {
    holds(state, turn)?.1.notice.clone()
}

/// Returns true if the next request of a thread has a notice: a recorded reply is not reused then.
pub fn has_notice(state: &State, thread: crate::id::ThreadId) -> bool {
    let step = state
        .learned
        .escape
        .of(thread)
        .and_then(|incident| incident.steps.last());
    step.is_some_and(|step| {
        step.notice.is_some()
            && !state
                .turns_of(thread)
                .rev()
                .any(|turn| turn.asked > 0 && turn.asked_at > step.seq)
    })
}

/// Returns the rule name and the reason with which an open step denies a call in its turn.
pub fn refused(state: &State, call: NodeId, tool: &str, args: &str) -> Option<(String, String)> {
    let node = state.nodes.get(&call)?;
    // A call that the operator wrote is exempt.
    if matches!(node.now().origin, Origin::Operator { .. }) {
        return None;
    }
    let (incident, step) = holds(state, state.turns.get(&node.turn)?)?;
    if step.forbidden.is_empty() {
        return None;
    }
    let hash = args_hash(args);
    let covers = |one: &&Signature| one.covers_before(tool, &hash);
    let found = step.forbidden.iter().find(covers)?;
    if state.learned.escape.allowed.contains(found) {
        return None;
    }
    Some((
        format!("{GUARD}: {}", step.node),
        format!(
            "this call was made before and led nowhere ({}): do something else",
            incident.finding.describe()
        ),
    ))
}

/// Returns true for the rule that denies repeated calls for a turn.
pub fn is_guard(rule: &str) -> bool {
    rule.starts_with(GUARD)
}
