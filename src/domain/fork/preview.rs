//! Previews a fork from the record of the other run: its start, and what stays there.
//!
//! Must not know: where the record is, who asked for the fork.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Elsewhere;
use crate::apply::apply;
use crate::call::{EffectClass, Outcome};
use crate::envelope::{Actor, Envelope, Moment, stamp};
use crate::event::{CallEvent, Event, RunEvent};
use crate::id::{Attempt, NodeId, Seq, TurnId};
use crate::ledger;
use crate::state::{LedgerOutcome, State};
use crate::turn::Stream;

/// An execution that was running at the fork point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    /// The call.
    pub call: NodeId,
    /// The execution.
    pub attempt: Attempt,
    /// The tool.
    pub tool: Arc<str>,
    /// What becomes of it.
    pub end: End,
}

/// What becomes of an execution that was running at the fork point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The other record has its end, which is copied.
    Recorded(Box<CallEvent>),
    /// Its end is not recorded, and running it again is harmless: it runs again when the fork is
    /// resumed.
    Again,
    /// Its end is not recorded: when the fork is resumed its outcome is unknown, as after a crash.
    Unknown,
}

/// Preview of a fork: its start, and what stays in the other run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPreview {
    /// The session that is forked.
    pub session: Arc<str>,
    /// Number of its events that are copied: complete decisions only.
    pub at: Seq,
    /// Number of all its events.
    pub of: Seq,
    /// The event that was asked for.
    pub requested: Seq,
    /// Executions that were running.
    pub running: Vec<Flight>,
    /// Turns whose stream was open: the model is asked again.
    pub streams: Vec<TurnId>,
    /// Calls that were approved and had not started: they start when the fork is resumed.
    pub approved: Vec<NodeId>,
    /// Calls, approved or undecided, that now ask for consent, because an equal effect came
    /// afterwards.
    pub asks: Vec<NodeId>,
    /// Undecided calls, including those.
    pub waiting: usize,
    /// Effects of the other run after the fork point, oldest first.
    pub effects: Vec<Arc<Elsewhere>>,
    /// When the last of the copied events was recorded.
    last: Moment,
}

/// Reads the record of another run, up to the fork point and beyond.
#[derive(Debug, Default)]
pub struct Reading {
    requested: Seq,
    /// The state after everything that was read.
    whole: State,
    /// The state at the fork point, once an event after it was read.
    point: Option<(State, Moment)>,
    /// Events of an incomplete decision.
    open: Vec<Envelope>,
    /// Ends of executions that were running at the fork point.
    ended: BTreeMap<(NodeId, Attempt), CallEvent>,
    under_way: BTreeSet<(NodeId, Attempt)>,
    last: Moment,
}

/// A fork that can be made.
#[derive(Debug)]
pub struct Ready {
    /// The state after the copied events.
    pub point: State,
    /// Preview of the fork.
    pub preview: ForkPreview,
}

impl Reading {
    /// Starts reading for a fork after this event; `None` for the last one.
    pub fn up_to(target: Option<Seq>) -> Self {
        Self {
            requested: target.unwrap_or(Seq(u64::MAX)),
            ..Self::default()
        }
    }

    /// Reads the next event.
    pub fn take(&mut self, envelope: Envelope) {
        let (seq, more) = (envelope.seq, envelope.more);
        self.open.push(envelope);
        if more {
            return;
        }
        // No decision is split: the fork point is before the first one that is incomplete there.
        if self.point.is_none() && seq > self.requested {
            self.under_way = under_way(&self.whole).collect();
            self.point = Some((self.whole.clone(), self.last));
        }
        for envelope in std::mem::take(&mut self.open) {
            if let Event::Call(event @ CallEvent::Finished { call, attempt, .. }) = &envelope.event
                && self.under_way.contains(&(*call, *attempt))
            {
                self.ended.insert((*call, *attempt), event.clone());
            }
            self.last = envelope.moment();
            apply(&mut self.whole, &envelope);
        }
    }

    /// Returns the state after everything that was read.
    pub const fn folded(&self) -> &State {
        &self.whole
    }

