//! Applies events about summaries that the model is asked for.
//!
//! Must not know: when a summary is asked for, what it replaces.

use super::at::At;
use crate::event::EditEvent;
use crate::id::Seq;
use crate::reduction::summary::SummaryQuestion;
use crate::repair::Reply;
use crate::state::State;
use crate::turn::Usage;

pub(super) fn apply(state: &mut State, at: At, event: &EditEvent) {
    match event {
        EditEvent::SummaryAsked {
            thread,
            turns,
            after,
            what,
            by,
        } => {
            state.tally.requests = state.tally.requests.saturating_add(1);
            let of_others = |one: &SummaryQuestion| one.thread != *thread || one.failed.is_none();
            state.operator.summaries.retain(|_, one| of_others(one));
            let asked = SummaryQuestion {
                set: at.seq,
                epoch: state.epoch,
                thread: *thread,
                turns: turns.clone(),
                after: *after,
                what: what.clone(),
                by: by.clone(),
                broke: 0,
                failed: None,
            };
            state.operator.summaries.insert(at.seq, asked);
        }
        EditEvent::SummaryBroke { set, usage, .. } => {
            let set = &question(state, *set);
            state.tally.requests = state.tally.requests.saturating_add(1);
            summary_cost(state, *set, *usage);
            if let Some(asked) = state.operator.summaries.get_mut(set) {
                asked.broke = asked.broke.saturating_add(1);
            }
        }
        EditEvent::SummaryAnswered { set, reply, usage } => {
            let set = question(state, *set);
            summary_cost(state, set, *usage);
            summary_answered(state, set, reply);
        }
        EditEvent::Committed { .. }
        | EditEvent::Revised { .. }
        | EditEvent::Pinned { .. }
        | EditEvent::Unpinned { .. }
        | EditEvent::MarkedStale { .. }
        | EditEvent::Superseded { .. }
        | EditEvent::Orphaned { .. }
        | EditEvent::Suspended { .. }
        | EditEvent::Released { .. }
        | EditEvent::Recalled { .. }
        | EditEvent::Shortened { .. }
        | EditEvent::LeftOut { .. }
        | EditEvent::CorrectionsLost { .. }
        | EditEvent::Named { .. } => {}
    }
}

/// The question that an event names. Where it names none, as in sessions of earlier builds, it is about the newest.
fn question(state: &State, set: Seq) -> Seq {
    let mut open = state
        .operator
        .summaries
        .values()
        .rev()
        .filter(|one| one.failed.is_none());
    let newest = open.next().filter(|_| set == Seq::default());
    newest.map_or(set, |one| one.set)
}

/// Ends the question for a summary. A failed one stays, so that it is not asked again by itself.
fn summary_answered(state: &mut State, set: Seq, reply: &Reply) {
    match reply {
        Reply::Answered { .. } => _ = state.operator.summaries.remove(&set),
        Reply::Failed { why } => {
            if let Some(asked) = state.operator.summaries.get_mut(&set) {
                asked.failed = Some(why.clone());
            }
        }
    }
}

/// Counts what a question for a summary cost.
fn summary_cost(state: &mut State, set: Seq, usage: Usage) {
    state.tally.usage = state.tally.usage.plus(usage);
    let asked = state.operator.summaries.get(&set);
    if let Some(turn) = asked.and_then(|asked| asked.after.or_else(|| asked.turns.last().copied())) {
        super::turn::spend(state, turn, usage);
    }
}
