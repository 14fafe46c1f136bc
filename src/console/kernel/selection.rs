//! The selected node as verbs see it: its kind, its status, and whether it is on screen.
//!
//! Must not know: verbs.

use super::availability::dialog;
use crate::kernel::decide::subject;
use crate::kernel::inspector::Tab;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::run::question::Question;
use crate::run::target::Target;
use overrule_domain::call::{Digest, Status};
use overrule_domain::effective_status::EffectiveStatus;
use overrule_domain::id::{NodeId, NodeKind, Rev, Seq};
use overrule_domain::state::{LedgerEntry, LedgerOutcome};
use overrule_domain::tags::asks_operator;

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

/// True if the content of the selected node is on screen, in the inspector or in the transcript: a key that decides about
/// it is useless without it.
pub fn is_shown(model: &Model) -> bool {
    let places = &model.screen.places;
    places.inspector.is_some() || model.graph.is_transcript() && places.graph.is_some()
}

/// True if the target of the keys is on screen: in the inspector, or under the cursor that it
/// follows.
pub fn is_visible(model: &Model) -> bool {
    let places = &model.screen.places;
    !model.stack.is_empty() || places.inspector.is_some() || places.of(model.screen.lead).is_some()
}

/// True if only the queue is visible: its calls are not shown, so no key decides.
pub fn is_hidden(model: &Model) -> bool {
    model.screen.lead == Pane::QUEUE
        && model.inspector.tab == Tab::Arguments
        && model.screen.places.inspector.is_none()
}

/// True for a question to the operator.
pub fn is_question(model: &Model) -> bool {
    let waits = status(model) == Some(&Status::AwaitingApproval);
    waits && subject(model).is_some_and(|id| asks_operator(&model.run.state, id.call()))
}

/// True if the selected call is shown and has such a status.
pub fn is_call(model: &Model, is: impl FnOnce(&Status) -> bool) -> bool {
    is_shown(model) && status(model).is_some_and(is)
}

/// The selected call, or that of the selected observation, with its revision.
pub fn call_and_rev(model: &Model) -> Option<(NodeId, Rev)> {
    let call = subject(model)?.call();
    Some((call, model.run.state.node(call)?.rev()))
}

/// The call of the open dialog, with what was shown of it.
pub fn call_in_dialog(model: &Model) -> Option<(NodeId, Rev, Digest)> {
    match dialog(model)? {
        Question::Call {
            call,
            rev,
            digest: Some(digest),
            ..
        } => Some((*call, *rev, digest.clone())),
        _ => None,
    }
}

/// The attempt under the cursor of the list of effects, if that is open.
pub(crate) fn listed_effect(model: &Model) -> Option<Seq> {
    match model.stack.last()?.listing()?.selected {
        Some(Target::Effect(seq)) => Some(seq),
        _ => None,
    }
}

/// What the row under the cursor is about: of the topmost list, else of the focused pane.
pub(crate) fn listed_target(model: &Model) -> Target {
    match model.stack.last() {
        Some(surface) => {
            let selected = surface.listing().and_then(|list| list.selected);
            selected.unwrap_or_default()
        }
        None => model.followed(),
    }
}

/// The attempt under the cursor, if its outcome is unknown.
pub fn unknown_outcome(model: &Model) -> Option<&LedgerEntry> {
    let entry = model.run.state.ledger.get(&listed_effect(model)?)?;
    (entry.outcome == LedgerOutcome::Unknown).then_some(entry)
}

/// The call that a rule is to be written from.
pub(crate) fn call(model: &Model) -> Option<NodeId> {
    subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
}
