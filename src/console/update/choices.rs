//! Questions with several answers: repeated effects, unknown outcomes, broken streams.
//!
//! Must not know: keys, how a command travels.

use std::sync::Arc;

use super::decide::{armed, ask_word, irreversible, question, send, unread, waiting};
use super::input::By;
use super::{ledger, open, prompts};
use crate::console::doc::Doc;
use crate::console::hints;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::inspector::Subject;
use crate::console::model::overlay::{Dialog, DialogKind, LinePurpose, Overlay};
use crate::console::msg::Out;
use crate::domain::call::{Digest, Status};
use crate::domain::command::{CallCommand, Command, ConsentChoice, Resolution, RunCommand};
use crate::domain::id::{Attempt, NodeId, Rev, TurnId};
use crate::domain::repeat;

/// Opens the choices of a repeated effect, an unknown outcome or a broken stream.
pub(super) fn choices(model: &mut Model) -> Result<(), String> {
    if let Some(Subject::Broken(turn)) = model.inspector.subject {
        return dialog(model, DialogKind::Broken(turn));
    }
    let (call, ..) = waiting(model, "decide")?;
    match model.run.state.call(call).map(|call| call.status.clone()) {
        Some(Status::Consent(_)) => dialog(model, DialogKind::Consent),
        Some(Status::OutcomeUnknown(_)) => dialog(model, DialogKind::UnknownOutcome),
        Some(Status::AwaitingApproval) => Err(format!(
            "{} approves, {} rejects, {} edits",
            model.settings.keymap.first("approve"),
            model.settings.keymap.first("reject"),
            model.settings.keymap.first("edit")
        )),
        Some(Status::Repairing(_)) => Err(format!(
            "{call} cannot run as it is: {} chooses a repair, {} lets the call fail, {} edits",
            model.settings.keymap.first("choose-repair"),
            model.settings.keymap.first("skip-repair"),
            model.settings.keymap.first("edit")
        )),
        _ => Err("Nothing to choose".to_owned()),
    }
}

fn dialog(model: &mut Model, kind: DialogKind) -> Result<(), String> {
    let question = question(model).ok_or("Nothing selected")?;
    open(
        model,
        Overlay::Dialog(Dialog {
            kind,
            question,
            doc: Doc::default(),
            top: 0,
            made: None,
        }),
    );
    Ok(())
}

/// The call of the open dialog, if its question is armed and unchanged.
fn asked(model: &Model, by: By, at: u64) -> Result<(NodeId, Rev, Option<Digest>), String> {
    let Some(Overlay::Dialog(dialog)) = model.overlays.last() else {
        return Err("No question is open".to_owned());
    };
    armed(model, &dialog.question, by, at)?;
    match &dialog.question {
        Question::Call {
            call, rev, digest, ..
        } => Ok((*call, *rev, digest.clone())),
        _ => Err("This is not about a call".to_owned()),
    }
}

/// Refuses to run a call while part of its arguments was not on screen yet.
fn whole(model: &Model) -> Result<(), String> {
    let Some(Overlay::Dialog(dialog)) = model.overlays.last() else {
        return Ok(());
    };
    let shown = model.arming.find(&dialog.question, true);
    let shown = shown.ok_or("Its arguments are not on screen")?;
    let missing = unread(shown, &dialog.doc)?;
    if missing > 0 {
        let way = hints::reads_on(model, shown);
        return Err(format!("{missing} bytes unread. {way}"));
    }
    Ok(())
}

pub(super) fn consent(
    model: &mut Model,
    choice: ConsentChoice,
    by: By,
    at: u64,
    out: &mut Vec<Out>,
) -> Result<(), String> {
    let (call, rev, digest) = asked(model, by, at)?;
    if choice == ConsentChoice::RunAgain {
        whole(model)?;
    }
    let digest = digest.ok_or_else(|| format!("{call} is not ready yet"))?;
    model.overlays.pop();
    if choice == ConsentChoice::RunAgain
        && let Some(tool) = irreversible(model, call)
    {
        let purpose = LinePurpose::Irreversible {
            call,
            rev,
            digest,
            unread: 0,
            again: true,
        };
        ask_word(model, purpose, call, &tool);
        return Ok(());
    }
    chosen(model, (call, rev, digest), choice, None, out);
    Ok(())
}

/// Sends the choice about a repeated effect.
pub(super) fn chosen(
    model: &mut Model,
    (call, rev, digest): (NodeId, Rev, Digest),
    choice: ConsentChoice,
    word: Option<Arc<str>>,
    out: &mut Vec<Out>,
) {
    model.queue.leaving = model.queue.selected;
    let command = Command::Call(CallCommand::Consent {
        call,
        rev,
        digest,
        choice,
        word,
    });
    send(model, command, Some(call), out);
}

