//! Runs a finished call again.
//!
//! Must not know: how a call runs.

use super::availability::{decision, question_seen};
use super::selection::on_call;
use super::{About, By, Care, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::msg::Out;
use crate::console::refusal::Refusal;
use crate::console::update::decide::send;
use crate::console::update::executions::seen_call;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command};

/// The verb `retry`.
pub const VERB: Verb = Verb {
    name: "retry",
    keys: &["R"],
    contexts: &[Context::Panes],
    doc: "run a finished call again, or one whose result was reused",
    hint: "run again",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| {
        decision(
            model,
            on_call(model, Status::is_settled, |call, rev| {
                Command::Call(CallCommand::Retry { call, rev })
            }),
            question_seen,
        )
    },
    run: |model, press| retry(model, press.by, press.at, press.out),
    ..Verb::BASE
};

fn retry(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, rev) = seen_call(model, by, at)?;
    send(
        model,
        Command::Call(CallCommand::Retry { call, rev }),
        Some(call),
        out,
    );
    model.set_status(format!("Sent: run {call} again"));
    Ok(())
}
