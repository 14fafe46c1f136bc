//! Edits of the graph: which editor a node gets, and what its text becomes.
//!
//! Must not know: keys, how an editor is drawn.

use std::sync::Arc;

use super::decide::{send, subject};
use super::input::By;
use super::{branches, ledger, lists, offers, open, review, rules, stage};
use crate::console::commands::{EditVerb, Verb};
use crate::console::field::too_much;
use crate::console::model::Model;
use crate::console::model::double_press::What;
use crate::console::model::editor::{Editor, Purpose};
use crate::console::model::overlay::{Overlay, Page, PageContent, Whose};
use crate::console::msg::Out;
use crate::domain;
use crate::domain::advice::Cards;
use crate::domain::call::{Outcome, Status};
use crate::domain::command::{CallCommand, Command, Edit, EditCommand, InsertAfter, Resolution};
use crate::domain::effective_status;
use crate::domain::event::Event;
use crate::domain::graph;
use crate::domain::id::{NodeId, NodeKind, Rev, TurnId};
use crate::domain::lineage::{Plan, of_events, plan};
use crate::domain::node::{Content, Node};

/// Carries out a verb that changes the graph.
pub(super) fn edit(model: &mut Model, verb: EditVerb, by: By, at: u64, out: &mut Vec<Out>) {
    if model.settings.is_recorded() && Verb::Edit(verb).acts() {
        model.complain("Cannot change this run: it is recorded");
        return;
    }
    let done = match verb {
        EditVerb::Node => node(model, out),
        EditVerb::Replace => replace(model),
        EditVerb::Answer => answer(model, out),
        EditVerb::Observation => observation(model, out),
        EditVerb::Guide => {
            new_words(model, Purpose::Guide { after: None });
            Ok(())
        }
        EditVerb::Prompt => after(model).map(|after| new_words(model, Purpose::Guide { after })),
        EditVerb::Thought => insert_after(model).map(|after| new_words(model, Purpose::NewThought { after })),
        EditVerb::Call => after(model).map(|after| lists::tools_for_new(model, after)),
        EditVerb::Delete => delete(model),
        EditVerb::Unpin => unpin(model, out),
        EditVerb::Impact => impact(model),
        EditVerb::Commit => review::commit(model, by, at, out),
        EditVerb::Reason => review::reason(model),
        EditVerb::Stage => stage::collect(model, out),
        EditVerb::StagedEdits => stage::list(model),
        EditVerb::StagedPreview => stage::review(model),
        EditVerb::StagedOpen => stage::reopen(model, out),
        EditVerb::StagedRemove => stage::remove(model, out),
        EditVerb::StagedDrop => stage::drop_all(model, out),
        EditVerb::KeepLater => review::keep_later(model),
        EditVerb::Undo => branches::undo(model),
        EditVerb::Redo => branches::redo(model),
        EditVerb::AskTurn => branches::ask_turn(model),
        EditVerb::Branches => branches::list(model),
        EditVerb::BranchSwitch => branches::switch(model),
        EditVerb::BranchName => branches::name(model),
        EditVerb::BranchMark => branches::mark(model),
        EditVerb::BranchCompare => branches::compare(model),
        EditVerb::BranchCopy => branches::take(model),
        EditVerb::EffectsAll => {
            ledger::toggle(model);
            Ok(())
        }
        EditVerb::Revert => offers::take_back(model, out),
        EditVerb::Probe => offers::probe(model, out),
        EditVerb::CompareAll => {
            branches::compare_all(model);
            Ok(())
        }
    };
    if let Err(why) = done {
        model.complain(why);
    }
}

/// Opens an editor for a new text.
pub(super) fn new_words(model: &mut Model, purpose: Purpose) {
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
    open(model, Overlay::Editor(Box::new(editor)));
}

/// Opens guidance with a prepared text. The operator checks, changes and sends it.
pub(super) fn guide_with(model: &mut Model, words: &str) {
    new_words(model, Purpose::Guide { after: None });
    if let Some(Overlay::Editor(editor)) = model.overlays.last_mut() {
        editor.field.replace(words);
    }
}

/// The selected node, if it is active.
fn selected(model: &Model) -> Result<(NodeId, Rev), String> {
    let id = subject(model).ok_or("Nothing selected that can be edited")?;
    let node = model
        .run
        .state
        .node(id)
        .ok_or_else(|| format!("{id} does not exist"))?;
    if !node.active {
        let why = effective_status::replaced_words(&model.run.state, id);
        return Err(format!("{id} is superseded: {why}"));
    }
    Ok((id, node.rev()))
}

