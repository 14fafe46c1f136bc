//! Plans an edit: computes its consequences before it is committed.
//!
//! Must not know: how a plan is shown.
//!
//! A plan is read off the very events that the edit would make, so the preview is what the commit
//! does.

use std::collections::BTreeSet;

use super::advance;
use super::advice::Cards;
use super::affected_nodes::AffectedNodes;
use super::call::Status;
use super::command::{Command, Edit, EditCommand};
use super::decide;
use super::event::{CallEvent, Event};
use super::id::{NodeId, Seq, TurnId};
use super::price::Money;
use super::refusal::Refusal;
use super::state::State;
use super::trial::try_out;
use super::turn::Usage;

mod estimate;
mod lost_inputs;

pub use super::affected_nodes::ModelRequest;
pub use lost_inputs::LostInput;

/// What a set of edits would do. Lists of nodes are in journal order, apart from `cancelled`, `drained`,
/// `approves` and `consents`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The state of the run that the plan was made for.
    pub seen: Seq,
    /// Nodes that are superseded, because the model made them from what is edited.
    pub superseded: Vec<NodeId>,
    /// Turns that are superseded.
    pub turns: Vec<TurnId>,
    /// Nodes that are active again, because an earlier branch is chosen.
    pub recalled: Vec<NodeId>,
    /// Turns that the operator keeps although their context changes.
    pub drifted: Vec<TurnId>,
    /// Turns that are suspended until the results that they depend on are known. If these come out
    /// equal, the turns are active again; if not, they are superseded.
    pub held: Vec<TurnId>,
    /// Nodes that are superseded if the suspended turns are.
    pub perhaps: Vec<NodeId>,
    /// Calls that will run (again) for certain, gate permitting.
    pub certain: Vec<NodeId>,
    /// Calls that may run again, if what they read turns out different; holds `certain`.
    pub possible: Vec<NodeId>,
    /// Of the calls that will or may run, those that never ran with what they would run with.
    pub first_runs: Vec<NodeId>,
    /// Calls for which the commit is also the approval of what it says; the policy may still deny it.
    pub approves: Vec<NodeId>,
    /// Finished calls that keep their results.
    pub unchanged: Vec<NodeId>,
    /// Running calls that are cancelled.
    pub cancelled: Vec<NodeId>,
    /// Calls that finish before the model is asked again, including sub-agents that continue.
    pub drained: Vec<NodeId>,
    /// Executions with effects that already happened under what is replaced or runs again.
    pub effects: Vec<Seq>,
    /// Calls with an equal recorded effect: they wait for consent instead of running.
    pub consents: Vec<NodeId>,
    /// Corrections that are kept: nothing that the edit starts can change them.
    pub corrections: Vec<NodeId>,
    /// Corrections that may be lost: the model is or may be asked for their turns again and may make other calls, or
    /// their calls may run again with other inputs.
    pub corrections_may_be_lost: Vec<NodeId>,
    /// Corrections that are lost.
    pub corrections_lost: Vec<NodeId>,
    /// References that no call gives a value any more.
    pub lost_inputs: Vec<LostInput>,
    /// Whether the model will be asked again.
    pub asks: ModelRequest,
    /// Tokens of the next request, estimated at four bytes each.
    pub tokens: u64,
    /// What sending them costs, where a price is known: the reply comes on top.
    pub cost: Option<Money>,
}

impl Plan {
    /// Calls that will run with inputs that they never ran with: those that the edit approves, and
    /// those that the policy decides first. Its verdict is not known here: the policy and the
    /// inputs may have changed since the last one.
    pub fn first(&self) -> (Vec<NodeId>, Vec<NodeId>) {
        let certain = self.certain.iter().filter(|id| self.is_first_run(**id));
        certain.copied().partition(|id| self.approves.contains(id))
    }

    /// Calls that will run again with the inputs that they ran with.
    pub fn again(&self) -> Vec<NodeId> {
        let certain = self.certain.iter().filter(|id| !self.is_first_run(**id));
        certain.copied().collect()
    }

    /// Calls that may run and need not: those that never ran with what they would run with, and the others.
    pub fn perhaps(&self) -> (Vec<NodeId>, Vec<NodeId>) {
        let maybe = self.possible.iter().filter(|id| !self.is_certain(**id));
        maybe.copied().partition(|id| self.is_first_run(*id))
    }

    /// True for a call that will run.
    pub fn is_certain(&self, call: NodeId) -> bool {
        self.certain.binary_search(&call).is_ok()
    }

    /// True for a call that will or may run, and never ran with what it would run with.
    pub fn is_first_run(&self, call: NodeId) -> bool {
        self.first_runs.binary_search(&call).is_ok()
    }
}

