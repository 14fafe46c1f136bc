//! Applies events about repairs.
//!
//! Must not know: why a repair was made, how a strategy is chosen.

use std::sync::Arc;

use super::at::At;
use super::index;
use crate::call::{Call, Status};
use crate::event::ResilienceEvent;
use crate::id::{NodeId, Rev};
use crate::ladder::{Round, Stage};
use crate::node::Content;
use crate::repair::{Diagnosis, Reply, Strategy};
use crate::repair_trace;
use crate::state::State;
use crate::turn::Usage;

pub(super) fn apply(state: &mut State, at: At, event: &ResilienceEvent) {
    match event {
        ResilienceEvent::RepairStarted { .. } => started(state, at, event),
        ResilienceEvent::RepairDiagnosed {
            call,
            round,
            diagnoses,
        } => diagnosed(state, *call, *round, diagnoses),
        ResilienceEvent::RepairAsked {
            call,
            round,
            question,
            ..
        } => {
            state.tally.requests = state.tally.requests.saturating_add(1);
            if let Some(tool) = tool_of(state, *call) {
                state.learned.repair_stats.tried(&tool, &question.strategies);
                state.learned.repair_stats.requested(&tool, &question.strategies);
            }
            step(state, *call, *round, Stage::Asking, |last| {
                last.asked = Some(question.clone());
            });
        }
        ResilienceEvent::RepairBroke {
            call,
            rev,
            round,
            why,
            usage,
            ..
        } => {
            state.tally.requests = state.tally.requests.saturating_add(1);
            charge(state, (*call, *rev, *round), *usage);
            let strategies = asked_by(state, (*call, *rev, *round));
            if let Some(tool) = tool_of(state, *call) {
                state.learned.repair_stats.requested(&tool, &strategies);
            }
            step(state, *call, *round, Stage::Asking, |last| {
                last.broke.push(why.clone());
            });
        }
        ResilienceEvent::RepairAnswered {
            call,
            rev,
            round,
            reply,
            usage,
        } => answered(state, (*call, *rev, *round), reply, *usage),
        ResilienceEvent::RepairOffered {
            call,
            round,
            why,
            options,
            ..
        } => {
            with(state, *call, |life| {
                life.validation.because = Some(why.clone());
                life.ready = Some(at.seq);
            });
            step(state, *call, *round, Stage::Choosing, |last| {
                last.options.clone_from(options);
            });
        }
        ResilienceEvent::RepairApplied { call, round, changes } => {
            step(state, *call, *round, Stage::Applying, |last| {
                last.changes.clone_from(changes);
            });
            applied(state, *call, *round);
        }
        ResilienceEvent::GaveUp { .. }
        | ResilienceEvent::RetryScheduled { .. }
        | ResilienceEvent::RetryDue { .. }
        | ResilienceEvent::BreakerChanged { .. }
        | ResilienceEvent::PolicySet { .. } => {}
    }
}

/// Begins a round.
fn started(state: &mut State, at: At, event: &ResilienceEvent) {
    let ResilienceEvent::RepairStarted {
        call,
        rev,
        round,
        of,
        class,
    } = event
    else {
        return;
    };
    let begun = Round {
        seq: at.seq,
        rev: *rev,
        no: *round,
        of: *of,
        class: *class,
        diagnoses: Vec::new(),
        asked: None,
        broke: Vec::new(),
        reply: None,
        options: Vec::new(),
        changes: Vec::new(),
        helped: None,
        gave_up: None,
    };
    if counts(state, *call, *rev).is_some() {
        // The result of an earlier repair is wrong as well.
        repaired(state, *call, *rev, false);
        with(state, *call, |life| {
            life.failure.repairs.push(begun);
        });
        index::set_status(state, *call, Status::Repairing(Stage::Diagnosing));
    }
}

fn diagnosed(state: &mut State, call: NodeId, round: u32, diagnoses: &[Diagnosis]) {
    step(state, call, round, Stage::Selecting, |last| {
        let new = diagnoses.iter().filter(|one| !last.diagnoses.contains(one));
        let new: Vec<_> = new.cloned().collect();
        last.diagnoses.extend(new);
    });
    // The next step is not decided yet, or waits until the model may be asked.
    let selecting = |life: &Call| life.status == Status::Repairing(Stage::Selecting);
    if state.calls.get(&call).is_some_and(selecting) {
        state.agenda.failures.insert(call);
    }
}

/// The call if this revision of it is active.
pub(super) fn counts(state: &State, call: NodeId, rev: Rev) -> Option<&Call> {
    let node = state.nodes.get(&call)?;
    (node.active && node.rev() == rev).then(|| state.calls.get(&call))?
}

