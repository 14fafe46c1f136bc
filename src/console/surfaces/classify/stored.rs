//! Takes the typed pattern of the rule to save, and the answer whether the rule was stored.
//!
//! Must not know: where settings are stored, how an error is classified.

use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::surfaces::classify::Classifying;
use overrule_base::text::visible;
use overrule_domain::command::{Command, ResilienceCommand};
use overrule_resilience::correction::{self, Correction};

/// The setting that holds the corrections.
const KEY: &str = "errors.corrections";

/// Takes the typed pattern. Saving the rule checks it.
pub(crate) fn set_pattern(model: &mut Model, text: String) {
    if let Some(asked) = model.stack.top_mut::<Classifying>() {
        asked.pattern = text;
        asked.sheet.made = None;
    }
}

/// Handles the reply: the rule was saved and the run uses it from now on, or nothing changes.
pub(crate) fn stored(model: &mut Model, stored: Result<Box<Correction>, String>, out: &mut Vec<Out>) {
    let rule = match stored {
        Ok(rule) => rule,
        Err(why) => return model.complain(why),
    };
    model.stack.pop_if(|_: &Classifying| true);
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
