//! Previews the deletion of the selected node.
//!
//! Must not know: what an edit does.

use crate::kernel::availability::unless_contradicted;
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::verb::{About, Availability, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::selected;
use crate::surfaces::review::{Whose, preview};
use overrule_domain::command::Edit;

/// The verb `delete`.
pub const VERB: Verb = Verb {
    name: "delete",
    keys: &["D"],
    contexts: PANES,
    doc: "delete the selected node",
    about: About::Node,
    effect: Effect::Records,
    available: |model| unless_contradicted(model, deletion(model).as_ref(), || Availability::Offered),
    run: |model, _| delete(model),
    ..Verb::BASE
};

/// The edit that deletes the selected node.
pub(crate) fn deletion(model: &Model) -> Option<Edit> {
    let (node, base) = selected(model).ok()?;
    Some(Edit::Delete { node, base })
}

fn delete(model: &mut Model) -> Result<(), Refusal> {
    let (node, base) = selected(model)?;
    preview::edits(model, vec![Edit::Delete { node, base }], Whose::New);
    Ok(())
}