pub(super) fn with(state: &mut State, call: NodeId, change: impl FnOnce(&mut Call)) {
    if let Some(life) = state.calls.get_mut(&call) {
        change(life);
    }
}

/// Moves the newest round of a repair to a stage.
fn step(state: &mut State, call: NodeId, round: u32, stage: Stage, note: impl FnOnce(&mut Round)) {
    let Some(life) = state.calls.get_mut(&call) else {
        return;
    };
    let under_way = matches!(life.status, Status::Repairing(_));
    let mut continues = false;
    let last = life.failure.repairs.last_mut();
    if let Some(last) = last.filter(|last| under_way && last.no == round) {
        note(last);
        continues = true;
    }
    if continues {
        index::set_status(state, call, Status::Repairing(stage));
    }
}

/// Adds the cost of a question about a call.
fn charge(state: &mut State, which: (NodeId, Rev, u32), usage: Usage) {
    let (call, ..) = which;
    if let Some(turn) = state.nodes.get(&call).map(|node| node.turn) {
        super::turn::spend(state, turn, usage);
    }
    state.tally.usage = state.tally.usage.plus(usage);
    let strategies = asked_by(state, which);
    if let Some(tool) = tool_of(state, call) {
        state.learned.repair_stats.cost(&tool, &strategies, usage);
    }
}

/// The tool of the current revision of a call.
pub(super) fn tool_of(state: &State, call: NodeId) -> Option<Arc<str>> {
    let (tool, _) = state.nodes.get(&call)?.as_call()?;
    Some(Arc::clone(tool))
}

/// The strategies for which the model was asked in a round.
fn asked_by(state: &State, (call, rev, round): (NodeId, Rev, u32)) -> Vec<Strategy> {
    let rounds = state.calls.get(&call).map(|life| &life.failure.repairs);
    let this = |one: &&Round| one.no == round && one.rev == rev;
    let asked = rounds.and_then(|rounds| rounds.iter().rfind(this)?.asked.as_ref());
    asked
        .map(|question| question.strategies.clone())
        .unwrap_or_default()
}

/// Counts the strategies of an applied repair. A strategy whose answer was not used has failed.
fn applied(state: &mut State, call: NodeId, no: u32) {
    let round = state
        .calls
        .get(&call)
        .and_then(|life| life.failure.repairs.last());
    let (Some(round), Some(tool)) = (round.filter(|round| round.no == no), tool_of(state, call)) else {
        return;
    };
    let asked = round
        .asked
        .as_ref()
        .map_or(&[][..], |question| &question.strategies);
    let made = round.strategies();
    let new: Vec<Strategy> = made.iter().filter(|one| !asked.contains(one)).copied().collect();
    let vain: Vec<Strategy> = asked.iter().filter(|one| !made.contains(one)).copied().collect();
    state.learned.repair_stats.tried(&tool, &new);
    state.learned.repair_stats.ended(&tool, &vain, false);
}

/// Counts once whether the repair that made a revision helped.
pub(super) fn repaired(state: &mut State, id: NodeId, rev: Rev, helped: bool) {
    let (Some(call), Some(node)) = (state.calls.get_mut(&id), state.nodes.get(&id)) else {
        return;
    };
    let Some(seq) = repair_trace::made(call, node, rev).map(|round| round.seq) else {
        return;
    };
    let mut rounds = call.failure.repairs.iter_mut();
    let Some(round) = rounds.find(|one| one.seq == seq && one.helped.is_none()) else {
        return;
    };
    round.helped = Some(helped);
    let before = node.revision(round.rev).map(|before| &before.content);
    if let Some(Content::Call { tool, .. }) = before {
        state
            .learned
            .repair_stats
            .ended(tool, &round.strategies(), helped);
    }
}

/// Applies the answer of the model; what follows is decided next if the call still waits for it.
fn answered(state: &mut State, (id, rev, round): (NodeId, Rev, u32), reply: &Reply, usage: Usage) {
    charge(state, (id, rev, round), usage);
    with(state, id, |life| {
        let this = |one: &&mut Round| one.no == round && one.rev == rev;
        if let Some(one) = life.failure.repairs.iter_mut().rfind(this) {
            one.reply = Some(reply.clone());
        }
    });
    let waits = counts(state, id, rev).is_some_and(|life| {
        life.status == Status::Repairing(Stage::Asking)
            && life.failure.repairs.last().is_some_and(|one| one.no == round)
    });
    if waits {
        index::set_status(state, id, Status::Repairing(Stage::Selecting));
        state.agenda.failures.insert(id);
    }
}
