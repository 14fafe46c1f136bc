//! Runs a scheduled call immediately.
//!
//! Must not know: how a call runs.

use super::availability::{decision, unless_refused};
use super::seen::call_seen;
use super::selection::{call_and_rev, is_call};
use super::{About, Care, Effect, Verb};
use crate::context::PANES;
use crate::model::Model;
use crate::msg::Out;
use crate::refusal::Refusal;
use crate::update::decide::send;
use crate::update::executions::selected_call;
use crate::update::rules::call;
use overrule_domain::call::Status;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_domain::id::{NodeId, Rev};

/// The verb `run-now`.
pub const VERB: Verb = Verb {
    name: "run-now",
    keys: &["H"],
    contexts: PANES,
    doc: "run a scheduled call immediately",
    hint: "run now",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| {
        unless_refused(scheduled(model), || {
            let is = is_call(model, |status| *status == Status::Scheduled);
            decision(model, is)
        })
    },
    seen: call_seen,
    command: |model| call_and_rev(model).map(command),
    run: |model, press| run_now(model, press.out),
    ..Verb::BASE
};

/// Checks that the selected call is scheduled.
fn scheduled(model: &Model) -> Result<(), Refusal> {
    let call = call(model).ok_or_else(|| Refusal::not_selected("call"))?;
    if model.run.state.agenda.delayed.contains(&call) {
        Ok(())
    } else {
        Err(Refusal::new(format!("{call} is not scheduled")))
    }
}

const fn command((call, rev): (NodeId, Rev)) -> Command {
    Command::Resilience(ResilienceCommand::RunNow { call, rev })
}

fn run_now(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, rev) = selected_call(model)?;
    send(model, command((call, rev)), Some(call), out);
    model.set_status(format!("Sent: run {call} now"));
    Ok(())
}
