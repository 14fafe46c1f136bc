//! Makes a request shorter that is too long for the model.
//!
//! Must not know: what is shortened.

use crate::kernel::context::{Context, on};
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::seen::dialog_seen;
use crate::kernel::verb::{Availability, Care, Effect, Press, Verb};
use crate::run::refusal::Refusal;
use crate::run::too_long;
use crate::surfaces;
use overrule_domain::command::{Command, RunCommand};

/// The verb `shorten`.
pub const SHORTEN: Verb = Verb {
    name: "shorten",
    keys: &["alt-s"],
    doc: "shorten the oldest results for the model, if its request is too long",
    hint: "shorten results",
    command: |_| Some(Command::Run(RunCommand::Shorten {})),
    run: |model, press| {
        reduce(model, RunCommand::Shorten {}, press);
        Ok(())
    },
    ..BASE
};

/// The verb `summarize`.
pub const SUMMARIZE: Verb = Verb {
    name: "summarize",
    keys: &["alt-m"],
    doc: "replace the oldest turns with a summary by the model, if its request is too long",
    hint: "summarize",
    command: |_| Some(Command::Run(RunCommand::Summarize {})),
    run: |model, press| {
        reduce(model, RunCommand::Summarize {}, press);
        Ok(())
    },
    ..BASE
};

/// The verb `drop-turns`.
pub const DROP_TURNS: Verb = Verb {
    name: "drop-turns",
    keys: &["alt-d"],
    doc: "leave out the oldest turns for the model, if its request is too long",
    hint: "drop turns",
    command: |_| Some(Command::Run(RunCommand::DropTurns {})),
    run: |model, press| {
        reduce(model, RunCommand::DropTurns {}, press);
        Ok(())
    },
    ..BASE
};

/// What can be done about a request that is too long.
pub const CHOICES: [&Verb; 3] = [&SHORTEN, &SUMMARIZE, &DROP_TURNS];

const BASE: Verb = Verb {
    contexts: &[
        Context::Panes,
        on(surfaces::broken::ID),
        on(surfaces::attention::ID),
    ],
    effect: Effect::Records,
    care: Care::Careful,
    available,
    seen: dialog_seen,
    ..Verb::BASE
};

fn available(model: &Model) -> Availability {
    if too_long::is_too_long(&model.run.state) {
        Availability::Offered
    } else {
        Availability::Refused(Refusal::new("No request is too long for the model"))
    }
}

fn reduce(model: &mut Model, command: RunCommand, press: &mut Press<'_>) {
    let top = model.stack.last();
    if top.is_some_and(|top| top.id().reads || top.question().is_some()) {
        model.stack.pop();
    }
    model.queue.leaving = model.queue.selected;
    send(model, Command::Run(command), None, press.out);
}
