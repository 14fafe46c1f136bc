//! Previews a redo of the last undone edit.
//!
//! Must not know: how a branch is computed.

use super::availability::offered;
use super::{Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::refusal::{Empty, Refusal};
use crate::console::update::review;
use crate::domain::branch;
use crate::domain::command::{Command, EditCommand};
use crate::present::branch as branch_view;
use crate::text::visible;

/// The verb `redo`.
pub const VERB: Verb = Verb {
    name: "redo",
    keys: &["ctrl-r"],
    contexts: &[Context::Panes],
    doc: "redo the last undone edit; previews it first",
    hint: "redo",
    effect: Effect::Records,
    available: |model| offered(branch::redo_target(&model.run.state).is_some()),
    run: |model, _| redo(model),
    ..Verb::BASE
};

/// Previews a redo.
fn redo(model: &mut Model) -> Result<(), Refusal> {
    let state = &model.run.state;
    let to = branch::redo_target(state).ok_or(Empty::Nothing("redo"))?;
    let title = format!(
        "redo: back to {}",
        visible(&branch_view::title(state, branch::of(state, to)))
    );
    let command = EditCommand::Redo {
        epoch: Some(model.run.state.epoch),
        effects_seen: None,
    };
    review::command(model, Command::Edit(command), title);
    Ok(())
}
