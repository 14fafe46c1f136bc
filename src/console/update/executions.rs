//! Verbs on executions that approve nothing: run again, run now, cancel.
//!
//! Must not know: keys.

use super::decide::{can_decide, looked_at, question, subject};
use crate::console::model::Model;
use crate::console::refusal::Refusal;
use crate::console::verbs::By;
use crate::domain::call::Status;
use crate::domain::id::{Attempt, NodeId, NodeKind, Rev};

/// The selected call for a verb that approves nothing, if it was on screen for long enough.
pub(in crate::console) fn seen_call(model: &Model, by: By, at: u64) -> Result<(NodeId, Rev), Refusal> {
    can_decide(model)?;
    looked_at_call(model, by, at)
}

pub(in crate::console) fn looked_at_call(model: &Model, by: By, at: u64) -> Result<(NodeId, Rev), Refusal> {
    let id = subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
        .ok_or("No call selected")?;
    let node = model
        .run
        .state
        .node(id)
        .ok_or_else(|| format!("{id} does not exist"))?;
    let question = question(model).ok_or("No call selected")?;
    looked_at(model, &question, by, at)?;
    Ok((id, node.rev()))
}

/// The running attempt of a call.
pub(in crate::console) fn running(model: &Model, call: NodeId) -> Option<Attempt> {
    match model.run.state.call(call)?.status {
        Status::Running(attempt) => Some(attempt),
        _ => None,
    }
}
