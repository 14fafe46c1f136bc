//! Stages edits to commit together: adds, lists, reopens and removes them.
//!
//! Must not know: keys, how the list is drawn.
//!
//! The run does not change before the commit, but calls that the edits affect are suspended.

use std::sync::Arc;

use super::{edits, lists, open, prompts, review as preview};
use crate::console::halted;
use crate::console::model::Model;
use crate::console::model::double_press::What;
use crate::console::model::editor::{Editor, Purpose};
use crate::console::model::listing::{Item, Kind, Listing};
use crate::console::model::overlay::{LinePurpose, Overlay, Whose};
use crate::console::model::staged_edits::{moved, node_of, rebased};
use crate::console::msg::Out;
use crate::domain::command::{Command, Edit, EditCommand};
use crate::domain::id::NodeId;
use crate::domain::state::Mode;
use crate::domain::thread;

/// Stages the edit of the topmost editor or preview.
pub(super) fn collect(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (edits, item) = match model.overlays.last() {
        Some(Overlay::Editor(editor)) if editor.is_no_edit() => {
            return Err("Cannot stage: this is not an edit of the graph".to_owned());
        }
        Some(Overlay::Editor(_)) => match edits::typed_edit(model) {
            Some((edit, item)) => (vec![edit], item),
            None => return Ok(()),
        },
        Some(Overlay::Review(_)) if model.run.committing => {
            return Err("Already sent, waiting for a reply".to_owned());
        }
        Some(Overlay::Review(review)) => match review.whose {
            Whose::AllStaged => {
                let key = model.settings.keymap.first("commit-edit");
                return Err(format!("Already staged. {key} commits them"));
            }
            Whose::New => (review.edits().to_vec(), None),
            Whose::Item(no) => (review.edits().to_vec(), Some(no)),
        },
        _ => return Ok(()),
    };
    if edits.is_empty() {
        return Err("Cannot stage: this is not an edit".to_owned());
    }
    let mut again = false;
    for edit in edits {
        if let Some(node) = node_of(&edit) {
            hold(node, out);
        }
        again |= model.staged_edits.add(edit, item);
    }
    if matches!(model.overlays.last(), Some(Overlay::Review(_))) {
        model.overlays.pop();
    }
    if matches!(model.overlays.last(), Some(Overlay::Editor(_))) {
        model.overlays.pop();
    }
    let key = model.settings.keymap.first("staged-edits");
    let how = if again { ", replacing the one before" } else { "" };
    let edits = model.staged_edits.len();
    model.set_status(format!("{}{how}. {key} lists {}", count(edits), them(edits)));
    Ok(())
}

const fn them(edits: usize) -> &'static str {
    if edits == 1 { "it" } else { "them" }
}

/// The number of staged edits, as text.
pub fn count(edits: usize) -> String {
    match edits {
        1 => "1 edit staged".to_owned(),
        count => format!("{count} edits staged"),
    }
}

fn hold(node: NodeId, out: &mut Vec<Out>) {
    out.push(Out::Command(Command::Edit(EditCommand::Hold { node })));
}

/// Releases a node after its editor closed or its staged edit was removed. A node that another
/// staged edit holds stays suspended.
pub(super) fn release(model: &Model, node: NodeId, out: &mut Vec<Out>) {
    if !model.staged_edits.nodes(&model.run.state).contains(&node) {
        let node = Some(node);
        out.push(Out::Command(Command::Edit(EditCommand::Release { node })));
    }
}

/// Restores the holds of open editors and staged edits after a commit or a refused one. Most
/// holds still exist. Nodes that the commit made active again have none.
pub(super) fn hold_again(model: &Model, out: &mut Vec<Out>) {
    let state = &model.run.state;
    // The preview being committed closes with the reply: its holds would never be released.
    let (sent, going): (Option<usize>, Vec<NodeId>) = match model.overlays.as_slice() {
        [.., Overlay::Review(review)] if model.run.committing => (
            model.overlays.len().checked_sub(2),
            review.edits().iter().filter_map(node_of).collect(),
        ),
        _ => (None, Vec::new()),
    };
    let others = model
        .overlays
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != sent);
    let open = others.filter_map(|(_, overlay)| match overlay {
        Overlay::Editor(editor) if !editor.sent => editor.holds(),
        _ => None,
    });
    let counts = |id: &NodeId| state.node(*id).is_some_and(|node| node.active);
    let mut nodes = model.staged_edits.nodes(state);
    nodes.retain(|node| !going.contains(node));
    nodes.extend(open.filter(counts));
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        hold(node, out);
    }
}

