//! Accepts or refuses the changed definitions of a server of tools.
//!
//! Must not know: how definitions are compared or stored.

use std::sync::Arc;

use crate::kernel::availability::{answer, dialog, live};
use crate::kernel::context::on;
use crate::kernel::decide::armed;
use crate::kernel::dialog::Dialog;
use crate::kernel::model::Model;
use crate::kernel::model::double_press::What;
use crate::kernel::msg::Out;
use crate::kernel::verb::{Availability, Care, Effect, Press, Verb};
use crate::run::link::{ServerOrder, ServerState};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::run::target::{NameHash, Target};
use crate::surfaces;
use crate::surfaces::definitions::DEFINITIONS_QUESTION;
use overrule_base::text::visible;

/// The verb `accept-tools`.
pub const ACCEPT_TOOLS: Verb = Verb {
    name: "accept-tools",
    keys: &["alt-k"],
    doc: "show the whole difference of the server's definitions; a second key accepts it",
    hint: "changed definitions",
    effect: Effect::Shows,
    decides: true,
    care: Care::Careful,
    available: |model| can(model, |server| !server.drift.is_empty() && server.hash.is_some()),
    run: |model, _| show(model),
    ..BASE
};

/// The verb `accept-definitions`.
pub const ACCEPT_SHOWN: Verb = Verb {
    name: "accept-definitions",
    keys: &["ctrl-a"],
    contexts: &[on(super::ID)],
    doc: "accept the shown definitions of the server",
    hint: "accept the definitions",
    decides: true,
    effect: Effect::Records,
    available: answer,
    seen: |model, moment| match dialog(model) {
        Some(question) if !armed(model, question, moment)?.is_read() => {
            Err(Refusal::unseen("Not all of it was on screen yet"))
        }
        _ => Ok(()),
    },
    run: accept,
    ..BASE
};

/// The verb `refuse-tools`.
pub const REFUSE_TOOLS: Verb = Verb {
    name: "refuse-tools",
    keys: &["alt-x"],
    doc: "refuse the server (asks first): it ends, and its tools go, until the run is resumed",
    hint: "refuse the server",
    available: |model| can(model, |server| server.state != "down"),
    run: refuse,
    ..BASE
};

const BASE: Verb = Verb {
    contexts: &[on(surfaces::tools::PANE.id())],
    effect: Effect::Acts,
    care: Care::Alone,
    ..Verb::BASE
};

/// The server under the cursor.
fn selected(model: &Model) -> Option<&ServerState> {
    let Target::Server(named) = model.followed() else {
        return None;
    };
    let mut servers = model.run.servers.iter();
    servers.find(|server| NameHash::server(&server.name) == named)
}

fn can(model: &Model, is: impl FnOnce(&ServerState) -> bool) -> Availability {
    live(model, selected(model).is_some_and(is))
}

/// Opens the whole difference as a question.
fn show(model: &mut Model) -> Result<(), Refusal> {
    let server = selected(model).ok_or_else(|| Refusal::not_under_cursor("server"))?;
    let hash = server.hash.clone().filter(|_| !server.drift.is_empty());
    let hash = hash.ok_or_else(|| Refusal::new("Its definitions did not change"))?;
    let difference = server.difference.clone().ok_or_else(|| {
        Refusal::new(format!(
            "The difference is too long for a page. `overrule tools accept {}` shows it",
            visible(&server.name)
        ))
    })?;
    let question = Question::Definitions {
        server: server.name.as_str().into(),
        hash: hash.into(),
        difference,
    };
    model
        .stack
        .push(Dialog::new(&DEFINITIONS_QUESTION, question, false));
    Ok(())
}

/// Accepts the definitions that are shown.
fn accept(model: &mut Model, press: &mut Press<'_>) -> Result<(), Refusal> {
    let question = dialog(model)
        .ok_or_else(|| Refusal::not_open("The page of definitions"))?
        .clone();
    let Question::Definitions { server, hash, .. } = &question else {
        return Err(Refusal::not_open("The page of definitions"));
    };
    let text = |text: &Arc<str>| text.to_string();
    press.out.push(Out::Server(ServerOrder::Accept {
        server: text(server),
        hash: text(hash),
    }));
    model.stack.pop();
    model.set_status("Accepting the definitions");
    Ok(())
}

/// Ends the server under the cursor on the second press.
fn refuse(model: &mut Model, press: &mut Press<'_>) -> Result<(), Refusal> {
    let server = selected(model).ok_or_else(|| Refusal::not_under_cursor("server"))?;
    let name = server.name.clone();
    if !model.confirm_press(What::RefuseServer(NameHash::server(&name))) {
        let key = model.settings.keymap.first("refuse-tools");
        return Err(Refusal::confirmation(format!(
            "{key} again ends {} until the run is resumed; its tools are no longer offered",
            visible(&name)
        )));
    }
    press.out.push(Out::Server(ServerOrder::Refuse { server: name }));
    model.set_status("Ending the server");
    Ok(())
}
