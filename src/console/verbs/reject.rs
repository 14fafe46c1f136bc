//! Rejects the selected call or answer, or a repeated effect.
//!
//! Must not know: how a command travels.

use super::availability::{answer, decision};
use super::consent::consenting;
use super::seen::{call_seen, dialog_seen};
use super::selection::{active_kind, call_and_rev, is_hidden, is_shown, status};
use super::{About, Care, Effect, Moment, Verb};
use crate::cards::CONSENT;
use crate::context::{Context, PANES};
use crate::model::Model;
use crate::model::overlay::LinePurpose;
use crate::refusal::{NoTarget, NodeState, Refusal, Row};
use crate::update::choices::{asked, choices};
use crate::update::decide::{armed, asks_approval, question, subject, waiting};
use crate::update::prompts;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, ConsentChoice};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::node::Node;

/// The verb `reject`.
pub const REJECT: Verb = Verb {
    name: "reject",
    keys: &["x"],
    contexts: PANES,
    doc: "reject the call (or the answer) with a reason that the model sees",
    hint: "reject",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| decision(model, is_rejectable(model)),
    seen,
    command,
    run: |model, _| reject(model),
    ..Verb::BASE
};

/// The verb `reject-repeat`.
pub const REJECT_REPEAT: Verb = Verb {
    name: "reject-repeat",
    keys: &["x"],
    contexts: &[Context::On(CONSENT)],
    doc: "reject the repeated effect with a reason",
    hint: "reject",
    available: answer,
    seen: dialog_seen,
    command: |model| {
        let reason = String::new();
        consenting(model, ConsentChoice::Reject { reason })
    },
    run: |model, _| reject_repeat(model),
    ..REJECT
};

/// True for a call that waits or is blocked, and for an answer.
fn is_rejectable(model: &Model) -> bool {
    match status(model) {
        Some(Status::AwaitingApproval) => !is_hidden(model),
        status => {
            is_shown(model) && status == Some(&Status::Blocked)
                || active_kind(model) == Some(NodeKind::Answer)
        }
    }
}

/// The rejection of the selected call, without a reason. That of an answer is an edit.
fn command(model: &Model) -> Option<Command> {
    let (call, rev) = call_and_rev(model).filter(|(id, _)| id.kind == NodeKind::Call)?;
    let reason = String::new();
    Some(Command::Call(CallCommand::Reject { call, rev, reason }))
}

/// The selected call, if it is blocked.
fn blocked(model: &Model) -> Option<NodeId> {
    let call = model.run.state.call(subject(model)?.call())?;
    (call.status == Status::Blocked).then_some(call.id)
}

fn seen(model: &Model, moment: Moment) -> Result<(), Refusal> {
    if blocked(model).is_some() {
        return call_seen(model, moment);
    }
    match asks_approval(model) {
        Some(question) => armed(model, &question, moment).map(drop),
        None => Ok(()),
    }
}

fn reject(model: &mut Model) -> Result<(), Refusal> {
    if let Some(id) = subject(model)
        && id.kind == NodeKind::Answer
    {
        let title = format!("reject {id}: what should the model do instead?");
        let rev = model.run.state.node(id).map(Node::rev);
        prompts::line(model, LinePurpose::RejectAnswer(id, rev), &title, "");
        return Ok(());
    }
    let (call, rev) = if let Some(call) = blocked(model) {
        question(model).ok_or(NoTarget::NotSelected(Row::Node))?;
        let rev = model.run.state.node(call).map(Node::rev);
        (call, rev.unwrap_or_default())
    } else {
        let (call, rev, _) = waiting(model, "reject")?;
        if asks_approval(model).is_none() {
            return choices(model);
        }
        (call, rev)
    };
    let title = format!("reject {call} {rev}: what should the model know?");
    prompts::line(model, LinePurpose::Reject { call, rev }, &title, "");
    Ok(())
}

/// Asks why the effect of the open dialog is not repeated.
fn reject_repeat(model: &mut Model) -> Result<(), Refusal> {
    let (call, rev, digest) = asked(model)?;
    let digest = digest.ok_or(NodeState::NotReady(call))?;
    model.overlays.pop();
    let purpose = LinePurpose::RefuseEffect { call, rev, digest };
    let title = format!("reject {call}: what should the model know?");
    prompts::line(model, purpose, &title, "");
    Ok(())
}
