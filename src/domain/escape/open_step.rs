//! What an open step means for a turn: what its request says, what its gate refuses. Must not know:
//! how a step is chosen.

use std::sync::Arc;

use super::{Incident, Signature, Step, args_hash};
use crate::domain::id::NodeId;
use crate::domain::node::Origin;
use crate::domain::state::State;
use crate::domain::turn::Turn;

/// Begins the name of the rule with which repeated calls are refused for a turn.
pub const GUARD: &str = "loop guard";

/// The step that holds for a turn: the newest of its thread, if the turn is the first that was asked
/// for after it.
fn holds<'s>(state: &'s State, turn: &Turn) -> Option<(&'s Incident, &'s Step)> {
    let incident = state.escape.of(turn.thread)?;
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

/// What the model is told with the request of a turn.
pub fn notice(state: &State, turn: &Turn) -> Option<Arc<str>> {
    holds(state, turn)?.1.notice.clone()
}

/// True where the next request of a thread has something to tell: no recorded reply takes its place.
pub fn has_notice(state: &State, thread: crate::domain::id::ThreadId) -> bool {
    let step = state.escape.of(thread).and_then(|incident| incident.steps.last());
    step.is_some_and(|step| {
        step.notice.is_some()
            && !state
                .turns_of(thread)
                .rev()
                .any(|turn| turn.asked > 0 && turn.asked_at > step.seq)
    })
}

/// The step because of which a call is refused in its turn, as the name of a rule and a reason.
pub fn refused(state: &State, call: NodeId, tool: &str, args: &str) -> Option<(String, String)> {
    let node = state.nodes.get(&call)?;
    // What a person wrote is theirs to answer for.
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
    if state.escape.allowed.contains(found) {
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

/// True for the rule with which repeated calls are refused for a turn.
pub fn is_guard(rule: &str) -> bool {
    rule.starts_with(GUARD)
}
