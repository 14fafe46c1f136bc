//! Asks for the name of the session.
//!
//! Must not know: where it is stored.

use super::{Effect, Verb};
use crate::context::PANES;
use crate::model::overlay::LinePurpose;
use crate::update::prompts;

/// The verb `title`.
pub const VERB: Verb = Verb {
    name: "title",
    keys: &[],
    contexts: PANES,
    doc: "name the session",
    effect: Effect::Records,
    run: |model, _| {
        let now = model.run.state.title.clone().unwrap_or_default();
        prompts::line(model, LinePurpose::Title, "name of the session", &now);
        Ok(())
    },
    ..Verb::BASE
};
