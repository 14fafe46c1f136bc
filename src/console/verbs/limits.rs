//! Asks for the limits of the run.
//!
//! Must not know: how a limit is checked.

use super::{Effect, Verb};
use crate::context::PANES;
use crate::model::overlay::LinePurpose;
use crate::update::prompts;

/// The verb `limits`.
pub const VERB: Verb = Verb {
    name: "limits",
    keys: &[],
    contexts: PANES,
    doc: "change the limits (turns, tokens, minutes, price, parallel calls)",
    effect: Effect::Records,
    run: |model, _| {
        let now = prompts::limits_line(&model.run.state.limits);
        prompts::line(model, LinePurpose::Limits, "limits (none is unlimited)", &now);
        Ok(())
    },
    ..Verb::BASE
};
