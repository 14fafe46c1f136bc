//! Previews an undo of the newest edit.
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

/// The verb `undo`.
pub const VERB: Verb = Verb {
    name: "undo",
    keys: &["u"],
    contexts: PANES,
    doc: "undo the newest edit; shows first what returns and which effects stay",
    hint: "undo",
    effect: Effect::Records,
    available: |model| target(model).map(drop).into(),
    run: |model, _| undo(model),
    ..Verb::BASE
};

/// The edit that an undo would undo.
fn target(model: &Model) -> Result<Epoch, Refusal> {
    let found = branch::undo_target(&model.run.state);
    found
        .map(|(_, record)| record.epoch)
        .ok_or_else(|| Refusal::new("Nothing to undo"))
}

/// Previews an undo of the newest edit.
fn undo(model: &mut Model) -> Result<(), Refusal> {
    let (state, epoch) = (&model.run.state, target(model)?);
    let what = overrule_present::branch::what(state, epoch);
    let mut edits = state.operator.edits.iter().rev();
    let edit = edits.find(|edit| edit.epoch == epoch);
    let node = edit.map_or_else(String::new, |edit| format!(" {}", edit.intervention));
    let title = format!("undo{node} ({})", visible(&what));
    let command = EditCommand::Undo {
        epoch: Some(model.run.state.epoch),
        effects_seen: None,
    };
    preview::command(model, Command::Edit(command), title);
    Ok(())
}