fn after(model: &Model) -> Result<Option<TurnId>, String> {
    let Some(id) = subject(model) else { return Ok(None) };
    let turn = model
        .run
        .state
        .turn_of(id)
        .ok_or_else(|| format!("{id} does not exist"))?;
    if turn.is_active() {
        Ok(Some(turn.id))
    } else {
        Err(format!(
            "{} is superseded or suspended. Choose an active turn",
            turn.id
        ))
    }
}

/// Where to insert a thought: after the selected node, or after its turn if it is only a record.
fn insert_after(model: &Model) -> Result<Option<InsertAfter>, String> {
    let Some(turn) = after(model)? else {
        return Ok(None);
    };
    let node = subject(model).map(NodeId::call).filter(|id| {
        let counts = model.run.state.node(*id).is_some_and(|node| node.active);
        counts && !matches!(id.kind, NodeKind::Repair | NodeKind::Intervention)
    });
    Ok(Some(node.map_or(InsertAfter::Turn(turn), InsertAfter::Node)))
}

/// Opens an editor, and suspends the descendants of its node.
pub(super) fn open_editor(model: &mut Model, editor: Editor, out: &mut Vec<Out>) {
    if let Some(node) = editor.holds() {
        out.push(Out::Command(Command::Edit(EditCommand::Hold { node })));
    }
    if let Some(long) = &editor.long {
        let ways = editor.ways_out(&model.settings.keymap);
        let why = too_much(long).unwrap_or_default();
        model.set_status(format!("{why}: {ways}"));
    }
    open(model, Overlay::Editor(Box::new(editor)));
}

fn node(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let editor = editor_on(model, id)?;
    let editor = stage::with_staged_text(model, editor);
    open_editor(model, editor, out);
    Ok(())
}

/// An editor on the current content of a node.
pub(super) fn editor_on(model: &Model, id: NodeId) -> Result<Editor, String> {
    let node = model.run.state.node(id).ok_or_else(|| format!("{id} is gone"))?;
    let base = node.rev();
    Ok(match (&node.now().content, id.kind) {
        (Content::Call { tool, args }, _) => {
            let purpose = Purpose::Call {
                node: id,
                base,
                tool: Arc::clone(tool),
            };
            let title = format!("arguments of {id} {base}");
            Editor::arguments(purpose, title, args, false, &model.run)
        }
        (Content::Text { text, .. }, NodeKind::Prompt | NodeKind::Thought | NodeKind::Answer) => {
            let title = format!("{} {id} {base}", id.kind.label());
            Editor::prose(Purpose::Words { node: id, base }, title, text)
        }
        (Content::Observation { outcome, .. }, _) => {
            let value = match outcome {
                Outcome::Ok { value, .. } => Arc::clone(value),
                _ => Arc::from(""),
            };
            let purpose = Purpose::Observation { node: id, base };
            Editor::value(purpose, format!("result {id} {base}"), &value)
        }
        _ => return Err(format!("Cannot edit {id}: it is a {}", id.kind.label())),
    })
}

fn observation(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let id = id.observation();
    let node = model.run.state.observation(id.call()).ok_or_else(|| {
        format!(
            "{} has no result yet. {} answers for it",
            id.call(),
            model.settings.keymap.first("answer")
        )
    })?;
    let id = node.id;
    let editor = editor_on(model, id)?;
    let editor = stage::with_staged_text(model, editor);
    open_editor(model, editor, out);
    Ok(())
}

fn answer(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let call = id.call();
    let rev = model
        .run
        .state
        .node(call)
        .map(crate::domain::node::Node::rev)
        .unwrap_or_default();
    let life = model
        .run
        .state
        .call(call)
        .ok_or("Only a call can be answered for")?;
    match life.status {
        Status::Succeeded | Status::Exited(_) | Status::Failed(_) => return observation(model, out),
        Status::OutcomeUnknown(_) => {
            return Err(format!(
                "Outcome of {call} unknown. {} in the queue resolves it first",
                model.settings.keymap.first("decide")
            ));
        }
        _ => {}
    }
    value_editor(model, Purpose::Answer { call, rev });
    Ok(())
}

