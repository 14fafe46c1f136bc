//! Asks for the policy preset.
//!
//! Must not know: what a policy decides.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use overrule_domain::command::{Command, RunCommand};

/// The verb `policy`.
pub const VERB: Verb = Verb {
    name: "policy",
    keys: &[],
    contexts: PANES,
    doc: "change the policy preset: supervised, guarded, auto or read-only",
    effect: Effect::Records,
    run: |model, _| {
        let now = model.run.state.settings.policy.clone();
        let title = "policy: supervised, guarded, auto or read-only";
        let prompt = Prompt::new(("set", Style::SETTING), title, &now, |model, policy, out| {
            send(model, Command::Run(RunCommand::SetPolicy { policy }), None, out);
            Ok(())
        });
        prompts::ask(model, prompt);
        Ok(())
    },
    ..Verb::BASE
};