pub(super) fn reuse(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, ..) = asked(model, by, at)?;
    let state = &model.run.state;
    let call = state.call(id).ok_or_else(|| format!("Cannot find call {id}"))?;
    match repeat::reusable_result(state, call) {
        Some((entry, _)) => consent(model, ConsentChoice::Reuse { entry }, by, at, out),
        None => Err(repeat::no_result(call)),
    }
}

pub(super) fn happened(model: &mut Model, by: By, at: u64) -> Result<(), String> {
    if ledger::selected(model).is_some() {
        return ledger::happened(model, by, at);
    }
    let (call, ..) = asked(model, by, at)?;
    let attempt = unknown_attempt(model, call);
    model.overlays.pop();
    super::edits::value_editor(
        model,
        crate::console::model::editor::Purpose::Happened { call, attempt },
    );
    Ok(())
}

/// The attempt of a call with an unknown outcome.
fn unknown_attempt(model: &Model, call: NodeId) -> Option<Attempt> {
    match model.run.state.call(call)?.status {
        Status::OutcomeUnknown(attempt) => Some(attempt),
        _ => None,
    }
}

pub(super) fn did_not(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    if ledger::selected(model).is_some() {
        return ledger::did_not(model, by, at, out);
    }
    let (call, ..) = asked(model, by, at)?;
    let attempt = unknown_attempt(model, call);
    if let Some(attempt) = attempt {
        ensure_ended(model, call, attempt)?;
    }
    // An approved call runs immediately after this answer.
    whole(model)?;
    model.overlays.pop();
    model.queue.leaving = model.queue.selected;
    let command = Command::Call(CallCommand::Resolve {
        call,
        attempt,
        what: Resolution::DidNot,
    });
    send(model, command, Some(call), out);
    Ok(())
}

/// Answers that a cancelled attempt did not finish: its call ends, and the run continues.
pub(super) fn did_not_finish(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (call, ..) = asked(model, by, at)?;
    let attempt = cancelled(model, call).ok_or_else(|| format!("{call} was not cancelled"))?;
    model.overlays.pop();
    ends(model, call, attempt, out);
    Ok(())
}

/// The cancelled attempt of a call, if its outcome is unknown.
pub fn cancelled(model: &Model, call: NodeId) -> Option<Attempt> {
    let attempt = unknown_attempt(model, call)?;
    model
        .run
        .state
        .call(call)?
        .was_cancelled(attempt)
        .then_some(attempt)
}

/// Sends the answer that a cancelled attempt did not finish.
pub(super) fn ends(model: &mut Model, call: NodeId, attempt: Attempt, out: &mut Vec<Out>) {
    model.queue.leaving = model.queue.selected;
    let command = CallCommand::Resolve {
        call,
        attempt: Some(attempt),
        what: Resolution::DidNotFinish,
    };
    send(model, Command::Call(command), Some(call), out);
    model.set_status(format!("Sent: {call} did not finish"));
}

/// Refuses "did not happen" while a process of the attempt still runs.
pub(super) fn ensure_ended(model: &Model, call: NodeId, attempt: Attempt) -> Result<(), String> {
    let left = model.run.outlived_of(call, attempt);
    let process = model.run.process_of(call, attempt);
    match process.and_then(|process| left.forbids(process)) {
        Some(why) => Err(why),
        None => Ok(()),
    }
}

/// Abandons a call with an unknown outcome. Asks for a note to the model first.
pub(super) fn leave(model: &mut Model, by: By, at: u64) -> Result<(), String> {
    let (call, ..) = asked(model, by, at)?;
    let attempt = unknown_attempt(model, call);
    model.overlays.pop();
    let title = format!("{call} stays unknown and does not run again: what should the model know?");
    prompts::line(model, LinePurpose::LeaveUnknown { call, attempt }, &title, "");
    Ok(())
}

pub(super) fn broken(
    model: &mut Model,
    make: impl Fn(TurnId, Option<u32>) -> RunCommand,
    by: By,
    at: u64,
    out: &mut Vec<Out>,
) -> Result<(), String> {
    let question = match model.overlays.last() {
        Some(Overlay::Dialog(dialog)) => dialog.question.clone(),
        _ => question(model).ok_or("No stream is broken")?,
    };
    let Question::Turn { turn, .. } = question else {
        return Err("No stream is broken here".to_owned());
    };
    armed(model, &question, by, at)?;
    if matches!(model.overlays.last(), Some(Overlay::Dialog(_))) {
        model.overlays.pop();
    }
    model.queue.leaving = model.queue.selected;
    let request = model.run.state.turns.get(&turn).map(|turn| turn.asked);
    send(model, Command::Run(make(turn, request)), None, out);
    Ok(())
}