/// Opens an editor for a new value.
pub(super) fn value_editor(model: &mut Model, purpose: Purpose) {
    let title = match &purpose {
        Purpose::Happened { call, .. } => format!("result of {call}"),
        Purpose::Answer { call, .. } => format!("answer for {call}; the tool does not run"),
        _ => "a value".to_owned(),
    };
    let editor = Editor::value(purpose, title, &Arc::from(""));
    open(model, Overlay::Editor(Box::new(editor)));
}

fn replace(model: &mut Model) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let node = id.call();
    let base = model
        .run
        .state
        .node(node)
        .filter(|node| node.as_call().is_some())
        .map(crate::domain::node::Node::rev)
        .ok_or("Only a call can be replaced")?;
    lists::tools_for(model, node, base);
    Ok(())
}

fn delete(model: &mut Model) -> Result<(), String> {
    let (node, base) = selected(model)?;
    review::edits(model, vec![Edit::Delete { node, base }], Whose::New);
    Ok(())
}

fn unpin(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let node = id.observation();
    if !model.run.state.node(node).is_some_and(|node| node.pinned) {
        return Err(format!("{node} is not pinned"));
    }
    let rev = model.run.state.node(node).map(Node::rev);
    send(model, Command::Call(CallCommand::Unpin { node, rev }), None, out);
    Ok(())
}

/// Finishes the text of the editor: sends it, or previews what it would do.
pub(super) fn finish(model: &mut Model, out: &mut Vec<Out>) {
    if matches!(model.overlays.last(), Some(Overlay::Editor(editor)) if editor.purpose == Purpose::Rule) {
        if let Err(why) = rules::finish(model) {
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

fn finish_edit(model: &mut Model, edit: Edit, item: Option<u64>, out: &mut Vec<Out>) {
    let is_guide = matches!(edit, Edit::InsertPrompt { after: None, .. }) && item.is_none();
    if is_guide
        && plan(&model.run.state, std::slice::from_ref(&edit)).is_ok_and(|plan| touches_nothing(&plan))
    {
        let command = EditCommand::Commit {
            edits: vec![edit],
            effects_seen: Some(0),
            reason: None,
            keep_later: false,
        };
        send_typed(model, Command::Edit(command), None, out);
        return;
    }
    review::edits(model, vec![edit], item.map_or(Whose::New, Whose::Item));
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
    let facts = domain::decide::command(state, &Cards(state), &command);
    // The run refuses an invalid command and says why.
    let touches = facts.is_ok_and(|facts| {
        let is_edit = facts.iter().any(|fact| matches!(fact, Event::Edit(_)));
        is_edit || !touches_nothing(&of_events(state, &facts))
    });
    if touches {
        return review::review_value(model, command, (call, value));
    }
    model.queue.leaving = model.queue.selected;
    send_typed(model, command, Some(call), out);
}

/// Sends the command of the topmost editor, which stays open until the run has replied.
fn send_typed(model: &mut Model, command: Command, call: Option<NodeId>, out: &mut Vec<Out>) {
    if let Some(Overlay::Editor(editor)) = model.overlays.last_mut() {
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
pub(super) fn typed_edit(model: &mut Model) -> Option<(Edit, Option<u64>)> {
    match typed(model)? {
        Typed::Edit(edit, item) => Some((edit, item)),
        Typed::Word { .. } => None,
    }
}

fn typed(model: &mut Model) -> Option<Typed> {
    let Some(Overlay::Editor(editor)) = model.overlays.last_mut() else {
        return None;
    };
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
    if let Some(edit) = editor.edit(text.clone(), false) {
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

/// Previews a change of the selected node, whatever the change is.
fn impact(model: &mut Model) -> Result<(), String> {
    let (id, base) = selected(model)?;
    let node = model.run.state.node(id).ok_or("The node is gone")?;
    let edit = match &node.now().content {
        // A blank changes the text, not the meaning: the plan then has all descendants.
        Content::Call { tool, args } => Edit::Call {
            node: id,
            base,
            tool: Arc::clone(tool),
            args: format!("{args} ").into(),
            shown: true,
        },
        Content::Text { text, .. } => Edit::Text {
            node: id,
            base,
            text: format!("{text} .").into(),
        },
        Content::Observation { outcome, .. } => Edit::Observation {
            node: id,
            base,
            value: match outcome {
                Outcome::Ok { value, .. } => format!("{value} ").into(),
                _ => "null".into(),
            },
        },
        Content::Deleted => return Err(format!("{id} was deleted")),
    };
    let title = format!("what a change of {id} would do");
    open(
        model,
        Overlay::Page(Page::new(title, PageContent::Impact(Box::new(edit)))),
    );
    Ok(())
}
