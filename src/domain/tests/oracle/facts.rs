//! Applies facts of the run about turns and calls to the naive graph.
//!
//! Must not know: what the operator decided.
//!
//! A fact is used as a name, as an answer of the world, or as a choice that is checked.

use super::super::world::World;
use super::mirror::{Mirror, parse, slots};
use super::naive::{End, Fate, Naive, Turn, end_of, give_places};
use super::script::{Line, NodeContent};
use overrule_domain::call::{Decision, EffectClass, Outcome};
use overrule_domain::event::{CallEvent, TurnEvent};
use overrule_domain::id::{Attempt, NodeId, Seq, ThreadId, TurnId};
use overrule_domain::node::Origin;
use overrule_domain::state::State;

impl Mirror {
    pub(super) fn turn(&mut self, w: &World, event: &TurnEvent) {
        let state = &w.state;
        match event {
            TurnEvent::Opened { turn, .. } => {
                if self.turns.is_empty() {
                    self.turns
                        .push(Turn::new(*turn, false, [NodeContent::Prompt("go".into())]));
                } else if let Some(unnamed) = self.unnamed.pop_front()
                    && let Some(at) = self.index(unnamed)
                {
                    self.turns[at].id = *turn;
                }
                self.sync(state);
            }
            TurnEvent::Requested { turn, thread, .. } if *thread == ThreadId(0) => {
                let at = self.index(*turn);
                let until = at.unwrap_or(self.turns.len());
                let context = self.context(state, until);
                if let Some(at) = at {
                    assert_eq!(
                        self.turns[at].asked, context,
                        "{turn} is asked again with something else"
                    );
                    return;
                }
                let mut new = Turn::new(*turn, true, self.script.reply(&context));
                new.asked = context;
                new.reply = 1 + self
                    .turns
                    .iter()
                    .filter(|turn| turn.by_model && !turn.split)
                    .count();
                give_places(&self.turns, &mut new);
                self.turns.push(new);
            }
            TurnEvent::Revived { turn, of } => {
                let there = &self.snapshots[of.0 as usize].turns;
                let old = there
                    .iter()
                    .find(|one| one.id == *turn)
                    .expect("it is in the snapshot")
                    .clone();
                let context = self.context(state, self.turns.len());
                assert_eq!(old.asked, context, "{turn} answered another request");
                self.turns.push(Turn {
                    held: false,
                    drifted: false,
                    ..old
                });
                self.sync(state);
            }
            TurnEvent::Restored { turns } => self.restored(state, turns),
            TurnEvent::Superseded { turns } => {
                for id in turns {
                    let Some(at) = self.index(*id) else { continue };
                    assert!(self.turns[at].held, "{id} is superseded and was not suspended");
                    let turn = self.turns.remove(at);
                    (0..turn.nodes.len()).for_each(|at| self.fallen(&turn, at));
                }
            }
            _ => {}
        }
    }

    /// Suspended turns become active again where the first of them would be asked with the same context.
    pub(super) fn restored(&mut self, state: &State, turns: &[TurnId]) {
        let held: Vec<usize> = (0..self.turns.len()).filter(|at| self.turns[*at].held).collect();
        let first = held
            .iter()
            .copied()
            .find(|at| self.turns[*at].by_model && !self.turns[*at].drifted);
        if let Some(first) = first {
            let context = self.context(state, first);
            assert_eq!(
                self.turns[first].asked, context,
                "a turn is active again in another context"
            );
        }
        for id in turns {
            let at = self.index(*id).expect("it is in the graph");
            assert!(self.turns[at].held, "{id} was not suspended");
            self.turns[at].held = false;
        }
    }

    fn finished(&mut self, state: &State, (call, attempt): (NodeId, Attempt), outcome: &Outcome) {
        let intent = self.intents[&(call, attempt)];
        self.gave.insert(intent, outcome.clone());
        let effect = state.ledger[&intent].effect;
        let doubtful = matches!(outcome, Outcome::Cancelled { executed: true });
        let Some(node) = self.find(call) else { return };
        let Some(Fate::Started(no, args)) = node.fates.last() else {
            return;
        };
        if *no == attempt && !(doubtful && effect > EffectClass::Idempotent) {
            let ran = Fate::Ran(args.clone(), outcome.clone());
            node.fates.pop();
            node.fates.push(ran);
        }
    }

