//! Opens an editor on a thought to insert.
//!
//! Must not know: what an edit does.

use crate::kernel::context::PANES;
use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::kernel::verb::{About, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::{after, new_words};
use crate::surfaces::editor::state::Purpose;
use overrule_domain::command::InsertAfter;
use overrule_domain::id::{NodeId, NodeKind};

/// The verb `insert-thought`.
pub const VERB: Verb = Verb {
    name: "insert-thought",
    keys: &["I"],
    contexts: PANES,
    doc: "insert a thought after the selected node; the model continues from there",
    about: About::Node,
    effect: Effect::Records,
    run: |model, _| {
        let after = insert_after(model)?;
        new_words(model, Purpose::NewThought { after });
        Ok(())
    },
    ..Verb::BASE
};

/// Where to insert a thought: after the selected node, or after its turn if it is only a record.
fn insert_after(model: &Model) -> Result<Option<InsertAfter>, Refusal> {
    let Some(turn) = after(model)? else {
        return Ok(None);
    };
    let node = subject(model).map(NodeId::call).filter(|id| {
        let counts = model.run.state.node(*id).is_some_and(|node| node.active);
        counts && !matches!(id.kind, NodeKind::Repair | NodeKind::Intervention)
    });
    Ok(Some(node.map_or(InsertAfter::Turn(turn), InsertAfter::Node)))
}
