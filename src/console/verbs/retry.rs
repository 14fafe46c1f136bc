//! Runs a finished call again.
//!
//! Must not know: how a call runs.

use crate::kernel::availability::decision;
use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::executions::selected_call;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::call_seen;
use crate::kernel::selection::{call_and_rev, is_call};
use crate::kernel::verb::{About, Care, Effect, Verb};
use crate::run::refusal::Refusal;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::{NodeId, Rev};

/// The verb `retry`.
pub const VERB: Verb = Verb {
    name: "retry",
    keys: &["R"],
    contexts: PANES,
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
