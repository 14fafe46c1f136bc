//! Asks for the name of the session.
//!
//! Must not know: where it is stored.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use overrule_domain::command::{Command, RunCommand};

/// The verb `title`.
pub const VERB: Verb = Verb {
    name: "title",
    keys: &[],
    contexts: PANES,
    doc: "name the session",
    effect: Effect::Records,
    run: |model, _| {
        let now = model.run.state.settings.title.clone().unwrap_or_default();
        let act = ("name", Style::SETTING);
        let prompt = Prompt::new(act, "name of the session", &now, |model, title, out| {
            send(model, Command::Run(RunCommand::Title { title }), None, out);
            Ok(())
        });
        prompts::ask(model, prompt);
        Ok(())
    },
    ..Verb::BASE
};
