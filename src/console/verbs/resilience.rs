//! Asks how failures are handled.
//!
//! Must not know: how failures are handled.

use crate::kernel::context::PANES;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use crate::verbs::settings_line;

/// The verb `resilience`.
pub const VERB: Verb = Verb {
    name: "resilience",
    keys: &[],
    contexts: PANES,
    doc: "change how failures are handled: retries, delays, breakers",
    effect: Effect::Records,
    run: |model, _| {
        let title = "failure handling: KEY=VALUE, such as retry.retries=2 breaker.open=1m";
        let prompt = Prompt::new(("set", Style::SETTING), title, "", |model, text, out| {
            settings_line::configure(model, &text, out)
        });
        prompts::ask(model, prompt);
        Ok(())
    },
    ..Verb::BASE
};
