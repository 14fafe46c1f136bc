//! Opens an editor on guidance for the model after a turn.
//!
//! Must not know: what an edit does.

use crate::kernel::context::PANES;
use crate::kernel::verb::{About, Effect, Verb};
use crate::surfaces::editor::edits::{after, new_words};
use crate::surfaces::editor::state::Purpose;

/// The verb `insert-prompt`.
pub const INSERT_PROMPT: Verb = Verb {
    name: "insert-prompt",
    keys: &["M"],
    contexts: PANES,
    doc: "insert guidance for the model after the selected turn",
    about: About::Turn,
    effect: Effect::Records,
    run: |model, _| {
        let after = after(model)?;
        new_words(model, Purpose::Guide { after });
        Ok(())
    },
    ..Verb::BASE
};
