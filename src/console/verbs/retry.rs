//! Runs a finished call again.
//!
//! Must not know: how a call runs.

use super::availability::decision;
use super::seen::call_seen;
use super::selection::{call_and_rev, is_call};
use super::{About, Care, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::msg::Out;
use crate::console::refusal::Refusal;
use crate::console::update::decide::send;
use crate::console::update::executions::selected_call;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command};
use crate::domain::id::{NodeId, Rev};

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
    available: |model| decision(model, is_call(model, Status::is_settled)),
    seen: call_seen,
    command: |model| call_and_rev(model).map(command),
    run: |model, press| retry(model, press.out),
    ..Verb::BASE
};

const fn command((call, rev): (NodeId, Rev)) -> Command {
    Command::Call(CallCommand::Retry { call, rev })
}

fn retry(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, rev) = selected_call(model)?;
    send(model, command((call, rev)), Some(call), out);
    model.set_status(format!("Sent: run {call} again"));
    Ok(())
}
