//! Runs a scheduled call immediately.
//!
//! Must not know: how a call runs.

use crate::kernel::availability::{decision, unless_refused};
use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::executions::selected_call;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::call_seen;
use crate::kernel::selection::{call, call_and_rev, is_call};
use crate::kernel::verb::{About, Care, Effect, Verb};
use crate::run::refusal::Refusal;
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
