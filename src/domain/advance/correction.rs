//! Applies corrections to the calls of a repeated turn, and reports the corrections that are lost.
//!
//! Must not know: how counterparts are found.

use crate::advice::Advice;
use crate::call::{Decision, Status};
use crate::correction;
use crate::draft::Draft;
use crate::event::{CallEvent, EditEvent};
use crate::id::{NodeId, ThreadId};
use crate::node::Node;
use crate::thread;

/// Applies corrections to ready and invalid calls before any other rule decides on them.
pub(super) fn carry_all(draft: &mut Draft<'_>, advice: &dyn Advice) {
    let state = draft.state;
    if state.agenda.pinned.is_empty() {
        return;
    }
    for id in state.agenda.ungated.iter().chain(&state.agenda.invalid).copied() {
        let open = |status: &Status| matches!(status, Status::Ready | Status::Invalid);
        let waits = state
            .calls
            .get(&id)
            .is_some_and(|call| open(&call.status) && !call.suspect);
        let tool = state.nodes.get(&id).and_then(Node::as_call).map(|(tool, _)| tool);
        // A structured answer has no correction.
        let is_answer = tool
            .and_then(|tool| advice.tool(tool))
            .is_some_and(|facts| facts.is_answer());
        if waits && !is_answer && thread::call_acts(state, id) {
            carry(draft, id);
        }
    }
}

/// Applies the correction of the counterpart to a call. False without a correction.
pub(super) fn carry(draft: &mut Draft<'_>, call: NodeId) -> bool {
    let Some(found) = correction::due(draft.state, call) else {
        return false;
    };
    let rev = draft.state.nodes.get(&call).map(Node::rev).unwrap_or_default();
    draft.call(CallEvent::Decided {
        call,
        rev,
        digest: None,
        decision: Decision::Carry {
            from: found.call,
            rev: found.rev,
        },
    });
    draft.call(CallEvent::Given {
        call,
        rev,
        outcome: found.outcome,
        origin: found.origin,
    });
    true
}

/// Reports each lost correction once: those of a thread up to a reply, or all.
pub(super) fn report_lost(draft: &mut Draft<'_>, in_reply: Option<(ThreadId, u32)>) {
    let message = &draft.state.agenda.lost;
    let mut lost = correction::without_call(draft.state, in_reply);
    lost.retain(|call| !message.contains(call));
    if !lost.is_empty() {
        let nodes = lost.into_iter().map(NodeId::observation).collect();
        draft.edit(EditEvent::CorrectionsLost { nodes });
    }
}
