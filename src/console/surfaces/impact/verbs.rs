//! Previews any change of the selected node.
//!
//! Must not know: what an edit does.

use std::sync::Arc;

use crate::kernel::availability::live;
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::verb::Verb;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::selected;
use crate::surfaces::impact::Impact;
use overrule_domain::call::Outcome;
use overrule_domain::command::Edit;
use overrule_domain::node::Content;

/// The verb `impact`.
pub const VERB: Verb = Verb {
    name: "impact",
    keys: &["v"],
    contexts: PANES,
    doc: "preview a change of the selected node; changes nothing",
    available: |model| live(model, true),
    run: |model, _| impact(model),
    ..Verb::BASE
};

/// Previews a change of the selected node, whatever the change is.
fn impact(model: &mut Model) -> Result<(), Refusal> {
    let (id, base) = selected(model)?;
    let node = model.run.state.node(id).ok_or_else(|| Refusal::not_found(id))?;
    let edit = match &node.now().content {
        // A blank changes the text, not the meaning: the plan then has all descendants.
        Content::Call { tool, args } => Edit::Call {
            node: id,
            base,
            tool: Arc::clone(tool),
            args: format!("{args} ").into(),
            shown: true,
        },
        Content::Text { text, .. } => Edit::Text {
            node: id,
            base,
            text: format!("{text} .").into(),
        },
        Content::Observation { outcome, .. } => Edit::Observation {
            node: id,
            base,
            value: match outcome {
                Outcome::Ok { value, .. } => format!("{value} ").into(),
                _ => "null".into(),
            },
        },
        Content::Deleted => return Err(Refusal::new(format!("{id} was deleted"))),
    };
    let title = format!("what a change of {id} would do");
    model.stack.push(Impact::new(title, edit));
    Ok(())
}
