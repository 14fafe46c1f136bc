//! Asks which breaker to reset.
//!
//! Must not know: when a breaker opens.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use crate::run::refusal::Refusal;
use overrule_domain::breaker::{BadScope, Phase, Scope};
use overrule_domain::command::{Command, ResilienceCommand};

/// The verb `reset-breaker`.
pub const VERB: Verb = Verb {
    name: "reset-breaker",
    keys: &[],
    contexts: PANES,
    doc: "reset a breaker",
    effect: Effect::Records,
    available: |model| open(model).map(drop).into(),
    command: |model| {
        let scope = open(model).ok()?.clone();
        Some(Command::Resilience(ResilienceCommand::ResetBreaker { scope }))
    },
    run: |model, _| {
        let scope = open(model)?.to_string();
        ask(model, &scope);
        Ok(())
    },
    ..Verb::BASE
};

/// The first breaker that is not closed.
fn open(model: &Model) -> Result<&Scope, Refusal> {
    let mut breakers = model.run.state.learned.breakers.iter();
    let open = breakers.find(|(_, one)| one.phase != Phase::Closed);
    let (scope, _) = open.ok_or_else(|| Refusal::new("No breaker is open"))?;
    Ok(scope)
}

/// Asks before the breaker of a scope is reset.
pub(crate) fn ask(model: &mut Model, scope: &str) {
    let act = ("reset", Style::SETTING);
    let prompt = Prompt::new(act, "reset the breaker of", scope, |model, text, out| {
        let scope = text
            .parse()
            .map_err(|error: BadScope| overrule_base::text::visible(&error.to_string()))?;
        let reset = ResilienceCommand::ResetBreaker { scope };
        send(model, Command::Resilience(reset), None, out);
        Ok(())
    });
    prompts::ask(model, prompt);
}
