//! What hangs on what: the plan of an edit, computed before it happens.
//!
//! A plan is read off the very facts that the edit would make, so that what is shown is what is
//! done. Must not know: how a plan is shown.

use std::collections::BTreeSet;

use super::advice::Cards;
use super::branch::recall::{CallMove, Moves, recall};
use super::call::{EffectClass, Outcome, Status};
use super::command::{Command, Edit, EditCommand};
use super::decide;
use super::event::{CallEvent, EditEvent, Event, TurnEvent};
use super::id::{NodeId, NodeKind, Seq, ThreadId, TurnId};
use super::node::{Content, Node};
use super::price::Money;
use super::refusal::Refusal;
use super::repeat;
use super::state::{LedgerOutcome, State};
use super::thread;
use super::transcript::result::SENT_BYTES;
use super::turn::{Activity, Stream, Usage};

/// What a set of edits would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The state of the run that the plan was made for.
    pub seen: Seq,
    /// Nodes that become history, because the model made them from what is edited.
    pub superseded: Vec<NodeId>,
    /// Turns that become history.
    pub turns: Vec<TurnId>,
    /// Nodes that count again, because an earlier branch is chosen.
    pub recalled: Vec<NodeId>,
    /// Turns that stand although what they were asked with changes, by the operator's wish.
    pub drifted: Vec<TurnId>,
    /// Turns that are held until it is known what they hang on: they stand again where that comes out
    /// equal, and become history where it does not.
    pub held: Vec<TurnId>,
    /// Nodes that become history with the turns that are held.
    pub perhaps: Vec<NodeId>,
    /// Calls that will run (again) for certain, gate permitting.
    pub certain: Vec<NodeId>,
    /// Calls that may run again, if what they read turns out different; holds `certain`.
    pub possible: Vec<NodeId>,
    /// Calls for which the commit is also the approval of what it says; the policy may still deny it.
    pub approves: Vec<NodeId>,
    /// Finished calls that keep their results.
    pub kept: Vec<NodeId>,
    /// Running calls that are cancelled.
    pub cancelled: Vec<NodeId>,
    /// Calls that finish before the model is asked again; sub-agents that work on among them.
    pub drained: Vec<NodeId>,
    /// Executions with effects that already happened under what is replaced or runs again.
    pub effects: Vec<Seq>,
    /// Whether the model will be asked again.
    pub asks: bool,
    /// Tokens of the next request, estimated at four bytes each.
    pub tokens: u64,
    /// What sending them costs, where a price is known: the reply comes on top.
    pub cost: Option<Money>,
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

/// Executions with effects that already happened under what these facts replace or run again.
pub(super) fn effects_of(state: &State, events: &[Event]) -> BTreeSet<Seq> {
    Reach::of(state, events).effects
}

/// What the facts of an edit touch. Costs what they touch, not what there is.
#[derive(Debug, Default)]
struct Reach {
    gone: BTreeSet<NodeId>,
    certain: BTreeSet<NodeId>,
    possible: BTreeSet<NodeId>,
    effects: BTreeSet<Seq>,
    turns: Vec<TurnId>,
    cancelled: Vec<NodeId>,
    approves: Vec<NodeId>,
    recalled: Vec<NodeId>,
    drifted: Vec<TurnId>,
    held: Vec<TurnId>,
    perhaps: BTreeSet<NodeId>,
    /// Delegated calls whose sub-agents work on.
    continued: Vec<NodeId>,
    asks: bool,
    /// True where turns are held or come back: what stands at the tip is not what was there.
    begins: bool,
    /// Turns that these facts make or ask for.
    begun: BTreeSet<TurnId>,
    /// The thread that is edited.
    thread: Option<ThreadId>,
    /// Calls that these facts make, with their turns.
    made: Vec<(TurnId, NodeId)>,
}

