//! Closes editors and lines without finishing them.
//!
//! Must not know: keys, what the text is for.

use crate::ground::field::Field;
use crate::kernel::halted;
use crate::kernel::model::Model;
use crate::kernel::model::double_press::What;
use crate::kernel::msg::Out;
use crate::kernel::prompt::Prompt;
use crate::run::refusal::SENT;
use crate::surfaces::editor::state::{Editor, Meanwhile};
use crate::surfaces::next_task::NextTask;
use crate::surfaces::staged_edits::hold;

/// Closes what is open. A second press right after confirms that typed text is dropped, and that
/// an editor closes whose node changed since it was opened.
pub(crate) fn cancel(model: &mut Model, out: &mut Vec<Out>) {
    let what = What::Close(model.stack.len());
    let doubled = model.double_press.is_again(what, model.arming.now);
    if !doubled && asks_before_dropping(model) {
        model.double_press.remember(what, model.arming.now);
        return;
    }
    let Some(editor) = model.stack.top::<Editor>() else {
        model.stack.pop();
        return;
    };
    if editor.sent {
        model.complain(SENT);
        return;
    }
    let node = editor.holds();
    let meanwhile = editor.edit_base.since(&model.run.state);
    // In a halted run only text can be lost: a change of the node does not matter.
    let asks = meanwhile.is_some() && !model.is_halted();
    if !doubled && (asks || !editor.is_unchanged()) {
        let words = before_leaving(model, editor, meanwhile);
        model.double_press.remember(what, model.arming.now);
        model.complain(words);
        return;
    }
    if let Some(node) = node {
        let runs = hold::describe_released(model, node, "now");
        if !runs.is_empty() {
            model.set_status(format!("Closed{runs}"));
        }
        hold::release(model, node, out);
    }
    model.stack.pop();
}

/// Asks for a second press before a line with typed prose, or the next task, closes; true if it asked.
fn asks_before_dropping(model: &mut Model) -> bool {
    let drop = model.settings.keymap.first("discard");
    let is_typed = |field: &Field| !field.is_unchanged() && !field.is_empty();
    let accept = if let Some(line) = model.stack.top::<Prompt>() {
        (line.style.prose && is_typed(&line.field)).then_some("accept")
    } else if let Some(task) = model.stack.top::<NextTask>() {
        (task.sent.is_none() && is_typed(&task.field)).then_some("send-task")
    } else {
        None
    };
    let Some(accept) = accept.map(|name| model.settings.keymap.first(name)) else {
        return false;
    };
    if halted::typed(model).is_some() {
        let copy = model.settings.keymap.first("copy-selected");
        model.complain(format!("{drop} again drops what was typed, {copy} copies it"));
        return true;
    }
    model.complain(format!("{accept} takes what was typed, {drop} again drops it"));
    true
}

/// The message before an editor closes unfinished: what is lost, and which calls run then.
fn before_leaving(model: &Model, editor: &Editor, meanwhile: Option<Meanwhile>) -> String {
    let keymap = &model.settings.keymap;
    let (drop, keep) = (keymap.first("discard"), keymap.first("done"));
    if model.is_halted() {
        let copy = keymap.first("copy-selected");
        return format!("{drop} again drops the text, {copy} copies it");
    }
    let drops = if editor.is_unchanged() {
        "closes it"
    } else {
        "drops the text"
    };
    if let Some(meanwhile) = meanwhile {
        return format!(
            "{}; {keep} finishes it, {drop} again {drops}",
            meanwhile.describe()
        );
    }
    let runs = editor
        .holds()
        .map(|node| hold::describe_released(model, node, "then"));
    let runs = runs.unwrap_or_default();
    format!("The text was changed. {keep} finishes it, {drop} again drops it{runs}")
}
