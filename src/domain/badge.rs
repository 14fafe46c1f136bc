//! Marks nodes that are special because of edits and branches.
//!
//! Must not know: how a badge is shown.
//!
//! Computed from the state, and stored nowhere.

use std::collections::BTreeSet;

use super::call::Call;
use super::id::{NodeId, NodeKind, Seq, TurnId};
use super::node::{Node, Origin};
use super::ready::{self, Readiness, calls_in_conflict, write_conflicts};
use super::repeat::is_outdated;
use super::state::State;
use super::thread::ROOT;
use super::turn::Turn;
use super::unresolved::failed_calls;

/// A mark of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Badge {
    /// The result was copied from an equal execution.
    Reused,
    /// The result came back from another branch and is older than a write.
    WorldChanged,
    /// The operator wrote the result, and the inputs of the call changed since.
    InputsChanged,
    /// The turn is a recorded reply.
    ReplyOnRecord,
    /// What the model saw changed, and the turn was kept.
    ContextDrifted,
    /// Another call of the turn wrote the same path of the state.
    WriteConflict,
    /// The answer comes after calls that have no result.
    AfterFailedCalls,
    /// The agent of another program rewrote its history before it.
    HistoryRewritten,
    /// A sub-agent of the call has a session of its own.
    SubAgent,
}

impl Badge {
    /// Two or three lower-case words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Reused => "reused",
            Self::WorldChanged => "world changed since",
            Self::InputsChanged => "inputs changed",
            Self::ReplyOnRecord => "recorded reply",
            Self::ContextDrifted => "context drifted",
            Self::WriteConflict => "write conflict",
            Self::AfterFailedCalls => "results missing",
            Self::HistoryRewritten => "history rewritten",
            Self::SubAgent => "sub-agent",
        }
    }

    /// A sentence, with what can be done about it.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Reused => {
                "The result was reused from an equal execution: the tool did not run. Run again to run it."
            }
            Self::WorldChanged => {
                "The result is older than a write on another branch, or than a restore of its file: the world may differ by now."
            }
            Self::InputsChanged => {
                "The operator wrote the result, and its inputs changed since. It stays active until you unpin it or run the call again."
            }
            Self::ReplyOnRecord => "The turn is active again as recorded: the model was not asked again.",
            Self::ContextDrifted => "An edit changed what the model saw here, and you kept the turn.",
            Self::WriteConflict => {
                "Another call of the turn wrote the same path of the state: the value of the call that ended last is used."
            }
            Self::AfterFailedCalls => {
                "Calls before this answer have no result: they failed, were rejected or were skipped."
            }
            Self::HistoryRewritten => {
                "The agent rewrote its history before this: from here on the model sees the new one. What was before stays in the graph."
            }
            Self::SubAgent => "A sub-agent of this call has a session of its own.",
        }
    }
}

/// Calls that the badges of all nodes depend on, found in one pass over the run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkedCalls {
    /// Active calls of the run itself that have no result, oldest first.
    pub failed: Vec<NodeId>,
    /// Active calls with a write conflict.
    pub in_conflict: BTreeSet<NodeId>,
}

impl MarkedCalls {
    /// Finds the calls of a state.
    pub fn of(state: &State) -> Self {
        Self {
            failed: failed_calls(state, ROOT),
            in_conflict: calls_in_conflict(state),
        }
    }
}

/// The badges of one node.
pub fn of(state: &State, id: NodeId) -> Vec<Badge> {
    let in_conflict = || !write_conflicts(state, id).is_empty();
    find(state, id, in_conflict, || {
        is_after(id, &failed_calls(state, ROOT))
    })
}

/// The badges of a node, given the calls that the badges of all nodes depend on.
pub fn of_marked(state: &State, marked: &MarkedCalls, id: NodeId) -> Vec<Badge> {
    let in_conflict = || marked.in_conflict.contains(&id);
    find(state, id, in_conflict, || is_after(id, &marked.failed))
}

/// True for the active answer of the run itself.
fn is_answer(state: &State, id: NodeId) -> bool {
    let in_root = || state.turn_of(id).is_some_and(|turn| turn.thread == ROOT);
    id.kind == NodeKind::Answer && counts(state, id) && in_root()
}

/// True for a node after one of these calls.
fn is_after(id: NodeId, calls: &[NodeId]) -> bool {
    calls.iter().any(|call| call.no < id.no)
}

fn find(
    state: &State,
    id: NodeId,
    in_conflict: impl FnOnce() -> bool,
    is_after_failed: impl FnOnce() -> bool,
) -> Vec<Badge> {
    let mut out = Vec::new();
    if let Some(call) = state.calls.get(&id.call()) {
        let reused = state
            .observation(call.id)
            .is_some_and(|node| matches!(node.now().origin, Origin::Reused { .. }));
        if reused {
            out.push(Badge::Reused);
        }
        if state.node(call.id).is_some_and(|node| node.active) {
            if is_outdated(state, call) {
                out.push(Badge::WorldChanged);
            }
            if inputs_changed(state, call) {
                out.push(Badge::InputsChanged);
            }
            if id.kind == NodeKind::Call && in_conflict() {
                out.push(Badge::WriteConflict);
            }
        }
    }
    if let Some(turn) = state.turn_of(id)
        && turn.is_active()
        && turn.nodes.iter().find(|one| counts(state, **one)) == Some(&id)
    {
        if turn.asked > 0 && turn.more.revived > Seq(0) {
            out.push(Badge::ReplyOnRecord);
        }
        if turn.drifted {
            out.push(Badge::ContextDrifted);
        }
        if is_after_seam(state, turn) {
            out.push(Badge::HistoryRewritten);
        }
    }
    if state.origin.agent.sub_agents_of(id).next().is_some() {
        out.push(Badge::SubAgent);
    }
    if is_answer(state, id) && is_after_failed() {
        out.push(Badge::AfterFailedCalls);
    }
    out
}

/// True for the first active turn with nodes after the agent of another program rewrote its history.
fn is_after_seam(state: &State, turn: &Turn) -> bool {
    let has_nodes = |turn: &Turn| turn.is_active() && turn.nodes.iter().any(|id| counts(state, *id));
    let first = |seam: &TurnId| state.turns.range(*seam..).find(|(_, turn)| has_nodes(turn));
    let mut seams = state.origin.agent.seams.iter().filter_map(first);
    seams.any(|(id, _)| *id == turn.id)
}

fn counts(state: &State, id: NodeId) -> bool {
    id.kind != NodeKind::Intervention && state.node(id).is_some_and(|node| node.active)
}

/// True if the operator wrote the result of a call whose inputs differ now. Unknown inputs do not
/// count as different.
fn inputs_changed(state: &State, call: &Call) -> bool {
    let pinned = state.observation(call.id).is_some_and(|node| node.pinned);
    if !pinned || call.refs.references.is_empty() {
        return false;
    }
    let Some(before) = call.resolved.as_deref() else {
        return false;
    };
    let args = state.nodes.get(&call.id).and_then(Node::as_call);
    match ready::look_at_rest(state, call) {
        Readiness::Wait => false,
        Readiness::Dead { .. } => true,
        Readiness::Bound { resolved, .. } => {
            resolved.as_deref().or(args.map(|(_, args)| &**args)) != Some(before)
        }
    }
}
