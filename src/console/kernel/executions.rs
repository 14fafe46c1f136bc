//! Verbs on executions that approve nothing: run again, run now, cancel.
//!
//! Must not know: keys.

use super::decide::{question, subject};
use crate::kernel::model::Model;
use crate::run::refusal::Refusal;
use overrule_domain::call::Status;
use overrule_domain::id::{Attempt, NodeId, NodeKind, Rev};

/// The selected call for a verb that approves nothing.
pub(crate) fn selected_call(model: &Model) -> Result<(NodeId, Rev), Refusal> {
    let id = subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
        .ok_or_else(|| Refusal::not_selected("call"))?;
    let node = model.run.state.node(id).ok_or_else(|| Refusal::not_found(id))?;
    question(model).ok_or_else(|| Refusal::not_selected("call"))?;
    Ok((id, node.rev()))
}

/// The running attempt of a call.
pub(crate) fn running(model: &Model, call: NodeId) -> Option<Attempt> {
    match model.run.state.call(call)?.status {
        Status::Running(attempt) => Some(attempt),
        _ => None,
    }
}
