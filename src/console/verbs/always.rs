//! Shows the rule that always allows exactly the selected call.
//!
//! Must not know: how a rule is evaluated.

use super::availability::{decision, question_seen};
use super::selection::{is_hidden, status};
use super::{About, By, Care, Effect, Rank, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::panes::Pane;
use crate::console::panes::inspector::model::Tab;
use crate::console::refusal::Refusal;
use crate::console::update::decide::{armed, can_decide, go_to_queue, question, subject};
use crate::console::update::rules::{call, live as live_run, show};
use crate::domain::bulk::plain;
use crate::domain::call::Status;
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::rule::RuleRequest;
use crate::policy::backtest::would;

/// The verb `always`.
pub const VERB: Verb = Verb {
    name: "always",
    keys: &["*"],
    contexts: &[Context::Panes],
    doc: "approve this call and always allow exactly these bytes; shows the rule first",
    hint: "always allow exactly this",
    rank: |_| Rank::Last,
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| decision(model, is_plain(model), question_seen),
    run: |model, press| always(model, press.by, press.at),
    ..Verb::BASE
};

/// True for a waiting call that a rule may allow.
fn is_plain(model: &Model) -> bool {
    let node = subject(model).and_then(|id| model.run.state.node(id.call()));
    let may = node.is_some_and(|node| plain(&model.run.state, node));
    status(model) == Some(&Status::AwaitingApproval) && may && !is_hidden(model)
}

/// Previews the rule that always approves exactly the selected call.
fn always(model: &mut Model, by: By, at: u64) -> Result<(), Refusal> {
    live_run(model)?;
    let id = call(model).ok_or("No call selected")?;
    if EffectiveStatus::of(&model.run.state, id) != Some(EffectiveStatus::Active(&Status::AwaitingApproval)) {
        return Err(format!("{id} does not await approval: \"always\" needs a call that does").into());
    }
    if model.screen.lead == Pane::GRAPH || model.inspector.tab != Tab::Arguments {
        can_decide(model)?;
        go_to_queue(model, id);
        let key = model.settings.keymap.first("always");
        return Err(format!("Now on {id}. Press {key} again").into());
    }
    let question = question(model).ok_or("No call selected")?;
    let Question::Call {
        call,
        rev,
        digest: Some(digest),
        ..
    } = question.clone()
    else {
        return Err(format!("{id} is not ready yet").into());
    };
    // A rule that would be refused is not even shown.
    let requested = RuleRequest::Exact { call, rev, digest };
    would(&model.run.state, &requested)?;
    let shown = armed(model, &question, by, at)?;
    if !shown.read.misses(shown.rows).is_empty() {
        let key = model.settings.keymap.first("page-down");
        return Err(format!("Not all of it was on screen yet. {key} shows more").into());
    }
    show(model, requested);
    Ok(())
}
