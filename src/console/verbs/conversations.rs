//! Goes to another conversation of the agent: the sub-agent of a call, the one that waits, or the next one.
//!
//! Must not know: how conversations begin, how another one is shown.

use crate::kernel::context::PANES;
use crate::kernel::decide::subject;
use crate::kernel::model::Model;
use crate::kernel::msg::{Leave, Out};
use crate::kernel::verb::{Rank, Verb};
use crate::run::link::Conversation;
use crate::run::refusal::Refusal;

/// The verb `next-conversation`.
pub const VERB: Verb = Verb {
    name: "next-conversation",
    keys: &["alt-w"],
    contexts: PANES,
    doc: "show another conversation of the agent: one that waits for you, the sub-agent of the call, or the next one",
    hint: "next conversation",
    rank: |model| Rank::leads_if(model.run.waiting_conversation().is_some()),
    available: |model| next(model).map(drop).into(),
    run: |model, press| {
        let session = next(model)?.session.clone();
        if !model.staged_edits.is_empty() {
            let key = model.settings.keymap.first("staged-edits");
            return Err(Refusal::new(format!(
                "Commit or remove your staged edits first. {key} shows them"
            )));
        }
        press.out.push(Out::Quit(Leave::Show(session)));
        Ok(())
    },
    ..Verb::BASE
};

fn next(model: &Model) -> Result<&Conversation, Refusal> {
    let of_call = subject(model).and_then(|node| model.run.sub_agent(node.call()));
    let waits = of_call
        .filter(|one| one.waiting > 0)
        .or_else(|| model.run.waiting_conversation());
    let next = waits.or(of_call).or_else(|| model.run.others.first());
    next.ok_or_else(|| Refusal::new("The agent has no other conversation here"))
}
