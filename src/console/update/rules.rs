//! Session rules: written from a call, previewed, accepted by a second key, listed, removed.
//!
//! Must not know: keys, the language of rules.

use std::path::Path;
use std::sync::Arc;

use super::bulk::unread;
use super::decide::{armed, can_decide, go_to_queue, question, send, subject};
use super::input::By;
use super::open;
use crate::console::doc::Doc;
use crate::console::json;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::double_press::What;
use crate::console::model::editor::{Editor, Purpose};
use crate::console::model::inspector::Tab;
use crate::console::model::listing::{Item, Kind, Listing};
use crate::console::model::overlay::{Overlay, RuleView};
use crate::console::model::screen::Pane;
use crate::console::msg::Out;
use crate::domain::call::Status;
use crate::domain::command::{Command, RunCommand};
use crate::domain::effective_status::EffectiveStatus;
use crate::domain::id::{NodeId, NodeKind};
use crate::domain::rule::RuleRequest;
use crate::policy::backtest::{read, would};

fn live(model: &Model) -> Result<(), String> {
    if model.settings.is_recorded() {
        return Err("Cannot decide: this run is recorded".to_owned());
    }
    Ok(())
}

/// The call that a rule is to be written from.
fn call(model: &Model) -> Option<NodeId> {
    subject(model)
        .map(NodeId::call)
        .filter(|id| id.kind == NodeKind::Call)
}

/// Previews the rule that always approves exactly the selected call.
pub(super) fn always(model: &mut Model, by: By, at: u64) -> Result<(), String> {
    live(model)?;
    let id = call(model).ok_or("No call selected")?;
    if EffectiveStatus::of(&model.run.state, id) != Some(EffectiveStatus::Active(&Status::AwaitingApproval)) {
        return Err(format!(
            "{id} does not await approval: \"always\" needs a call that does"
        ));
    }
    if model.screen.lead == Pane::Graph || model.inspector.tab != Tab::Arguments {
        can_decide(model)?;
        go_to_queue(model, id);
        let key = model.settings.keymap.first("always");
        return Err(format!("Now on {id}. Press {key} again"));
    }
    let question = question(model).ok_or("No call selected")?;
    let Question::Call {
        call,
        rev,
        digest: Some(digest),
        ..
    } = question.clone()
    else {
        return Err(format!("{id} is not ready yet"));
    };
    // A rule that would be refused is not even shown.
    let requested = RuleRequest::Exact { call, rev, digest };
    would(&model.run.state, &requested)?;
    let shown = armed(model, &question, by, at)?;
    if !shown.read.misses(shown.rows).is_empty() {
        let key = model.settings.keymap.first("page-down");
        return Err(format!("Not all of it was on screen yet. {key} shows more"));
    }
    show(model, requested);
    Ok(())
}

/// Opens an editor on a rule that starts from the selected call.
pub(super) fn write(model: &mut Model) -> Result<(), String> {
    live(model)?;
    let Some(allow) = call(model).and_then(|id| begun(model, id)) else {
        return Err(no_call(model));
    };
    let active = |gate: &str| {
        let text: Arc<str> = format!("{allow}\ngate = \"{gate}\"").into();
        read(&model.run.state, &RuleRequest::Text { text: text.clone() }).map(|_| text)
    };
    // Starts with the widest valid gate, and says why it is not `allow`.
    let (text, why) = match active("allow") {
        Ok(text) => (text, None),
        Err(why) => (active("ask").unwrap_or_else(|_| allow.as_str().into()), Some(why)),
    };
    let title = "a rule for the rest of the session (allow, ask or deny)".to_owned();
    let editor = Editor::prose(Purpose::Rule, title, &text);
    open(model, Overlay::Editor(Box::new(editor)));
    if let Some(why) = why {
        model.set_status(format!("Starts with \"ask\", not with \"allow\": {why}"));
    }
    Ok(())
}

