//! Writes a rule of the session from the selected call, and accepts it.
//!
//! Must not know: how a rule is evaluated.

use std::path::Path;
use std::sync::Arc;

use crate::ground::json;
use crate::kernel::availability::{decision, offered, unless_refused};
use crate::kernel::context::{PANES, on};
use crate::kernel::decide::{send, subject};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::seen::list_read;
use crate::kernel::selection::{active_kind, call};
use crate::kernel::verb::{About, Care, Effect, Rank, Verb};
use crate::run::refusal::Refusal;
use crate::surfaces::editor::edits;
use crate::surfaces::editor::state::{Editor, Purpose};
use crate::surfaces::rule::RuleView;
use overrule_domain::command::{Command, RunCommand};
use overrule_domain::id::{NodeId, NodeKind};
use overrule_domain::rule::RuleRequest;
use overrule_policy::backtest::{Would, read};

/// The verb `write-rule`.
pub const WRITE_RULE: Verb = Verb {
    name: "write-rule",
    keys: &["+"],
    contexts: PANES,
    doc: "write a rule for the session from the selected call: allow, ask or deny; counts its past matches first",
    hint: "rule for such calls",
    rank: |_| Rank::Last,
    about: About::Node,
    effect: Effect::Records,
    decides: true,
    care: Care::Careful,
    available: |model| {
        offered(matches!(
            active_kind(model),
            Some(NodeKind::Call | NodeKind::Observation)
        ))
    },
    run: |model, _| write(model),
    ..Verb::BASE
};

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

/// Opens an editor on a rule that starts from the selected call.
fn write(model: &mut Model) -> Result<(), Refusal> {
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
    edits::open_text(model, editor);
    if let Some(why) = why {
        model.set_status(format!("Starts with \"ask\", not with \"allow\": {why}"));
    }
    Ok(())
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
