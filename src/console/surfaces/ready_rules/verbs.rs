//! Opens the ready rules of a call, and takes one.
//!
//! Must not know: how a rule is evaluated, where it is kept.

use std::sync::Arc;

use super::{Row, RuleMenu, waits};
use crate::kernel::availability::{decision, offered, unless_refused};
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::{armed, ensure_room, send, subject};
use crate::kernel::files::{KeptRule, RuleScope};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::selection::{active_kind, call, status};
use crate::kernel::verb::{About as Part, Care, Effect, Moment, Rank, Verb};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits;
use crate::surfaces::editor::state::{Editor, Purpose};
use overrule_domain::bulk::{no_always, plain};
use overrule_domain::call::Status;
use overrule_domain::command::{CallCommand, Command, RunCommand};
use overrule_domain::id::NodeKind;
use overrule_domain::rule::RuleRequest;
use overrule_policy::Preset;
use overrule_policy::ready_rules::{About, presets, ready_rules};

/// The verb `write-rule`.
pub const WRITE_RULE: Verb = Verb {
    name: "write-rule",
    keys: &["+"],
    contexts: PANES,
    doc: "list ready rules made from the selected call, with what each would have decided",
    hint: "rule",
    rank: |_| Rank::Last,
    about: Part::Node,
    effect: Effect::Acts,
    decides: true,
    care: Care::Careful,
    available: |model| {
        offered(matches!(
            active_kind(model),
            Some(NodeKind::Call | NodeKind::Observation)
        ))
    },
    run: |model, _| open(model, false),
    ..Verb::BASE
};

/// The verb `always`.
pub const ALWAYS: Verb = Verb {
    name: "always",
    keys: &["*"],
    doc: "list ready rules made from the selected call, marked at: allow exactly this",
    hint: "allow exactly this",
    available: |model| offered(may_be_exact(model)),
    run: |model, _| open(model, true),
    ..WRITE_RULE
};

