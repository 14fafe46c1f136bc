//! Verbs on executions that approve nothing: run again, run now, cancel.
//!
//! Must not know: keys.

use super::choices;
use super::decide::{can_decide, looked_at, question, send, subject};
use super::input::By;
use crate::console::model::Model;
use crate::console::msg::Out;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command, ResilienceCommand};
use crate::domain::id::{Attempt, NodeId, NodeKind, Rev};

/// The selected call for a verb that approves nothing, if it was on screen for long enough.
pub(super) fn seen_call(model: &Model, by: By, at: u64) -> Result<(NodeId, Rev), String> {
    can_decide(model)?;
    looked_at_call(model, by, at)
}

fn looked_at_call(model: &Model, by: By, at: u64) -> Result<(NodeId, Rev), String> {
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

pub(super) fn retry(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (call, rev) = seen_call(model, by, at)?;
    send(
        model,
        Command::Call(CallCommand::Retry { call, rev }),
        Some(call),
        out,
    );
    model.set_status(format!("Sent: run {call} again"));
    Ok(())
}

pub(super) fn run_now(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (call, rev) = seen_call(model, by, at)?;
    if !model.run.state.agenda.delayed.contains(&call) {
        return Err(format!("{call} is not scheduled"));
    }
    let command = Command::Resilience(ResilienceCommand::RunNow { call, rev });
    send(model, command, Some(call), out);
    model.set_status(format!("Sent: run {call} now"));
    Ok(())
}

/// The running attempt of a call.
pub(super) fn running(model: &Model, call: NodeId) -> Option<Attempt> {
    match model.run.state.call(call)?.status {
        Status::Running(attempt) => Some(attempt),
        _ => None,
    }
}

pub(super) fn cancel(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (call, _) = looked_at_call(model, by, at)?;
    if let Some(attempt) = choices::cancelled(model, call) {
        can_decide(model)?;
        choices::ends(model, call, attempt, out);
        return Ok(());
    }
    let status = model.run.state.call(call).map(|call| &call.status);
    let begun = matches!(status, Some(Status::Running(_)));
    if !begun {
        can_decide(model)?;
        if !matches!(status, Some(Status::Queued | Status::Scheduled)) {
            return Err(format!(
                "Cannot cancel {call}: it is {}",
                status.map_or("unknown", Status::base_label)
            ));
        }
    }
    let command = CallCommand::Cancel {
        call,
        attempt: running(model, call),
        reason: "cancelled by the operator".to_owned(),
    };
    send(model, Command::Call(command), Some(call), out);
    let when = if begun { "" } else { " before it starts" };
    model.set_status(format!("Sent: cancel {call}{when}"));
    Ok(())
}
