//! Previews another request for the selected turn.
//!
//! Must not know: how a model is asked.

use crate::kernel::context::PANES;
use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::kernel::verb::{About, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::review::preview;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::turn::{Stream, Turn};

/// The verb `ask-turn-again`.
pub const VERB: Verb = Verb {
    name: "ask-turn-again",
    keys: &["T"],
    contexts: PANES,
    doc: "ask the model again for the selected turn; supersedes what follows it",
    about: About::Turn,
    effect: Effect::Records,
    available: |model| turn(model).map(drop).into(),
    run: |model, _| ask_turn(model),
    ..Verb::BASE
};

/// Previews another request for the selected turn.
fn ask_turn(model: &mut Model) -> Result<(), Refusal> {
    let turn = turn(model)?;
    let title = format!("ask the model again for {}", turn.id);
    let command = RunCommand::AskAgain {
        turn: turn.id,
        request: Some(turn.asked),
    };
    preview::command(model, Command::Run(command), title);
    Ok(())
}

/// The selected turn, if the model can be asked for it again.
fn turn(model: &Model) -> Result<&Turn, Refusal> {
    let id = subject(model).ok_or_else(|| Refusal::not_selected("turn"))?;
    let turn = model
        .run
        .state
        .turn_of(id)
        .ok_or_else(|| Refusal::not_found(id))?;
    if !turn.is_active() {
        return Err(Refusal::inactive(turn.id));
    }
    if turn.asked == 0 {
        return Err(Refusal::new(format!(
            "Cannot ask again for {}: it is yours, not the model's",
            turn.id
        )));
    }
    if matches!(turn.stream, Stream::Broken(_)) {
        let key = |name| model.settings.keymap.first(name);
        let keys = format!("{} then {}", key("next-pending"), key("decide"));
        return Err(Refusal::broken(turn.id, &keys));
    }
    Ok(turn)
}
