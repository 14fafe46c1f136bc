//! Previews a redo of the last undone edit.
//!
//! Must not know: how a branch is computed.

use crate::kernel::context::PANES;
use crate::kernel::model::Model;
use crate::kernel::verb::{Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::review::preview;
use overrule_base::text::visible;
use overrule_domain::branch;
use overrule_domain::command::{Command, EditCommand};
use overrule_domain::id::Epoch;

/// The verb `redo`.
pub const VERB: Verb = Verb {
    name: "redo",
    keys: &["ctrl-r"],
    contexts: PANES,
    doc: "redo the last undone edit; previews it first",
    hint: "redo",
    effect: Effect::Records,
    available: |model| target(model).map(drop).into(),
    run: |model, _| redo(model),
    ..Verb::BASE
};

/// The end of the branch that a redo would go back to.
fn target(model: &Model) -> Result<Epoch, Refusal> {
    branch::redo_target(&model.run.state).ok_or_else(|| Refusal::new("Nothing to redo"))
}

/// Previews a redo.
fn redo(model: &mut Model) -> Result<(), Refusal> {
    let state = &model.run.state;
    let to = target(model)?;
    let title = format!(
        "redo: back to {}",
        visible(&overrule_present::branch::title(state, branch::of(state, to)))
    );
    let command = EditCommand::Redo {
        epoch: Some(model.run.state.epoch),
        effects_seen: None,
    };
    preview::command(model, Command::Edit(command), title);
    Ok(())
}
