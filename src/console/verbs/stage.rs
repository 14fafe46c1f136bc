//! Stages the edit of the editor or preview.
//!
//! Must not know: what an edit does.

use super::{Effect, Verb};
use crate::cards::{EDITOR, REVIEW};
use crate::context::Context;
use crate::model::Model;
use crate::model::overlay::{Overlay, Whose};
use crate::model::staged_edits::node_of;
use crate::msg::Out;
use crate::refusal::{Refusal, SENT};
use crate::update::edits;
use crate::update::stage::{count, hold, them};

/// The verb `stage`.
pub const STAGE: Verb = Verb {
    name: "stage",
    keys: &["ctrl-g"],
    contexts: &[Context::On(EDITOR)],
    doc: "stage the edit, to commit it together with others",
    hint: "stage",
    effect: Effect::Acts,
    available: |model| stageable(model).into(),
    run: |model, press| stage(model, press.out),
    ..Verb::BASE
};

/// The verb `stage-previewed`.
pub const STAGE_PREVIEWED: Verb = Verb {
    name: "stage-previewed",
    keys: &["c"],
    contexts: &[Context::On(REVIEW)],
    doc: "stage the previewed edit, to commit it together with others",
    hint: "stage",
    ..STAGE
};

/// Checks that the topmost editor or preview has an edit that is not staged yet.
fn stageable(model: &Model) -> Result<(), Refusal> {
    let no_edit = match model.overlays.last() {
        Some(Overlay::Editor(editor)) => editor.is_no_edit(),
        Some(Overlay::Review(review)) if review.whose == Whose::AllStaged => {
            let key = model.settings.keymap.first("commit-edit");
            return Err(Refusal::new(format!("Already staged. {key} commits them")));
        }
        Some(Overlay::Review(review)) => review.edits().is_empty(),
        _ => false,
    };
    if no_edit {
        Err(Refusal::no_edit("stage"))
    } else {
        Ok(())
    }
}

/// Stages the edit of the topmost editor or preview.
fn stage(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (edits, item) = match model.overlays.last() {
        Some(Overlay::Editor(_)) => match edits::typed_edit(model) {
            Some((edit, item)) => (vec![edit], item),
            None => return Ok(()),
        },
        Some(Overlay::Review(_)) if model.run.committing => {
            return Err(Refusal::new(SENT));
        }
        Some(Overlay::Review(review)) => match review.whose {
            Whose::New | Whose::AllStaged => (review.edits().to_vec(), None),
            Whose::Item(no) => (review.edits().to_vec(), Some(no)),
        },
        _ => return Ok(()),
    };
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
