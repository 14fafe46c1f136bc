//! Computes what the events of an edit touch, directly and through dependencies.
//!
//! Must not know: what is made of it, how it is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::branch::recall::{CallMove, Moves, recall};
use super::correction;
use super::event::{CallEvent, EditEvent, Event, TurnEvent};
use super::id::{NodeId, NodeKind, Rev, Seq, ThreadId, TurnId};
use super::ledger;
use super::node::{Content, Revision};
use super::node_set::NodeSet;
use super::ready;
use super::repeat;
use super::state::State;
use super::tags;
use super::thread;
use super::turn::{Activity, Producer, Stream};

/// Whether the model is asked again after an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ModelRequest {
    /// It is not.
    #[default]
    No,
    /// Only if a result that is recomputed differs.
    IfDifferent,
    /// It is.
    Yes,
}

impl ModelRequest {
    /// True where it is or may be.
    pub fn perhaps(self) -> bool {
        self != Self::No
    }
}

/// What the events of an edit touch. The cost depends on what they touch, not on the size of the
/// run.
#[derive(Debug, Default)]
pub(crate) struct AffectedNodes {
    pub(crate) gone: NodeSet,
    pub(crate) certain: NodeSet,
    pub(crate) possible: NodeSet,
    pub(crate) effects: BTreeSet<Seq>,
    pub(crate) turns: Vec<TurnId>,
    pub(crate) cancelled: Vec<NodeId>,
    pub(crate) approves: Vec<NodeId>,
    pub(crate) recalled: Vec<NodeId>,
    pub(crate) drifted: Vec<TurnId>,
    pub(crate) held: Vec<TurnId>,
    pub(crate) perhaps: NodeSet,
    /// Revisions that the nodes of a branch have when it comes back.
    pub(crate) revisions: BTreeMap<NodeId, Rev>,
    /// Delegated calls whose sub-agents continue.
    pub(crate) continued: Vec<NodeId>,
    /// Calls with an equal recorded effect.
    pub(crate) consents: Vec<NodeId>,
    /// Corrections that are lost.
    pub(crate) corrections_lost: Vec<NodeId>,
    /// True if another branch becomes current, with its own corrections.
    recalls: bool,
    /// Deleted nodes.
    deleted: NodeSet,
    pub(crate) asks: ModelRequest,
    /// True if turns are suspended or come back: the tip of the thread is not what it was.
    pub(crate) begins: bool,
    /// Turns that these facts make or ask for.
    pub(crate) begun: BTreeSet<TurnId>,
    /// The thread that is edited.
    pub(crate) thread: Option<ThreadId>,
    /// Calls whose results these facts write.
    given: NodeSet,
    /// What calls say from now on.
    pub(crate) edited: Vec<(NodeId, Arc<str>, Arc<str>)>,
    /// Calls that these facts make, with their turns.
    pub(crate) made: Vec<(TurnId, NodeId)>,
}

impl AffectedNodes {
    pub(crate) fn of(state: &State, events: &[Event]) -> Self {
        let mut reach = Self::default();
        for event in events {
            reach.take(state, event);
        }
        let observed = |id: NodeId| state.observation(id).map(|node| node.id);
        let observations: Vec<NodeId> = reach.gone.calls().filter_map(observed).collect();
        reach.gone.extend(observations);
        reach.possible.extend(reach.certain.iter());
        reach.leave_out_dead(state);
        reach.take_children(state);
        reach.take_held(state);
        if !reach.begun.is_empty() {
            reach.asks = ModelRequest::Yes;
        }
        reach.begins |= !reach.begun.is_empty();
        reach.possible.remove_all(&reach.gone);
        reach.certain.remove_all(&reach.gone);
        // Turns kept with another context are not asked for again. If turns are superseded without
        // anything new, the rest may end with an answer, or not any more.
        if !reach.drifted.is_empty() || (!reach.begins && !reach.turns.is_empty()) {
            let left = Moves {
                falls: reach.gone.iter().collect(),
                turns_fall: reach.turns.clone(),
                ..Moves::default()
            };
            reach.asks = asked_unless(ends_with_answer(state, &left));
        }
        reach.effects.extend(ledger::repeated(state, &reach.possible));
        let falls = reach.gone.iter().chain(reach.perhaps.iter());
        let falls: NodeSet = falls.map(NodeId::call).collect();
        reach
            .effects
            .extend(ledger::orphaned_without(state, falls.calls()));
        // If the kept turns end with an answer, the model is not asked.
        if !reach.drifted.is_empty() && ends_with_answer(state, &Moves::default()) {
            reach.asks = ModelRequest::No;
        }
        reach.take_repeats(state);
        reach
    }

