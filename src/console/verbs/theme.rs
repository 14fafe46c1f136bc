//! Lists the themes.
//!
//! Must not know: what a colour is.

use super::Verb;
use crate::context::PANES;
use crate::update::live_reload;

/// The verb `theme`.
pub const VERB: Verb = Verb {
    name: "theme",
    keys: &[],
    contexts: PANES,
    doc: "choose the colours of this session",
    run: |model, _| {
        live_reload::list(model);
        Ok(())
    },
    ..Verb::BASE
};
