//! Accepts a rule of the session that was written as a text.
//!
//! Must not know: how a rule is evaluated.

use crate::kernel::availability::{decision, unless_refused};
use crate::kernel::context::on;
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::list_read;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::rule::RuleView;
use overrule_domain::command::{Command, RunCommand};
use overrule_policy::backtest::Would;

/// The verb `accept-rule`.
pub const ACCEPT_RULE: Verb = Verb {
    name: "accept-rule",
    keys: &["ctrl-a"],
    contexts: &[on(super::ID)],
    doc: "accept the shown rule",
    hint: "accept the rule",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| unless_refused(would(model).map(drop), || decision(model, true)),
    seen: |model, moment| match view(model) {
        Some(view) => list_read(model, view.stamp, moment),
        None => Ok(()),
    },
    run: |model, press| accept(model, press.out),
    ..Verb::BASE
};

/// The rule that is shown.
fn view(model: &Model) -> Option<&RuleView> {
    model.stack.top()
}

/// The rule that is shown, with what it would have decided.
fn would(model: &Model) -> Result<(&RuleView, &Would), Refusal> {
    let view = view(model).ok_or_else(|| Refusal::not_open("The preview of a rule"))?;
    match &view.would {
        Ok(would) => Ok((view, would)),
        Err(why) => Err(Refusal::outside(why.clone())),
    }
}

/// Accepts the rule that is shown.
fn accept(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (view, would) = would(model)?;
    let (rule, seen) = (view.rule.clone(), would.seen());
    model.queue.leaving = model.queue.selected;
    let command = Command::Run(RunCommand::AddRule { rule, seen });
    if let Some(view) = model.stack.top_mut::<RuleView>() {
        view.sent = Some(command.clone());
    }
    send(model, command, None, out);
    Ok(())
}