    /// Of the calls that may run, those that never ran with what they would run with.
    pub(crate) fn first_runs(&self, state: &State) -> Vec<NodeId> {
        let ran = |id: NodeId| {
            let (Some(call), Some(node)) = (state.calls.get(&id), state.nodes.get(&id)) else {
                return false;
            };
            let mut attempts = call.attempts.iter();
            if let Some((_, tool, args)) = self.edited.iter().rfind(|(one, ..)| *one == id) {
                let tool_at = |rev| match node.revision(rev).map(|text| &text.content) {
                    Some(Content::Call { tool, .. }) => Some(tool),
                    _ => None,
                };
                return attempts.any(|one| one.args == *args && tool_at(one.rev) == Some(tool));
            }
            let rev = self.revisions.get(&id).copied().unwrap_or_else(|| node.rev());
            attempts.any(|one| one.rev == rev)
        };
        self.possible.iter().filter(|id| !ran(*id)).collect()
    }

    /// Returns the corrections that nothing can change which these facts start. None where another branch comes back: it has
    /// its own.
    pub(crate) fn corrections_kept(&self, state: &State) -> Vec<NodeId> {
        let stays = |id: &NodeId| !self.is_deliberate(*id) && !self.is_at_risk(state, *id);
        self.corrections(state, stays)
    }

    /// Returns the corrections that may be lost, without those that are lost for certain.
    pub(crate) fn corrections_at_risk(&self, state: &State) -> Vec<NodeId> {
        let at_risk = |id: &NodeId| !self.is_deliberate(*id) && self.is_at_risk(state, *id);
        self.corrections(state, at_risk)
    }

    /// Returns the active corrections of calls that a condition holds for.
    fn corrections(&self, state: &State, holds: impl Fn(&NodeId) -> bool) -> Vec<NodeId> {
        if self.recalls {
            return Vec::new();
        }
        let corrected = correction::active(state).filter(|id| holds(id));
        let observations = corrected.map(NodeId::observation);
        observations
            .filter(|id| !self.corrections_lost.contains(id))
            .collect()
    }

    /// True for a call whose correction these facts replace, withdraw or delete: the operator intends that.
    fn is_deliberate(&self, call: NodeId) -> bool {
        self.deleted.contains(call) || self.given.contains(call) || self.certain.contains(call)
    }

    /// True for a call that is or may be superseded, or may get another result: by these facts or by those before.
    fn is_at_risk(&self, state: &State, call: NodeId) -> bool {
        let turn = state.turn_of(call).map(|turn| thread::activity(state, turn));
        self.gone.contains(call)
            || self.perhaps.contains(call)
            || self.possible.contains(call)
            || self.continued.contains(&call)
            || state.agenda.suspects.contains(&call)
            || turn != Some(Activity::Active)
    }

    /// Skips edited calls that read a result which does not exist and never will, unless the same
    /// edits may produce it.
    fn leave_out_dead(&mut self, state: &State) {
        for (node, _, args) in &self.edited {
            let (node, Some(call)) = (*node, state.calls.get(node)) else {
                continue;
            };
            let as_edited = ready::with_args(state, call, args);
            let is_dead = matches!(
                ready::look_with(state, &as_edited, args),
                ready::Readiness::Dead { .. }
            );
            let sources = ready::sources(state, &as_edited);
            if !is_dead || self.possible.has_any(&sources) || !self.recalled.is_empty() {
                continue;
            }
            self.certain.remove(node);
            // It may read what the same edits write.
            if !self.given.has_any(&sources) {
                self.possible.remove(node);
            }
        }
    }

    /// A call that would repeat a recorded effect asks for consent: neither the commit nor the
    /// policy approves it.
    fn take_repeats(&mut self, state: &State) {
        for (node, tool, args) in &self.edited {
            let Some(call) = state.calls.get(node).filter(|_| self.certain.contains(*node)) else {
                continue;
            };
            let mut as_edited = ready::with_args(state, call, args);
            let ready::Readiness::Bound { resolved, .. } = ready::look_with(state, &as_edited, args) else {
                continue;
            };
            // What it reads may come out different.
            if self.possible.has_any(&ready::sources(state, &as_edited)) {
                continue;
            }
            let bytes = resolved.as_deref().unwrap_or(args);
            as_edited.effect = tags::effect(state, tool, bytes);
            if repeat::consent_for(state, &as_edited, (tool, bytes)).is_some() {
                self.certain.remove(*node);
                self.approves.retain(|one| one != node);
                self.consents.push(*node);
            }
        }
    }

