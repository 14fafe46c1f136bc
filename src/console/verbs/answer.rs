//! Opens an editor on the result of the selected call, in place of its tool.
//!
//! Must not know: what an edit does.

use super::correct;
use crate::kernel::availability::offered;
use crate::kernel::context::PANES;
use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::selection::{call_and_rev, has_result, is_question, status};
use crate::kernel::verb::{About, Availability, Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::{selected, value_editor};
use crate::surfaces::editor::state::Purpose;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command};

/// The verb `answer`.
pub const VERB: Verb = Verb {
    name: "answer",
    keys: &["w"],
    contexts: PANES,
    doc: "type the result yourself; the tool does not run",
    hint: "answer",
    rank: |model| Rank::leads_if(is_question(model)),
    about: About::Node,
    effect: Effect::Records,
    available: |model| match (subject(model), status(model)) {
        (Some(id), Some(Status::OutcomeUnknown(_))) => {
            let (call, key) = (id.call(), model.settings.keymap.first("decide"));
            Availability::Refused(Refusal::new(format!(
                "Outcome of {call} unknown. {key} in the queue resolves it first"
            )))
        }
        (_, status) => offered(status.is_some_and(|status| !has_result(status))),
    },
    command: |model| {
        let (call, rev) = call_and_rev(model)?;
        let value = "null".into();
        Some(Command::Call(CallCommand::Answer { call, rev, value }))
    },
    run: |model, press| type_answer(model, press.out),
    ..Verb::BASE
};

pub(crate) fn type_answer(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (id, _) = selected(model)?;
    let call = id.call();
    let rev = model
        .run
        .state
        .node(call)
        .map(overrule_domain::node::Node::rev)
        .unwrap_or_default();
    let life = model
        .run
        .state
        .call(call)
        .ok_or_else(|| Refusal::not_call(call))?;
    if has_result(&life.status) {
        return correct::observation(model, out);
    }
    value_editor(model, Purpose::Answer { call, rev });
    Ok(())
}
