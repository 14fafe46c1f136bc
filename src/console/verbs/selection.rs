//! The selected node as verbs see it: its kind, its status, and whether it is on screen.
//!
//! Must not know: verbs.

use super::availability::predicts;
use crate::console::model::Model;
use crate::console::panes::Pane;
use crate::console::panes::inspector::model::Tab;
use crate::console::update::decide::subject;
use crate::domain::call::Status;
use crate::domain::command::Command;
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::{NodeId, NodeKind, Rev};
use crate::domain::tags::asks_operator;

/// The status of the selected call. A superseded or suspended one cannot be decided or edited.
pub fn status(model: &Model) -> Option<&Status> {
    match EffectiveStatus::of(&model.run.state, subject(model)?.call()) {
        Some(EffectiveStatus::Active(status)) => Some(status),
        _ => None,
    }
}

/// The kind of the selected node, if it is active.
pub fn active_kind(model: &Model) -> Option<NodeKind> {
    let id = subject(model)?;
    let node = model.run.state.node(id)?;
    node.active.then_some(id.kind)
}

/// True for a call whose tool has given a result.
pub const fn has_result(status: &Status) -> bool {
    matches!(status, Status::Succeeded | Status::Exited(_) | Status::Failed(_))
}

/// True if the inspector is on screen: a key that decides about its content is useless without it.
pub fn is_shown(model: &Model) -> bool {
    model.screen.places.inspector.is_some()
}

/// True if the target of the keys is on screen: in the inspector, or under the cursor that it
/// follows.
pub fn is_visible(model: &Model) -> bool {
    let places = &model.screen.places;
    !model.overlays.is_empty() || places.inspector.is_some() || places.of(model.screen.lead).is_some()
}

/// True if only the queue is visible: its calls are not shown, so no key decides.
pub fn is_hidden(model: &Model) -> bool {
    model.screen.lead == Pane::QUEUE
        && model.inspector.tab == Tab::Arguments
        && model.screen.places.inspector.is_none()
}

/// True for a question to the operator.
pub fn is_question(model: &Model) -> bool {
    let call = subject(model).and_then(|id| model.run.state.call(id));
    call.is_some_and(|call| {
        call.status == Status::AwaitingApproval && asks_operator(&model.run.state, call.id)
    })
}

/// True if the selected call is shown, has such a status, and the run would carry out the command.
pub fn on_call(
    model: &Model,
    is: impl FnOnce(&Status) -> bool,
    command: impl FnOnce(NodeId, Rev) -> Command,
) -> bool {
    let Some(call) = subject(model).map(NodeId::call) else {
        return false;
    };
    let rev = model.run.state.node(call).map(crate::domain::node::Node::rev);
    let would = || rev.is_some_and(|rev| predicts(model, &command(call, rev)));
    is_shown(model) && status(model).is_some_and(is) && would()
}
