//! Answers the question about an execution with an unknown outcome.
//!
//! Must not know: what an answer changes.

use crate::kernel::availability::{answer, on_unknown};
use crate::kernel::context::on;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::seen::{dialog_seen, unknown_read, unknown_seen};
use crate::kernel::selection;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces;
use crate::surfaces::editor::edits;
use crate::surfaces::editor::state::Purpose;
use crate::surfaces::effects::ledger;
use crate::verbs::ask_choices::{asked, cancelled, ends, ensure_ended, unknown_attempt};
use crate::verbs::reject;
use overrule_domain::command::{CallCommand, Command, Resolution};
use overrule_domain::id::{Attempt, NodeId};

/// The verb `it-happened`.
pub const IT_HAPPENED: Verb = Verb {
    name: "it-happened",
    keys: &["h"],
    contexts: &[on(super::ID), on(surfaces::effects::ID)],
    doc: "confirm that the execution happened, and type its result",
    hint: "it happened: type the result",
    short: "happened",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| on_unknown(model, |_, _, _| true),
    seen: unknown_seen,
    run: |model, _| happened(model),
    ..Verb::BASE
};

/// The verb `it-did-not`.
pub const IT_DID_NOT: Verb = Verb {
    name: "it-did-not",
    keys: &["d"],
    contexts: &[on(super::ID), on(surfaces::effects::ID)],
    doc: "confirm that the execution did not happen; an approved call runs immediately, any other asks again",
    hint: "it did not happen: run it",
    short: "did not: run",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| on_unknown(model, has_ended),
    // An approved call runs immediately after this answer.
    seen: unknown_read,
    run: |model, press| did_not(model, press.out),
    ..Verb::BASE
};

/// The verb `did-not-finish`.
pub const DID_NOT_FINISH: Verb = Verb {
    name: "did-not-finish",
    keys: &["c"],
    contexts: &[on(super::ID)],
    doc: "confirm that a cancelled execution did not finish; the call ends as cancelled, its effect stays unknown",
    hint: "did not finish: continue",
    short: "not finished",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| on_unknown(model, |model, call, _| cancelled(model, call).is_some()),
    seen: dialog_seen,
    run: |model, press| did_not_finish(model, press.out),
    ..Verb::BASE
};

/// The verb `abandon-call`.
pub const ABANDON_CALL: Verb = Verb {
    name: "abandon-call",
    keys: &["x"],
    contexts: &[on(super::ID)],
    doc: "end the call with an unknown outcome; it does not run again, its effect stays listed as unknown",
    hint: "abandon: not run again",
    short: "abandon",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: answer,
    seen: dialog_seen,
    run: |model, _| leave(model),
    ..Verb::BASE
};

fn happened(model: &mut Model) -> Result<(), Refusal> {
    if selection::listed_effect(model).is_some() {
        return ledger::happened(model);
    }
    let (call, ..) = asked(model)?;
    let attempt = unknown_attempt(model, call);
    model.stack.pop();
    edits::value_editor(model, Purpose::Happened { call, attempt });
    Ok(())
}

fn did_not(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    if selection::listed_effect(model).is_some() {
        return ledger::did_not(model, out);
    }
    let (call, ..) = asked(model)?;
    let attempt = unknown_attempt(model, call);
    if let Some(attempt) = attempt {
        ensure_ended(model, call, attempt)?;
    }
    model.stack.pop();
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
fn did_not_finish(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, ..) = asked(model)?;
    let attempt = cancelled(model, call).ok_or_else(|| Refusal::new(format!("{call} was not cancelled")))?;
    model.stack.pop();
    ends(model, call, attempt, out);
    Ok(())
}

/// Abandons a call with an unknown outcome. Asks for a note to the model first.
fn leave(model: &mut Model) -> Result<(), Refusal> {
    let (call, ..) = asked(model)?;
    let attempt = unknown_attempt(model, call);
    model.stack.pop();
    let title = format!("{call} stays unknown and does not run again: what should the model know?");
    let prompt = Prompt::new(("abandon", Style::PROSE), title, "", move |model, reason, out| {
        let what = Resolution::Abandon { reason };
        reject::decide_about(model, call, CallCommand::Resolve { call, attempt, what }, out);
        Ok(())
    });
    prompts::ask(model, prompt);
    Ok(())
}

/// True unless a process of the execution still runs.
fn has_ended(model: &Model, call: NodeId, attempt: Option<Attempt>) -> bool {
    let left = match attempt {
        Some(attempt) => model.run.outlived_of(call, attempt),
        None => model.run.outlived(call),
    };
    left.runs().is_none()
}
