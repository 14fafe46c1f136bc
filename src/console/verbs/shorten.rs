//! Makes a request shorter that is too long for the model.
//!
//! Must not know: what is shortened.

use super::availability::Availability;
use super::seen::dialog_seen;
use super::{Care, Effect, Press, Verb};
use crate::cards::{ATTENTION, BROKEN};
use crate::context::Context;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::update::decide::send;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::TurnId;
use overrule_domain::reduction;
use overrule_domain::state::State;

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
    contexts: &[Context::Panes, Context::On(BROKEN), Context::On(ATTENTION)],
    effect: Effect::Records,
    care: Care::Careful,
    available,
    seen: dialog_seen,
    ..Verb::BASE
};

fn available(model: &Model) -> Availability {
    if is_too_long(&model.run.state) {
        Availability::Offered
    } else {
        Availability::Refused(Refusal::new("No request is too long for the model"))
    }
}

/// True if the request of a turn was refused because it is too long.
pub fn is_about(state: &State, turn: TurnId) -> bool {
    reduction::refused(state).is_some_and(|refused| refused.id == turn)
}

/// True if the run waits because a request is too long.
pub fn is_too_long(state: &State) -> bool {
    let limit = state.tally.limit_reached.as_ref();
    limit.is_some_and(|(which, _)| which == reduction::LIMIT) || reduction::refused(state).is_some()
}

fn reduce(model: &mut Model, command: RunCommand, press: &mut Press<'_>) {
    let top = model.overlays.last();
    if top.is_some_and(|top| top.id().reads || top.question().is_some()) {
        model.overlays.pop();
    }
    model.queue.leaving = model.queue.selected;
    send(model, Command::Run(command), None, press.out);
}
