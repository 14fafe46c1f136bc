//! Approves the selected call, read or unread.
//!
//! Must not know: how a command travels.

use super::availability::{Availability, decision, question_seen};
use super::selection::{call_and_rev, is_hidden, is_question, status};
use super::{About, By, Care, Effect, Press, Verb};
use crate::console::context::Context;
use crate::console::hints;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::overlay::LinePurpose;
use crate::console::refusal::{Confirmation, NodeState, Refusal, Unseen};
use crate::console::update::choices::choices;
use crate::console::update::decide::{
    all_read, approved, armed, ask_word, irreversible, question, shown_form, subject, unread, waiting,
};
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command};

/// The verb `approve`.
pub const APPROVE: Verb = Verb {
    name: "approve",
    keys: &["a"],
    contexts: &[Context::Panes],
    doc: "approve the call; read it to the end first",
    hint: "approve",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| match subject(model) {
        Some(id) if is_question(model) => {
            let (call, key) = (id.call(), model.settings.keymap.first("answer"));
            Availability::Refused(NodeState::AsksOperator { call, key }.into())
        }
        _ => decision(model, is_approvable(model), read),
    },
    command,
    run: |model, press| approve(model, false, press),
    ..Verb::BASE
};

/// The verb `approve-unread`.
pub const APPROVE_UNREAD: Verb = Verb {
    name: "approve-unread",
    keys: &["ctrl-a"],
    contexts: &[Context::Panes],
    doc: "approve without reading everything (recorded)",
    hint: "",
    run: |model, press| approve(model, true, press),
    ..APPROVE
};

/// True for a waiting call that is shown. In the graph, the first press shows the call and the second one decides.
fn is_approvable(model: &Model) -> bool {
    status(model) == Some(&Status::AwaitingApproval) && !is_hidden(model) && command(model).is_some()
}

fn command(model: &Model) -> Option<Command> {
    let (call, rev) = call_and_rev(model)?;
    Some(Command::Call(CallCommand::Approve {
        call,
        rev,
        digest: model.run.state.call(call)?.digest.clone()?,
        unread: 0,
        shown: None,
        word: irreversible(model, call),
    }))
}

/// Returns a refusal if the call was not on screen in full and for long enough.
fn read(model: &Model) -> Result<(), Refusal> {
    match question(model) {
        Some(question @ Question::Call { .. }) => {
            let shown = armed(model, &question, By::Key, model.arming.now)?;
            all_read(unread(shown, &model.inspector.doc)?)
        }
        _ => question_seen(model),
    }
}

fn approve(model: &mut Model, unread_too: bool, press: &mut Press<'_>) -> Result<(), Refusal> {
    let name = if unread_too { "approve-unread" } else { "approve" };
    let (call, rev, digest, question) = waiting(model, name)?;
    match model.run.state.call(call).map(|call| &call.status) {
        Some(Status::AwaitingApproval) => {}
        _ => return choices(model),
    }
    if std::mem::take(&mut model.arming.no_list) && unread_too {
        let key = model.settings.keymap.first("approve-unread");
        return Err(Confirmation::NoList { key, call }.into());
    }
    let shown = armed(model, &question, press.by, press.at)?;
    let unread = unread(shown, &model.inspector.doc)?;
    if unread > 0 && !unread_too {
        let (more, key) = (
            hints::reads_on(model, shown),
            model.settings.keymap.first("approve-unread"),
        );
        return Err(Unseen::Bytes {
            bytes: unread,
            next: Some(format!("{more}, {key} approves unread")),
        }
        .into());
    }
    let Some(digest) = digest else {
        return Err(NodeState::NotReady(call).into());
    };
    let form = shown_form(model, call);
    if let Some(tool) = irreversible(model, call) {
        let purpose = LinePurpose::Irreversible {
            call,
            rev,
            digest,
            unread,
            shown: form,
            again: false,
        };
        ask_word(model, purpose, call, &tool);
        return Ok(());
    }
    approved(model, (call, rev, digest), (unread, form), None, press.out);
    Ok(())
}
