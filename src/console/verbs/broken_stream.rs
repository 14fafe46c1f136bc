//! Answers the question about a broken stream.
//!
//! Must not know: how a model is asked.

use super::availability::{Availability, answer, dialog, overlay_seen};
use super::{By, Care, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::overlay::Overlay;
use crate::console::msg::Out;
use crate::console::refusal::Refusal;
use crate::console::update::decide::{armed, question, send};
use crate::domain::command::{Command, RunCommand};
use crate::domain::id::TurnId;
use crate::domain::pending_retry;

/// The verb `ask-again`.
pub const ASK_AGAIN: Verb = Verb {
    name: "ask-again",
    keys: &["T"],
    contexts: &[Context::Broken],
    doc: "ask the model again for a broken turn",
    hint: "ask again",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| answer(model, overlay_seen),
    run: |model, press| {
        broken(
            model,
            |turn, request| RunCommand::AskAgain { turn, request },
            press.by,
            press.at,
            press.out,
        )
    },
    ..Verb::BASE
};

/// The verb `keep-arrived`.
pub const KEEP_ARRIVED: Verb = Verb {
    name: "keep-arrived",
    keys: &["u"],
    contexts: &[Context::Broken],
    doc: "keep what arrived of a broken turn as the whole turn",
    hint: "keep what arrived",
    short: "keep it",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| match dialog(model) {
        // Nothing to keep.
        Some(Question::Turn { turn, .. }) if !pending_retry::has_arrived(&model.run.state, *turn) => {
            Availability::NotOffered
        }
        _ => answer(model, overlay_seen),
    },
    run: |model, press| {
        broken(
            model,
            |turn, request| RunCommand::KeepArrived { turn, request },
            press.by,
            press.at,
            press.out,
        )
    },
    ..Verb::BASE
};

fn broken(
    model: &mut Model,
    make: impl Fn(TurnId, Option<u32>) -> RunCommand,
    by: By,
    at: u64,
    out: &mut Vec<Out>,
) -> Result<(), Refusal> {
    let question = match model.overlays.last() {
        Some(Overlay::Dialog(dialog)) => dialog.question.clone(),
        _ => question(model).ok_or("No stream is broken")?,
    };
    let Question::Turn { turn, .. } = question else {
        return Err("No stream is broken here".into());
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
