//! Opens an editor on the selected node.
//!
//! Must not know: what an edit does.

use super::delete::deletion;
use crate::kernel::availability::{offered, unless_contradicted};
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::selection::active_kind;
use crate::kernel::verb::{About, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::{editor_on, open_editor, selected};
use crate::surfaces::staged_edits::hold;
use overrule_domain::id::NodeKind;

/// The verb `edit`.
pub const VERB: Verb = Verb {
    name: "edit",
    keys: &["e"],
    contexts: PANES,
    doc: "edit the arguments of a call, or the text of a thought, prompt, observation or answer",
    hint: "edit",
    about: About::Node,
    effect: Effect::Records,
    available: |model| unless_contradicted(model, deletion(model).as_ref(), || offered(is_editable(model))),
    run: |model, press| edit(model, press.out),
    ..Verb::BASE
};

/// True for an active node with content of its own.
fn is_editable(model: &Model) -> bool {
    active_kind(model).is_some_and(|kind| !matches!(kind, NodeKind::Repair | NodeKind::Intervention))
}

fn edit(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (id, _) = selected(model)?;
    let editor = editor_on(model, id)?;
    let editor = hold::with_staged_text(model, editor);
    open_editor(model, editor, out);
    Ok(())
}
