//! Denies calls that are about to start in a run restricted to reading calls.
//!
//! Must not know: who restricted it.

use std::sync::Arc;

use crate::advice::Advice;
use crate::call::Status;
use crate::draft::Draft;
use crate::event::ResilienceEvent;
use crate::node::Node;
use crate::restrict::{NOT_AGAIN, denial, forbids};
use crate::thread;

/// Denies calls that wait for the operator, a slot or a time, and ends repairs. The gate denies the
/// calls that it has not seen yet.
pub(super) fn deny(draft: &mut Draft<'_>, _advice: &dyn Advice) {
    let state = draft.state;
    if state.settings.restricted.is_none() {
        return;
    }
    let agenda = &state.agenda;
    let waiting = agenda
        .waiting
        .values()
        .chain(&agenda.queued)
        .chain(&agenda.delayed)
        .chain(&agenda.delegating);
    let repairing = agenda.repairing.iter();
    let mut calls: Vec<_> = waiting.chain(repairing).copied().collect();
    calls.sort_unstable();
    calls.dedup();
    for call in calls.iter().filter_map(|id| state.calls.get(id)) {
        if call.suspect || !thread::call_acts(state, call.id) || !forbids(state, call) {
            continue;
        }
        match call.status {
            Status::AwaitingApproval | Status::Consent(_) | Status::Queued | Status::Scheduled => {
                draft.call(denial(state, call));
            }
            Status::Repairing(_) => draft.resilience(ResilienceEvent::GaveUp {
                call: call.id,
                rev: state.nodes.get(&call.id).map(Node::rev).unwrap_or_default(),
                why: Arc::from(NOT_AGAIN),
            }),
            _ => {}
        }
    }
}
