//! Lists the effects, and inserts the calls that revert or check one.
//!
//! Must not know: how a template is filled in.

use super::availability::{dialog, live};
use super::{Effect, Verb};
use crate::console::context::Context;
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::listing::{Kind, Listing};
use crate::console::model::overlay::Overlay;
use crate::console::msg::Out;
use crate::console::refusal::{NoTarget, Part, Refusal, Row};
use crate::console::update::ledger::selected;
use crate::console::update::{edits, lists, open};
use crate::domain::template::{Filled, compensate_of, probe_entry, probe_of};

/// The verb `effects`.
pub const EFFECTS: Verb = Verb {
    name: "effects",
    keys: &["O"],
    contexts: &[Context::Panes],
    doc: "list effects: orphaned and unknown ones, or all",
    run: |model, _| {
        list(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `effects-all`.
pub const EFFECTS_ALL: Verb = Verb {
    name: "effects-all",
    keys: &["s", "space"],
    contexts: &[Context::Effects],
    doc: "list all effects, or only orphaned and unknown ones",
    hint: "all effects",
    label: |model| lists_all(model).then_some("needs attention only"),
    available: |model| live(model, true),
    run: |model, _| {
        toggle(model);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `revert-effect`.
pub const REVERT_EFFECT: Verb = Verb {
    name: "revert-effect",
    keys: &["c"],
    contexts: &[Context::Effects],
    doc: "insert the call with which the tool reverts the effect; shows it first",
    hint: "revert",
    effect: Effect::Records,
    available: |model| {
        live(
            model,
            selected(model).is_some_and(|seq| compensate_of(&model.run.state, seq).is_ok()),
        )
    },
    run: |model, press| revert(model, press.out),
    ..Verb::BASE
};

/// The verb `probe`.
pub const PROBE: Verb = Verb {
    name: "probe",
    keys: &["p"],
    contexts: &[Context::UnknownOutcome, Context::Effects],
    doc: "insert the call with which the tool checks for the effect; shows it first",
    hint: "check if it happened",
    short: "look",
    effect: Effect::Records,
    available: |model| live(model, can_probe(model)),
    run: |model, press| probe(model, press.out),
    ..Verb::BASE
};

/// True where the whole ledger is listed.
fn lists_all(model: &Model) -> bool {
    matches!(model.overlays.last(), Some(Overlay::Listing(list)) if matches!(list.kind, Kind::Effects { all: Some(true), .. }))
}

fn can_probe(model: &Model) -> bool {
    match dialog(model) {
        Some(question @ Question::Call { call, .. }) => {
            model.run.still_asks(question).is_ok() && probe_of(&model.run.state, *call).is_ok()
        }
        Some(_) => false,
        None => selected(model).is_some_and(|seq| probe_entry(&model.run.state, seq).is_ok()),
    }
}

/// Lists effects: those that need attention, or the whole ledger if none does.
pub(in crate::console) fn list(model: &mut Model) {
    let state = &model.run.state;
    if state.agenda.effects.is_empty() && state.elsewhere.is_empty() {
        model.set_status("No effects yet");
        return;
    }
    let kind = Kind::Effects { all: None };
    open(model, Overlay::Listing(Box::new(Listing::new(kind))));
}

/// Toggles between the whole ledger and the effects that need attention.
fn toggle(model: &mut Model) {
    if let Some(Overlay::Listing(list)) = model.overlays.last_mut()
        && let Kind::Effects { all } = &mut list.kind
    {
        *all = Some(*all != Some(true));
        list.made = None;
    }
}

/// Opens an editor on the call that reverts the effect under the cursor.
fn revert(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let seq = selected(model).ok_or(NoTarget::NotSelected(Row::Effect))?;
    let filled = compensate_of(&model.run.state, seq).map_err(|why| Refusal::Outside(why.to_string()))?;
    put_in(model, &filled, out);
    Ok(())
}

/// Opens an editor on the call that checks whether an execution happened: the one under the cursor
/// of the list, or that of the open question.
fn probe(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    if let Some(seq) = selected(model) {
        let filled = probe_entry(&model.run.state, seq).map_err(|why| Refusal::Outside(why.to_string()))?;
        put_in(model, &filled, out);
        return Ok(());
    }
    let call = match model.overlays.last() {
        Some(Overlay::Dialog(dialog)) => match &dialog.question {
            question @ Question::Call { call, .. } => {
                model.run.still_asks(question)?;
                *call
            }
            _ => return Err(NoTarget::NotAboutCall.into()),
        },
        _ => return Err(NoTarget::NotOpen(Part::Question).into()),
    };
    let filled = probe_of(&model.run.state, call).map_err(|why| Refusal::Outside(why.to_string()))?;
    model.overlays.pop();
    put_in(model, &filled, out);
    Ok(())
}

fn put_in(model: &mut Model, filled: &Filled, out: &mut Vec<Out>) {
    let editor = lists::editor_of_new(model, None, &filled.tool, &filled.args);
    edits::open_editor(model, editor, out);
}