/// The plan of edits, taken as one. Refused where an edit could not be committed.
///
/// Arguments are not checked against their schemas here; that is asked for when the edit is committed.
pub fn plan(state: &State, edits: &[Edit]) -> Result<Plan, Refusal> {
    let events = decide::edit::commit(state, &Cards(state), edits, (None, false))?;
    Ok(of_events(state, &events))
}

/// The plan of any edit, an undo or the choice of a branch included. Refused like the command itself.
pub fn plan_of(state: &State, command: &EditCommand) -> Result<Plan, Refusal> {
    let command = Command::Edit(command.clone());
    let events = decide::command(state, &Cards(state), &command)?;
    Ok(of_events(state, &events))
}

/// The plan that the facts of an edit amount to.
pub fn of_events(state: &State, events: &[Event]) -> Plan {
    let mut reach = AffectedNodes::of(state, events);
    let ended = ended_by_values(state, events, &reach);
    reach.cancelled.extend(ended);
    let stored = unchanged(state, &reach);
    // Calls that are cancelled for another branch are not waited for.
    let mut drained = undecided(state, &reach);
    drained.retain(|id| !reach.cancelled.contains(id));
    drained.extend(&reach.continued);
    let tokens = if reach.asks.perhaps() {
        estimate::tokens(state, &reach, events)
    } else {
        0
    };
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    let sent = Usage {
        input: Some(tokens),
        ..Usage::default()
    };
    Plan {
        first_runs: reach.first_runs(state),
        corrections: reach.corrections_kept(state),
        corrections_may_be_lost: reach.corrections_at_risk(state),
        lost_inputs: lost_inputs::lost_inputs(state, events, &reach),
        corrections_lost: reach.corrections_lost,
        seen: state.seq,
        cost: price
            .filter(|_| reach.asks.perhaps())
            .and_then(|price| price.of(sent)),
        unchanged: stored,
        drained,
        tokens,
        superseded: reach.gone.iter().collect(),
        turns: reach.turns,
        recalled: reach.recalled,
        drifted: reach.drifted,
        held: reach.held,
        perhaps: reach.perhaps.iter().collect(),
        certain: reach.certain.iter().collect(),
        possible: reach.possible.iter().collect(),
        cancelled: reach.cancelled,
        approves: reach.approves,
        consents: reach.consents,
        effects: reach.effects.into_iter().collect(),
        asks: reach.asks,
    }
}

/// Maximum number of rounds in which consequences are computed.
const ROUNDS: usize = 64;

/// Running calls that end because one of their inputs changes immediately with the edit. Computed
/// on a copy of the state, and only if there are such readers.
fn ended_by_values(state: &State, events: &[Event], reach: &AffectedNodes) -> Vec<NodeId> {
    let running = state.agenda.running.iter().chain(&state.agenda.delegates);
    let may_end = |id: &&NodeId| reach.possible.contains(**id) && !reach.cancelled.contains(id);
    let runs: BTreeSet<NodeId> = running.filter(may_end).copied().collect();
    let mut ended = Vec::new();
    if runs.is_empty() {
        return ended;
    }
    let mut copy = state.clone();
    try_out(&mut copy, events);
    for _ in 0..ROUNDS {
        let more = advance::quiet(&copy, &Cards(state));
        if more.is_empty() {
            break;
        }
        ended.extend(more.iter().filter_map(|event| match event {
            Event::Call(CallEvent::CancelAsked { call, .. }) if runs.contains(call) => Some(*call),
            _ => None,
        }));
        try_out(&mut copy, &more);
    }
    ended
}

/// Calls that have ended and stay as they are: nothing put their results in question, this edit or one before.
fn unchanged(state: &State, reach: &AffectedNodes) -> Vec<NodeId> {
    let mut touched = reach.gone.clone();
    touched.extend(reach.possible.iter());
    touched.extend(reach.perhaps.iter());
    touched.extend(reach.continued.iter().chain(&state.agenda.suspects));
    let settled = state.agenda.settled.iter().copied();
    settled.filter(|id| !touched.contains(*id)).collect()
}

/// Active calls that have not ended, or whose results an earlier edit put in question: the model is
/// asked only after them.
fn undecided(state: &State, reach: &AffectedNodes) -> Vec<NodeId> {
    let agenda = &state.agenda;
    let open = agenda
        .unchecked
        .iter()
        .chain(&agenda.blocked)
        .chain(&agenda.ungated)
        .chain(agenda.waiting.values())
        .chain(&agenda.queued)
        .chain(&agenda.delayed)
        .chain(&agenda.repairing)
        .chain(&agenda.running)
        .chain(&agenda.suspects)
        .chain(&agenda.delegates);
    let found: BTreeSet<NodeId> = open
        .filter(|id| !reach.gone.contains(**id) && !reach.possible.contains(**id))
        .filter(|id| {
            state
                .calls
                .get(id)
                .is_some_and(|call| call.status != Status::Invalid)
        })
        .copied()
        .collect();
    found.into_iter().collect()
}
