//! Previews what a change of the graph does, and commits it.
//!
//! Must not know: keys, how a preview is drawn.

use std::sync::Arc;

use crate::ground::doc;
use crate::ground::json;
use crate::kernel::model::Model;
use crate::kernel::model::staged_edits::commit_of;
use crate::kernel::sheet::Sheet;
use crate::run::restore_preview::RestorePreview;
use crate::run::summary;
use crate::surfaces::documents::{changed_texts, content_text};
use crate::surfaces::restore::MarkedRows;
use crate::surfaces::review::{Changed, Review, Whose};
use overrule_domain::branch;
use overrule_domain::command::{Command, Edit};
use overrule_domain::id::{Epoch, NodeId};
use overrule_domain::node::{Channel, Content};
use overrule_domain::state::State;

/// Previews a command that edits no text: an undo, another branch, another request.
pub(crate) fn command(model: &mut Model, command: Command, title: String) {
    show(model, command, title, Vec::new(), String::new(), Whose::New);
}

/// Previews edits.
///
/// The plan assumes that the whole change was read. After a commit before that, the call asks again.
pub(crate) fn edits(model: &mut Model, edits: Vec<Edit>, whose: Whose) {
    let state = &model.run.state;
    let changes = edits
        .iter()
        .map(|edit| Changed {
            what: summary::edit(state, edit),
            texts: texts(state, edit),
        })
        .collect();
    let title = match edits.as_slice() {
        [edit] => named(edit),
        _ => format!("{} edits together", edits.len()),
    };
    let reason = match whose {
        Whose::AllStaged => model.staged_edits.reason.clone(),
        Whose::New | Whose::Item(_) => String::new(),
    };
    let keep = whose == Whose::AllStaged && model.staged_edits.keep_later;
    let command = Command::Edit(commit_of(edits, keep));
    show(model, command, title, changes, reason, whose);
}

/// What an edit is, as a title.
fn named(edit: &Edit) -> String {
    match edit {
        Edit::Call { node, .. } => format!("edit of {node}"),
        Edit::Text { node, .. } => format!("rewrite of {node}"),
        Edit::Observation { node, .. } => format!("correction of {node}"),
        Edit::InsertPrompt { .. } => "guidance".to_owned(),
        Edit::InsertThought { .. } => "new thought".to_owned(),
        Edit::InsertCall { .. } => "new call".to_owned(),
        Edit::RejectAnswer { node, .. } => format!("rejection of {node}"),
        Edit::Copy { node, .. } => format!("copy of {}", node.observation()),
        Edit::Delete { node, .. } => format!("deletion of {node}"),
    }
}

/// Previews a value that was typed for a call.
pub(crate) fn value(model: &mut Model, command: Command, (call, value): (NodeId, &Arc<str>)) {
    let state = &model.run.state;
    let old = state
        .observation(call)
        .map(|node| content_text(&node.now().content));
    let changed = Changed {
        what: summary::named_node(state, call),
        texts: [old.unwrap_or_default().into(), doc::readable(value)],
    };
    let title = format!("result of {call}");
    show(model, command, title, vec![changed], String::new(), Whose::New);
}

/// Opens the preview of a command.
fn show(
    model: &mut Model,
    command: Command,
    title: String,
    changes: Vec<Changed>,
    reason: String,
    whose: Whose,
) {
    let review = Review {
        command,
        title,
        plan: None,
        changes,
        reason,
        whose,
        sent: None,
        meanwhile: String::new(),
        files: RestorePreview::default(),
        shows_files: false,
        marked: MarkedRows::default(),
        stamp: 0,
        sheet: Sheet::default(),
    };
    model.stack.push(review);
}

/// The text of the edited node, before and after the edit.
pub(crate) fn texts(state: &State, edit: &Edit) -> [Arc<str>; 2] {
    let old = |id: NodeId| {
        state
            .node(id)
            .map(|node| content_text(&node.now().content))
            .unwrap_or_default()
    };
    let call = |tool: &str, args: &str| format!("{tool}\n{}", json::pretty(args));
    let new_content = match edit {
        Edit::Call { node, tool, args, .. } => {
            let (tool, args) = (Arc::clone(tool), Arc::clone(args));
            Some((node, Content::Call { tool, args }))
        }
        Edit::Text { node, text, .. } => {
            let text = Content::Text {
                text: Arc::clone(text),
                channel: Channel::default(),
                opaque: None,
            };
            Some((node, text))
        }
        _ => None,
    };
    if let Some((node, new)) = new_content
        && let Some(node) = state.node(*node)
    {
        return changed_texts::of(&node.now().content, &new);
    }
    let (old, new) = match edit {
        Edit::Observation { node, value, .. } => (old(*node), doc::readable(value).to_string()),
        // The node of a rewrite or of an edited call is gone if it gets here.
        Edit::Text { text, .. } | Edit::InsertPrompt { text, .. } | Edit::InsertThought { text, .. } => {
            (String::new(), text.to_string())
        }
        Edit::Call { tool, args, .. } | Edit::InsertCall { tool, args, .. } => {
            (String::new(), call(tool, args))
        }
        Edit::RejectAnswer { node, reason, .. } => (old(*node), reason.to_string()),
        Edit::Copy { node, from, .. } => {
            let id = node.observation();
            let here = state.node(id).is_some_and(|node| node.active);
            let claims = if here { old(id) } else { String::new() };
            (claims, taken(state, id, *from))
        }
        Edit::Delete { node, .. } => (old(*node), String::new()),
    };
    [old.into(), new.into()]
}

/// The content of a node at the end of another branch.
fn taken(state: &State, id: NodeId, from: Epoch) -> String {
    let line = branch::line(state, from);
    branch::counted(state, id, &line)
        .and_then(|rev| state.node(id)?.revision(rev))
        .map(|revision| content_text(&revision.content))
        .unwrap_or_default()
}

/// Takes the reason that was typed.
pub(crate) fn set_reason(model: &mut Model, text: String) {
    let Some(review) = model.stack.top_mut::<Review>() else {
        return;
    };
    review.sheet.made = None;
    if review.whose == Whose::AllStaged {
        model.staged_edits.reason.clone_from(&text);
        model.staged_edits.stamp += 1;
    }
    review.reason = text;
}
