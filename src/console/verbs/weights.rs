//! Sets and resets the weights of tools.
//!
//! Must not know: how a weight is computed.

use std::sync::Arc;

use super::{Effect, Verb};
use crate::context::{Context, PANES};
use crate::model::Model;
use crate::model::overlay::LinePurpose;
use crate::panes;
use crate::panes::rows::Target;
use crate::refusal::{NoTarget, Refusal, Row};
use crate::update::decide::send;
use crate::update::prompts;
use overrule_base::text::visible;
use overrule_domain::command::{Command, WeightCommand};

/// The verb `set-weight`.
pub const SET_WEIGHT: Verb = Verb {
    name: "set-weight",
    keys: &["Q"],
    contexts: &[Context::On(panes::health::PANE.id())],
    doc: "set the weight of the tool for the kind of task, 0 to 1",
    hint: "set weight",
    effect: Effect::Records,
    available: |model| selected(model).map(drop).into(),
    run: |model, _| {
        let (tool, kind, weight) = selected(model)?;
        let title = format!(
            "weight of {} for tasks of kind {}, 0 to 1",
            visible(&tool),
            visible(&kind)
        );
        prompts::line(model, LinePurpose::Weight { tool, kind }, &title, &weight);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `reset-weights`.
pub const RESET_WEIGHTS: Verb = Verb {
    name: "reset-weights",
    keys: &["backspace"],
    contexts: &[Context::On(panes::health::PANE.id())],
    doc: "reset the tool's weights",
    hint: "reset",
    effect: Effect::Records,
    available: |model| selected(model).map(drop).into(),
    run: |model, press| {
        let (tool, ..) = selected(model)?;
        let reset = WeightCommand::Reset { tool: Some(tool) };
        send(model, Command::Weight(reset), None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `forget-weights`.
pub const FORGET_WEIGHTS: Verb = Verb {
    name: "forget-weights",
    keys: &[],
    contexts: PANES,
    doc: "reset the weights of one tool, or of all (asks which)",
    effect: Effect::Records,
    run: |model, _| {
        let title = "tool whose weights are reset (all: every tool)";
        prompts::line(model, LinePurpose::ForgetWeights, title, "");
        Ok(())
    },
    ..Verb::BASE
};

/// The tool, the kind of task and the weight under the cursor.
fn selected(model: &Model) -> Result<(Arc<str>, Arc<str>, String), Refusal> {
    let Target::Weight(named) = model.followed() else {
        return Err(NoTarget::NotUnderCursor(Row::Weight).into());
    };
    let row = model.run.weight(named).ok_or(NoTarget::Removed(Row::Weight))?;
    Ok((
        Arc::from(row.tool),
        Arc::from(row.kind),
        format!("{:.2}", row.weight),
    ))
}
