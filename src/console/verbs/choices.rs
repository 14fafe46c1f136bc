//! Opens what the selected call needs: its decision, its question, its repairs, its choices.
//!
//! Must not know: what a choice does.

use super::{answer, repair};
use crate::kernel::availability::{allowed, carry_out, offered};
use crate::kernel::context::on;
use crate::kernel::decide::{go_to_waiting, subject};
use crate::kernel::graph::Form;
use crate::kernel::inspector::Subject;
use crate::kernel::model::Model;
use crate::kernel::pane::Pane;
use crate::kernel::seen::call_seen;
use crate::kernel::selection::status;
use crate::kernel::verb::{Care, Press, Verb};
use crate::kernel::{refresh, views};
use crate::run::refusal::Refusal;
use crate::surfaces::consent;
use crate::verbs::ask_choices::choices;
use overrule_domain::call::Status;
use overrule_domain::id::NodeId;
use overrule_domain::tags;

/// The verb `decide`.
pub const VERB: Verb = Verb {
    name: "decide",
    keys: &["enter"],
    contexts: &[on(Pane::QUEUE.id()), on(Pane::GRAPH.id())],
    doc: "open what the selected call needs: its decision, its question, its repairs, its choices",
    hint: "choices",
    decides: true,
    care: Care::Careful,
    available: |model| offered(has_choices(model) && may_ask(model).is_ok()),
    // Repairs are chosen immediately, the others after a question.
    seen: |model, moment| match status(model) {
        Some(Status::Repairing(_)) if model.screen.lead == Pane::QUEUE => call_seen(model, moment),
        _ => Ok(()),
    },
    run: open_waiting,
    ..Verb::BASE
};

/// True for an entry that a key alone does not decide.
fn has_choices(model: &Model) -> bool {
    let waits = model.screen.lead == Pane::QUEUE && model.queue.current().is_some();
    let broken = matches!(model.inspector.subject, Some(Subject::Broken(_)));
    waits
        && (broken
            || matches!(
                status(model),
                Some(Status::Consent(_) | Status::OutcomeUnknown(_))
            ))
}

/// Refuses a question whose answer could not be recorded.
fn may_ask(model: &Model) -> Result<(), Refusal> {
    allowed(model, &consent::verbs::RUN_AGAIN)
}

/// Opens the answer, the repairs, the choices or the decision of the selected call. A row that does not wait is read
/// in the transcript, and there in the inspector.
fn open_waiting(model: &mut Model, press: &mut Press<'_>) -> Result<(), Refusal> {
    if let Some(Subject::Broken(_)) = model.inspector.subject {
        may_ask(model)?;
        return choices(model);
    }
    let selected = subject(model).map(NodeId::call);
    let call = selected.and_then(|id| model.run.state.call(id));
    let Some((id, status)) = call
        .filter(|call| model.run.waits(call).is_ok())
        .map(|call| (call.id, call.status.clone()))
    else {
        if model.screen.focus == Pane::GRAPH && !model.graph.is_transcript() {
            model.graph.form = Form::Transcript;
        } else {
            views::focus(model, Pane::INSPECTOR);
        }
        return Ok(());
    };
    let asks_operator = tags::asks_operator(&model.run.state, id);
    if asks_operator || status != Status::AwaitingApproval {
        may_ask(model)?;
    }
    if asks_operator {
        return answer::type_answer(model, press.out);
    }
    if model.screen.lead != Pane::QUEUE {
        go_to_waiting(model, id);
        // The question is that of the queue, which the last frame did not show.
        refresh::prepare(model);
    }
    match status {
        Status::AwaitingApproval => {
            views::focus(model, Pane::INSPECTOR);
            model.inspector.ask();
            Ok(())
        }
        Status::Repairing(_) if repair::is_offered(&model.run.state, id) => {
            carry_out(model, &repair::CHOOSE_REPAIR, press)
        }
        _ => choices(model),
    }
}