/// The verb `policy`.
pub const POLICY: Verb = Verb {
    name: "policy",
    keys: &[],
    contexts: PANES,
    doc: "list the policy presets, with what each would have asked; choose one",
    effect: Effect::Records,
    run: |model, _| {
        open_presets(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `take-rule`.
pub const TAKE_RULE: Verb = Verb {
    name: "take-rule",
    keys: &["enter"],
    contexts: &[on(super::ID)],
    doc: "take the marked rule or preset; waiting calls that it decides and that you have read are decided now",
    hint: "take",
    effect: Effect::Records,
    decides: true,
    care: Care::Alone,
    available: |model| unless_refused(marked(model).map(drop), || decision(model, true)),
    seen: |model, moment| shown_long_enough(model, moment),
    run: |model, press| take(model, false, press.out),
    ..Verb::BASE
};

/// The verb `take-rule-and-start`.
pub const TAKE_AND_START: Verb = Verb {
    name: "take-rule-and-start",
    keys: &["ctrl-a"],
    doc: "take the marked rule and start the call, although parts of it were not on screen (recorded)",
    hint: "",
    run: |model, press| take(model, true, press.out),
    ..TAKE_RULE
};

/// The verb `rule-scope`.
pub const RULE_SCOPE: Verb = Verb {
    name: "rule-scope",
    keys: &["tab"],
    contexts: &[on(super::ID)],
    doc: "choose how long the rule counts: this session, this workspace, always",
    hint: "how long",
    run: |model, _| {
        scope(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `wider-rule`.
pub const WIDER_RULE: Verb = Verb {
    name: "wider-rule",
    keys: &["left", "h"],
    contexts: &[on(super::ID)],
    doc: "make the marked rule wider: fewer words, or a directory above",
    hint: "wider",
    available: |model| offered(menu(model).is_some_and(|menu| menu.clone().choose(true))),
    run: |model, _| choose(model, true),
    ..Verb::BASE
};

/// The verb `narrower-rule`.
pub const NARROWER_RULE: Verb = Verb {
    name: "narrower-rule",
    keys: &["right", "l"],
    doc: "make the marked rule narrower: more words, or a directory below",
    hint: "narrower",
    available: |model| offered(menu(model).is_some_and(|menu| menu.clone().choose(false))),
    run: |model, _| choose(model, false),
    ..WIDER_RULE
};

/// The verb `rule-text`.
pub const RULE_TEXT: Verb = Verb {
    name: "rule-text",
    keys: &["e"],
    contexts: &[on(super::ID)],
    doc: "open the text of the marked rule in an editor",
    hint: "text of the rule",
    effect: Effect::Acts,
    available: |model| unless_refused(text(model).map(drop), || offered(true)),
    run: |model, _| write(model),
    ..Verb::BASE
};

fn menu(model: &Model) -> Option<&RuleMenu> {
    model.stack.top()
}

/// True for a call that awaits approval and that a rule may allow.
fn may_be_exact(model: &Model) -> bool {
    let node = call(model).and_then(|id| model.run.state.node(id));
    status(model) == Some(&Status::AwaitingApproval) && node.is_some_and(|node| plain(&model.run.state, node))
}

/// The menu and its marked row.
fn marked(model: &Model) -> Result<(&RuleMenu, &Row), Refusal> {
    let menu = menu(model).ok_or_else(|| Refusal::not_open("The list of rules"))?;
    let row = menu.row().ok_or_else(|| Refusal::not_selected("rule"))?;
    Ok((menu, row))
}

/// Refuses the press until the menu was on screen for long enough.
fn shown_long_enough(model: &Model, moment: Moment) -> Result<(), Refusal> {
    match menu(model) {
        Some(menu) => armed(model, &Question::Bulk { stamp: menu.stamp }, moment).map(drop),
        None => Ok(()),
    }
}

/// Opens the ready rules of the selected call.
fn open(model: &mut Model, exactly: bool) -> Result<(), Refusal> {
    let Some(id) = call(model) else {
        return Err(no_call(model));
    };
    ensure_room(model)?;
    let found = ready_rules(&model.run.state, id, &model.run.danger).map_err(Refusal::outside)?;
    let waiting = waits(&model.run, id);
    let may_be_exact = waiting.is_some();
    let fits = |row: &Row| may_be_exact || row.rule().is_none_or(|rule| rule.about != About::Exactly);
    let mut rows: Vec<Row> = found
        .into_iter()
        .map(|choices| Row::Rule {
            at: first(&choices),
            choices,
        })
        .filter(fits)
        .collect();
    let less = preset_rows(model).into_iter().filter(|row| match row {
        Row::Preset(change) => change.asks < change.asked && change.preset != Preset::ReadOnly,
        Row::Rule { .. } => false,
    });
    rows.extend(less);
    if rows.is_empty() {
        return Err(Refusal::new(format!("No rule can be made from {id}")));
    }
    let exact = rows
        .iter()
        .position(|row| row.rule().is_some_and(|rule| rule.about == About::Exactly));
    let at = match (exactly, exact) {
        (true, None) => return Err(Refusal::outside(no_always(id))),
        (true, Some(at)) => at,
        (false, _) => 0,
    };
    model.stack.push(RuleMenu {
        call: Some(id),
        waiting,
        rows,
        at,
        ..RuleMenu::default()
    });
    Ok(())
}

/// The rule of a row that is chosen first: the fewest words, the nearest directory.
fn first(choices: &overrule_policy::ready_rules::Choices) -> usize {
    let is_place = choices
        .rules
        .first()
        .is_some_and(|rule| matches!(rule.about, About::Directory { .. }));
    if is_place { choices.rules.len() - 1 } else { 0 }
}

fn preset_rows(model: &Model) -> Vec<Row> {
    let state = &model.run.state;
    let current = state.settings.policy.parse().unwrap_or_default();
    presets(state, current).into_iter().map(Row::Preset).collect()
}

/// Opens the list of presets, at the one in force.
fn open_presets(model: &mut Model) {
    let rows = preset_rows(model);
    let current = &model.run.state.settings.policy;
    let is_current = |row: &Row| matches!(row, Row::Preset(change) if *current == change.preset.label());
    let at = rows.iter().position(is_current).unwrap_or(0);
    model.stack.push(RuleMenu {
        rows,
        at,
        ..RuleMenu::default()
    });
}

/// Says that a rule starts from a call, and how to select one.
fn no_call(model: &Model) -> Refusal {
    let key = |name| model.settings.keymap.first(name);
    let why = subject(model).map_or_else(|| Refusal::not_selected("call"), Refusal::not_call);
    let way = if model.queue.waiting() > 0 {
        format!("{} goes to the next one that waits", key("next-pending"))
    } else {
        "put the cursor on one in the graph".to_owned()
    };
    let write = key("write-rule");
    Refusal::new(format!(
        "{why}, and a rule starts with one: {way}, then {write} again"
    ))
}

fn scope(model: &mut Model) {
    if let Some(menu) = model.stack.top_mut::<RuleMenu>() {
        menu.scope = menu.scope.next();
        menu.sheet.made = None;
    }
}

fn choose(model: &mut Model, wider: bool) -> Result<(), Refusal> {
    let chosen = model
        .stack
        .top_mut::<RuleMenu>()
        .is_some_and(|menu| menu.choose(wider));
    let side = if wider { "wider" } else { "narrower" };
    chosen
        .then_some(())
        .ok_or_else(|| Refusal::new(format!("There is no {side} rule here")))
}

/// Takes the marked row: keeps it in a file if it outlasts the session, then adds it to the session.
fn take(model: &mut Model, start: bool, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (menu, row) = marked(model)?;
    if menu.sent.is_some() || !menu.then.is_empty() {
        return Err(Refusal::new("Already sent, waiting for a reply"));
    }
    if let (Some(item), Some(id)) = (&menu.waiting, menu.call)
        && waits(&model.run, id).as_ref() != Some(item)
    {
        return Err(Refusal::new(format!(
            "{id} has changed or no longer waits. Close this list and open it again"
        )));
    }
    let (commands, kept) = match row {
        Row::Preset(change) => {
            let policy = change.preset.to_string();
            let set = Command::Run(RunCommand::SetPolicy { policy });
            (vec![set], KeptRule::Preset(change.preset))
        }
        Row::Rule { .. } => {
            let (rule, text) = requested(menu)?;
            let seen = menu.now.decides.iter().map(|item| item.digest.clone()).collect();
            let mut commands = vec![Command::Run(RunCommand::AddRule { rule, seen })];
            if let (true, Some(item), 1..) = (start, &menu.waiting, menu.now.unread) {
                commands.push(Command::Call(CallCommand::Approve {
                    call: item.call,
                    rev: item.rev,
                    digest: item.digest.clone(),
                    unread: menu.now.unread,
                    shown: None,
                    word: None,
                }));
            }
            if text.is_none() && menu.scope != RuleScope::Session {
                return Err(Refusal::new(NO_TEXT));
            }
            let kept = KeptRule::Rule {
                text: text.unwrap_or_default().to_owned(),
                call: menu.call,
            };
            (commands, kept)
        }
    };
    let scope = menu.scope;
    if scope == RuleScope::Session {
        follow(model, commands, out);
        return Ok(());
    }
    if let Some(menu) = model.stack.top_mut::<RuleMenu>() {
        menu.then = commands;
    }
    out.push(Out::KeepRule(scope, kept));
    Ok(())
}

/// Why a rule cannot be kept in a file.
const NO_TEXT: &str = "This rule cannot be written to a file. Take it for this session";

/// The rule to add, and its text for a file.
fn requested(menu: &RuleMenu) -> Result<(RuleRequest, Option<&str>), Refusal> {
    let rule = menu.rule().ok_or_else(|| Refusal::not_selected("rule"))?;
    let text = rule.text.as_deref();
    if rule.about != About::Exactly {
        let text: Arc<str> = text.unwrap_or_default().into();
        return Ok((RuleRequest::Text { text }, rule.text.as_deref()));
    }
    let item = menu
        .waiting
        .as_ref()
        .ok_or_else(|| Refusal::not_selected("waiting call"))?;
    let exact = RuleRequest::Exact {
        call: item.call,
        rev: item.rev,
        digest: item.digest.clone(),
    };
    Ok((exact, text))
}

/// Sends the commands; the reply to the first one closes the menu.
fn follow(model: &mut Model, commands: Vec<Command>, out: &mut Vec<Out>) {
    let mut commands = commands.into_iter();
    let Some(first) = commands.next() else {
        return;
    };
    model.queue.leaving = model.queue.selected;
    if let Some(menu) = model.stack.top_mut::<RuleMenu>() {
        menu.sent = Some(first.clone());
    }
    send(model, first, None, out);
    out.extend(commands.map(Out::Command));
}

/// Handles the reply about a rule that outlasts the session: it is kept and the session takes it, too, or nothing changes.
pub(crate) fn kept(model: &mut Model, kept: Result<String, String>, out: &mut Vec<Out>) {
    let Some(menu) = model.stack.top_mut::<RuleMenu>() else {
        return;
    };
    let then = std::mem::take(&mut menu.then);
    match kept {
        Ok(place) => {
            model.set_status(format!("Kept in {place}"));
            follow(model, then, out);
        }
        Err(why) => model.complain(why),
    }
}

/// The text of the marked rule.
fn text(model: &Model) -> Result<&str, Refusal> {
    let (menu, _) = marked(model)?;
    let rule = menu.rule().ok_or_else(|| Refusal::new("A preset has no text"))?;
    rule.text
        .as_deref()
        .ok_or_else(|| Refusal::new("This rule has no text in the language of policies"))
}

/// Opens the text of the marked rule.
fn write(model: &mut Model) -> Result<(), Refusal> {
    let text: Arc<str> = text(model)?.into();
    let title = "a rule for the rest of the session (allow, ask or deny)".to_owned();
    let editor = Editor::prose(Purpose::Rule, title, &text);
    model.stack.pop();
    edits::open_text(model, editor);
    Ok(())
}
