//! Edits of the graph: which editor a node gets, the preview of what an edit does, its commit.
//!
//! Must not know: keys, how an editor is drawn.

use std::sync::Arc;

use super::decide::{armed, send, subject};
use super::input::By;
use super::{lists, open};
use crate::console::commands::EditVerb;
use crate::console::doc::Doc;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::editor::{Editor, Purpose};
use crate::console::model::overlay::{Overlay, Review};
use crate::console::msg::Out;
use crate::console::tabs::words;
use crate::console::{diff, summary};
use crate::domain::branch;
use crate::domain::call::{Outcome, Status};
use crate::domain::command::{CallCommand, Command, Edit, EditCommand, Resolution};
use crate::domain::id::{Epoch, NodeId, NodeKind, Rev, TurnId};
use crate::domain::lineage::{Plan, plan};
use crate::domain::node::Content;
use crate::domain::state::State;

/// Carries out a verb that changes the graph.
pub(super) fn edit(model: &mut Model, verb: EditVerb, at: u64, out: &mut Vec<Out>) {
    if model.settings.read_only {
        model.complain("this is a recorded run: nothing can be changed in it");
        return;
    }
    let done = match verb {
        EditVerb::Node => node(model, out),
        EditVerb::Replace => replace(model),
        EditVerb::Answer => answer(model, out),
        EditVerb::Observation => observation(model, out),
        EditVerb::Guide => {
            let title = "guidance for the model, at the end of the run".to_owned();
            let editor = Editor::words(Purpose::Guide, title, &Arc::from(""));
            open(model, Overlay::Editor(Box::new(editor)));
            Ok(())
        }
        EditVerb::Thought => after(model).map(|after| {
            let title = format!("a thought after {}", place(after));
            let editor = Editor::words(Purpose::NewThought { after }, title, &Arc::from(""));
            open(model, Overlay::Editor(Box::new(editor)));
        }),
        EditVerb::Call => after(model).map(|after| lists::tools_for_new(model, after)),
        EditVerb::Delete => delete(model),
        EditVerb::Unpin => unpin(model, out),
        EditVerb::Commit => commit(model, at, out),
    };
    if let Err(why) = done {
        model.complain(why);
    }
}

fn place(after: Option<TurnId>) -> String {
    after.map_or("everything".to_owned(), |turn| turn.to_string())
}

/// The selected node, if it counts.
fn selected(model: &Model) -> Result<(NodeId, Rev), String> {
    let id = subject(model).ok_or("nothing is selected that can be edited")?;
    let node = model
        .run
        .state
        .node(id)
        .ok_or_else(|| format!("{id} is not there"))?;
    if !node.active {
        return Err(format!("{id} is history: an edit replaced it"));
    }
    Ok((id, node.rev()))
}

fn after(model: &Model) -> Result<Option<TurnId>, String> {
    let Some(id) = subject(model) else { return Ok(None) };
    let turn = model
        .run
        .state
        .turn_of(id)
        .ok_or_else(|| format!("{id} is not there"))?;
    if turn.is_active() {
        Ok(Some(turn.id))
    } else {
        Err(format!(
            "{} is history or held: choose a turn that counts",
            turn.id
        ))
    }
}

/// Opens an editor, and holds what depends on its node.
pub(super) fn open_editor(model: &mut Model, editor: Editor, out: &mut Vec<Out>) {
    if let Some(node) = editor.holds() {
        out.push(Out::Command(Command::Edit(EditCommand::Hold { node })));
    }
    if editor.long.is_some() {
        let key = model.settings.keymap.first("external");
        model.say(format!("too long for the editor here: {key} opens it in $EDITOR"));
    }
    open(model, Overlay::Editor(Box::new(editor)));
}

fn node(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, base) = selected(model)?;
    let node = model.run.state.node(id).ok_or("it is gone")?;
    let editor = match (&node.now().content, id.kind) {
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
            let title = format!("{} {id} {base}", id.kind.word());
            Editor::words(Purpose::Words { node: id, base }, title, text)
        }
        (Content::Observation { .. }, _) => return observation(model, out),
        _ => return Err(format!("{id} is a {}: it cannot be edited", id.kind.word())),
    };
    open_editor(model, editor, out);
    Ok(())
}