    /// A superseded call takes the work of its sub-agent with it; one that may run again may do so.
    fn take_children(&mut self, state: &State) {
        let mut falls = self.gone.clone();
        falls.extend(self.certain.iter());
        let (turns, nodes) = thread::under(state, falls.calls());
        let known: BTreeSet<TurnId> = self.turns.iter().copied().collect();
        self.turns.extend(turns.iter().filter(|id| !known.contains(id)));
        let (_, perhaps) = thread::under(state, self.possible.calls());
        let touched: NodeSet = nodes.iter().chain(&perhaps).copied().collect();
        self.effects.extend(ledger::not_orphaned(state, &touched));
        for id in nodes.iter().filter(|id| is_active(state, **id)) {
            self.gone.insert(*id);
            self.gone.extend(state.observation(*id).map(|node| node.id));
        }
    }

    /// Adds what is superseded together with the suspended turns: it may leave orphaned effects.
    fn take_held(&mut self, state: &State) {
        let fall: BTreeSet<TurnId> = self.turns.iter().copied().collect();
        self.held.retain(|id| !fall.contains(id));
        let turns = self.held.iter().filter_map(|id| state.turns.get(id));
        let mut nodes: Vec<NodeId> = turns.flat_map(|turn| &turn.nodes).copied().collect();
        let (_, under) = thread::under(state, nodes.iter().copied());
        nodes.extend(under);
        nodes.retain(|id| is_active(state, *id) && !self.gone.contains(*id));
        self.perhaps = nodes.into_iter().collect();
        self.effects.extend(ledger::not_orphaned(state, &self.perhaps));
    }

    fn take(&mut self, state: &State, event: &Event) {
        if self.thread.is_none() {
            self.thread = match event {
                Event::Edit(EditEvent::Revised { node, .. }) => Some(thread::of(state, *node)),
                Event::Call(CallEvent::Woken { call }) => Some(thread::of(state, *call)),
                Event::Turn(TurnEvent::Opened { thread, .. }) => Some(*thread),
                _ => None,
            };
        }
        match event {
            Event::Edit(EditEvent::Superseded { nodes }) => self.gone.extend(nodes),
            Event::Edit(EditEvent::CorrectionsLost { nodes }) => self.corrections_lost.extend(nodes),
            Event::Edit(EditEvent::Orphaned { entries }) => self.effects.extend(entries),
            Event::Edit(EditEvent::MarkedStale { calls }) => {
                self.possible.extend(calls);
            }
            Event::Edit(EditEvent::Revised {
                node,
                content,
                approves,
                ..
            }) => {
                if node.kind != NodeKind::Answer {
                    self.asks = ModelRequest::Yes;
                }
                if approves.is_some() {
                    self.approves.push(*node);
                }
                match content {
                    Content::Deleted => {
                        self.gone.insert(*node);
                        self.deleted.insert(*node);
                    }
                    Content::Call { tool, args } => {
                        self.certain.insert(*node);
                        self.edited.push((*node, tool.clone(), args.clone()));
                    }
                    // A result that a person writes is not computed, whatever an earlier edit of
                    // the same commit put in question.
                    Content::Observation { .. } => {
                        self.given.insert(node.call());
                        self.certain.remove(node.call());
                        self.possible.remove(node.call());
                    }
                    Content::Text { .. } => {}
                }
            }
            Event::Turn(TurnEvent::Superseded { turns }) => {
                self.turns
                    .extend(turns.iter().filter(|id| state.turns.contains_key(id)));
                for turn in turns.iter().filter_map(|id| state.turns.get(id)) {
                    let counting = turn.nodes.iter().filter(|id| is_active(state, **id));
                    self.gone.extend(counting);
                }
            }
            Event::Turn(TurnEvent::Proposed { turn, node, .. }) => {
                self.made.push((*turn, *node));
                self.certain.insert(*node);
                self.begun.insert(*turn);
            }
            Event::Turn(
                TurnEvent::Prompted { turn, .. }
                | TurnEvent::Thought { turn, .. }
                | TurnEvent::Requested { turn, .. },
            ) => {
                self.begun.insert(*turn);
            }
            Event::Turn(TurnEvent::Suspended { turns }) => {
                self.held.extend(turns);
                self.asks = self.asks.max(ModelRequest::IfDifferent);
                self.begins = true;
            }
            Event::Turn(TurnEvent::Drifted { turns }) => self.drifted.extend(turns),
            Event::Edit(EditEvent::Recalled { of, .. }) => {
                self.recalls = true;
                self.recall(state, &recall(state, *of));
            }
            Event::Call(CallEvent::Woken { call }) => {
                self.certain.insert(*call);
            }
            // A given result replaces an execution.
            Event::Call(CallEvent::Given { call, .. }) => {
                self.given.insert(*call);
                self.certain.remove(*call);
            }
            Event::Call(CallEvent::Continued { call, .. }) => {
                self.continued.push(*call);
                self.asks = self.asks.max(ModelRequest::IfDifferent);
            }
            Event::Call(CallEvent::CancelAsked { call, .. }) => self.cancelled.push(*call),
            Event::Run(_)
            | Event::Turn(_)
            | Event::Call(_)
            | Event::Edit(_)
            | Event::Resilience(_)
            | Event::Escape(_)
            | Event::Weight(_)
            | Event::Sandbox(_)
            | Event::Files(_) => {}
        }
    }
}

