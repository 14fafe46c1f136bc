//! Answers the question about a repeated effect.
//!
//! Must not know: when an effect is repeated.

use crate::kernel::availability::answer;
use crate::kernel::context::on;
use crate::kernel::decide::{ask_word, confirmation};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::{dialog_read, dialog_seen};
use crate::kernel::selection::call_in_dialog;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::verbs::ask_choices::{asked, chosen, shown_in_dialog};
use overrule_domain::command::{CallCommand, Command, ConsentChoice};
use overrule_domain::id::Seq;
use overrule_domain::repeat;

/// The verb `reuse`.
pub const REUSE: Verb = Verb {
    name: "reuse",
    keys: &["u"],
    contexts: &[on(super::ID)],
    doc: "use the recorded result instead of running again",
    hint: "reuse the recorded result",
    short: "reuse",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    // A choice without a result to reuse stays in place: its key says why.
    available: answer,
    seen: dialog_seen,
    command: |model| {
        let entry = reusable(model).ok()?;
        consenting(model, ConsentChoice::Reuse { entry })
    },
    run: |model, press| {
        let entry = reusable(model)?;
        consent(model, ConsentChoice::Reuse { entry }, press.out)
    },
    ..Verb::BASE
};

/// The verb `run-again`.
pub const RUN_AGAIN: Verb = Verb {
    name: "run-again",
    keys: &["R"],
    contexts: &[on(super::ID)],
    doc: "repeat the effect; read it to the end first",
    hint: "run it again",
    short: "run again",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: answer,
    seen: dialog_read,
    command: |model| consenting(model, ConsentChoice::RunAgain),
    run: |model, press| consent(model, ConsentChoice::RunAgain, press.out),
    ..Verb::BASE
};

/// The recorded result that can be used instead of running the call of the open dialog again.
fn reusable(model: &Model) -> Result<Seq, Refusal> {
    let (id, ..) = asked(model)?;
    let state = &model.run.state;
    let call = state.call(id).ok_or_else(|| Refusal::not_found(id))?;
    match repeat::reusable_result(state, call) {
        Some((entry, _)) => Ok(entry),
        None => Err(Refusal::outside(repeat::no_result(call))),
    }
}

/// The answer to the open dialog.
pub(crate) fn consenting(model: &Model, choice: ConsentChoice) -> Option<Command> {
    let (call, rev, digest) = call_in_dialog(model)?;
    Some(Command::Call(CallCommand::Consent {
        call,
        rev,
        digest,
        word: confirmation(model, call).filter(|_| choice == ConsentChoice::RunAgain),
        choice,
        shown: None,
    }))
}

fn consent(model: &mut Model, choice: ConsentChoice, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, rev, digest) = asked(model)?;
    let again = choice == ConsentChoice::RunAgain;
    let shown = shown_in_dialog(model).filter(|_| again);
    let digest = digest.ok_or_else(|| Refusal::not_ready(call))?;
    model.stack.pop();
    if again && let Some(tool) = confirmation(model, call) {
        ask_word(model, "run again", (call, &tool), move |model, word, out| {
            let shown = (shown.clone(), Some(word));
            let choice = ConsentChoice::RunAgain;
            chosen(model, (call, rev, digest.clone()), choice, shown, out);
        });
        return Ok(());
    }
    chosen(model, (call, rev, digest), choice, (shown, None), out);
    Ok(())
}
