//! Edits of the graph: which editor a node gets, and what its text becomes.
//!
//! Must not know: keys, how an editor is drawn.

use std::sync::Arc;

use crate::ground::field::too_much;
use crate::kernel::decide::{send, subject};
use crate::kernel::model::Model;
use crate::kernel::model::double_press::What;
use crate::kernel::msg::Out;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::state::{EditBase, Editor, Purpose};
use crate::surfaces::review::{Whose, preview};
use crate::surfaces::rule;
use overrule_domain::advice::Cards;
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, InsertAfter, Resolution};
use overrule_domain::event::Event;
use overrule_domain::graph;
use overrule_domain::id::{NodeId, NodeKind, Rev, TurnId};
use overrule_domain::lineage::{Plan, of_events, plan};
use overrule_domain::node::Content;

/// Opens an editor, which records the state that it is based on.
pub(crate) fn open_text(model: &mut Model, mut editor: Editor) {
    editor.edit_base = EditBase::of(&model.run.state, &editor.purpose);
    model.stack.push(editor);
}

/// Opens an editor for a new text.
pub(crate) fn new_words(model: &mut Model, purpose: Purpose) {
    let state = &model.run.state;
    let title = match &purpose {
        Purpose::Guide { after: None } => "Guidance for the model, at the end of the run".to_owned(),
        Purpose::Guide { after: Some(turn) } => format!("Guidance for the model after {turn}"),
        Purpose::NewThought { after: None } => "New thought at the end".to_owned(),
        Purpose::NewThought {
            after: Some(InsertAfter::Node(id)),
        } if graph::cuts_turn_after(state, *id) => {
            format!("New thought after {id} (replaces what follows)")
        }
        Purpose::NewThought {
            after: Some(InsertAfter::Node(id)),
        } => {
            let turn = state
                .turn_of(*id)
                .map_or_else(|| id.to_string(), |turn| turn.id.to_string());
            format!("New thought after {turn}")
        }
        Purpose::NewThought {
            after: Some(InsertAfter::Turn(turn)),
        } => format!("New thought after {turn}"),
        _ => "New text".to_owned(),
    };
    let editor = Editor::prose(purpose, title, &Arc::from(""));
    open_text(model, editor);
}

/// Opens guidance with a prepared text. The operator checks, changes and sends it.
pub(crate) fn guide_with(model: &mut Model, words: &str) {
    new_words(model, Purpose::Guide { after: None });
    if let Some(editor) = model.stack.top_mut::<Editor>() {
        editor.put(words.to_owned());
    }
}

/// The selected node, if it is active.
pub(crate) fn selected(model: &Model) -> Result<(NodeId, Rev), Refusal> {
    let id = subject(model).ok_or_else(|| Refusal::not_selected("node"))?;
    let node = model.run.state.node(id).ok_or_else(|| Refusal::not_found(id))?;
    if !node.active {
        return Err(model.run.superseded(id));
    }
    Ok((id, node.rev()))
}

pub(crate) fn after(model: &Model) -> Result<Option<TurnId>, Refusal> {
    let Some(id) = subject(model) else { return Ok(None) };
    let turn = model
        .run
        .state
        .turn_of(id)
        .ok_or_else(|| Refusal::not_found(id))?;
    if turn.is_active() {
        Ok(Some(turn.id))
    } else {
        Err(Refusal::inactive(turn.id))
    }
}

/// Opens an editor, and suspends the descendants of its node.
pub(crate) fn open_editor(model: &mut Model, editor: Editor, out: &mut Vec<Out>) {
    if let Some(node) = editor.holds() {
        out.push(Out::Command(Command::Edit(EditCommand::Hold { node })));
    }
    if let Some(long) = &editor.long {
        let ways = editor.ways_out(&model.settings.keymap);
        let why = too_much(long).unwrap_or_default();
        model.set_status(format!("{why}: {ways}"));
    }
    open_text(model, editor);
}