impl AffectedNodes {
    /// Adds what another branch restores and supersedes.
    fn recall(&mut self, state: &State, moves: &Moves) {
        self.gone.extend(&moves.falls);
        self.turns.extend(&moves.turns_fall);
        self.effects.extend(&moves.orphaned);
        let text = moves.restored.iter().map(|(id, status)| (*id, status.rev));
        self.revisions = text.collect();
        let back = |id: &NodeId| !is_active(state, *id);
        let active = moves.restored.iter().map(|(id, _)| *id);
        self.recalled.extend(active.filter(back));
        self.held.extend(held(state, moves));
        for (id, to) in &moves.calls {
            match to {
                CallMove::Restart if may_be_given(state, *id, self.revisions.get(id)) => {
                    self.possible.insert(*id);
                }
                CallMove::Restart => {
                    self.certain.insert(*id);
                }
                CallMove::Resume => {
                    self.possible.insert(*id);
                }
                CallMove::Ended(way) if way.suspect => {
                    self.possible.insert(*id);
                }
                CallMove::Ended(_) | CallMove::WorksOn(_) => {}
            }
        }
        self.asks = self.asks.max(asked_unless(ends_with_answer(state, moves)));
        self.begins = true;
    }
}

/// Turns that are suspended on the branch that comes back: their inputs are recomputed.
fn held(state: &State, moves: &Moves) -> BTreeSet<TurnId> {
    let is_held = |activity| matches!(activity, Activity::Suspended(_));
    let fall: BTreeSet<TurnId> = moves.turns_fall.iter().copied().collect();
    let mut held: BTreeSet<TurnId> = state
        .turns
        .values()
        .filter(|turn| is_held(turn.activity))
        .map(|turn| turn.id)
        .filter(|id| !fall.contains(id))
        .collect();
    for (id, status) in &moves.turns_restored {
        if is_held(status.activity) {
            held.insert(*id);
        } else {
            held.remove(id);
        }
    }
    held
}

/// The model is asked if no active node is an answer.
fn asked_unless(answered: bool) -> ModelRequest {
    if answered {
        ModelRequest::No
    } else {
        ModelRequest::Yes
    }
}

/// Returns true if a call that is reset may take an equal recorded result, or a correction, instead of running.
/// `claims` is its revision then, if that is another one.
fn may_be_given(state: &State, id: NodeId, claims: Option<&Rev>) -> bool {
    let (Some(call), Some(node)) = (state.calls.get(&id), state.nodes.get(&id)) else {
        return false;
    };
    let rev = claims.copied().unwrap_or_else(|| node.rev());
    let reused = |text: &Revision| repeat::may_be_reused(state, call, &text.origin);
    node.revision(rev).is_some_and(reused) || correction::may_be_due(state, id)
}

/// Returns true if the nodes that are active after the moves end with an answer: the model is not
/// asked then.
fn ends_with_answer(state: &State, moves: &Moves) -> bool {
    let falls: NodeSet = moves.falls.iter().copied().collect();
    let status: NodeSet = moves.restored.iter().map(|(id, _)| *id).collect();
    let down: BTreeSet<TurnId> = moves.turns_fall.iter().copied().collect();
    let up: BTreeSet<TurnId> = moves.turns_restored.iter().map(|(id, _)| *id).collect();
    let active = |id: NodeId| status.contains(id) || (is_active(state, id) && !falls.contains(id));
    let last = state
        .threads
        .turns
        .get(&ThreadId(0))
        .into_iter()
        .flatten()
        .rev()
        .filter_map(|id| state.turns.get(id))
        .filter(|turn| turn.producer != Producer::Server)
        .find(|turn| up.contains(&turn.id) || (turn.is_active() && !down.contains(&turn.id)));
    last.is_some_and(|turn| {
        let back = moves.turns_restored.iter().find(|(id, _)| *id == turn.id);
        let stream = back.map_or(&turn.stream, |(_, status)| &status.stream);
        // A reply that was cut is asked for again, whatever had arrived of it.
        !matches!(stream, Stream::Broken(_))
            && turn
                .nodes
                .iter()
                .any(|id| id.kind == NodeKind::Answer && active(*id))
    })
}

/// Executions with effects that already happened under what these facts replace or run again.
pub(crate) fn effects_of(state: &State, events: &[Event]) -> BTreeSet<Seq> {
    AffectedNodes::of(state, events).effects
}

fn is_active(state: &State, id: NodeId) -> bool {
    state.nodes.get(&id).is_some_and(|node| node.active)
}
