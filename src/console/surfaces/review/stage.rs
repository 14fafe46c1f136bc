//! Stages the edit of the editor or preview.
//!
//! Must not know: what an edit does.

use crate::kernel::context::on;
use crate::kernel::model::Model;
use crate::kernel::model::staged_edits::{describe, node_of};
use crate::kernel::msg::Out;
use crate::kernel::verb::{Effect, Rank, Verb};
use crate::run::refusal::{Refusal, SENT};
use crate::surfaces;
use crate::surfaces::editor::edits;
use crate::surfaces::editor::state::Editor;
use crate::surfaces::review::{Review, Whose};
use crate::surfaces::staged_edits::hold::{hold, them};

/// The verb `stage`.
pub const STAGE: Verb = Verb {
    name: "stage",
    keys: &["ctrl-g"],
    contexts: &[on(surfaces::editor::ID)],
    doc: "stage the edit, to commit it together with others",
    hint: "stage",
    rank: |_| Rank::Last,
    effect: Effect::Acts,
    available: |model| stageable(model).into(),
    run: |model, press| stage(model, press.out),
    ..Verb::BASE
};

/// The verb `stage-previewed`.
pub const STAGE_PREVIEWED: Verb = Verb {
    name: "stage-previewed",
    keys: &["c"],
    contexts: &[on(super::ID)],
    doc: "stage the previewed edit, to commit it together with others",
    hint: "stage",
    rank: |_| Rank::Usual,
    ..STAGE
};

/// Checks that the topmost editor or preview has an edit that is not staged yet.
fn stageable(model: &Model) -> Result<(), Refusal> {
    let review = model.stack.top::<Review>();
    if review.is_some_and(|review| review.whose == Whose::AllStaged) {
        let key = model.settings.keymap.first("commit-edit");
        return Err(Refusal::new(format!("Already staged. {key} commits them")));
    }
    let editor = model.stack.top::<Editor>();
    let no_edit = editor.is_some_and(Editor::is_no_edit);
    if no_edit || review.is_some_and(|review| review.edits().is_empty()) {
        Err(Refusal::no_edit("stage"))
    } else {
        Ok(())
    }
}

/// Stages the edit of the topmost editor or preview.
fn stage(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let (edits, item) = if let Some(review) = model.stack.top::<Review>() {
        if model.run.committing {
            return Err(Refusal::new(SENT));
        }
        match review.whose {
            Whose::New | Whose::AllStaged => (review.edits().to_vec(), None),
            Whose::Item(no) => (review.edits().to_vec(), Some(no)),
        }
    } else {
        match edits::typed_edit(model) {
            Some((edit, item)) => (vec![edit], item),
            None => return Ok(()),
        }
    };
    let mut again = false;
    for edit in edits {
        if let Some(node) = node_of(&edit) {
            hold(node, out);
        }
        again |= model.staged_edits.add(edit, item);
    }
    model.stack.pop_if(|_: &Review| true);
    model.stack.pop_if(|_: &Editor| true);
    let key = model.settings.keymap.first("staged-edits");
    let how = if again { ", replacing the one before" } else { "" };
    let edits = model.staged_edits.len();
    model.set_status(format!("{}{how}. {key} lists {}", describe(edits), them(edits)));
    Ok(())
}
