//! Refuses a press until the question that it decides was on screen: the functions for [`super::verb::Verb::seen`].
//!
//! Must not know: what a decision does.
//!
//! Without a question there is nothing to see: the verb then says what it needs.
use std::ops::Range;

use super::availability::dialog;
use crate::kernel::decide::{armed, question, read_to_end};
use crate::kernel::dialog::Dialog;
use crate::kernel::model::Model;
use crate::kernel::selection;
use crate::kernel::selection::call;
use crate::kernel::verb::Moment;
use crate::run::question::Question;
use crate::run::refusal::Refusal;

/// The selected call, in the inspector.
pub(crate) fn call_seen(model: &Model, moment: Moment) -> Result<(), Refusal> {
    match call(model).and_then(|_| question(model)) {
        Some(question) => armed(model, &question, moment).map(drop),
        None => Ok(()),
    }
}

/// The question of the open dialog.
pub(crate) fn dialog_seen(model: &Model, moment: Moment) -> Result<(), Refusal> {
    match dialog(model) {
        Some(question) => armed(model, question, moment).map(drop),
        None => Ok(()),
    }
}

/// Like [`dialog_seen`], and the arguments in the dialog to their end.
pub(crate) fn dialog_read(model: &Model, moment: Moment) -> Result<(), Refusal> {
    match model.stack.top::<Dialog>() {
        Some(dialog) => {
            let shown = armed(model, &dialog.question, moment)?;
            read_to_end(model, shown, &dialog.sheet.doc, "")
        }
        None => Ok(()),
    }
}

/// An execution with an unknown outcome: the open dialog, or the row under the cursor of the list of effects.
pub(crate) fn unknown_seen(model: &Model, moment: Moment) -> Result<(), Refusal> {
    match selection::unknown_outcome(model) {
        Some(entry) => armed(model, &Question::Effect { seq: entry.seq }, moment).map(drop),
        None => dialog_seen(model, moment),
    }
}

/// Like [`unknown_seen`], and the arguments in the dialog to their end.
pub(crate) fn unknown_read(model: &Model, moment: Moment) -> Result<(), Refusal> {
    unknown_seen(model, moment)?;
    dialog_read(model, moment)
}

/// A list of calls, to its end.
pub(crate) fn list_read(model: &Model, stamp: u64, moment: Moment) -> Result<(), Refusal> {
    let shown = armed(model, &Question::Bulk { stamp }, moment)?;
    let missed = shown.read.misses(shown.rows);
    if missed.is_empty() {
        Ok(())
    } else {
        Err(Refusal::unseen(format!(
            "{} not on screen yet. Scroll there first",
            describe_rows(&missed)
        )))
    }
}

/// Maximum number of row ranges that a refusal names.
const NAMED: usize = 3;

/// Names the first ranges, such as `Rows 3-5, 9`.
fn describe_rows(missed: &[Range<usize>]) -> String {
    let name = |rows: &Range<usize>| match rows.len() {
        1 => rows.end.to_string(),
        _ => format!("{}-{}", rows.start + 1, rows.end),
    };
    let named: Vec<String> = missed.iter().take(NAMED).map(name).collect();
    let more = if missed.len() > NAMED { " and others" } else { "" };
    let one = missed.len() == 1 && missed.iter().all(|rows| rows.len() == 1);
    let rows = if one { "Row" } else { "Rows" };
    format!("{rows} {}{more}", named.join(", "))
}
