//! Decides whether a verb can act now: one answer for hints, palette and refusals.
//!
//! Must not know: how a verb is carried out, how a hint is drawn.

use super::selection::is_visible;
use super::{About, Access, By, Effect, Press, Verb};
use crate::console::halted;
use crate::console::model::Model;
use crate::console::model::arming::{Question, VisibleQuestion};
use crate::console::model::overlay::Overlay;
use crate::console::refusal::{Refusal, Unseen};
use crate::console::update::decide::{all_read, armed, not_shown, question, unread};
use crate::console::update::ledger;
use crate::console::update::visibility;
use crate::domain::advice::Cards;
use crate::domain::command::{Command, Edit};
use crate::domain::decide;
use crate::domain::decide::edit::of_agent;
use crate::domain::id::{Attempt, NodeId};

/// Whether a verb can act now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It acts, and is offered.
    Offered,
    /// It is offered, but its key would be refused now: its question was too short on screen, or is
    /// partly unread.
    NotYet(Refusal),
    /// It is not offered: it has no target here. Its key says why.
    NotOffered,
    /// It is not offered, and its key is refused.
    Refused(Refusal),
}

impl From<Result<(), Refusal>> for Availability {
    fn from(found: Result<(), Refusal>) -> Self {
        found.map_or_else(Self::Refused, |()| Self::Offered)
    }
}

/// Whether a verb can act now.
pub fn of(model: &Model, verb: &Verb) -> Availability {
    if let Err(refusal) = possible(model, verb) {
        return Availability::Refused(refusal);
    }
    if verb.about != About::Nothing && !is_visible(model) {
        return Availability::NotOffered;
    }
    match (verb.available)(model) {
        Availability::Offered | Availability::NotYet(_) if !is_accepted(model, verb) => {
            Availability::NotOffered
        }
        Availability::Offered | Availability::NotYet(_) if is_after_paste(model, verb) => {
            Availability::NotYet(Refusal::AfterPaste)
        }
        found => found,
    }
}

/// Carries out a verb, unless it is refused. For this press, the verb checks what was seen of its question.
pub fn carry_out(model: &mut Model, verb: &Verb, press: &mut Press<'_>) -> Result<(), Refusal> {
    match of(model, verb) {
        Availability::Refused(refusal) => Err(refusal),
        Availability::Offered | Availability::NotYet(_) | Availability::NotOffered => {
            (verb.run)(model, press)
        }
    }
}

/// True for a verb that can act now, perhaps after its question was read.
pub fn is_offered(model: &Model, verb: &Verb) -> bool {
    matches!(of(model, verb), Availability::Offered | Availability::NotYet(_))
}

/// Refuses a verb that the run does not allow, whatever is selected.
pub(super) fn allowed(model: &Model, verb: &Verb) -> Result<(), Refusal> {
    let access = if halted::is(model) {
        let busy = matches!(verb.effect, Effect::Ends(some) if some(model));
        Access::End { busy }
    } else if model.settings.is_recorded() {
        Access::Read
    } else {
        Access::All
    };
    match access {
        _ if verb.effect.is_allowed(access) => Ok(()),
        Access::End { .. } => Err(halted::why(model)),
        _ if verb.decides => Err(Refusal::RecordedDecision),
        _ => Err(Refusal::Recorded),
    }
}

/// Refuses a verb that the run does not allow, or that has several targets under the cursor.
fn possible(model: &Model, verb: &Verb) -> Result<(), Refusal> {
    allowed(model, verb)?;
    if let Some(several) = model.folded(verb) {
        let key = model.settings.keymap.first("expand");
        return Err(Refusal::Folded { several, key });
    }
    Ok(())
}

/// True unless the run refuses the verb, whatever is selected.
pub fn is_possible(model: &Model, verb: &Verb) -> bool {
    allowed(model, verb).is_ok()
}

fn is_after_paste(model: &Model, verb: &Verb) -> bool {
    model.keys.is_after_paste(model.arming.now) && verb.waits_after_paste() && !(verb.stops)(model)
}

/// Refused for what the console knows for certain, else as `then` says.
pub(super) fn unless_refused(may: Result<(), Refusal>, then: impl FnOnce() -> Availability) -> Availability {
    may.map_or_else(Availability::Refused, |()| then())
}