impl Reach {
    fn of(state: &State, events: &[Event]) -> Self {
        let mut reach = Self::default();
        for event in events {
            reach.take(state, event);
        }
        let observed = |id: &NodeId| state.observation(*id).map(|node| node.id);
        let mut observations: BTreeSet<NodeId> = reach.gone.iter().filter_map(observed).collect();
        reach.gone.append(&mut observations);
        reach.possible.extend(&reach.certain);
        reach.take_children(state);
        reach.take_held(state);
        reach.asks |= !reach.begun.is_empty();
        reach.begins |= !reach.begun.is_empty();
        reach.possible.retain(|id| !reach.gone.contains(id));
        reach.certain.retain(|id| !reach.gone.contains(id));
        // What stands although it was asked with something else is not asked for again; and where turns
        // fall without anything new, what is left may end with an answer, or may not any more.
        if !reach.drifted.is_empty() || (!reach.begins && !reach.turns.is_empty()) {
            let left = Moves {
                falls: reach.gone.iter().copied().collect(),
                turns_fall: reach.turns.clone(),
                ..Moves::default()
            };
            reach.asks = !ends_with_answer(state, &left);
        }
        let repeated = reach.possible.iter().flat_map(|id| repeated(state, *id));
        reach.effects.extend(repeated);
        // Where the kept turns end with an answer, nobody is asked.
        reach.asks &= reach.drifted.is_empty() || !ends_with_answer(state, &Moves::default());
        reach
    }

    /// With a call falls what its sub-agent did; with one that may run again, it may.
    fn take_children(&mut self, state: &State) {
        let falls: Vec<NodeId> = self.gone.union(&self.certain).copied().collect();
        let (turns, nodes) = thread::under(state, falls);
        self.turns.extend(
            turns
                .iter()
                .filter(|id| !self.turns.contains(id))
                .copied()
                .collect::<Vec<_>>(),
        );
        let (_, perhaps) = thread::under(state, self.possible.iter().copied());
        let calls = nodes
            .iter()
            .chain(&perhaps)
            .filter(|id| id.kind == NodeKind::Call)
            .copied()
            .collect();
        self.effects.extend(decide::edit::effects_of(state, &calls));
        for id in nodes.iter().filter(|id| is_active(state, **id)) {
            self.gone.insert(*id);
            self.gone.extend(state.observation(*id).map(|node| node.id));
        }
    }

    /// What falls with the turns that are held, if they do: it may leave effects behind.
    fn take_held(&mut self, state: &State) {
        self.held.retain(|id| !self.turns.contains(id));
        let turns = self.held.iter().filter_map(|id| state.turns.get(id));
        let mut nodes: BTreeSet<NodeId> = turns.flat_map(|turn| &turn.nodes).copied().collect();
        let (_, under) = thread::under(state, nodes.iter().copied());
        nodes.extend(under);
        nodes.retain(|id| is_active(state, *id) && !self.gone.contains(id));
        let calls = nodes
            .iter()
            .filter(|id| id.kind == NodeKind::Call)
            .copied()
            .collect();
        self.effects.extend(decide::edit::effects_of(state, &calls));
        self.perhaps = nodes;
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
            Event::Edit(EditEvent::Orphaned { entries }) => self.effects.extend(entries),
            Event::Edit(EditEvent::Suspected { calls }) => {
                self.possible.append(&mut calls.iter().copied().collect());
            }
            Event::Edit(EditEvent::Revised {
                node,
                content,
                approves,
                ..
            }) => {
                self.asks |= node.kind != NodeKind::Answer;
                if approves.is_some() {
                    self.approves.push(*node);
                }
                match content {
                    Content::Deleted => {
                        self.gone.insert(*node);
                    }
                    Content::Call { .. } => {
                        self.certain.insert(*node);
                    }
                    // What a person writes is not worked out, whatever an edit before it in the same commit put in
                    // question.
                    Content::Observation { .. } => {
                        self.certain.remove(&node.call());
                        self.possible.remove(&node.call());
                    }
                    Content::Text { .. } => {}
                }
            }
            Event::Turn(TurnEvent::Superseded { turns }) => {
                self.turns
                    .extend(turns.iter().filter(|id| state.turns.contains_key(id)));
                // What one edit put in may fall with the next.
                self.begun.retain(|id| !turns.contains(id));
                for (_, node) in self.made.iter().filter(|(turn, _)| turns.contains(turn)) {
                    self.certain.remove(node);
                }
                for turn in turns.iter().filter_map(|id| state.turns.get(id)) {
                    let counting = turn.nodes.iter().filter(|id| is_active(state, **id));
                    self.gone.append(&mut counting.copied().collect());
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
                (self.asks, self.begins) = (true, true);
            }
            Event::Turn(TurnEvent::Drifted { turns }) => self.drifted.extend(turns),
            Event::Edit(EditEvent::Recalled { of, .. }) => self.recall(state, &recall(state, *of)),
            Event::Call(CallEvent::Woken { call }) => {
                self.certain.insert(*call);
            }
            // A result that is given takes the place of an execution.
            Event::Call(CallEvent::Given { call, .. }) => {
                self.certain.remove(call);
            }
            Event::Call(CallEvent::Continued { call, .. }) => {
                self.continued.push(*call);
                self.asks = true;
            }
            Event::Call(CallEvent::CancelAsked { call, .. }) => self.cancelled.push(*call),
            Event::Run(_)
            | Event::Turn(_)
            | Event::Call(_)
            | Event::Edit(_)
            | Event::Resilience(_)
            | Event::Escape(_)
            | Event::Weight(_) => {}
        }
    }
}

