//! Asks for the policy preset.
//!
//! Must not know: what a policy decides.

use super::{Effect, Verb};
use crate::context::PANES;
use crate::model::overlay::LinePurpose;
use crate::update::prompts;

/// The verb `policy`.
pub const VERB: Verb = Verb {
    name: "policy",
    keys: &[],
    contexts: PANES,
    doc: "change the policy preset: supervised, guarded, auto or read-only",
    effect: Effect::Records,
    run: |model, _| {
        let now = model.run.state.policy.clone();
        let title = "policy: supervised, guarded, auto or read-only";
        prompts::line(model, LinePurpose::Policy, title, &now);
        Ok(())
    },
    ..Verb::BASE
};
