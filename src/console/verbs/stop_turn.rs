//! Ends the open stream and pauses the run.
//!
//! Must not know: how a stream ends.

use crate::kernel::availability::offered;
use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::verb::{Effect, Verb};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::live::LivePart;
use overrule_domain::pending_retry;
use overrule_present::many;

/// The verb `stop-turn`.
pub const VERB: Verb = Verb {
    name: "stop-turn",
    keys: &["S"],
    contexts: PANES,
    doc: "end the open stream or a pending retry and pause the run; complete blocks become the turn",
    hint: "stop turn",
    effect: Effect::Ends(|model| model.run.streams()),
    stops: |_| true,
    available: |model| offered(model.run.streams() || pending_retry::all(&model.run.state).next().is_some()),
    command: |_| Some(Command::Run(RunCommand::StopTurn {})),
    run: |model, press| {
        model.set_status(turn_ends(model));
        send(model, Command::Run(RunCommand::StopTurn {}), None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// What ending the turn means, as text: the run pauses, and an incomplete block is lost.
fn turn_ends(model: &Model) -> String {
    let parts = model.run.live.values().flat_map(|live| &live.parts);
    let bytes = parts.map(|part| match part {
        LivePart::Text { text, before, .. } => *before + text.len() as u64,
        LivePart::Call { args, before, .. } => *before + args.len() as u64,
    });
    let bytes = usize::try_from(bytes.sum::<u64>()).unwrap_or(usize::MAX);
    let keymap = &model.settings.keymap;
    let words = format!(
        "Ending the turn and pausing, {} resumes. Complete blocks stay",
        keymap.first("pause")
    );
    if bytes == 0 {
        return words;
    }
    format!(
        "{words}. Dropped {} of an incomplete block, {} on it asks the model again",
        many(bytes, "byte"),
        keymap.first("ask-turn-again")
    )
}
