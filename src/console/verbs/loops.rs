//! Shows loops; allows the newest one, or mutes a detector.
//!
//! Must not know: how a loop is detected.

use crate::kernel::context::PANES;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::prompt::{Prompt, Style};
use crate::kernel::prompts;
use crate::kernel::verb::{Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::documents;
use crate::surfaces::page::Page;
use overrule_domain::command::{Command, EscapeCommand};
use overrule_domain::escape::Detector;

/// The verb `loops`.
pub const LOOPS: Verb = Verb {
    name: "loops",
    keys: &["C"],
    contexts: PANES,
    doc: "show loops, steps and outcomes",
    run: |model, _| {
        model.stack.push(Page::new("loops", |maker, parts| {
            documents::loops(maker, parts.offered(maker.run));
        }));
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `allow-loop`.
pub const ALLOW_LOOP: Verb = Verb {
    name: "allow-loop",
    keys: &["Y"],
    contexts: PANES,
    doc: "allow the newest loop, or withdraw that; a run paused for it resumes",
    effect: Effect::Records,
    available: |model| allow(model).map(drop).into(),
    command: |model| allow(model).ok(),
    run: |model, press| {
        send(model, allow(model)?, None, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `mute-loops`.
pub const MUTE_LOOPS: Verb = Verb {
    name: "mute-loops",
    keys: &[],
    contexts: PANES,
    doc: "mute a detector of repetition, or unmute it",
    effect: Effect::Records,
    run: |model, _| {
        mute(model, "");
        Ok(())
    },
    ..Verb::BASE
};

/// Allows the newest loop to repeat, or withdraws that.
fn allow(model: &Model) -> Result<Command, Refusal> {
    let escape = &model.run.state.learned.escape;
    let last = escape
        .incidents
        .last()
        .ok_or_else(|| Refusal::new("No loops so far"))?;
    let signatures = &last.finding.signatures;
    Ok(Command::Escape(EscapeCommand::AllowIncident {
        incident: last.no,
        allowed: !signatures.iter().all(|one| escape.allowed.contains(one)),
    }))
}

/// Asks which detector to mute or unmute.
pub(crate) fn mute(model: &mut Model, name: &str) {
    let title = format!("mute or unmute: {}", Detector::names());
    let act = ("mute or unmute", Style::SETTING);
    let prompt = Prompt::new(act, title, name, |model, text, out| {
        let detector =
            Detector::named(&text).ok_or_else(|| format!("Unknown detector. Use {}", Detector::names()))?;
        let muted = !model.run.state.learned.escape.muted.contains(&detector);
        let mute = EscapeCommand::Mute { detector, muted };
        send(model, Command::Escape(mute), None, out);
        Ok(())
    });
    prompts::ask(model, prompt);
}