    /// Finishes reading the session of this name; `None` if no complete decision comes before the
    /// fork point.
    pub fn finish(self, session: &str) -> Option<Ready> {
        let session: Arc<str> = session.into();
        let now = self.last;
        let (point, last) = self.point.unwrap_or_else(|| (self.whole.clone(), now));
        point.started.as_ref()?;
        let mut predicted = ForkPreview {
            at: point.seq,
            of: self.whole.seq,
            requested: self.requested.min(self.whole.seq),
            running: under_way(&point)
                .filter_map(|one| flight(&point, one, &self.ended))
                .collect(),
            streams: open_streams(&point),
            approved: Vec::new(),
            asks: Vec::new(),
            waiting: 0,
            effects: effects(&self.whole, point.seq, &session),
            session,
            last,
        };
        let mut begun = point.clone();
        for envelope in predicted.facts(&Actor::Engine, last.at) {
            apply(&mut begun, &envelope);
        }
        let approved = |state: &State| -> BTreeSet<NodeId> {
            state
                .agenda
                .queued
                .union(&state.agenda.delayed)
                .copied()
                .collect()
        };
        predicted.approved = approved(&begun).into_iter().collect();
        let waited = point.queue().map(|call| call.id).chain(approved(&point));
        let mut asks: Vec<NodeId> = waited.filter(|id| begun.agenda.ungated.contains(id)).collect();
        asks.sort_unstable();
        predicted.waiting = begun.queue().count() + asks.len();
        predicted.asks = asks;
        Some(Ready {
            point,
            preview: predicted,
        })
    }
}

impl ForkPreview {
    /// Returns the events after the copied ones: one decision, recorded at this time.
    pub fn facts(&self, by: &Actor, at: i64) -> Vec<Envelope> {
        let message = self.running.iter().filter_map(|one| match &one.end {
            End::Recorded(event) => Some((Actor::Tool, Event::Call((**event).clone()))),
            End::Again | End::Unknown => None,
        });
        let person = |event| (by.clone(), Event::Run(event));
        let forked = person(RunEvent::Forked {
            session: self.session.clone(),
            at: self.at,
        });
        let effects = self.effects.iter();
        let effects = effects.map(|one| person(RunEvent::HappenedElsewhere(one.clone())));
        let all = std::iter::once(forked).chain(message).chain(effects);
        // The run did not work in the meantime.
        let when = Moment { at, ..self.last };
        let mut facts = stamp(self.at, when, self.at.next(), all);
        if let Some(forked) = facts.first_mut() {
            forked.cause = self.at;
        }
        facts
    }
}

/// Executions of tools that are still running.
fn under_way(state: &State) -> impl Iterator<Item = (NodeId, Attempt)> {
    let running = state.agenda.running.iter();
    let running = running.filter_map(|id| Some((*id, state.calls.get(id)?.last_attempt()?.no)));
    running.chain(state.agenda.ending.iter().copied())
}

fn flight(
    point: &State,
    which: (NodeId, Attempt),
    ended: &BTreeMap<(NodeId, Attempt), CallEvent>,
) -> Option<Flight> {
    let (call, attempt) = which;
    let (life, node) = (point.calls.get(&call)?, point.nodes.get(&call)?);
    // An execution that the other run cancelled has no result here.
    let message = ended.get(&which).filter(|event| {
        matches!(event, CallEvent::Finished { outcome, .. } if !matches!(outcome, Outcome::Cancelled { .. }))
    });
    let end = match message {
        Some(event) => End::Recorded(Box::new(event.clone())),
        None if life.effect <= EffectClass::Idempotent => End::Again,
        None => End::Unknown,
    };
    let tool = node.as_call().map(|(tool, _)| tool.clone()).unwrap_or_default();
    Some(Flight {
        call,
        attempt,
        tool,
        end,
    })
}

fn open_streams(state: &State) -> Vec<TurnId> {
    let open = state.agenda.open.iter().filter_map(|id| state.turns.get(id));
    open.filter(|turn| turn.stream == Stream::Open && turn.asked > 0)
        .map(|turn| turn.id)
        .collect()
}

/// Effects of a run after an event, certain or possible, and those that it knows of other runs.
fn effects(whole: &State, after: Seq, session: &Arc<str>) -> Vec<Arc<Elsewhere>> {
    let own = ledger::rows(whole)
        .filter(|row| row.entry.seq > after && ledger::may_have_happened(row.entry))
        .map(|row| {
            let entry = row.entry;
            let outcome = match &entry.outcome {
                LedgerOutcome::Known(outcome) => Some(outcome.clone()),
                LedgerOutcome::Running | LedgerOutcome::Unknown | LedgerOutcome::DidNot => None,
            };
            let what = Elsewhere {
                session: session.clone(),
                entry: entry.seq,
                call: entry.call,
                tool: entry.tool.clone(),
                args: Arc::from(row.args),
                same: entry.same.clone(),
                effect: entry.effect,
                at: entry.at,
                outcome,
            };
            (entry.seq, Arc::new(what))
        });
    let others = whole.origin.elsewhere.iter().filter(|(seq, _)| **seq > after);
    let others = others.map(|(seq, one)| (*seq, one.what.clone()));
    let all: BTreeMap<Seq, Arc<Elsewhere>> = own.chain(others).collect();
    all.into_values().collect()
}
