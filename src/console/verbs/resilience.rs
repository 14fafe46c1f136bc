//! Asks how failures are handled.
//!
//! Must not know: how failures are handled.

use super::{Effect, Verb};
use crate::context::PANES;
use crate::model::overlay::LinePurpose;
use crate::update::prompts;

/// The verb `resilience`.
pub const VERB: Verb = Verb {
    name: "resilience",
    keys: &[],
    contexts: PANES,
    doc: "change how failures are handled: retries, delays, breakers",
    effect: Effect::Records,
    run: |model, _| {
        let title = "failure handling: KEY=VALUE, such as retry.retries=2 breaker.open=1m";
        prompts::line(model, LinePurpose::Resilience, title, "");
        Ok(())
    },
    ..Verb::BASE
};
