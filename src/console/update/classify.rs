//! Corrects the class of an error: shows the error, the new rule and two answers.
//!
//! Must not know: where settings are stored, how an error is classified.

use super::decide::send;
use crate::model::Model;
use crate::model::overlay::{Overlay, Page, PageContent};
use crate::msg::Out;
use overrule_base::text::visible;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_resilience::correction::{self, Correction};

/// The setting that holds the corrections.
const KEY: &str = "errors.corrections";

/// The open page about the class of an error.
pub(crate) fn shown(model: &mut Model) -> Option<&mut Page> {
    let is_it = |page: &&mut Page| matches!(page.content, PageContent::Classify(_));
    match model.overlays.last_mut() {
        Some(Overlay::Page(page)) => Some(page).filter(is_it),
        _ => None,
    }
}

/// Takes the typed pattern. Saving the rule checks it.
pub(crate) fn set_pattern(model: &mut Model, text: String) {
    if let Some(page) = shown(model)
        && let PageContent::Classify(asked) = &mut page.content
    {
        asked.pattern = text;
        page.made = None;
    }
}

/// Handles the reply: the rule was saved and the run uses it from now on, or nothing changes.
pub(crate) fn stored(model: &mut Model, stored: Result<Box<Correction>, String>, out: &mut Vec<Out>) {
    let rule = match stored {
        Ok(rule) => rule,
        Err(why) => return model.complain(why),
    };
    if shown(model).is_some() {
        model.overlays.pop();
    }
    let output = model.settings.files.policy.iter().find(|(key, _)| key == KEY);
    let otherwise = output.and_then(|(_, value)| serde_json::from_str::<Vec<Correction>>(value).ok());
    let value = correction::with(&model.run.state, &otherwise.unwrap_or_default(), &rule);
    model.set_status(format!(
        "Saved: such errors of {} are {} from the next failure on. {} stays as it is",
        visible(&rule.tool),
        rule.error.label(),
        rule.call
    ));
    let configure = ResilienceCommand::Configure {
        key: KEY.into(),
        value: value.into(),
    };
    send(model, Command::Resilience(configure), None, out);
}