/// An editor on the current content of a node.
pub(crate) fn editor_on(model: &Model, id: NodeId) -> Result<Editor, Refusal> {
    let node = model.run.state.node(id).ok_or_else(|| Refusal::not_found(id))?;
    let base = node.rev();
    Ok(match (&node.now().content, id.kind) {
        (Content::Call { tool, args }, _) => {
            let purpose = Purpose::Call {
                node: id,
                base,
                tool: Arc::clone(tool),
            };
            let title = title_of(id, base);
            Editor::arguments(purpose, title, args, false, &model.run)
        }
        (Content::Text { text, .. }, NodeKind::Prompt | NodeKind::Thought | NodeKind::Answer) => {
            let title = format!("{} ━ {}", title_of(id, base), id.kind.label());
            Editor::prose(Purpose::Words { node: id, base }, title, text)
        }
        (Content::Observation { outcome, .. }, _) => {
            let value = match outcome {
                Outcome::Ok { value, .. } => Arc::clone(value),
                _ => Arc::from(""),
            };
            let purpose = Purpose::Observation { node: id, base };
            let title = format!("{} ━ result", title_of(id, base));
            Editor::value(purpose, title, &value)
        }
        _ => {
            let kind = id.kind.label();
            return Err(Refusal::new(format!("Cannot edit {id}: it is a {kind}")));
        }
    })
}

/// The title of an edit. A first revision is not named.
pub(crate) fn title_of(id: NodeId, base: Rev) -> String {
    match base {
        Rev(0 | 1) => format!("edit {id}"),
        Rev(more) => format!("edit {id} revision {more}"),
    }
}

/// Opens an editor for a new value.
pub(crate) fn value_editor(model: &mut Model, purpose: Purpose) {
    let title = match &purpose {
        Purpose::Happened { call, .. } => format!("result of {call}"),
        Purpose::Answer { call, .. } => format!("answer for {call}; the tool does not run"),
        _ => "a value".to_owned(),
    };
    let editor = Editor::value(purpose, title, &Arc::from(""));
    open_text(model, editor);
}

/// Finishes the text of the editor: sends it, or previews what it would do.
pub(crate) fn finish(model: &mut Model, out: &mut Vec<Out>) {
    let editor = model.stack.top::<Editor>();
    if editor.is_some_and(|editor| editor.purpose == Purpose::Rule) {
        if let Err(why) = rule::finish(model) {
            model.complain(why);
        }
        return;
    }
    match typed(model) {
        Some(Typed::Edit(edit, item)) => finish_edit(model, edit, item, out),
        Some(Typed::Word { call, value, command }) => send_or_review(model, (call, &value), command, out),
        None => {}
    }
}

/// Sends a prompt at the end of the run, and returns the command. Previews it first if it affects other nodes; then none.
pub(crate) fn send_prompt(model: &mut Model, text: Arc<str>, out: &mut Vec<Out>) -> Option<Command> {
    let edit = Edit::InsertPrompt { after: None, text };
    let Some(command) = at_the_end(model, &edit) else {
        preview::edits(model, vec![edit], Whose::New);
        return None;
    };
    send(model, command.clone(), None, out);
    Some(command)
}

/// The commit of guidance at the end of the run, if it affects nothing else.
fn at_the_end(model: &Model, edit: &Edit) -> Option<Command> {
    let is_guide = matches!(edit, Edit::InsertPrompt { after: None, .. });
    let plan = plan(&model.run.state, std::slice::from_ref(edit));
    let command = EditCommand::Commit {
        edits: vec![edit.clone()],
        effects_seen: Some(0),
        reason: None,
        keep_later: false,
    };
    (is_guide && plan.is_ok_and(|plan| touches_nothing(&plan))).then_some(Command::Edit(command))
}

fn finish_edit(model: &mut Model, edit: Edit, item: Option<u64>, out: &mut Vec<Out>) {
    if let Some(command) = at_the_end(model, &edit).filter(|_| item.is_none()) {
        send_typed(model, command, None, out);
        return;
    }
    preview::edits(model, vec![edit], item.map_or(Whose::New, Whose::Item));
}