impl Reach {
    /// What another branch brings back and takes away.
    fn recall(&mut self, state: &State, moves: &Moves) {
        self.gone.extend(&moves.falls);
        self.turns.extend(&moves.turns_fall);
        self.effects.extend(&moves.orphaned);
        let back = |id: &NodeId| !is_active(state, *id);
        let stands = moves.stands.iter().map(|(id, _)| *id);
        self.recalled.extend(stands.filter(back));
        self.held.extend(held(state, moves));
        for (id, to) in &moves.calls {
            match to {
                CallMove::Anew if may_be_given(state, *id, moves) => {
                    self.possible.insert(*id);
                }
                CallMove::Anew => {
                    self.certain.insert(*id);
                }
                CallMove::GoesOn => {
                    self.possible.insert(*id);
                }
                CallMove::Ended(way) if way.suspect => {
                    self.possible.insert(*id);
                }
                CallMove::Ended(_) | CallMove::WorksOn(_) => {}
            }
        }
        self.asks |= !ends_with_answer(state, moves);
        self.begins = true;
    }
}

/// Turns that are held on the branch that comes back: what they hang on is worked out again.
fn held(state: &State, moves: &Moves) -> BTreeSet<TurnId> {
    let is_held = |activity| matches!(activity, Activity::Suspended(_));
    let mut held: BTreeSet<TurnId> = state
        .turns
        .values()
        .filter(|turn| is_held(turn.activity))
        .map(|turn| turn.id)
        .filter(|id| !moves.turns_fall.contains(id))
        .collect();
    for (id, standing) in &moves.turns_stand {
        if is_held(standing.activity) {
            held.insert(*id);
        } else {
            held.remove(id);
        }
    }
    held
}

/// True where a call that begins anew may take an equal result on record instead of running.
fn may_be_given(state: &State, id: NodeId, moves: &Moves) -> bool {
    let (Some(call), Some(node)) = (state.calls.get(&id), state.nodes.get(&id)) else {
        return false;
    };
    let stands = moves.stands.iter().find(|(one, _)| *one == id);
    let rev = stands.map_or(node.rev(), |(_, standing)| standing.rev);
    node.revision(rev)
        .is_some_and(|said| repeat::may_be_reused(state, call, &said.origin))
}

/// True where what stands after the moves ends with an answer: nobody is asked then.
fn ends_with_answer(state: &State, moves: &Moves) -> bool {
    let falls: BTreeSet<NodeId> = moves.falls.iter().copied().collect();
    let standing: BTreeSet<NodeId> = moves.stands.iter().map(|(id, _)| *id).collect();
    let down: BTreeSet<TurnId> = moves.turns_fall.iter().copied().collect();
    let up: BTreeSet<TurnId> = moves.turns_stand.iter().map(|(id, _)| *id).collect();
    let stands = |id: &NodeId| standing.contains(id) || (is_active(state, *id) && !falls.contains(id));
    let last = state
        .threads
        .get(&ThreadId(0))
        .into_iter()
        .flatten()
        .rev()
        .filter_map(|id| state.turns.get(id))
        .find(|turn| up.contains(&turn.id) || (turn.is_active() && !down.contains(&turn.id)));
    last.is_some_and(|turn| {
        let back = moves.turns_stand.iter().find(|(id, _)| *id == turn.id);
        let stream = back.map_or(&turn.stream, |(_, standing)| &standing.stream);
        // A reply that was cut is asked for again, whatever had arrived of it.
        !matches!(stream, Stream::Broken(_))
            && turn
                .nodes
                .iter()
                .any(|id| id.kind == NodeKind::Answer && stands(id))
    })
}

