//! Inserts calls that a tool names to revert an execution, or to check whether it happened.
//!
//! Must not know: keys, how templates are filled in.
//!
//! The calls are inserted like any other: edited, previewed, and never run by themselves.

use super::{edits, ledger, lists};
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::overlay::Overlay;
use crate::console::msg::Out;
use crate::domain::template::{Filled, compensate_of, probe_entry, probe_of};

/// Opens an editor on the call that reverts the effect under the cursor.
pub(super) fn take_back(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let seq = ledger::selected(model).ok_or("No effect selected")?;
    let filled = compensate_of(&model.run.state, seq).map_err(|why| why.to_string())?;
    put_in(model, &filled, out);
    Ok(())
}

/// Opens an editor on the call that checks whether an execution happened: the one under the cursor
/// of the list, or that of the open question.
pub(super) fn probe(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    if let Some(seq) = ledger::selected(model) {
        let filled = probe_entry(&model.run.state, seq).map_err(|why| why.to_string())?;
        put_in(model, &filled, out);
        return Ok(());
    }
    let call = match model.overlays.last() {
        Some(Overlay::Dialog(dialog)) => match &dialog.question {
            question @ Question::Call { call, .. } => {
                model.run.still_asks(question)?;
                *call
            }
            _ => return Err("This is not about a call".to_owned()),
        },
        _ => return Err("No question is open".to_owned()),
    };
    let filled = probe_of(&model.run.state, call).map_err(|why| why.to_string())?;
    model.overlays.pop();
    put_in(model, &filled, out);
    Ok(())
}

fn put_in(model: &mut Model, filled: &Filled, out: &mut Vec<Out>) {
    let editor = lists::editor_of_new(model, None, &filled.tool, &filled.args);
    edits::open_editor(model, editor, out);
}