/// Sends the value that was typed for a call. Previews it first if it is an edit by now or affects
/// other nodes: the call may have been decided meanwhile.
fn send_or_review(
    model: &mut Model,
    (call, value): (NodeId, &Arc<str>),
    command: CallCommand,
    out: &mut Vec<Out>,
) {
    let state = &model.run.state;
    let command = Command::Call(command);
    let facts = overrule_domain::decide::command(state, &Cards(state), &command);
    // The run refuses an invalid command and says why.
    let touches = facts.is_ok_and(|facts| {
        let is_edit = facts.iter().any(|fact| matches!(fact, Event::Edit(_)));
        is_edit || !touches_nothing(&of_events(state, &facts))
    });
    if touches {
        return preview::value(model, command, (call, value));
    }
    model.queue.leaving = model.queue.selected;
    send_typed(model, command, Some(call), out);
}

/// Sends the command of the topmost editor, which stays open until the run has replied.
fn send_typed(model: &mut Model, command: Command, call: Option<NodeId>, out: &mut Vec<Out>) {
    if let Some(editor) = model.stack.top_mut::<Editor>() {
        editor.sent = true;
    }
    send(model, command, call, out);
}

/// What a finished text becomes.
enum Typed {
    /// An edit of the graph, and the staged edit that it continues.
    Edit(Edit, Option<u64>),
    /// A result that the operator gives for a call.
    Word {
        call: NodeId,
        value: Arc<str>,
        command: CallCommand,
    },
}

/// The edit of the topmost editor, and the staged edit that it continues. `None` if the text is no
/// edit, or is unfinished: then the status line says why.
pub(crate) fn typed_edit(model: &mut Model) -> Option<(Edit, Option<u64>)> {
    match typed(model)? {
        Typed::Edit(edit, item) => Some((edit, item)),
        Typed::Word { .. } => None,
    }
}

fn typed(model: &mut Model) -> Option<Typed> {
    let editor = model.stack.top_mut::<Editor>()?;
    if editor.sent {
        return None;
    }
    editor.check();
    let is_call = matches!(editor.purpose, Purpose::Call { .. } | Purpose::NewCall { .. });
    let text = match editor.result() {
        Ok(text) => text,
        Err(why) => {
            model.complain(why);
            return None;
        }
    };
    if is_call && let Some(fault) = editor.faults.first() {
        let words = format!("{} {}", fault.path, fault.message);
        model.complain(format!("The arguments are invalid: {}", words.trim()));
        return None;
    }
    if editor.is_unchanged() && !editor.is_new {
        let key = model.settings.keymap.first("discard");
        model.complain(format!("Nothing changed. {key} closes"));
        return None;
    }
    if !editor.purpose.is_value() && text.trim().is_empty() {
        model.complain("The text is empty");
        return None;
    }
    if let Some(edit) = editor.edit(&model.run.state, text.clone(), false) {
        return Some(Typed::Edit(edit, editor.item));
    }
    // Usually no preview follows: a second press confirms the empty result.
    let nothing = editor.field.is_empty() && editor.long.is_none();
    if nothing && !model.double_press.is_again(What::Empty, model.arming.now) {
        model.double_press.remember(What::Empty, model.arming.now);
        let key = model.settings.keymap.first("done");
        model.complain(format!("The result is empty. {key} again sends it"));
        return None;
    }
    let (call, command) = match &editor.purpose {
        Purpose::Answer { call, rev } => {
            let (call, rev) = (*call, *rev);
            let value = Arc::clone(&text);
            (call, CallCommand::Answer { call, rev, value })
        }
        Purpose::Happened { call, attempt } => {
            let (call, attempt) = (*call, *attempt);
            let value = Arc::clone(&text);
            let what = Resolution::Happened { value };
            (call, CallCommand::Resolve { call, attempt, what })
        }
        _ => return None,
    };
    let value = text;
    Some(Typed::Word { call, value, command })
}

fn touches_nothing(plan: &Plan) -> bool {
    plan.superseded.is_empty()
        && plan.turns.is_empty()
        && plan.held.is_empty()
        && plan.possible.is_empty()
        && plan.cancelled.is_empty()
        && plan.effects.is_empty()
}
