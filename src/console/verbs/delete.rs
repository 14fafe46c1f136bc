//! Previews the deletion of the selected node.
//!
//! Must not know: what an edit does.

use super::availability::{Availability, unless_contradicted};
use super::{About, Effect, Verb};
use crate::context::PANES;
use crate::model::Model;
use crate::refusal::Refusal;
use crate::surfaces::review::Whose;
use crate::update::edits::selected;
use crate::update::review;
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
pub(super) fn deletion(model: &Model) -> Option<Edit> {
    let (node, base) = selected(model).ok()?;
    Some(Edit::Delete { node, base })
}

fn delete(model: &mut Model) -> Result<(), Refusal> {
    let (node, base) = selected(model)?;
    review::edits(model, vec![Edit::Delete { node, base }], Whose::New);
    Ok(())
}
