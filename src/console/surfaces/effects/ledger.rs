//! Opens the list of effects that earlier work left, and sends what the operator knows of an unknown outcome.
//!
//! Must not know: how a row is made, what an answer changes.

use crate::kernel::decide::{go_to_waiting, send};
use crate::kernel::model::Model;
use crate::kernel::model::double_press::What;
use crate::kernel::msg::Out;
use crate::kernel::refresh::prepare;
use crate::kernel::selection::unknown_outcome;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::value_editor;
use crate::surfaces::editor::state::Purpose;
use crate::surfaces::effects::verbs;
use crate::verbs::ask_choices::{choices, ensure_ended};
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, Resolution};
use overrule_domain::id::{Attempt, NodeId, Seq};
use overrule_domain::ledger::{self, is_orphaned};

/// Lists effects when a session opens that has orphaned effects or effects of another session.
pub(crate) fn of_before(model: &mut Model) {
    if model.settings.is_recorded() {
        return;
    }
    let state = &model.run.state;
    let some =
        !state.origin.elsewhere.is_empty() || ledger::effects(state).any(|entry| is_orphaned(state, entry));
    if some {
        verbs::list(model);
    }
}

/// The attempt under the cursor, whose outcome must be unknown.
fn doubtful(model: &Model) -> Result<(Seq, NodeId, Attempt), Refusal> {
    let entry =
        unknown_outcome(model).ok_or_else(|| Refusal::new("Its outcome is known: nothing to resolve"))?;
    Ok((entry.seq, entry.call, entry.attempt))
}

/// It happened: asks for its result.
pub(crate) fn happened(model: &mut Model) -> Result<(), Refusal> {
    let (_, call, attempt) = doubtful(model)?;
    let attempt = Some(attempt);
    value_editor(model, Purpose::Happened { call, attempt });
    Ok(())
}

/// It did not happen: sent after a second press. A call that waits for this answer runs
/// immediately, so the operator decides in the queue, which shows all of it.
pub(crate) fn did_not(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (seq, call, attempt) = doubtful(model)?;
    ensure_ended(model, call, attempt)?;
    let status = model.run.state.call(call).map(|call| &call.status);
    if status == Some(&Status::OutcomeUnknown(attempt)) && go_to_waiting(model, call) {
        model.stack.clear();
        prepare(model);
        return choices(model);
    }
    let key = model.settings.keymap.first("it-did-not");
    if !model.confirm_press(What::DidNot(seq)) {
        return Err(Refusal::confirmation(format!(
            "{key} again confirms: {seq} of {call} did not happen"
        )));
    }
    let command = Command::Call(CallCommand::Resolve {
        call,
        attempt: Some(attempt),
        what: Resolution::DidNot,
    });
    send(model, command, Some(call), out);
    Ok(())
}
