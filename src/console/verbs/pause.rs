//! Pauses or resumes the run.
//!
//! Must not know: how a run is driven.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::verb::{Effect, Verb};
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::state::Mode;

/// The verb `pause`.
pub const VERB: Verb = Verb {
    name: "pause",
    keys: &["p"],
    contexts: PANES,
    doc: "pause or resume the run; running calls continue",
    hint: "pause",
    label: |model| is_paused(model).then_some("resume"),
    effect: Effect::Records,
    stops: |model| !is_paused(model),
    command: |model| Some(command(model)),
    run: |model, press| {
        send(model, command(model), None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

fn command(model: &Model) -> Command {
    let reason = "paused by the operator".to_owned();
    Command::Run(if is_paused(model) {
        RunCommand::Resume {}
    } else {
        RunCommand::Pause { reason }
    })
}

fn is_paused(model: &Model) -> bool {
    matches!(model.run.state.mode, Mode::Paused(_) | Mode::Stopped(_))
}