fn observation(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let id = id.observation();
    let node = model.run.state.observation(id.call()).ok_or_else(|| {
        format!(
            "{} has no result yet; {} answers for it",
            id.call(),
            model.settings.keymap.first("answer")
        )
    })?;
    let value = match node.outcome() {
        Some(Outcome::Ok { value, .. }) => Arc::clone(value),
        _ => Arc::from(""),
    };
    let base = node.rev();
    let purpose = Purpose::Observation { node: id, base };
    let editor = Editor::value(purpose, format!("result {id} {base}"), &value);
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
        .ok_or("only a call can be answered for")?;
    match life.status {
        Status::Succeeded | Status::Failed(_) => return observation(model, out),
        Status::InDoubt(_) => {
            return Err(format!(
                "say first whether {call} happened: {} in the queue",
                model.settings.keymap.first("decide")
            ));
        }
        _ => {}
    }
    value_editor(model, Purpose::Answer { call, rev });
    Ok(())
}

/// Opens an editor on a value that does not exist yet.
pub(super) fn value_editor(model: &mut Model, purpose: Purpose) {
    let title = match &purpose {
        Purpose::Happened { call } => format!("what {call} gave"),
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
        .ok_or("only a call can be replaced")?;
    lists::tools_for(model, node, base);
    Ok(())
}

fn delete(model: &mut Model) -> Result<(), String> {
    let (node, base) = selected(model)?;
    review(model, vec![Edit::Delete { node, base }]);
    Ok(())
}

fn unpin(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (id, _) = selected(model)?;
    let node = id.observation();
    if !model.run.state.node(node).is_some_and(|node| node.pinned) {
        return Err(format!("{node} is not pinned"));
    }
    send(model, Command::Call(CallCommand::Unpin { node }), None, out);
    Ok(())
}

/// The editor's text is finished: sends it, or shows first what it would do.
pub(super) fn finish(model: &mut Model, out: &mut Vec<Out>) {
    let Some(Overlay::Editor(editor)) = model.overlays.last_mut() else {
        return;
    };
    if editor.sent {
        return;
    }
    editor.check();
    let is_call = matches!(editor.purpose, Purpose::Call { .. } | Purpose::NewCall { .. });
    let text = match editor.result() {
        Ok(text) => text,
        Err(why) => return model.complain(why),
    };
    if is_call && let Some(fault) = editor.faults.first() {
        let words = format!("{} {}", fault.path, fault.message);
        return model.complain(format!("the arguments do not fit yet: {}", words.trim()));
    }
    if editor.is_unchanged() && !editor.is_new {
        let key = model.settings.keymap.first("give-up");
        return model.complain(format!("nothing was changed; {key} closes"));
    }
    if !editor.purpose.is_value() && text.trim().is_empty() {
        return model.complain("there are no words in it");
    }
    match &editor.purpose {
        Purpose::Answer { call, rev } => {
            let (call, rev) = (*call, *rev);
            editor.sent = true;
            model.queue.leaving = model.queue.selected;
            let command = CallCommand::Answer {
                call,
                rev,
                value: text,
            };
            send(model, Command::Call(command), Some(call), out);
        }
        Purpose::Happened { call } => {
            let call = *call;
            editor.sent = true;
            model.queue.leaving = model.queue.selected;
            let what = Resolution::Happened { value: text };
            send(
                model,
                Command::Call(CallCommand::Resolve { call, what }),
                Some(call),
                out,
            );
        }
        _ => {
            let Some(edit) = editor.edit(text, false) else {
                return;
            };
            let is_guide = editor.purpose == Purpose::Guide;
            if is_guide
                && plan(&model.run.state, std::slice::from_ref(&edit))
                    .is_ok_and(|plan| touches_nothing(&plan))
            {
                if let Some(Overlay::Editor(editor)) = model.overlays.last_mut() {
                    editor.sent = true;
                }
                let command = EditCommand::Commit {
                    edits: vec![edit],
                    effects_seen: Some(0),
                    reason: None,
                    keep_later: false,
                };
                send(model, Command::Edit(command), None, out);
                return;
            }
            review(model, vec![edit]);
        }
    }
}

fn touches_nothing(plan: &Plan) -> bool {
    plan.superseded.is_empty()
        && plan.turns.is_empty()
        && plan.possible.is_empty()
        && plan.cancelled.is_empty()
        && plan.effects.is_empty()
}

/// Shows what edits would do.
///
/// The plan is made as if the whole change had been read; a commit before that asks once more.
pub(super) fn review(model: &mut Model, mut edits: Vec<Edit>) {
    for edit in &mut edits {
        if let Edit::Call { shown, .. } = edit {
            *shown = true;
        }
    }
    let diff = edits
        .first()
        .map(|edit| difference(model, edit))
        .unwrap_or_default();
    open(
        model,
        Overlay::Review(Box::new(Review {
            edits,
            plan: Ok(Plan::default()),
            diff,
            doc: Doc::default(),
            diff_at: 0,
            top: 0,
            stamp: 0,
            made: None,
        })),
    );
}

fn difference(model: &Model, edit: &Edit) -> Vec<diff::Line> {
    let state = &model.run.state;
    let old = |id: NodeId| {
        state
            .node(id)
            .map(|node| words(&node.now().content))
            .unwrap_or_default()
    };
    let (old, new) = match edit {
        Edit::Call { node, tool, args, .. } => (
            old(*node),
            format!("{tool}\n{}", crate::console::json::pretty(args)),
        ),
        Edit::Text { node, text, .. } => (old(*node), text.to_string()),
        Edit::Observation { node, value, .. } => {
            (old(*node), crate::console::doc::readable(value).to_string())
        }
        Edit::InsertPrompt { text, .. } | Edit::InsertThought { text, .. } => {
            (String::new(), text.to_string())
        }
        Edit::InsertCall { tool, args, .. } => (
            String::new(),
            format!("{tool}\n{}", crate::console::json::pretty(args)),
        ),
        Edit::RejectAnswer { node, reason } => (summary::call(state, *node), reason.to_string()),
        Edit::Take { node, from } => (old(node.observation()), taken(state, *node, *from)),
        Edit::Delete { node, .. } => (old(*node), String::new()),
    };
    diff::lines(&old, &new)
}

/// What a node says at the end of another branch.
fn taken(state: &State, node: NodeId, from: Epoch) -> String {
    let line = branch::line(state, from);
    let id = node.observation();
    branch::counted(state, id, &line)
        .and_then(|rev| state.node(id)?.revision(rev))
        .map(|revision| words(&revision.content))
        .unwrap_or_default()
}

fn commit(model: &mut Model, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let Some(Overlay::Review(review)) = model.overlays.last() else {
        return Ok(());
    };
    let plan = review.plan.as_ref().map_err(|refusal| refusal.message.clone())?;
    let effects_seen = Some(plan.effects.len());
    let question = Question::Review { stamp: review.stamp };
    let shown = armed(model, &question, By::Key, at)?;
    let all = shown.read.misses(shown.rows).is_empty();
    let Some(Overlay::Review(review)) = model.overlays.last() else {
        return Ok(());
    };
    let mut edits = review.edits.clone();
    for edit in &mut edits {
        if let Edit::Call { shown, .. } = edit {
            *shown = all;
        }
    }
    let target = edits.first().and_then(target);
    if model.run.committing {
        return Err("already sent: wait for the answer of the run".to_owned());
    }
    model.run.committing = true;
    model.queue.leaving = model.queue.selected;
    let command = EditCommand::Commit {
        edits,
        effects_seen,
        reason: None,
        keep_later: false,
    };
    send(model, Command::Edit(command), target, out);
    Ok(())
}

fn target(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::Call { node, .. } => Some(*node),
        _ => None,
    }
}