/// Opens the list of staged edits.
pub(super) fn list(model: &mut Model) -> Result<(), String> {
    some(model)?;
    let kind = Kind::StagedEdits;
    open(model, Overlay::Listing(Box::new(Listing::new(kind))));
    Ok(())
}

fn some(model: &Model) -> Result<(), String> {
    if model.staged_edits.is_empty() {
        return Err(format!(
            "No staged edits. {} in an editor stages one",
            model.settings.keymap.first("stage")
        ));
    }
    Ok(())
}

/// Previews all staged edits together.
pub(super) fn review(model: &mut Model) -> Result<(), String> {
    some(model)?;
    let edits = model.staged_edits.edits();
    preview::edits(model, edits, Whose::AllStaged);
    Ok(())
}

fn selected(model: &Model) -> Result<(u64, Edit), String> {
    let Some(Overlay::Listing(list)) = model.overlays.last() else {
        return Err("The list of staged edits is not open".to_owned());
    };
    let no = match list.selected {
        Some(Item::Edit(no)) => Some(no),
        _ => None,
    };
    no.and_then(|no| model.staged_edits.get(no))
        .map(|item| (item.no, item.edit.clone()))
        .ok_or_else(|| "No edit selected".to_owned())
}

/// Removes the selected edit.
pub(super) fn remove(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (no, edit) = selected(model)?;
    model.staged_edits.remove(no);
    let mut runs = String::new();
    if let Some(node) = node_of(&edit) {
        if !model.staged_edits.nodes(&model.run.state).contains(&node) {
            runs = and_run(model, Some(node), "now");
        }
        release(model, node, out);
    }
    if model.staged_edits.is_empty() {
        model.overlays.pop();
    }
    model.set_status(format!("Removed{runs}. {}", count(model.staged_edits.len())));
    Ok(())
}

/// Drops all staged edits on the second press.
pub(super) fn drop_all(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    some(model)?;
    let key = model.settings.keymap.first("staged-drop");
    let count = model.staged_edits.len();
    let would = and_run(model, None, "then");
    if !matches!(model.overlays.last(), Some(Overlay::Listing(list)) if list.kind == Kind::StagedEdits) {
        return Ok(());
    }
    if !model.confirm_press(What::Forget(model.staged_edits.stamp)) {
        return Err(match count {
            1 => format!("{key} again drops the edit{would}. It was not committed"),
            _ => format!("{key} again drops all {count} edits{would}. None was committed"),
        });
    }
    let runs = and_run(model, None, "now");
    model.staged_edits.clear();
    model.overlays.pop();
    out.push(Out::Command(Command::Edit(EditCommand::Release { node: None })));
    model.set_status(match count {
        1 => format!("Dropped the staged edit{runs}. Nothing changed"),
        _ => format!("Dropped all staged edits{runs}. Nothing changed"),
    });
    Ok(())
}

/// What an approved call waits for while an edit suspends it, as a clause to append.
pub(super) fn waits(model: &Model, call: NodeId) -> String {
    if !thread::is_held(&model.run.state, call) {
        return String::new();
    }
    if model.staged_edits.is_empty() {
        return "; it waits for the open edit".to_owned();
    }
    let edits = if model.staged_edits.len() == 1 {
        "edit"
    } else {
        "edits"
    };
    format!(
        "; it waits for the staged {edits}: {} shows {}",
        model.settings.keymap.first("staged-edits"),
        them(model.staged_edits.len())
    )
}

/// The calls that run unchanged once an open editor on a node closes, as a clause to append.
pub(super) fn describe_released(model: &Model, node: NodeId, when: &str) -> String {
    if model.staged_edits.nodes(&model.run.state).contains(&node) {
        return String::new();
    }
    and_run(model, Some(node), when)
}

