//! Shows the rule that always allows exactly the selected call.
//!
//! Must not know: how a rule is evaluated.

use crate::kernel::availability::{decision, unless_refused};
use crate::kernel::context::PANES;
use crate::kernel::decide::{
    armed, asks_approval, ensure_room, go_to_waiting, is_elsewhere, now_shown, question, subject,
};
use crate::kernel::model::Model;
use crate::kernel::selection::{call, is_hidden, status};
use crate::kernel::verb::{About, Care, Effect, Moment, Rank, Verb};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::surfaces::rule::show;
use overrule_domain::bulk::plain;
use overrule_domain::call::Status;
use overrule_domain::rule::RuleRequest;
use overrule_policy::backtest::would;

/// The verb `always`.
pub const VERB: Verb = Verb {
    name: "always",
    keys: &["*"],
    contexts: PANES,
    doc: "approve this call and always allow exactly these bytes; shows the rule first",
    hint: "always allow exactly this",
    rank: |_| Rank::Last,
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| unless_refused(awaiting(model), || decision(model, is_plain(model))),
    seen,
    run: |model, _| always(model),
    ..Verb::BASE
};

/// Checks that the selected call awaits approval.
fn awaiting(model: &Model) -> Result<(), Refusal> {
    let id = call(model).ok_or_else(|| Refusal::not_selected("call"))?;
    if status(model) == Some(&Status::AwaitingApproval) {
        Ok(())
    } else {
        Err(Refusal::new(format!(
            "{id} does not await approval: \"always\" needs a call that does"
        )))
    }
}

/// True for a waiting call that a rule may allow.
fn is_plain(model: &Model) -> bool {
    let node = subject(model).and_then(|id| model.run.state.node(id.call()));
    let may = node.is_some_and(|node| plain(&model.run.state, node));
    may && !is_hidden(model)
}

/// Refuses the press until the call was on screen to its end, for long enough.
fn seen(model: &Model, moment: Moment) -> Result<(), Refusal> {
    let Some(question) = asks_approval(model) else {
        return Ok(());
    };
    if armed(model, &question, moment)?.is_read() {
        return Ok(());
    }
    let key = model.settings.keymap.first("page-down");
    Err(Refusal::unseen(format!(
        "Not all of it was on screen yet. {key} shows more"
    )))
}

/// Previews the rule that always approves exactly the selected call.
fn always(model: &mut Model) -> Result<(), Refusal> {
    let id = call(model).ok_or_else(|| Refusal::not_selected("call"))?;
    if is_elsewhere(model) {
        ensure_room(model)?;
        go_to_waiting(model, id);
        let key = model.settings.keymap.first("always");
        return Err(now_shown(id, &key, ""));
    }
    let question = question(model).ok_or_else(|| Refusal::not_selected("call"))?;
    let Question::Call {
        call,
        rev,
        digest: Some(digest),
        ..
    } = question
    else {
        return Err(Refusal::not_ready(id));
    };
    // A rule that would be refused is not even shown.
    let requested = RuleRequest::Exact { call, rev, digest };
    would(&model.run.state, &requested).map_err(Refusal::outside)?;
    show(model, requested);
    Ok(())
}
