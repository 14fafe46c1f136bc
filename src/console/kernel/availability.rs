//! Decides whether a verb can act now: one answer for hints, palette and refusals.
//!
//! Must not know: how a verb is carried out, how a hint is drawn.

use super::selection::is_visible;
use crate::kernel::halted;
use crate::kernel::model::Model;
use crate::kernel::selection;
use crate::kernel::verb::{About, Access, Availability, Effect, Moment, Press, Verb};
use crate::run::question::Question;
use crate::run::refusal::Refusal;
use overrule_domain::advice::Cards;
use overrule_domain::command::{Command, Edit};
use overrule_domain::decide;
use overrule_domain::decide::edit::of_agent;
use overrule_domain::id::{Attempt, NodeId};

/// Whether a verb can act now, for its hint.
pub fn of(model: &Model, verb: &Verb) -> Availability {
    of_at(model, verb, Moment::key_now(model))
}

/// Whether a verb can act at this moment. A verb that is not offered is refused until its question was seen, too: its
/// key may still send something.
pub fn of_at(model: &Model, verb: &Verb, moment: Moment) -> Availability {
    if let Err(refusal) = possible(model, verb) {
        return Availability::Refused(refusal);
    }
    let found = (verb.available)(model);
    if matches!(found, Availability::Refused(_)) {
        return found;
    }
    let is_target = verb.about == About::Nothing || is_visible(model);
    let is_offered = found != Availability::NotOffered && is_target && is_accepted(model, verb);
    let seen = after_paste(model, verb, moment.at).and_then(|()| (verb.seen)(model, moment));
    match (is_offered, seen) {
        (true, Ok(())) => found,
        (true, Err(refusal)) => Availability::NotYet(refusal),
        (false, Ok(())) => Availability::NotOffered,
        (false, Err(refusal)) => Availability::Refused(refusal),
    }
}

/// Carries out a verb, unless it is refused at the moment of the press. The verb does not check that again.
pub fn carry_out(model: &mut Model, verb: &Verb, press: &mut Press<'_>) -> Result<(), Refusal> {
    match of_at(model, verb, press.moment) {
        Availability::Refused(refusal) | Availability::NotYet(refusal) => Err(refusal),
        Availability::Offered | Availability::NotOffered => (verb.run)(model, press),
    }
}

/// True for a verb that can act now, perhaps after its question was read.
pub fn is_offered(model: &Model, verb: &Verb) -> bool {
    matches!(of(model, verb), Availability::Offered | Availability::NotYet(_))
}

/// Refuses a verb that the run does not allow, whatever is selected.
pub(crate) fn allowed(model: &Model, verb: &Verb) -> Result<(), Refusal> {
    let access = if model.is_halted() {
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
        _ if verb.decides => Err(Refusal::new("Cannot decide: this run is recorded")),
        _ => Err(Refusal::new("Cannot change this run: it is recorded")),
    }
}

/// Refuses a verb that the run does not allow, or that has several targets under the cursor.
fn possible(model: &Model, verb: &Verb) -> Result<(), Refusal> {
    allowed(model, verb)?;
    if let Some(several) = model.folded(verb) {
        let key = model.settings.keymap.first("expand");
        return Err(Refusal::new(format!(
            "This row groups {several}. {key} unfolds it first"
        )));
    }
    Ok(())
}

/// True unless the run refuses the verb, whatever is selected.
pub fn is_possible(model: &Model, verb: &Verb) -> bool {
    allowed(model, verb).is_ok()
}

/// Refuses a verb with consequences right after a paste: its key may be a part of it.
pub fn after_paste(model: &Model, verb: &Verb, at: u64) -> Result<(), Refusal> {
    if model.keys.is_after_paste(at) && verb.waits_after_paste() && !(verb.stops)(model) {
        return Err(Refusal::unseen("right after a paste"));
    }
    Ok(())
}

/// Refused for what the console knows for certain, else as `then` says.
pub(crate) fn unless_refused(may: Result<(), Refusal>, then: impl FnOnce() -> Availability) -> Availability {
    may.map_or_else(Availability::Refused, |()| then())
}

/// Refused where the agent of another program would contradict the edit, else as `then` says.
pub(crate) fn unless_contradicted(
    model: &Model,
    edit: Option<&Edit>,
    then: impl FnOnce() -> Availability,
) -> Availability {
    let refused = edit.map_or(Ok(()), |edit| of_agent::refuse(&model.run.state, edit));
    unless_refused(refused.map_err(|why| Refusal::outside(why.message)), then)
}

/// Offered, or not.
pub(crate) const fn offered(is: bool) -> Availability {
    if is {
        Availability::Offered
    } else {
        Availability::NotOffered
    }
}

/// Offered in a live run, or not: for a verb that changes nothing, whose key works in a recorded run too.
pub(crate) fn live(model: &Model, is: bool) -> Availability {
    offered(is && !model.settings.is_recorded())
}

/// A decision, which a small screen does not offer.
pub(crate) fn decision(model: &Model, is: bool) -> Availability {
    offered(is && model.screen.can_decide())
}

/// An answer to the question of the open dialog, if that is still asked.
pub(crate) fn answer(model: &Model) -> Availability {
    let asks = dialog(model).map_or(Ok(()), |question| model.run.still_asks(question));
    unless_refused(asks, || decision(model, true))
}

/// An answer about an execution with an unknown outcome: of the open dialog, or under the cursor of
/// the list of effects.
pub(crate) fn on_unknown(
    model: &Model,
    is: impl Fn(&Model, NodeId, Option<Attempt>) -> bool,
) -> Availability {
    match dialog(model) {
        Some(Question::Call { call, .. }) if !is(model, *call, None) => Availability::NotOffered,
        Some(_) => answer(model),
        None => {
            let entry = selection::unknown_outcome(model);
            decision(
                model,
                entry.is_some_and(|entry| is(model, entry.call, Some(entry.attempt))),
            )
        }
    }
}

/// The question of the open dialog.
pub(crate) fn dialog(model: &Model) -> Option<&Question> {
    model.stack.last()?.question()
}

/// True unless the run would refuse what the verb would send now.
fn is_accepted(model: &Model, verb: &Verb) -> bool {
    let state = &model.run.state;
    let accepts = |command: Command| decide::command(state, &Cards(state), &command).is_ok();
    (verb.command)(model).is_none_or(accepts)
}
