//! Lists the tools for a call to insert.
//!
//! Must not know: what an edit does.

use crate::kernel::availability::unless_contradicted;
use crate::kernel::context::PANES;
use crate::kernel::verb::{About, Availability, Effect, Verb};
use crate::surfaces::editor::edits::after;
use crate::surfaces::list::choose;
use overrule_domain::command::Edit;

/// The verb `insert-call`.
pub const VERB: Verb = Verb {
    name: "insert-call",
    keys: &["ctrl-n"],
    contexts: PANES,
    doc: "insert a call after the selected turn",
    about: About::Turn,
    effect: Effect::Records,
    available: |model| unless_contradicted(model, Some(&any()), || Availability::Offered),
    run: |model, _| {
        let after = after(model)?;
        choose::tools_for_new(model, after);
        Ok(())
    },
    ..Verb::BASE
};

/// A call that is not chosen yet.
fn any() -> Edit {
    Edit::InsertCall {
        after: None,
        tool: "".into(),
        args: "{}".into(),
    }
}