/// Refused where the agent of another program would contradict the edit, else as `then` says.
pub(super) fn unless_contradicted(
    model: &Model,
    edit: Option<&Edit>,
    then: impl FnOnce() -> Availability,
) -> Availability {
    let refused = edit.map_or(Ok(()), |edit| of_agent::refuse(&model.run.state, edit));
    unless_refused(refused.map_err(|why| Refusal::Outside(why.message)), then)
}

/// Offered, or not.
pub(in crate::console) const fn offered(is: bool) -> Availability {
    if is {
        Availability::Offered
    } else {
        Availability::NotOffered
    }
}

/// Offered in a live run, or not.
pub(super) fn live(model: &Model, is: bool) -> Availability {
    offered(is && !model.settings.is_recorded())
}

/// Offered, but refused until what it is about was seen.
pub(super) fn seen_if(is: bool, seen: impl FnOnce() -> Result<(), Refusal>) -> Availability {
    match is.then(seen) {
        None => Availability::NotOffered,
        Some(Ok(())) => Availability::Offered,
        Some(Err(refusal)) => Availability::NotYet(refusal),
    }
}

/// A decision, which a small screen does not offer.
pub(super) fn decision(
    model: &Model,
    is: bool,
    seen: impl FnOnce(&Model) -> Result<(), Refusal>,
) -> Availability {
    seen_if(is && model.screen.can_decide(), || seen(model))
}

/// An answer to the question of the open dialog.
pub(super) fn answer(model: &Model, seen: impl FnOnce(&Model) -> Result<(), Refusal>) -> Availability {
    let asks = dialog(model).is_none_or(|question| model.run.still_asks(question).is_ok());
    decision(model, asks, seen)
}

/// An answer about an execution with an unknown outcome: of the open dialog, or under the cursor of
/// the list of effects.
pub(super) fn on_unknown(
    model: &Model,
    is: impl Fn(&Model, NodeId, Option<Attempt>) -> bool,
    seen: impl FnOnce(&Model) -> Result<(), Refusal>,
) -> Availability {
    match dialog(model) {
        Some(Question::Call { call, .. }) if !is(model, *call, None) => Availability::NotOffered,
        Some(_) => answer(model, seen),
        None => {
            let entry = ledger::unknown_outcome(model);
            let is = entry.is_some_and(|entry| is(model, entry.call, Some(entry.attempt)));
            decision(model, is, seen)
        }
    }
}

/// The question of the open dialog.
pub(super) fn dialog(model: &Model) -> Option<&Question> {
    match model.overlays.last() {
        Some(Overlay::Dialog(dialog)) => Some(&dialog.question),
        _ => None,
    }
}

/// True unless the run would refuse what the verb would send now.
fn is_accepted(model: &Model, verb: &Verb) -> bool {
    let state = &model.run.state;
    let accepts = |command: Command| decide::command(state, &Cards(state), &command).is_ok();
    (verb.command)(model).is_none_or(accepts)
}

/// Refuses the question of the decision frame until it was on screen for long enough.
pub(super) fn question_seen(model: &Model) -> Result<(), Refusal> {
    match question(model) {
        Some(question) => armed(model, &question, By::Key, model.arming.now).map(drop),
        None => Ok(()),
    }
}

/// Refuses what is on top until it was on screen for long enough.
pub(super) fn overlay_seen(model: &Model) -> Result<(), Refusal> {
    on_top(model).map(drop)
}

/// Like [`overlay_seen`], for a list of calls, which must be read to its end.
pub(super) fn list_read(model: &Model) -> Result<(), Refusal> {
    match on_top(model)? {
        Some(shown) if !shown.is_read() => Err(Unseen::Partly { key: None }.into()),
        _ => Ok(()),
    }
}

/// Like [`overlay_seen`], for the arguments in a dialog, which must be read to their end.
pub(super) fn dialog_read(model: &Model) -> Result<(), Refusal> {
    match (on_top(model)?, model.overlays.last()) {
        (Some(shown), Some(Overlay::Dialog(dialog))) => all_read(unread(shown, &dialog.doc)?),
        _ => Ok(()),
    }
}

/// The question on top, if it may be decided now; `None` if nothing there must be read.
fn on_top(model: &Model) -> Result<Option<&VisibleQuestion>, Refusal> {
    let asks = matches!(
        model.overlays.last(),
        Some(Overlay::Review(_) | Overlay::Bulk(_) | Overlay::Rule(_) | Overlay::Dialog(_))
    );
    match visibility::visibility(model).1 {
        Some(view) => armed(model, &view.question, By::Key, model.arming.now).map(Some),
        None if asks => Err(not_shown(model)),
        None => Ok(None),
    }
}
