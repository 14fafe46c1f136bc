//! Sets and resets the weights of tools.
//!
//! Must not know: how a weight is computed.

use std::sync::Arc;

use crate::kernel::context::{PANES, on};
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use crate::run::refusal::Refusal;
use crate::run::target::Target;
use crate::surfaces;
use overrule_base::text::visible;
use overrule_domain::command::{Command, WeightCommand};
use overrule_domain::weight::MOST;

/// The verb `set-weight`.
pub const SET_WEIGHT: Verb = Verb {
    name: "set-weight",
    keys: &["Q"],
    contexts: &[on(surfaces::health::PANE.id())],
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
        let prompt = Prompt::new(
            ("set", Style::SETTING),
            title,
            &weight,
            move |model, text, out| {
                let weight = thousandths(&text)
                    .ok_or_else(|| format!("`{text}` is not a weight: type a number from 0 to 1"))?;
                let (kind, tool) = (Arc::clone(&kind), Arc::clone(&tool));
                let set = WeightCommand::Set { kind, tool, weight };
                send(model, Command::Weight(set), None, out);
                Ok(())
            },
        );
        prompts::ask(model, prompt);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `reset-weights`.
pub const RESET_WEIGHTS: Verb = Verb {
    name: "reset-weights",
    keys: &["backspace"],
    contexts: &[on(surfaces::health::PANE.id())],
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
        let prompt = Prompt::new(("reset", Style::SETTING), title, "", |model, text, out| {
            let tool = match text.as_str() {
                "" => return Err("Type the name of a tool, or `all`".to_owned()),
                "all" => None,
                tool => Some(tool.into()),
            };
            send(model, Command::Weight(WeightCommand::Reset { tool }), None, out);
            Ok(())
        });
        prompts::ask(model, prompt);
        Ok(())
    },
    ..Verb::BASE
};

/// Reads a weight in thousandths.
fn thousandths(text: &str) -> Option<u16> {
    let number: f64 = text.parse().ok()?;
    let fits = (0.0..=1.0).contains(&number);
    fits.then(|| (number * f64::from(MOST)).round() as u16)
}

/// The tool, the kind of task and the weight under the cursor.
fn selected(model: &Model) -> Result<(Arc<str>, Arc<str>, String), Refusal> {
    let Target::Weight(named) = model.followed() else {
        return Err(Refusal::not_under_cursor("weight"));
    };
    let row = model
        .run
        .weight(named)
        .ok_or_else(|| Refusal::removed("weight"))?;
    Ok((
        Arc::from(row.tool),
        Arc::from(row.kind),
        format!("{:.2}", row.weight),
    ))
}