/// Says that a rule starts from a call, and how to select one.
fn no_call(model: &Model) -> String {
    let here = match subject(model) {
        Some(id) => format!("{id} is not a call"),
        None => "No call selected".to_owned(),
    };
    let key = |name| model.settings.keymap.first(name);
    let (next, write) = (key("next-pending"), key("write-rule"));
    let way = if model.queue.waiting() > 0 {
        format!("{next} goes to the next one that waits, then {write} again")
    } else {
        format!("put the cursor on one in the graph, then {write} again")
    };
    format!("{here}, and a rule starts with one: {way}")
}

/// The conditions for calls like this one: its tool, and the directory of its path if it has one.
fn begun(model: &Model, id: NodeId) -> Option<String> {
    let (tool, _) = model.run.state.node(id)?.as_call()?;
    let args = model.run.shown_args(id)?;
    let tool = json::string(tool);
    let path = json::members(&args)
        .into_iter()
        .find(|(name, _)| name == "path")
        .and_then(|(_, value)| json::as_text(value));
    let under = path.map(|path| {
        let parent = Path::new(&path)
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default();
        let parent = parent.to_string_lossy();
        let parent = if parent.is_empty() { "." } else { &*parent };
        format!(
            "\nargs = [{{ at = \"/path\", under = {} }}]",
            json::string(parent)
        )
    });
    Some(format!("tool = {tool}{}", under.unwrap_or_default()))
}

/// Finishes the rule of the editor: previews what it would have decided.
pub(super) fn finish(model: &mut Model) -> Result<(), String> {
    let Some(Overlay::Editor(editor)) = model.overlays.last() else {
        return Ok(());
    };
    let text = editor.result()?;
    let requested = RuleRequest::Text { text };
    would(&model.run.state, &requested)?;
    show(model, requested);
    Ok(())
}

fn show(model: &mut Model, requested: RuleRequest) {
    let view = RuleView {
        would: would(&model.run.state, &requested),
        rule: requested,
        sent: None,
        unread: Vec::new(),
        doc: Doc::default(),
        top: 0,
        stamp: 0,
        made: None,
    };
    open(model, Overlay::Rule(Box::new(view)));
}

/// Accepts the rule that is shown, if all of it was on screen for long enough.
pub(super) fn accept(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let Some(Overlay::Rule(view)) = model.overlays.last() else {
        return Err("No rule is shown".to_owned());
    };
    let seen = view.would.as_ref().map_err(Clone::clone)?.seen();
    let rule = view.rule.clone();
    let shown = armed(model, &Question::Bulk { stamp: view.stamp }, by, at)?;
    if let Some(why) = unread(shown) {
        return Err(why);
    }
    model.queue.leaving = model.queue.selected;
    let command = Command::Run(RunCommand::AddRule { rule, seen });
    if let Some(Overlay::Rule(view)) = model.overlays.last_mut() {
        view.sent = Some(command.clone());
    }
    send(model, command, None, out);
    Ok(())
}

/// Lists the rules of the session.
pub(super) fn list(model: &mut Model) -> Result<(), String> {
    if model.run.state.rules.is_empty() {
        let key = model.settings.keymap.first("write-rule");
        return Err(format!("No rules in this session. {key} writes one"));
    }
    let kind = Kind::Rules;
    open(model, Overlay::Listing(Box::new(Listing::new(kind))));
    Ok(())
}

/// Removes the rule under the cursor on the second press.
pub(super) fn drop_rule(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    live(model)?;
    let key = model.settings.keymap.first("drop-rule");
    let Some(Overlay::Listing(list)) = model.overlays.last() else {
        return Err("The list of rules is not open".to_owned());
    };
    let (Some(Item::Rule(no)), Kind::Rules) = (list.selected, &list.kind) else {
        return Err("No rule selected".to_owned());
    };
    if !model.confirm_press(What::DropRule(no)) {
        return Err(format!("{key} again removes rule {no}"));
    }
    send(model, Command::Run(RunCommand::DropRule { no }), None, out);
    Ok(())
}