/// The calls that run unchanged once the edit of a node, or every edit, is gone, as a clause to
/// append.
fn and_run(model: &Model, node: Option<NodeId>, when: &str) -> String {
    if halted::is(model) {
        // A halted run starts nothing.
        return String::new();
    }
    let state = &model.run.state;
    let other = |id: &NodeId| {
        let mut others = state.editing.iter().filter(|(edited, _)| Some(**edited) != node);
        node.is_some() && others.any(|(_, calls)| calls.contains(id))
    };
    let queued = state.agenda.queued.iter();
    let freed: Vec<String> = queued
        .filter(|id| thread::is_held(state, **id) && !other(id))
        .map(NodeId::to_string)
        .collect();
    let names = match freed.as_slice() {
        [] => return String::new(),
        [first, second, third, more @ ..] if !more.is_empty() => {
            format!("{first}, {second}, {third} and {} more", more.len())
        }
        names => names.join(", "),
    };
    let one = freed.len() == 1;
    match (&state.mode, one) {
        (Mode::Running, true) => format!(": {names} runs {when}, as it was"),
        (Mode::Running, false) => format!(": {names} run {when}, as they were"),
        // They start once the run resumes.
        (_, true) => format!(": {names} is no longer suspended"),
        (_, false) => format!(": {names} are no longer suspended"),
    }
}

/// Reopens the selected edit, based on the current content of its node.
pub(super) fn reopen(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let (no, edit) = selected(model)?;
    let problem = moved(&model.run.state, &edit);
    let now = rebased(&model.run.state, &edit);
    if let Some(why) = moved(&model.run.state, &now) {
        return Err(format!(
            "{why}. {} removes the edit",
            model.settings.keymap.first("staged-remove")
        ));
    }
    match &now {
        Edit::Call {
            node,
            base,
            tool,
            args,
            ..
        } => {
            let purpose = Purpose::Call {
                node: *node,
                base: *base,
                tool: Arc::clone(tool),
            };
            let state = &model.run.state;
            let call_content = state.node(*node).and_then(crate::domain::node::Node::as_call);
            let (old_tool, old) = call_content.ok_or_else(|| format!("{node} is not a call"))?;
            let is_new = old_tool != tool;
            let title = format!("arguments of {node} {base}");
            let mut editor = Editor::arguments(purpose, title, &Arc::clone(old), is_new, &model.run);
            editor.resume(args, Some(no));
            edits::open_editor(model, editor, out);
        }
        Edit::Text { node, text, .. }
        | Edit::Observation {
            node, value: text, ..
        } => {
            let mut editor = edits::editor_on(model, *node)?;
            editor.resume(text, Some(no));
            edits::open_editor(model, editor, out);
        }
        Edit::InsertPrompt { after, text } => words_of(model, Purpose::Guide { after: *after }, text, no),
        Edit::InsertThought { after, text } => {
            words_of(model, Purpose::NewThought { after: *after }, text, no);
        }
        Edit::InsertCall { after, tool, args } => {
            let mut editor = lists::editor_of_new(model, *after, tool, args);
            editor.item = Some(no);
            edits::open_editor(model, editor, out);
        }
        Edit::Copy { .. } | Edit::Delete { .. } => preview::edits(model, vec![now], Whose::Item(no)),
        Edit::RejectAnswer { node, base, reason } => {
            let title = format!("reject {node}: what should the model do instead?");
            let purpose = LinePurpose::RejectAnswer(*node, *base);
            prompts::line(model, purpose, &title, reason);
        }
    }
    if let Some(why) = problem {
        model.set_status(format!("{why}. Check it and stage it again"));
    }
    Ok(())
}

/// Continues the staged edit of the node that an editor opens on, if there is one.
pub(super) fn with_staged_text(model: &mut Model, mut editor: Editor) -> Editor {
    let Some(node) = editor.holds() else { return editor };
    let Some(item) = model.staged_edits.of(node) else {
        return editor;
    };
    let (text, same_tool) = match &item.edit {
        Edit::Call { tool, args, .. } => (Arc::clone(args), editor.purpose.tool() == Some(tool)),
        Edit::Text { text, .. } => (Arc::clone(text), true),
        Edit::Observation { value, .. } => (Arc::clone(value), true),
        _ => return editor,
    };
    if !same_tool {
        model.set_status("Another tool is staged for it. Staging or committing this one replaces it");
        return editor;
    }
    editor.resume(&text, Some(item.no));
    model.set_status("This is the staged edit. One undo shows the text before it");
    editor
}

/// Opens an editor on staged text.
fn words_of(model: &mut Model, purpose: Purpose, text: &Arc<str>, no: u64) {
    edits::new_words(model, purpose);
    if let Some(Overlay::Editor(editor)) = model.overlays.last_mut() {
        editor.resume(text, Some(no));
    }
}
