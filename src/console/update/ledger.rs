//! The list of effects: what edits left behind and what is in doubt, or the whole ledger; and the operator's word on
//! what nobody saw end. Must not know: how a row is made, what a word on an execution does.

use super::choices::{choices, ensure_ended};
use super::decide::{armed, go_to_queue, send};
use super::input::By;
use super::{open, prepare};
use crate::console::model::Model;
use crate::console::model::arming::Question;
use crate::console::model::double_press::What;
use crate::console::model::editor::Purpose;
use crate::console::model::listing::{Item, Kind, Listing};
use crate::console::model::overlay::Overlay;
use crate::console::msg::Out;
use crate::domain::call::Status;
use crate::domain::command::{CallCommand, Command, Resolution};
use crate::domain::id::{Attempt, NodeId, Seq};
use crate::domain::ledger::{self, is_orphaned};
use crate::domain::state::{LedgerEntry, LedgerOutcome};

/// A session that is taken up again begins with what cannot be taken back.
pub(super) fn of_before(model: &mut Model) {
    if model.settings.is_recorded() {
        return;
    }
    let state = &model.run.state;
    let some = !state.elsewhere.is_empty() || ledger::effects(state).any(|entry| is_orphaned(state, entry));
    if some {
        list(model);
    }
}

/// Lists effects: the whole ledger where nothing in it needs an eye.
pub(super) fn list(model: &mut Model) {
    let state = &model.run.state;
    if state.agenda.effects.is_empty() && state.elsewhere.is_empty() {
        model.set_status("nothing that could change the world has run");
        return;
    }
    let kind = Kind::Effects { all: None };
    open(model, Overlay::Listing(Box::new(Listing::new(kind))));
}

/// Lists the whole ledger, or only what needs an eye.
pub(super) fn toggle(model: &mut Model) {
    if let Some(Overlay::Listing(list)) = model.overlays.last_mut()
        && let Kind::Effects { all } = &mut list.kind
    {
        *all = Some(*all != Some(true));
        list.made = None;
    }
}

/// The execution under the cursor of the list; none where no list of effects is open.
pub(super) fn selected(model: &Model) -> Option<Seq> {
    match model.overlays.last() {
        Some(Overlay::Listing(list)) => match list.selected {
            Some(Item::Effect(seq)) => Some(seq),
            _ => None,
        },
        _ => None,
    }
}

/// The execution under the cursor, if nobody knows what came of it.
pub fn unknown_outcome(model: &Model) -> Option<&LedgerEntry> {
    let entry = model.run.state.ledger.get(&selected(model)?)?;
    (entry.outcome == LedgerOutcome::Unknown).then_some(entry)
}

/// The execution under the cursor, if a word on what came of it counts now.
fn doubtful(model: &Model, by: By, at: u64) -> Result<(Seq, NodeId, Attempt), String> {
    if model.settings.is_recorded() {
        return Err("this is a recorded run: nothing can be decided in it".to_owned());
    }
    let known = || "what came of it is known: there is nothing to say".to_owned();
    let entry = unknown_outcome(model).ok_or_else(known)?;
    armed(model, &Question::Effect { seq: entry.seq }, by, at)?;
    Ok((entry.seq, entry.call, entry.attempt))
}

/// It happened: its result is typed.
pub(super) fn happened(model: &mut Model, by: By, at: u64) -> Result<(), String> {
    let (_, call, attempt) = doubtful(model, by, at)?;
    let attempt = Some(attempt);
    super::edits::value_editor(model, Purpose::Happened { call, attempt });
    Ok(())
}

/// It did not happen, where that is said twice. What waits for this word runs then at once: that is said where all of
/// it is shown.
pub(super) fn did_not(model: &mut Model, by: By, at: u64, out: &mut Vec<Out>) -> Result<(), String> {
    let (seq, call, attempt) = doubtful(model, by, at)?;
    ensure_ended(model, call, attempt)?;
    let status = model.run.state.call(call).map(|call| &call.status);
    if status == Some(&Status::OutcomeUnknown(attempt)) && go_to_queue(model, call) {
        model.overlays.clear();
        prepare(model);
        return choices(model);
    }
    let key = model.settings.keymap.first("it-did-not");
    if !model.confirm_press(What::DidNot(seq)) {
        return Err(format!("{key} once more: {seq} of {call} did not happen"));
    }
    let command = Command::Call(CallCommand::Resolve {
        call,
        attempt: Some(attempt),
        what: Resolution::DidNot,
    });
    send(model, command, Some(call), out);
    Ok(())
}
