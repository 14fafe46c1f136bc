//! Lists the tools that could make the selected call.
//!
//! Must not know: what an edit does.

use crate::kernel::availability::offered;
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::selection::status;
use crate::kernel::verb::{About, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::selected;
use crate::surfaces::list::choose;

/// The verb `replace`.
pub const VERB: Verb = Verb {
    name: "replace",
    keys: &["r"],
    contexts: PANES,
    doc: "choose another tool; copies arguments with the same name",
    hint: "replace",
    about: About::Node,
    effect: Effect::Records,
    available: |model| offered(status(model).is_some()),
    run: |model, _| replace(model),
    ..Verb::BASE
};

fn replace(model: &mut Model) -> Result<(), Refusal> {
    let (id, _) = selected(model)?;
    let node = id.call();
    let base = model
        .run
        .state
        .node(node)
        .filter(|node| node.as_call().is_some())
        .map(overrule_domain::node::Node::rev)
        .ok_or_else(|| Refusal::not_call(node))?;
    choose::tools_for(model, node, base);
    Ok(())
}