/// The plan that the facts of an edit amount to.
pub fn of_events(state: &State, events: &[Event]) -> Plan {
    let reach = Reach::of(state, events);
    let kept = state
        .calls
        .values()
        .filter(|call| is_active(state, call.id) && call.status.is_settled())
        .map(|call| call.id)
        .filter(|id| !reach.gone.contains(id) && !reach.possible.contains(id))
        .filter(|id| !reach.perhaps.contains(id) && !reach.continued.contains(id))
        .collect();
    // What is cancelled for another branch is not waited for.
    let mut drained = undecided(state, &reach.gone, &reach.possible);
    drained.retain(|id| !reach.cancelled.contains(id));
    drained.extend(&reach.continued);
    let tokens = if reach.asks {
        estimate(state, reach.thread.unwrap_or(thread::ROOT), &reach.turns)
    } else {
        0
    };
    let price = state.started.as_ref().and_then(|started| started.price.as_ref());
    let sent = Usage {
        input: Some(tokens),
        ..Usage::default()
    };
    Plan {
        seen: state.seq,
        cost: price.filter(|_| reach.asks).and_then(|price| price.of(sent)),
        kept,
        drained,
        tokens,
        superseded: reach.gone.into_iter().collect(),
        turns: reach.turns,
        recalled: reach.recalled,
        drifted: reach.drifted,
        held: reach.held,
        perhaps: reach.perhaps.into_iter().collect(),
        certain: reach.certain.into_iter().collect(),
        possible: reach.possible.into_iter().collect(),
        cancelled: reach.cancelled,
        approves: reach.approves,
        effects: reach.effects.into_iter().collect(),
        asks: reach.asks,
    }
}

fn is_active(state: &State, id: NodeId) -> bool {
    state.nodes.get(&id).is_some_and(|node| node.active)
}

/// Effects that a call already had which may run again.
fn repeated(state: &State, id: NodeId) -> impl Iterator<Item = Seq> {
    state
        .calls
        .get(&id)
        .into_iter()
        .flat_map(|call| &call.attempts)
        .filter_map(|attempt| state.ledger.get(&attempt.intent))
        .filter(|entry| entry.effect > EffectClass::Read)
        .filter(|entry| match &entry.outcome {
            LedgerOutcome::Known(outcome) => !matches!(outcome, Outcome::Err(error) if !error.executed),
            LedgerOutcome::Unknown | LedgerOutcome::Running => true,
            LedgerOutcome::DidNot => false,
        })
        .map(|entry| entry.seq)
}

/// Calls that stand and have not ended: the model is asked only after them.
fn undecided(state: &State, gone: &BTreeSet<NodeId>, possible: &BTreeSet<NodeId>) -> Vec<NodeId> {
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
        .chain(&agenda.delegates);
    let found: BTreeSet<NodeId> = open
        .filter(|id| !gone.contains(id) && !possible.contains(id))
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

fn estimate(state: &State, thread: ThreadId, without: &[TurnId]) -> u64 {
    let before = without
        .iter()
        .filter_map(|id| state.turns.get(id).filter(|turn| turn.thread == thread))
        .map(|turn| turn.pos)
        .min()
        .unwrap_or(u32::MAX);
    let system = state.started.as_ref().map_or(0, |started| {
        started.system.len()
            + started
                .tools
                .iter()
                .map(|tool| tool.schema.len() + tool.description.len())
                .sum::<usize>()
    });
    let bytes: usize = state
        .turns_of(thread)
        .filter(|turn| turn.is_active() && turn.pos < before)
        .flat_map(|turn| &turn.nodes)
        .filter_map(|id| state.nodes.get(id).filter(|node| node.active))
        .map(|node| {
            let observation = state
                .observation(node.id)
                .filter(|_| node.id.kind == NodeKind::Call);
            size(node) + observation.map_or(0, size)
        })
        .sum();
    ((system + bytes) / 4) as u64
}

/// Bytes that a request spends on a node, without looking into it.
fn size(node: &Node) -> usize {
    match &node.now().content {
        Content::Text { text, opaque, .. } => text.len() + opaque.as_ref().map_or(0, |opaque| opaque.len()),
        Content::Call { tool, args } => tool.len() + args.len(),
        Content::Observation { outcome, .. } => match outcome {
            Outcome::Ok { value, .. } => value.len().min(SENT_BYTES),
            Outcome::Err(error) => {
                error.message.len()
                    + error
                        .partial
                        .as_ref()
                        .map_or(0, |partial| partial.len().min(SENT_BYTES))
            }
            Outcome::Cancelled { .. } => 0,
        },
        Content::Deleted => 0,
    }
}
