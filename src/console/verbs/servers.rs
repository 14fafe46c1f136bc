//! Accepts or refuses the changed definitions of a server of tools.
//!
//! Must not know: how definitions are compared or stored.

use super::availability::{Availability, live};
use super::{Care, Effect, Press, Verb};
use crate::console::context::Context;
use crate::console::link::{ServerOrder, ServerState};
use crate::console::model::Model;
use crate::console::msg::Out;
use crate::console::panes;
use crate::console::panes::rows::{NameHash, Target};
use crate::console::refusal::Refusal;

/// The verb `accept-tools`.
pub const ACCEPT_TOOLS: Verb = Verb {
    name: "accept-tools",
    keys: &["alt-k"],
    doc: "accept the changed definitions of the server, as shown",
    hint: "accept the definitions",
    available: |model| can(model, |server| !server.drift.is_empty() && server.hash.is_some()),
    run: accept,
    ..BASE
};

/// The verb `refuse-tools`.
pub const REFUSE_TOOLS: Verb = Verb {
    name: "refuse-tools",
    keys: &["alt-x"],
    doc: "refuse the server: end it for this run; its tools are no longer offered",
    hint: "refuse the server",
    available: |model| can(model, |server| server.state != "down"),
    run: refuse,
    ..BASE
};

const BASE: Verb = Verb {
    contexts: &[Context::Pane(panes::tools::PANE)],
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

fn accept(model: &mut Model, press: &mut Press<'_>) -> Result<(), Refusal> {
    let server = selected(model).ok_or("Move to the row of a server first")?;
    let hash = server.hash.clone().filter(|_| !server.drift.is_empty());
    let hash = hash.ok_or("Its definitions did not change")?;
    press.out.push(Out::Server(ServerOrder::Accept {
        server: server.name.clone(),
        hash,
    }));
    model.set_status("Accepting the definitions".to_owned());
    Ok(())
}

fn refuse(model: &mut Model, press: &mut Press<'_>) -> Result<(), Refusal> {
    let server = selected(model).ok_or("Move to the row of a server first")?;
    press.out.push(Out::Server(ServerOrder::Refuse {
        server: server.name.clone(),
    }));
    model.set_status("Ending the server".to_owned());
    Ok(())
}
