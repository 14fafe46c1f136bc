//! Restricts the run to reading calls, or lifts that.
//!
//! Must not know: which calls only read.

use crate::kernel::context::{Context, on};
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::verb::{Effect, Verb};
use crate::surfaces;
use overrule_domain::command::{Command, RunCommand};

/// The verb `restrict`.
pub const VERB: Verb = Verb {
    name: "restrict",
    keys: &["!"],
    contexts: &[Context::Panes, on(surfaces::changes::ID)],
    doc: "restrict the run to reading calls, or lift that; denies other waiting calls, running calls continue",
    effect: Effect::Records,
    stops: |model| model.run.state.settings.restricted.is_none(),
    command: |model| Some(command(model)),
    run: |model, press| {
        send(model, command(model), None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

fn command(model: &Model) -> Command {
    Command::Run(match &model.run.state.settings.restricted {
        Some(_) => RunCommand::LiftRestriction {},
        None => RunCommand::Restrict {
            reason: "by the operator".into(),
        },
    })
}
