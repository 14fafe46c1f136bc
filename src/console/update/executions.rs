//! Verbs on executions that approve nothing: run again, run now, cancel.
//!
//! Must not know: keys.

use super::decide::{armed, question, subject};
use crate::console::model::Model;
use crate::console::refusal::{NoTarget, Refusal, Row};
use crate::console::verbs::By;
use crate::domain::call::Status;
use crate::domain::id::{Attempt, NodeId, NodeKind, Rev};

/// The selected call for a verb that approves nothing, if it was on screen for long enough.
pub(in crate::console) fn seen_call(model: &Model, by: By, at: u64) -> Result<(NodeId, Rev), Refusal> {
    let id = subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
        .ok_or(NoTarget::NotSelected(Row::Call))?;
    let node = model.run.state.node(id).ok_or(NoTarget::NotFound(id))?;
    let question = question(model).ok_or(NoTarget::NotSelected(Row::Call))?;
    armed(model, &question, by, at)?;
    Ok((id, node.rev()))
}

/// The running attempt of a call.
pub(in crate::console) fn running(model: &Model, call: NodeId) -> Option<Attempt> {
    match model.run.state.call(call)?.status {
        Status::Running(attempt) => Some(attempt),
        _ => None,
    }
}
