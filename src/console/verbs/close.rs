//! Closes the topmost surface.
//!
//! Must not know: what it shows.

use crate::kernel::context;
use crate::kernel::hints::surface;
use crate::kernel::verb::{Rank, Verb};

/// The verb `close`.
pub const CLOSE: Verb = Verb {
    name: "close",
    keys: &["esc", "q"],
    contexts: context::CLOSED,
    doc: "close",
    hint: "close",
    rank: |model| Rank::stays_if(surface(model).stays.contains(&"close")),
    run: |model, _| {
        model.stack.pop();
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `back`.
pub const BACK: Verb = Verb {
    name: "back",
    keys: &["esc"],
    contexts: context::BACK,
    doc: "go back without a change",
    hint: "back",
    ..CLOSE
};
