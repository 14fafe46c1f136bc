//! Suspends the calls that open editors and staged edits would change, and releases them again.
//!
//! Must not know: keys, how the list is drawn.
//!
//! The run does not change before the commit, but calls that the edits affect are suspended.

use std::sync::Arc;

use crate::kernel::model::Model;
use crate::kernel::model::staged_edits::node_of;
use crate::kernel::msg::Out;
use crate::run::refusal::Refusal;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::review::Review;
use overrule_domain::command::{Command, Edit, EditCommand};
use overrule_domain::id::NodeId;
use overrule_domain::state::Mode;
use overrule_domain::thread;

pub(crate) const fn them(edits: usize) -> &'static str {
    if edits == 1 { "it" } else { "them" }
}

pub(crate) fn hold(node: NodeId, out: &mut Vec<Out>) {
    out.push(Out::Command(Command::Edit(EditCommand::Hold { node })));
}

/// Releases a node after its editor closed or its staged edit was removed. A node that another
/// staged edit holds stays suspended.
pub(crate) fn release(model: &Model, node: NodeId, out: &mut Vec<Out>) {
    if !model.staged_edits.nodes(&model.run.state).contains(&node) {
        let node = Some(node);
        out.push(Out::Command(Command::Edit(EditCommand::Release { node })));
    }
}

/// Restores the holds of open editors and staged edits after a commit or a refused one. Most
/// holds still exist. Nodes that the commit made active again have none.
pub(crate) fn hold_again(model: &Model, out: &mut Vec<Out>) {
    let state = &model.run.state;
    // The preview being committed closes with the reply: its holds would never be released.
    let committed = model.stack.top::<Review>().filter(|_| model.run.committing);
    let (sent, going): (Option<usize>, Vec<NodeId>) = match committed {
        Some(review) => (
            model.stack.len().checked_sub(2),
            review.edits().iter().filter_map(node_of).collect(),
        ),
        None => (None, Vec::new()),
    };
    let all = model.stack.iter().enumerate();
    let others = all.filter(|(at, _)| Some(*at) != sent);
    let open = others.filter_map(|(_, surface)| surface.holds());
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

pub(crate) fn some(model: &Model) -> Result<(), Refusal> {
    if model.staged_edits.is_empty() {
        let key = model.settings.keymap.first("stage");
        return Err(Refusal::new(format!(
            "No staged edits. {key} in an editor stages one"
        )));
    }
    Ok(())
}

/// What an approved call waits for while an edit suspends it, as a clause to append.
pub(crate) fn waits(model: &Model, call: NodeId) -> String {
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
pub(crate) fn describe_released(model: &Model, node: NodeId, when: &str) -> String {
    if model.staged_edits.nodes(&model.run.state).contains(&node) {
        return String::new();
    }
    and_run(model, Some(node), when)
}

/// The calls that run unchanged once the edit of a node, or every edit, is gone, as a clause to
/// append.
pub(crate) fn and_run(model: &Model, node: Option<NodeId>, when: &str) -> String {
    if model.is_halted() {
        // A halted run starts nothing.
        return String::new();
    }
    let state = &model.run.state;
    let other = |id: &NodeId| {
        let mut others = state
            .operator
            .editing
            .iter()
            .filter(|(edited, _)| Some(**edited) != node);
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

/// Continues the staged edit of the node that an editor opens on, if there is one.
pub(crate) fn with_staged_text(model: &mut Model, mut editor: Editor) -> Editor {
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
