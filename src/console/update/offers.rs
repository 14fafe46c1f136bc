//! Calls that a tool names for its executions: to take one back, to find out whether it happened.
//!
//! Put in like any other call: looked at, changed if need be, previewed, and never run by themselves.
//! Must not know: keys, how templates are filled in.

use super::{edits, ledger, lists};
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::overlay::Overlay;
use crate::console::msg::Out;
use crate::domain::template::{Filled, compensate_of, probe_entry, probe_of};

/// Opens an editor on the call that takes the effect under the cursor back.
pub(super) fn take_back(model: &mut Model, out: &mut Vec<Out>) -> Result<(), String> {
    let seq = ledger::selected(model).ok_or("no effect is selected")?;
    let filled = compensate_of(&model.run.state, seq).map_err(|why| why.to_string())?;
    put_in(model, &filled, out);
    Ok(())
}

/// Opens an editor on the call that finds out whether an execution happened: the one under the cursor of the list, or
/// that of the open question.
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
            _ => return Err("this is not about a call".to_owned()),
        },
        _ => return Err("no question is open".to_owned()),
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
