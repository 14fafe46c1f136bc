//! Lists the effects, and inserts the calls that revert or check one.
//!
//! Must not know: how a template is filled in.
use crate::kernel::availability::{dialog, live};
use crate::kernel::context::{PANES, on};
use crate::kernel::model::Model;
use crate::kernel::msg::Out;
use crate::kernel::selection::listed_effect;
use crate::kernel::verb::{Effect, Verb};
use crate::run::question::Question;
use crate::run::refusal::{NOT_ABOUT_CALL, Refusal};
use crate::surfaces;
use crate::surfaces::editor::edits;
use crate::surfaces::effects::EffectList;
use crate::surfaces::list::choose;
use overrule_domain::template::{Filled, NotOffered, compensate_of, probe_entry, probe_of};

/// The verb `effects`.
pub const EFFECTS: Verb = Verb {
    name: "effects",
    keys: &["O"],
    contexts: PANES,
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
    contexts: &[on(super::ID)],
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
    contexts: &[on(super::ID)],
    doc: "insert the call with which the tool reverts the effect; shows it first",
    hint: "revert",
    effect: Effect::Records,
    available: |model| reverting(model).map(drop).into(),
    run: |model, press| {
        let filled = reverting(model)?;
        put_in(model, &filled, press.out);
        Ok(())
    },
    ..Verb::BASE
};

/// The verb `probe`.
pub const PROBE: Verb = Verb {
    name: "probe",
    keys: &["p"],
    contexts: &[on(surfaces::outcome::ID), on(super::ID)],
    doc: "insert the call with which the tool checks for the effect; shows it first",
    hint: "check if it happened",
    short: "look",
    effect: Effect::Records,
    available: |model| probing(model).map(drop).into(),
    run: |model, press| probe(model, press.out),
    ..Verb::BASE
};

/// True where the whole ledger is listed.
fn lists_all(model: &Model) -> bool {
    model
        .stack
        .top::<EffectList>()
        .is_some_and(|list| list.all == Some(true))
}

/// Lists effects: those that need attention, or the whole ledger if none does.
pub(crate) fn list(model: &mut Model) {
    let state = &model.run.state;
    if state.agenda.effects.is_empty() && state.origin.elsewhere.is_empty() {
        model.set_status("No effects yet");
        return;
    }
    model.stack.push(EffectList::default());
}

/// Toggles between the whole ledger and the effects that need attention.
fn toggle(model: &mut Model) {
    if let Some(open) = model.stack.top_mut::<EffectList>() {
        open.all = Some(open.all != Some(true));
        open.list.made = None;
    }
}

/// The call that reverts the effect under the cursor.
fn reverting(model: &Model) -> Result<Filled, Refusal> {
    let seq = listed_effect(model).ok_or_else(|| Refusal::not_selected("effect"))?;
    compensate_of(&model.run.state, seq).map_err(|why| Refusal::outside(why.to_string()))
}

/// The call that checks whether an execution happened: the one under the cursor of the list, or that of the open
/// question.
fn probing(model: &Model) -> Result<Filled, Refusal> {
    let outside = |why: NotOffered| Refusal::outside(why.to_string());
    if let Some(seq) = listed_effect(model) {
        return probe_entry(&model.run.state, seq).map_err(outside);
    }
    match dialog(model).ok_or_else(|| Refusal::not_open("The question"))? {
        question @ Question::Call { call, .. } => {
            model.run.still_asks(question)?;
            probe_of(&model.run.state, *call).map_err(outside)
        }
        _ => Err(Refusal::new(NOT_ABOUT_CALL)),
    }
}

/// Opens an editor on the call that checks for an effect.
fn probe(model: &mut Model, out: &mut Vec<Out>) -> Result<(), Refusal> {
    let filled = probing(model)?;
    if dialog(model).is_some() {
        model.stack.pop();
    }
    put_in(model, &filled, out);
    Ok(())
}

/// Opens an editor on a new call.
fn put_in(model: &mut Model, filled: &Filled, out: &mut Vec<Out>) {
    let editor = choose::editor_of_new(model, None, &filled.tool, &filled.args);
    edits::open_editor(model, editor, out);
}
