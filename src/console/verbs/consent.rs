//! Answers the question about a repeated effect.
//!
//! Must not know: when an effect is repeated.

use super::availability::{answer, dialog_read, overlay_seen};
use super::{By, Care, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::overlay::LinePurpose;
use crate::console::msg::Out;
use crate::console::refusal::Refusal;
use crate::console::update::choices::{asked, chosen, shown_in_dialog, whole};
use crate::console::update::decide::{ask_word, irreversible};
use crate::domain::command::ConsentChoice;
use crate::domain::repeat;

/// The verb `reuse`.
pub const REUSE: Verb = Verb {
    name: "reuse",
    keys: &["u"],
    contexts: &[Context::Consent],
    doc: "use the recorded result instead of running again",
    hint: "reuse the recorded result",
    short: "reuse",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| answer(model, overlay_seen),
    run: |model, press| reuse(model, press.by, press.at, press.out),
    ..Verb::BASE
};

/// The verb `run-again`.
pub const RUN_AGAIN: Verb = Verb {
    name: "run-again",
    keys: &["R"],
    contexts: &[Context::Consent],
    doc: "repeat the effect; read it to the end first",
    hint: "run it again",
    short: "run again",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| answer(model, dialog_read),
    run: |model, press| consent(model, ConsentChoice::RunAgain, press.by, press.at, press.out),
    ..Verb::BASE
};

fn consent(
    model: &mut Model,
    choice: ConsentChoice,
    by: By,
    at: u64,
    out: &mut Vec<Out>,
) -> Result<(), Refusal> {
    let (call, rev, digest) = asked(model, by, at)?;
    let again = choice == ConsentChoice::RunAgain;
    if again {
        whole(model)?;
    }
    let shown = shown_in_dialog(model).filter(|_| again);
    let digest = digest.ok_or_else(|| format!("{call} is not ready yet"))?;
    model.overlays.pop();
    if again && let Some(tool) = irreversible(model, call) {
        let purpose = LinePurpose::Irreversible {
            call,
            rev,
            digest,
            unread: 0,
            shown,
            again: true,
        };
        ask_word(model, purpose, call, &tool);
        return Ok(());
    }
    chosen(model, (call, rev, digest), choice, (shown, None), out);
    Ok(())
}

fn reuse(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (id, ..) = asked(model, by, at)?;
    let state = &model.run.state;
    let call = state.call(id).ok_or_else(|| format!("Cannot find call {id}"))?;
    match repeat::reusable_result(state, call) {
        Some((entry, _)) => consent(model, ConsentChoice::Reuse { entry }, by, at, out),
        None => Err(repeat::no_result(call).into()),
    }
}
