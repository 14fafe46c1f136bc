//! Opens an editor on the observation of the selected call.
//!
//! Must not know: what an edit does.

use crate::kernel::availability::offered;
use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::selection::{has_result, status};
use crate::kernel::verb::{About, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits::{editor_on, open_editor, selected};
use crate::surfaces::staged_edits::hold;

/// The verb `correct`.
pub const VERB: Verb = Verb {
    name: "correct",
    keys: &["o"],
    contexts: PANES,
    doc: "correct the observation of a call; it is pinned and the call does not run again",
    hint: "correct",
    about: About::Node,
    effect: Effect::Records,
    available: |model| offered(status(model).is_some_and(has_result)),
    run: |model, press| observation(model, press.out),
    ..Verb::BASE
};

pub(crate) fn observation(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (id, _) = selected(model)?;
    let id = id.observation();
    let node = model.run.state.observation(id.call()).ok_or_else(|| {
        let key = model.settings.keymap.first("answer");
        Refusal::new(format!("{} has no result yet. {key} answers for it", id.call()))
    })?;
    let id = node.id;
    let editor = editor_on(model, id)?;
    let editor = hold::with_staged_text(model, editor);
    open_editor(model, editor, out);
    Ok(())
}
