//! Starts one call or request of a paused run.
//!
//! Must not know: how a run is driven.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::verb::{Effect, Verb};
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
