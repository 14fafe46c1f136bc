//! Rejects the selected call or answer, or a repeated effect.
//!
//! Must not know: how a command travels.

use crate::kernel::availability::{answer, decision};
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::{armed, asks_approval, question, send, subject, waiting};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::seen::{call_seen, dialog_seen};
use crate::kernel::selection::{active_kind, call_and_rev, is_hidden, is_shown, status};
use crate::kernel::verb::{About, Care, Effect, Moment, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces;
use crate::surfaces::consent::verbs::consenting;
use crate::surfaces::review::{Whose, preview};
use crate::verbs::ask_choices::{asked, choices};
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Edit};
use overrule_domain::id::{NodeId, NodeKind, Rev};
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
    contexts: &[on(surfaces::consent::ID)],
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
        ask_instead(model, (id, rev), title, "");
        return Ok(());
    }
    let (call, rev) = if let Some(call) = blocked(model) {
        question(model).ok_or_else(|| Refusal::not_selected("node"))?;
        let rev = model.run.state.node(call).map(Node::rev);
        (call, rev.unwrap_or_default())
    } else {
        let (call, rev, _) = waiting(model, "reject")?;
        if asks_approval(model).is_none() {
            return choices(model);
        }
        (call, rev)
    };
    let title = format!(
        "reject {}: what should the model know?",
        overrule_present::revised(call, rev)
    );
    ask_reason(model, ("reject", call, rev), &title, "");
    Ok(())
}

/// Asks why the effect of the open dialog is not repeated.
fn reject_repeat(model: &mut Model) -> Result<(), Refusal> {
    let (call, rev, digest) = asked(model)?;
    let digest = digest.ok_or_else(|| Refusal::not_ready(call))?;
    model.stack.pop();
    let title = format!("reject {call}: what should the model know?");
    let prompt = Prompt::new(("reject", Style::PROSE), title, "", move |model, text, out| {
        let choice = ConsentChoice::Reject { reason: text };
        let command = CallCommand::Consent {
            call,
            rev,
            digest: digest.clone(),
            choice,
            shown: None,
            word: None,
        };
        decide_about(model, call, command, out);
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// Asks why a call is rejected: to reject it, or to skip it and continue without it.
pub(crate) fn ask_reason(
    model: &mut Model,
    (act, call, rev): (&'static str, NodeId, Rev),
    title: &str,
    text: &str,
) {
    let prompt = Prompt::new((act, Style::PROSE), title, text, move |model, text, out| {
        let reason = text;
        decide_about(model, call, CallCommand::Reject { call, rev, reason }, out);
        Ok(())
    });
    prompts::ask(model, prompt.about(call));
}

/// Asks what the model should do instead of an answer.
pub(crate) fn ask_instead(
    model: &mut Model,
    (node, base): (NodeId, Option<Rev>),
    title: impl Into<String>,
    text: &str,
) {
    let prompt = Prompt::new(("preview", Style::PROSE), title, text, move |model, text, _| {
        if text.is_empty() {
            return Err("Say what the model should do instead".to_owned());
        }
        let reason = text.into();
        let edits = vec![Edit::RejectAnswer { node, base, reason }];
        preview::edits(model, edits, Whose::New);
        Ok(())
    });
    prompts::ask(model, prompt);
}

/// Sends a command that was typed about a call of the queue.
pub(crate) fn decide_about(model: &mut Model, call: NodeId, command: CallCommand, out: &mut Vec<Out>) {
    model.queue.leaving = model.queue.selected;
    send(model, Command::Call(command), Some(call), out);
}
