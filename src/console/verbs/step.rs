//! Starts one call or request of a paused run.
//!
//! Must not know: how a run is driven.

use super::{Effect, Verb};
use crate::context::PANES;
use crate::update::decide::send;
use overrule_domain::command::{Command, RunCommand};

/// The verb `step`.
pub const VERB: Verb = Verb {
    name: "step",
    keys: &["s"],
    contexts: PANES,
    doc: "while paused, start one call or request",
    hint: "step",
    effect: Effect::Records,
    command: |_| Some(Command::Run(RunCommand::Step {})),
    run: |model, press| {
        send(model, Command::Run(RunCommand::Step {}), None, press.out);
        Ok(())
    },
    ..Verb::BASE
};
