//! Answers the question about a broken stream.
//!
//! Must not know: how a model is asked.

use crate::kernel::availability::{answer, dialog};
use crate::kernel::context::on;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::dialog_seen;
use crate::kernel::verb::{Availability, Care, Effect, Verb};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::TurnId;
use overrule_domain::pending_retry;

/// The verb `ask-again`.
pub const ASK_AGAIN: Verb = Verb {
    name: "ask-again",
    keys: &["T"],
    contexts: &[on(super::ID)],
    doc: "ask the model again for a broken turn",
    hint: "ask again",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: answer,
    seen: dialog_seen,
    command: |model| of_dialog(model, asking),
    run: |model, press| broken(model, asking, press.out),
    ..Verb::BASE
};

/// The verb `keep-arrived`.
pub const KEEP_ARRIVED: Verb = Verb {
    name: "keep-arrived",
    keys: &["u"],
    contexts: &[on(super::ID)],
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
        _ => answer(model),
    },
    seen: dialog_seen,
    command: |model| of_dialog(model, keeping),
    run: |model, press| broken(model, keeping, press.out),
    ..Verb::BASE
};

const fn asking(turn: TurnId, request: Option<u32>) -> RunCommand {
    RunCommand::AskAgain { turn, request }
}

const fn keeping(turn: TurnId, request: Option<u32>) -> RunCommand {
    RunCommand::KeepArrived { turn, request }
}

/// The command about the turn of the open dialog.
fn of_dialog(model: &Model, make: fn(TurnId, Option<u32>) -> RunCommand) -> Option<Command> {
    let Some(Question::Turn { turn, .. }) = dialog(model) else {
        return None;
    };
    Some(Command::Run(make(*turn, shown_request(model, *turn))))
}

/// The newest request of a turn.
fn shown_request(model: &Model, turn: TurnId) -> Option<u32> {
    model.run.state.turns.get(&turn).map(|turn| turn.asked)
}

fn broken(
    model: &mut Model,
    make: fn(TurnId, Option<u32>) -> RunCommand,
    out: &mut Vec<Out>,
) -> Result<(), Refusal> {
    let command = of_dialog(model, make).ok_or_else(|| Refusal::new("No stream is broken here"))?;
    model.stack.pop();
    model.queue.leaving = model.queue.selected;
    send(model, command, None, out);
    Ok(())
}
