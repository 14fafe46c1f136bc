//! Previews another request for the selected turn.
//!
//! Must not know: how a model is asked.

use super::availability::live;
use super::{About, Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::refusal::Refusal;
use crate::console::update::decide::subject;
use crate::console::update::review;
use crate::domain::command::{Command, RunCommand};
use crate::domain::turn::Stream;

/// The verb `ask-turn-again`.
pub const VERB: Verb = Verb {
    name: "ask-turn-again",
    keys: &["T"],
    contexts: &[Context::Panes],
    doc: "ask the model again for the selected turn; supersedes what follows it",
    about: About::Turn,
    effect: Effect::Records,
    available: |model| live(model, true),
    run: |model, _| ask_turn(model),
    ..Verb::BASE
};

/// Previews another request for the selected turn.
fn ask_turn(model: &mut Model) -> Result<(), Refusal> {
    let id = subject(model).ok_or("No turn selected")?;
    let turn = model
        .run
        .state
        .turn_of(id)
        .ok_or_else(|| format!("{id} does not exist"))?;
    if !turn.is_active() {
        return Err(format!("{} is superseded or suspended. Choose an active turn", turn.id).into());
    }
    if turn.asked == 0 {
        return Err(format!("Cannot ask again for {}: it is yours, not the model's", turn.id).into());
    }
    if matches!(turn.stream, Stream::Broken(_)) {
        return Err(format!(
            "The stream of {} broke. {} then {} shows the choices",
            turn.id,
            model.settings.keymap.first("next-pending"),
            model.settings.keymap.first("decide")
        )
        .into());
    }
    let title = format!("ask the model again for {}", turn.id);
    let command = RunCommand::AskAgain {
        turn: turn.id,
        request: Some(turn.asked),
    };
    review::command(model, Command::Run(command), title);
    Ok(())
}
