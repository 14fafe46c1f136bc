//! Opens an editor on the result of the selected call, in place of its tool.
//!
//! Must not know: what an edit does.

use super::availability::{Availability, offered};
use super::selection::{call_and_rev, has_result, is_question, status};
use super::{About, Effect, Rank, Verb, correct};
use crate::context::PANES;
use crate::model::Model;
use crate::model::editor::Purpose;
use crate::msg::Out;
use crate::refusal::Refusal;
use crate::update::decide::subject;
use crate::update::edits::{selected, value_editor};
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

pub(super) fn type_answer(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
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
