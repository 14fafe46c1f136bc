//! Lists the staged edits; opens, removes, drops and previews them.
//!
//! Must not know: what an edit does.
use std::sync::Arc;

use crate::kernel::context::{PANES, on};
use crate::kernel::model::Model;
use crate::kernel::model::double_press::What;
use crate::kernel::model::staged_edits::{describe, moved, node_of, rebased};
use crate::kernel::msg::Out;
use crate::kernel::verb::{Care, Effect, Verb};
use crate::run::refusal::Refusal;
use crate::run::target::Target;
use crate::surfaces::editor::edits;
use crate::surfaces::editor::state::{Editor, Purpose};
use crate::surfaces::list::choose;
use crate::surfaces::review::{Whose, preview};
use crate::surfaces::staged_edits::StagedList;
use crate::surfaces::staged_edits::hold::{and_run, release, some};
use crate::verbs::reject;
use overrule_domain::command::{Command, Edit, EditCommand};

/// The verb `staged-edits`.
pub const STAGED_EDITS: Verb = Verb {
    name: "staged-edits",
    keys: &["E"],
    contexts: PANES,
    doc: "list the staged edits",
    hint: "staged edits",
    effect: Effect::Acts,
    available: |model| some(model).into(),
    run: |model, _| {
        model.stack.push(StagedList::default());
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `staged-preview`.
pub const STAGED_PREVIEW: Verb = Verb {
    name: "staged-preview",
    keys: &["v", "p"],
    contexts: &[on(super::ID)],
    doc: "preview all staged edits together; enter there commits them",
    hint: "preview all",
    effect: Effect::Acts,
    available: |model| some(model).into(),
    run: |model, _| {
        let edits = model.staged_edits.edits();
        preview::edits(model, edits, Whose::AllStaged);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `staged-open`.
pub const STAGED_OPEN: Verb = Verb {
    name: "staged-open",
    keys: &["enter", "e"],
    contexts: &[on(super::ID)],
    doc: "continue the edit on the current revision of its node",
    hint: "open",
    effect: Effect::Records,
    run: |model, press| reopen(model, press.out),
    ..Verb::BASE
};

/// The verb `staged-remove`.
pub const STAGED_REMOVE: Verb = Verb {
    name: "staged-remove",
    keys: &["x", "delete"],
    contexts: &[on(super::ID)],
    doc: "remove the edit from the list",
    hint: "remove",
    effect: Effect::Acts,
    run: |model, press| remove(model, press.out),
    ..Verb::BASE
};

/// The verb `staged-drop`.
pub const STAGED_DROP: Verb = Verb {
    name: "staged-drop",
    keys: &["D"],
    contexts: &[on(super::ID)],
    doc: "drop all staged edits (asks first)",
    hint: "drop all",
    effect: Effect::Acts,
    care: Care::Alone,
    available: |model| some(model).into(),
    run: |model, press| drop_all(model, press.out),
    ..Verb::BASE
};

/// The verb `commit-staged`.
pub const COMMIT_STAGED: Verb = Verb {
    name: "commit-staged",
    keys: &[],
    contexts: PANES,
    doc: "preview all staged edits together; enter there commits them",
    hint: "",
    ..STAGED_PREVIEW
};

fn selected(model: &Model) -> Result<(u64, Edit), Refusal> {
    let Some(open) = model.stack.top::<StagedList>() else {
        return Err(Refusal::not_open("The list of staged edits"));
    };
    let no = match open.list.selected {
        Some(Target::Edit(no)) => Some(no),
        _ => None,
    };
    no.and_then(|no| model.staged_edits.get(no))
        .map(|item| (item.no, item.edit.clone()))
        .ok_or_else(|| Refusal::not_selected("edit"))
}

/// Removes the selected edit.
fn remove(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
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
        model.stack.pop();
    }
    model.set_status(format!("Removed{runs}. {}", describe(model.staged_edits.len())));
    Ok(())
}

/// Drops all staged edits on the second press.
fn drop_all(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let key = model.settings.keymap.first("staged-drop");
    let count = model.staged_edits.len();
    let would = and_run(model, None, "then");
    if !model.stack.is_top::<StagedList>() {
        return Ok(());
    }
    if !model.confirm_press(What::Forget(model.staged_edits.stamp)) {
        let (all, was) = match count {
            1 => ("the edit".to_owned(), "It was not"),
            count => (format!("all {count} edits"), "None was"),
        };
        return Err(Refusal::confirmation(format!(
            "{key} again drops {all}{would}. {was} committed"
        )));
    }
    let runs = and_run(model, None, "now");
    model.staged_edits.clear();
    model.stack.pop();
    out.push(Out::Command(Command::Edit(EditCommand::Release { node: None })));
    model.set_status(match count {
        1 => format!("Dropped the staged edit{runs}. Nothing changed"),
        _ => format!("Dropped all staged edits{runs}. Nothing changed"),
    });
    Ok(())
}

/// Reopens the selected edit, based on the current content of its node.
fn reopen(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (no, edit) = selected(model)?;
    let problem = moved(&model.run.state, &edit);
    let now = rebased(&model.run.state, &edit);
    if let Some(why) = moved(&model.run.state, &now) {
        let key = model.settings.keymap.first("staged-remove");
        return Err(Refusal::new(format!("{why}. {key} removes the edit")));
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
            let call_content = state.node(*node).and_then(overrule_domain::node::Node::as_call);
            let (old_tool, old) = call_content.ok_or_else(|| Refusal::not_call(*node))?;
            let is_new = old_tool != tool;
            let title = edits::title_of(*node, *base);
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
            let mut editor = choose::editor_of_new(model, *after, tool, args);
            editor.item = Some(no);
            edits::open_editor(model, editor, out);
        }
        Edit::Copy { .. } | Edit::Delete { .. } => preview::edits(model, vec![now], Whose::Item(no)),
        Edit::RejectAnswer { node, base, reason } => {
            let title = format!("reject {node}: what should the model do instead?");
            reject::ask_instead(model, (*node, *base), title, reason);
        }
    }
    if let Some(why) = problem {
        model.set_status(format!("{why}. Check it and stage it again"));
    }
    Ok(())
}

/// Opens an editor on staged text.
fn words_of(model: &mut Model, purpose: Purpose, text: &Arc<str>, no: u64) {
    edits::new_words(model, purpose);
    if let Some(editor) = model.stack.top_mut::<Editor>() {
        editor.resume(text, Some(no));
    }
}
