//! Lists the rules of the session, and removes one.
//!
//! Must not know: how a rule is evaluated.
use crate::kernel::availability::{decision, live, unless_refused};
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::send;
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::run::target::Target;
use crate::surfaces::rules::RuleList;
use overrule_domain::command::{Command, RunCommand};

/// The verb `rules`.
pub const RULES: Verb = Verb {
    name: "rules",
    keys: &["B"],
    contexts: PANES,
    doc: "list the rules of the session",
    effect: Effect::Shows,
    decides: true,
    care: Care::Careful,
    available: |model| live(model, true),
    run: |model, _| list(model),
    ..Verb::BASE
};

/// The verb `drop-rule`.
pub const DROP_RULE: Verb = Verb {
    name: "drop-rule",
    keys: &["x", "delete"],
    contexts: &[on(super::ID)],
    doc: "remove the rule; what it allowed and has not started asks again",
    hint: "remove rule",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| unless_refused(removable(model).map(drop), || decision(model, true)),
    run: |model, press| drop_rule(model, press.out),
    ..Verb::BASE
};

/// Lists the rules of the session.
fn list(model: &mut Model) -> Result<(), Refusal> {
    if model.run.state.settings.rules.is_empty() {
        let key = model.settings.keymap.first("write-rule");
        return Err(Refusal::new(format!(
            "No rules in this session. {key} writes one"
        )));
    }
    model.stack.push(RuleList::default());
    Ok(())
}

/// The number of the rule under the cursor.
fn selected(model: &Model) -> Result<u32, Refusal> {
    let Some(open) = model.stack.top::<RuleList>() else {
        return Err(Refusal::not_open("The list of rules"));
    };
    match open.list.selected {
        Some(Target::Rule(no)) => Ok(no),
        _ => Err(Refusal::not_selected("rule")),
    }
}

/// The number of the rule under the cursor, if it still counts.
fn removable(model: &Model) -> Result<u32, Refusal> {
    let no = selected(model)?;
    let rules = &model.run.state.settings.rules;
    let is_removed = rules.iter().any(|rule| rule.no == no && rule.dropped);
    if is_removed {
        return Err(Refusal::new(format!("Rule {no} is already removed")));
    }
    Ok(no)
}

/// Removes the rule under the cursor.
fn drop_rule(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let no = removable(model)?;
    send(model, Command::Run(RunCommand::DropRule { no }), None, out);
    Ok(())
}