    /// The run uses a person's result for the same call here: only such a result may be used.
    fn reuse_result(&mut self, state: &State, call: NodeId, outcome: &Outcome) {
        let (turn, place) = self.place(call);
        let slots = slots(state);
        let turns = self.turns.clone();
        let cell = Naive::new(&turns, &self.script, &slots, &self.words).cell((turn, place));
        assert_eq!(
            cell.end,
            end_of(outcome),
            "{call} has a result that no person wrote"
        );
        assert!(
            cell.args.is_none() && !cell.guessed,
            "{call} has a result that no person wrote"
        );
        let End::Value(value) = end_of(outcome) else {
            panic!("a person writes values")
        };
        let node = &mut self.turns[turn].nodes[place];
        node.worded = true;
        node.fates.push(Fate::Given {
            value,
            by_edit: false,
        });
    }

    pub(super) fn context(&self, state: &State, until: usize) -> Vec<Line> {
        let slots = slots(state);
        let shown: Vec<Turn> = self.turns[..until].to_vec();
        Naive::new(&shown, &self.script, &slots, &self.words).lines(until)
    }

    pub(super) fn call(&mut self, state: &State, seq: Seq, event: &CallEvent, by_edit: bool) {
        match event {
            CallEvent::Ready { call, resolved, .. } => {
                if let Some(node) = self.find(*call) {
                    let NodeContent::Call(_, args) = &node.content else {
                        panic!("{call} is no call")
                    };
                    node.ready = Some(parse(resolved.as_deref().unwrap_or(args)));
                    node.pinned_args = None;
                }
            }
            CallEvent::Retained {
                call, pinned_args, ..
            } => {
                if let Some(node) = self.find(*call) {
                    node.pinned_args = pinned_args.as_deref().map(parse);
                }
            }
            CallEvent::Decided {
                call,
                decision: Decision::Carry { .. },
                ..
            } => {
                self.carried.insert(*call);
            }
            CallEvent::Started { call, attempt, .. } => {
                self.intents.insert((*call, *attempt), seq);
                let record = state.calls[call].attempts.iter().find(|one| one.no == *attempt);
                let args = parse(&record.expect("it was begun").args);
                let node = self
                    .find(*call)
                    .unwrap_or_else(|| panic!("{call} runs and does not count"));
                node.fates.push(Fate::Started(*attempt, args));
            }
            CallEvent::Finished {
                call,
                attempt,
                outcome,
                ..
            } => self.finished(state, (*call, *attempt), outcome),
            CallEvent::Resolved {
                call,
                attempt,
                happened: true,
                value,
                ..
            } => {
                let intent = self.intents[&(*call, *attempt)];
                let value = value.clone().unwrap_or_else(|| "null".into());
                self.gave.insert(intent, Outcome::ok(value));
                self.resolved = Some((*call, intent));
            }
            CallEvent::Given {
                call,
                outcome,
                origin,
                ..
            } => self.given(state, *call, (outcome, origin), by_edit),
            CallEvent::Decided {
                call,
                decision: Decision::Reject { .. },
                ..
            } => {
                if let Some(node) = self.find(*call) {
                    node.fates.push(Fate::Refused(node.ready.clone()));
                }
            }
            _ => {}
        }
    }

    /// A call is given a result without an execution.
    fn given(&mut self, state: &State, call: NodeId, (outcome, origin): (&Outcome, &Origin), by_edit: bool) {
        let resolved = self.resolved.take().filter(|(id, _)| *id == call);
        if let Some((_, intent)) = resolved {
            self.gave.insert(intent, outcome.clone());
        }
        if let Origin::Reused { from } = origin {
            assert_eq!(
                self.gave.get(from),
                Some(outcome),
                "{call} is given what {from} did not give"
            );
        }
        if self.carried.remove(&call) {
            self.reuse_result(state, call, outcome);
            return;
        }
        let Some(node) = self.find(call) else { return };
        if let Origin::Operator { .. } = origin {
            node.worded = true;
            let End::Value(value) = end_of(outcome) else {
                panic!("a person writes values")
            };
            node.fates.push(Fate::Given { value, by_edit });
            return;
        }
        // A result that was taken from another branch comes with what it ran with.
        let NodeContent::Call(_, text) = &node.content else {
            return;
        };
        let args = node.ready.clone().unwrap_or_else(|| parse(text));
        node.fates.push(Fate::Ran(args, outcome.clone()));
    }
}
