//! Rejects the selected call or answer, or a repeated effect.
//!
//! Must not know: how a command travels.

use super::availability::{answer, decision, overlay_seen, question_seen};
use super::consent::consenting;
use super::selection::{active_kind, call_and_rev, is_hidden, is_shown, status};
use super::{About, By, Care, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::overlay::{LinePurpose, Overlay};
use crate::console::refusal::{NoTarget, Refusal, Row};
use crate::console::update::choices::choices;
use crate::console::update::decide::{armed, question, subject, waiting};
use crate::console::update::prompts;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command, ConsentChoice};
use crate::domain::id::{NodeId, NodeKind};

/// The verb `reject`.
pub const REJECT: Verb = Verb {
    name: "reject",
    keys: &["x"],
    contexts: &[Context::Panes],
    doc: "reject the call (or the answer) with a reason that the model sees",
    hint: "reject",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| decision(model, is_rejectable(model), question_seen),
    command,
    run: |model, press| reject(model, press.by, press.at),
    ..Verb::BASE
};

/// The verb `reject-repeat`.
pub const REJECT_REPEAT: Verb = Verb {
    name: "reject-repeat",
    keys: &["x"],
    contexts: &[Context::Consent],
    doc: "reject the repeated effect with a reason",
    hint: "reject",
    available: |model| answer(model, overlay_seen),
    command: |model| {
        let reason = String::new();
        consenting(model, ConsentChoice::Reject { reason })
    },
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

fn reject(model: &mut Model, by: By, at: u64) -> Result<(), Refusal> {
    if let Some(Overlay::Dialog(dialog)) = model.overlays.last() {
        let question = dialog.question.clone();
        armed(model, &question, by, at)?;
        if let Question::Call {
            call,
            rev,
            digest: Some(digest),
            ..
        } = question
        {
            model.overlays.pop();
            let purpose = LinePurpose::RefuseEffect { call, rev, digest };
            prompts::line(
                model,
                purpose,
                &format!("reject {call}: what should the model know?"),
                "",
            );
        }
        return Ok(());
    }
    if let Some(id) = subject(model)
        && id.kind == NodeKind::Answer
    {
        let title = format!("reject {id}: what should the model do instead?");
        prompts::line(
            model,
            LinePurpose::RejectAnswer(id, model.run.state.node(id).map(crate::domain::node::Node::rev)),
            &title,
            "",
        );
        return Ok(());
    }
    let blocked = subject(model).map(NodeId::call).filter(|id| {
        model
            .run
            .state
            .call(*id)
            .is_some_and(|call| call.status == Status::Blocked)
    });
    if let Some(call) = blocked {
        let question = question(model).ok_or(NoTarget::NotSelected(Row::Node))?;
        armed(model, &question, by, at)?;
        let rev = model
            .run
            .state
            .node(call)
            .map(crate::domain::node::Node::rev)
            .unwrap_or_default();
        prompts::line(
            model,
            LinePurpose::Reject { call, rev },
            &format!("reject {call} {rev}: what should the model know?"),
            "",
        );
        return Ok(());
    }
    let (call, rev, _, question) = waiting(model, "reject")?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::AwaitingApproval) => {}
        _ => return choices(model),
    }
    armed(model, &question, by, at)?;
    prompts::line(
        model,
        LinePurpose::Reject { call, rev },
        &format!("reject {call} {rev}: what should the model know?"),
        "",
    );
    Ok(())
}
