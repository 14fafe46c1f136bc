//! Closes the topmost overlay.
//!
//! Must not know: what it shows.

use super::{Rank, Verb};
use crate::context::Context;
use crate::hints::context;

/// The verb `close`.
pub const CLOSE: Verb = Verb {
    name: "close",
    keys: &["esc", "q"],
    contexts: &[
        Context::Page,
        Context::Attention,
        Context::Consent,
        Context::UnknownOutcome,
        Context::Classify,
        Context::Broken,
        Context::Definitions,
        Context::Bulk,
        Context::Rules,
        Context::StagedEdits,
        Context::Branches,
        Context::Compare,
        Context::Effects,
    ],
    doc: "close",
    hint: "close",
    rank: |model| {
        let lists = [
            Context::Attention,
            Context::Review,
            Context::StagedEdits,
            Context::Branches,
            Context::Compare,
            Context::Effects,
        ];
        Rank::stays_if(lists.contains(&context(model)))
    },
    run: |model, _| {
        model.overlays.pop();
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `back`.
pub const BACK: Verb = Verb {
    name: "back",
    keys: &["esc"],
    contexts: &[
        Context::Review,
        Context::Rule,
        Context::Fork,
        Context::Confirm,
        Context::Leave,
        Context::List,
    ],
    doc: "go back without a change",
    hint: "back",
    ..CLOSE
};
