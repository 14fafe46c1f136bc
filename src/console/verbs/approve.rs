//! Approves the selected call, read or unread.
//!
//! Must not know: how a command travels.

use crate::kernel::availability::decision;
use crate::kernel::context::PANES;
use crate::kernel::decide::{
    approved, armed, ask_word, asks_approval, confirmation, read_to_end, shown, shown_form, subject, unread,
    waiting,
};
use crate::kernel::model::Model;
use crate::kernel::selection::{call_and_rev, is_hidden, is_question, status};
use crate::kernel::verb::{About, Availability, Care, Effect, Moment, Press, Verb};
use crate::run::refusal::{ARGUMENTS_UNSEEN, Refusal};
use crate::verbs::ask_choices::choices;
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command};

/// The verb `approve`.
pub const APPROVE: Verb = Verb {
    name: "approve",
    keys: &["a"],
    contexts: PANES,
    doc: "approve the call; read it to the end first",
    hint: "approve",
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| match subject(model) {
        Some(id) if is_question(model) => {
            let (call, key) = (id.call(), model.settings.keymap.first("answer"));
            Availability::Refused(Refusal::new(format!(
                "Cannot approve {call}: it asks you a question. {key} answers it"
            )))
        }
        _ => decision(model, is_approvable(model)),
    },
    seen: |model, moment| seen(model, moment, false),
    command,
    run: |model, press| approve(model, false, press),
    ..Verb::BASE
};

/// The verb `approve-unread`.
pub const APPROVE_UNREAD: Verb = Verb {
    name: "approve-unread",
    keys: &["ctrl-a"],
    contexts: PANES,
    doc: "approve without reading everything (recorded)",
    hint: "",
    seen: |model, moment| seen(model, moment, true),
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
        word: confirmation(model, call),
    }))
}

/// Refuses the press until the call was on screen for long enough, and, unless it may be unread, to its end.
fn seen(model: &Model, moment: Moment, unread_too: bool) -> Result<(), Refusal> {
    let Some(question) = asks_approval(model) else {
        return Ok(());
    };
    let shown = armed(model, &question, moment)?;
    let doc = &model.inspector.doc;
    if unread_too {
        return unread(shown, doc).map(drop);
    }
    let key = model.settings.keymap.first("approve-unread");
    read_to_end(model, shown, doc, &format!(", {key} approves unread"))
}

fn approve(model: &mut Model, unread_too: bool, press: &mut Press<'_>) -> Result<(), Refusal> {
    let name = if unread_too { "approve-unread" } else { "approve" };
    let (call, rev, digest) = waiting(model, name)?;
    let Some(question) = asks_approval(model) else {
        return choices(model);
    };
    if std::mem::take(&mut model.arming.no_list) && unread_too {
        let key = model.settings.keymap.first("approve-unread");
        return Err(Refusal::confirmation(format!(
            "Nothing approved: there was no list. {key} again approves {call} alone"
        )));
    }
    let shown = shown(model, &question).ok_or_else(|| Refusal::unseen(ARGUMENTS_UNSEEN))?;
    let unread = unread(shown, &model.inspector.doc)?;
    let Some(digest) = digest else {
        return Err(Refusal::not_ready(call));
    };
    let form = shown_form(model, call);
    if let Some(tool) = confirmation(model, call) {
        ask_word(model, "approve", (call, &tool), move |model, word, out| {
            let shown = (unread, form.clone());
            approved(model, (call, rev, digest.clone()), shown, Some(word), out);
        });
        return Ok(());
    }
    approved(model, (call, rev, digest), (unread, form), None, press.out);
    Ok(())
}
