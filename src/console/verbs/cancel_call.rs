//! Cancels the selected call, or confirms that a cancelled one did not finish.
//!
//! Must not know: how a call is cancelled.

use crate::kernel::availability::{decision, unless_refused};
use crate::kernel::context::PANES;
use crate::kernel::decide::{send, subject};
use crate::kernel::executions::{running, selected_call};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::call_seen;
use crate::kernel::selection::{call, call_and_rev, is_shown, status};
use crate::kernel::verb::{About, Care, Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::verbs::ask_choices::{cancelled, ends, unfinished};
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command};
use overrule_domain::id::NodeId;

/// The verb `cancel-call`.
pub const VERB: Verb = Verb {
    name: "cancel-call",
    keys: &["c"],
    contexts: PANES,
    doc: "cancel a running or approved call; confirm that a cancelled one did not finish",
    hint: "cancel",
    label: |model| did_not_finish(model).then_some("did not finish: continue"),
    // The only key that continues the run.
    rank: |model| Rank::leads_if(did_not_finish(model)),
    about: About::Node,
    effect: Effect::Ends(runs),
    decides: true,
    care: Care::Alone,
    available: |model| {
        unless_refused(cancellable(model), || {
            decision(model, is_shown(model) && status(model).is_some())
        })
    },
    seen: call_seen,
    command: |model| {
        let (call, _) = call_and_rev(model)?;
        Some(match cancelled(model, call) {
            Some(attempt) => unfinished(call, attempt),
            None => cancelling(model, call),
        })
    },
    run: |model, press| cancel(model, press.out),
    ..Verb::BASE
};

/// True if the selected call was cancelled and its outcome is unknown.
fn did_not_finish(model: &Model) -> bool {
    subject(model).is_some_and(|id| cancelled(model, id.call()).is_some())
}

/// True if the selected call is running.
fn runs(model: &Model) -> bool {
    let running = matches!(status(model), Some(Status::Running(_)));
    running && subject(model).is_some_and(|id| model.run.running().any(|one| one == id.call()))
}

/// Checks that the selected call can be cancelled: it was approved, and has not ended.
fn cancellable(model: &Model) -> Result<(), Refusal> {
    let call = call(model).ok_or_else(|| Refusal::not_selected("call"))?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::Running(_) | Status::Queued | Status::Scheduled) => Ok(()),
        Some(Status::OutcomeUnknown(_)) if did_not_finish(model) => Ok(()),
        status => Err(Refusal::new(format!(
            "Cannot cancel {call}: its status is {}",
            status.map_or("unknown", Status::base_label)
        ))),
    }
}

fn cancelling(model: &Model, call: NodeId) -> Command {
    Command::Call(CallCommand::Cancel {
        call,
        attempt: running(model, call),
        reason: "cancelled by the operator".to_owned(),
    })
}

fn cancel(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (call, _) = selected_call(model)?;
    if let Some(attempt) = cancelled(model, call) {
        ends(model, call, attempt, out);
        return Ok(());
    }
    let begun = running(model, call).is_some();
    send(model, cancelling(model, call), Some(call), out);
    let when = if begun { "" } else { " before it starts" };
    model.set_status(format!("Sent: cancel {call}{when}"));
    Ok(())
}
