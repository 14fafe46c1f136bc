//! A run that goes on from the middle of another one's record: what its own record says of the other one, behind the
//! facts that it begins with.
//!
//! A fork takes back no effect. Whatever the other run did to the world after that point is recorded here, so that no
//! equal call repeats it unasked, and nobody has to look into the other record again. Must not know: where the other
//! record is, who asked for the fork.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::apply::apply;
use super::call::{Call, EffectClass, Outcome, Status};
use super::envelope::{Actor, Envelope};
use super::event::{CallEvent, Event, RunEvent};
use super::id::{Attempt, NodeId, Seq, TurnId};
use super::ledger;
use super::state::{LedgerEntry, LedgerOutcome, State};
use super::turn::Stream;

/// The place in another run at which this one began to be a run of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fork {
    /// The event that says so.
    pub seq: Seq,
    /// The session that the facts before it were copied from.
    pub session: Arc<str>,
    /// The last of them.
    pub at: Seq,
    /// UTC milliseconds of the fork: tells forks of the same place apart.
    pub made: i64,
    /// True once a process went on from here.
    pub opened: bool,
}

/// In the place of a tool of which no record can be read.
pub const UNREADABLE: &str = "(unreadable)";

/// An effect of another run, after the place at which this one left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The session that it happened in.
    pub session: Arc<str>,
    /// The event of its intent there, or the first one that names the execution where that cannot be read.
    #[serde(default)]
    pub entry: Seq,
    /// The call there.
    pub call: NodeId,
    /// The tool.
    pub tool: Arc<str>,
    /// The exact argument bytes that ran; empty where they are not known.
    pub args: Arc<str>,
    /// Hash of both: equal effects have equal hashes. Empty where that is not known: any call of the tool may be the
    /// same.
    pub same: Arc<str>,
    /// What it can do to the world.
    pub effect: EffectClass,
    /// UTC milliseconds of its intent.
    #[serde(default)]
    pub at: i64,
    /// How it ended; none where that was not known when the fork was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

impl Elsewhere {
    /// True where a call of this tool may be the same, as far as the tool tells.
    pub fn is_of(&self, tool: &str) -> bool {
        *self.tool == *UNREADABLE || *self.tool == *tool
    }

    /// True where nobody knows with what it ran.
    pub fn is_untold(&self) -> bool {
        self.same.is_empty()
    }
}

/// The same, as a run keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// What the record says of it.
    pub what: Arc<Elsewhere>,
    /// Calls that were given its result without an execution.
    pub reused_by: Vec<NodeId>,
}

/// An execution that was under way at the place.
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

/// What becomes of an execution that was under way at the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The other record says how it ended: the fork has it from there.
    Recorded(Box<CallEvent>),
    /// It does not, and running it again does no harm: it runs again once the fork goes on.
    Again,
    /// It does not: once the fork goes on it is in doubt, as after a crash.
    Unknown,
}

/// What a fork begins with, and what it leaves in the other run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPreview {
    /// The session that it is a fork of.
    pub session: Arc<str>,
    /// Events of that which it begins with: whole decisions.
    pub at: Seq,
    /// All events of that.
    pub of: Seq,
    /// The event that was asked for.
    pub requested: Seq,
    /// Executions that were under way.
    pub running: Vec<Flight>,
    /// Turns whose stream was open: the model is asked again.
    pub streams: Vec<TurnId>,
    /// Calls that were let run and had not begun: they begin once the fork goes on.
    pub approved: Vec<NodeId>,
    /// Such calls, and calls that waited for a decision, that ask for consent now: an equal effect came afterwards.
    pub asks: Vec<NodeId>,
    /// Calls that wait for a decision, those included.
    pub waiting: usize,
    /// Effects that the other run had after that; oldest first.
    pub effects: Vec<Arc<Elsewhere>>,
    /// When the last of the facts that it begins with was recorded.
    last: Moment,
}

/// UTC milliseconds, and those of the clock of the process that recorded something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Moment {
    at: i64,
    mono: u64,
}

/// Another run's record as it is read, up to a place and beyond.
#[derive(Debug, Default)]
pub struct Reading {
    requested: Seq,
    /// The fold of all that was read.
    whole: State,
    /// The fold up to the place, once something after it was read.
    point: Option<(State, Moment)>,
    /// Events of a decision that is not whole yet.
    open: Vec<Envelope>,
    /// How executions ended that were under way at the place.
    ended: BTreeMap<(NodeId, Attempt), CallEvent>,
    under_way: BTreeSet<(NodeId, Attempt)>,
    last: Moment,
}

/// A fork that can be made.
#[derive(Debug)]
pub struct Ready {
    /// The fold of the facts that it begins with.
    pub point: State,
    /// What is foreseen of it.
    pub preview: ForkPreview,
}

impl Reading {
    /// Nothing read yet; the fork is to be made behind this event, none for the last one.
    pub fn up_to(target: Option<Seq>) -> Self {
        Self {
            requested: target.unwrap_or(Seq(u64::MAX)),
            ..Self::default()
        }
    }

    /// Takes the next event in.
    pub fn take(&mut self, envelope: Envelope) {
        let (seq, more) = (envelope.seq, envelope.more);
        self.open.push(envelope);
        if more {
            return;
        }
        // No decision is torn: the place is before the first that is not over there.
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
            self.last = Moment {
                at: envelope.at,
                mono: envelope.mono,
            };
            apply(&mut self.whole, &envelope);
        }
    }

    /// The fold of all that was read.
    pub const fn folded(&self) -> &State {
        &self.whole
    }

    /// All was read, of the session of this name; none where no whole decision stands before the place.
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
    /// The facts behind those that the fork begins with: one decision of theirs, at this time.
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
        let all: Vec<(Actor, Event)> = std::iter::once(forked).chain(message).chain(effects).collect();
        let first = self.at.next();
        let count = all.len();
        let numbered = all.into_iter().enumerate();
        numbered
            .map(|(index, (actor, event))| Envelope {
                seq: Seq(first.0 + index as u64),
                at,
                // Nobody worked on it meanwhile.
                mono: self.last.mono,
                actor,
                cause: if index == 0 { self.at } else { first },
                more: index + 1 < count,
                event,
            })
            .collect()
    }
}

/// Executions of tools that have not ended.
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
    // What the other run cut off itself is no result of this one.
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

/// What a run did to the world, or may have, after an event; with what it knows of others.
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
    let others = whole.elsewhere.iter().filter(|(seq, _)| **seq > after);
    let others = others.map(|(seq, one)| (*seq, one.what.clone()));
    let all: BTreeMap<Seq, Arc<Elsewhere>> = own.chain(others).collect();
    all.into_values().collect()
}

/// True for an execution that the other run had begun: it may be at it still, and a look at the world now says nothing
/// about what it does next.
pub fn is_theirs(state: &State, entry: &LedgerEntry) -> bool {
    state.forks.last().is_some_and(|fork| entry.seq < fork.seq)
}

/// Why a call that asks for consent does so, where that is an effect of another run: the newest of those.
pub fn asked_about<'s>(state: &'s State, call: &Call) -> Option<&'s Elsewhere> {
    if !matches!(call.status, Status::Consent(_)) {
        return None;
    }
    let named = call.approval.asked_about.iter().rev();
    let mut found = named.filter_map(|seq| state.elsewhere.get(seq));
    found.next().map(|one| &*one.what)
}
