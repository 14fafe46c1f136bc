//! Opens questions with several answers, and sends the answers: repeated effects, unknown outcomes.
//!
//! Must not know: keys, how a command travels.

use std::sync::Arc;

use crate::kernel::decide::{question, send, waiting};
use crate::kernel::dialog::{Dialog, DialogKind};
use crate::kernel::inspector::Subject;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::run::question::Question;
use crate::run::refusal::{NOT_ABOUT_CALL, Refusal};
use crate::surfaces::broken::BROKEN_QUESTION;
use crate::surfaces::consent::CONSENT_QUESTION;
use crate::surfaces::outcome::OUTCOME_QUESTION;
use crate::verbs::repair;
use overrule_domain::call::{Digest, Shown, Status};
use overrule_domain::command::{CallCommand, Command, ConsentChoice, Resolution};
use overrule_domain::id::{Attempt, NodeId, Rev};

/// Opens the choices of a repeated effect, an unknown outcome or a broken stream.
pub(crate) fn choices(model: &mut Model) -> Result<(), Refusal> {
    if let Some(Subject::Broken(_)) = model.inspector.subject {
        return dialog(model, &BROKEN_QUESTION);
    }
    let (call, ..) = waiting(model, "decide")?;
    let key = |name| model.settings.keymap.first(name);
    match model.run.state.call(call).map(|call| call.status.clone()) {
        Some(Status::Consent(_)) => dialog(model, &CONSENT_QUESTION),
        Some(Status::OutcomeUnknown(_)) => dialog(model, &OUTCOME_QUESTION),
        Some(Status::AwaitingApproval) => Err(Refusal::new(format!(
            "{} approves, {} rejects, {} edits",
            key("approve"),
            key("reject"),
            key("edit")
        ))),
        Some(Status::Repairing(_)) => {
            let chooses = || format!("{} chooses a repair, ", key("choose-repair"));
            let chooses = repair::is_offered(&model.run.state, call).then(chooses);
            Err(Refusal::new(format!(
                "{call} cannot run as it is: {}{} lets the call fail, {} edits",
                chooses.unwrap_or_default(),
                key("skip-repair"),
                key("edit")
            )))
        }
        _ => Err(Refusal::new("Nothing to choose")),
    }
}

fn dialog(model: &mut Model, kind: &'static DialogKind) -> Result<(), Refusal> {
    let question = question(model).ok_or_else(|| Refusal::not_selected("node"))?;
    let exact_first = model.inspector.exact;
    model.stack.push(Dialog::new(kind, question, exact_first));
    Ok(())
}

/// The call of the open dialog, as it was shown.
pub(crate) fn asked(model: &Model) -> Result<(NodeId, Rev, Option<Digest>), Refusal> {
    let Some(question) = model.stack.last().and_then(|top| top.question()) else {
        return Err(Refusal::not_open("The question"));
    };
    match question {
        Question::Call {
            call, rev, digest, ..
        } => Ok((*call, *rev, digest.clone())),
        _ => Err(Refusal::new(NOT_ABOUT_CALL)),
    }
}

/// The form in which the open dialog shows its call.
pub(crate) fn shown_in_dialog(model: &Model) -> Option<Shown> {
    let shown = model.stack.doc()?.shown_form()?;
    Some(shown.first.clone())
}

/// Sends the choice about a repeated effect.
pub(crate) fn chosen(
    model: &mut Model,
    (call, rev, digest): (NodeId, Rev, Digest),
    choice: ConsentChoice,
    (shown, word): (Option<Shown>, Option<Arc<str>>),
    out: &mut Vec<Out>,
) {
    model.queue.leaving = model.queue.selected;
    let command = Command::Call(CallCommand::Consent {
        call,
        rev,
        digest,
        choice,
        shown,
        word,
    });
    send(model, command, Some(call), out);
}

/// The attempt of a call with an unknown outcome.
pub(crate) fn unknown_attempt(model: &Model, call: NodeId) -> Option<Attempt> {
    match model.run.state.call(call)?.status {
        Status::OutcomeUnknown(attempt) => Some(attempt),
        _ => None,
    }
}

/// The cancelled attempt of a call, if its outcome is unknown.
pub fn cancelled(model: &Model, call: NodeId) -> Option<Attempt> {
    let attempt = unknown_attempt(model, call)?;
    model.run.state.call(call)?.has_ended(attempt).then_some(attempt)
}

/// The answer that a cancelled attempt did not finish.
pub(crate) const fn unfinished(call: NodeId, attempt: Attempt) -> Command {
    Command::Call(CallCommand::Resolve {
        call,
        attempt: Some(attempt),
        what: Resolution::DidNotFinish,
    })
}

/// Sends the answer that a cancelled attempt did not finish.
pub(crate) fn ends(model: &mut Model, call: NodeId, attempt: Attempt, out: &mut Vec<Out>) {
    model.queue.leaving = model.queue.selected;
    send(model, unfinished(call, attempt), Some(call), out);
    model.set_status(format!("Sent: {call} did not finish"));
}

/// Refuses "did not happen" while a process of the attempt still runs.
pub(crate) fn ensure_ended(model: &Model, call: NodeId, attempt: Attempt) -> Result<(), Refusal> {
    let left = model.run.outlived_of(call, attempt);
    let process = model.run.process_of(call, attempt);
    match process.and_then(|process| left.forbids(process)) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}
