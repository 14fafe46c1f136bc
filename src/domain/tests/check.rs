//! Checks what must be true after every event and whenever the run waits, recomputed from scratch.
//!
//! Must not know: which session led there.

mod agenda;
mod contexts;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::book::Book;
use super::epochs::{self, End};
use super::world::Rules;
use overrule_domain::advice::Advice;
use overrule_domain::call::{Call, Decision, Digest, EffectClass, Status};
use overrule_domain::envelope::Envelope;
use overrule_domain::event::{CallEvent, EditEvent, Event, ResilienceEvent, RunEvent, TurnEvent};
use overrule_domain::id::{Epoch, NodeId, NodeKind, Seq};
use overrule_domain::node::{Content, Origin, Revision};
use overrule_domain::ready::{self, Readiness};
use overrule_domain::repair::Strategy;
use overrule_domain::restrict;
use overrule_domain::state::{LedgerOutcome, Mode, State};
use overrule_domain::thread;
use overrule_domain::transcript::Message;
use overrule_domain::transcript::hash::context_hash;
use overrule_domain::turn::{Activity, Producer, Stream};

pub use agenda::agenda;

/// What was seen so far, to be compared with what is seen next.
#[derive(Default)]
pub struct Witness {
    revisions: BTreeMap<NodeId, Vec<Revision>>,
    /// Bytes of the newest execution of each call, with the event.
    ran: BTreeMap<NodeId, (Seq, Arc<str>)>,
    /// Calls that a person asked to run again since their newest execution, or with an unknown outcome.
    again: BTreeSet<NodeId>,
    /// What was last decided to run.
    decided: BTreeMap<NodeId, Option<Digest>>,
    /// Results that a person wrote, with the number of their revisions.
    pinned: BTreeMap<NodeId, usize>,
    /// What counted at the end of each epoch.
    ends: BTreeMap<Epoch, End>,
    /// Executions, decisions and late results.
    book: Book,
}

impl Witness {
    pub fn before(&mut self, state: &State, envelope: &Envelope) {
        if let Event::Edit(EditEvent::Committed { epoch, .. }) = &envelope.event
            && *epoch > state.epoch
        {
            self.ends.insert(state.epoch, End::of(state));
        }
        self.book.before(state, envelope);
        if let Event::Turn(event) = &envelope.event {
            contexts::new(state, event);
        }
        match &envelope.event {
            Event::Call(CallEvent::Started { call, .. }) => self.starts(state, *call),
            Event::Edit(EditEvent::Committed {
                target: Some(target), ..
            }) if target.kind == NodeKind::Call => {
                self.again.insert(*target);
            }
            // What it gave does not count any more: when it comes back it has to run.
            Event::Call(
                CallEvent::Skipped { call, .. }
                | CallEvent::Unsatisfiable { call, .. }
                | CallEvent::Invalid { call, .. }
                | CallEvent::Decided {
                    call,
                    decision:
                        Decision::Reject { .. }
                        | Decision::Abandon { .. }
                        | Decision::DidNotFinish
                        | Decision::Deny { .. }
                        | Decision::Expire { .. }
                        // It was to run again, and now a person decides on that.
                        | Decision::Withdrawn { .. },
                    ..
                }
                | CallEvent::CancelAsked { call, .. }
                | CallEvent::Resolved {
                    call,
                    happened: false,
                    ..
                },
            )
            | Event::Resilience(ResilienceEvent::RetryDue { call, .. }) => {
                self.again.insert(*call);
            }
            // Another tool is to run with the same arguments.
            Event::Resilience(ResilienceEvent::RepairApplied { call, changes, .. })
                if changes.iter().any(|change| change.strategy == Strategy::SubstituteTool) =>
            {
                self.again.insert(*call);
            }
            Event::Run(RunEvent::Reopened { .. }) => self.again.extend(&state.agenda.running),
            // A call that became ready with other bytes meanwhile has no current result.
            Event::Call(CallEvent::Ready {
                call,
                resolved: Some(bytes),
                ..
            }) if self.ran.get(call).is_some_and(|(_, ran)| ran != bytes) => {
                self.again.insert(*call);
            }
            _ => {}
        }
    }

    /// An execution is decided for exactly its bytes, repeats nothing without consent, and repeats
    /// only what a person asked for or what reads something else now.
    fn starts(&mut self, state: &State, id: NodeId) {
        let call = &state.calls[&id];
        let bytes = ready::resolved_args(state, call).expect("it has bytes");
        let rev = state.nodes[&id].rev();
        let acts = state.turn_of(id).is_some_and(|turn| thread::acts(state, turn));
        assert!(acts, "{id} starts in a suspended turn");
        let goes =
            state.mode == Mode::Running || matches!(state.mode, Mode::Paused(_)) && state.settings.step;
        assert!(goes, "{id} starts while the run is paused or ended");
        let pinned = state.observation(id).is_some_and(|node| node.pinned);
        assert!(!pinned, "{id} starts although a person wrote its result");
        assert!(!call.suspect, "{id} starts although its inputs are in question");
        assert!(
            !restrict::forbids(state, call),
            "{id} starts although the run is restricted to reading calls"
        );
        assert!(
            !thread::is_held(state, id),
            "{id} starts although an editor holds it"
        );
        let decision = call.decisions.iter().rev().find(|(one, _, _)| *one == rev);
        assert!(
            decision.is_some_and(|(_, _, decision)| decision.allows_run()),
            "{id} starts without a decision: {decision:?}"
        );
        if let Some((_, before)) = self.ran.get(&id) {
            assert!(
                self.again.contains(&id) || *before != bytes,
                "{id} runs again unasked with the same arguments: {bytes}"
            );
        }
        assert_eq!(
            self.decided.get(&id),
            Some(&call.digest),
            "{id} runs other bytes than were decided on"
        );
        self.again.remove(&id);
        self.ran.insert(id, (state.seq, bytes));
        for entry in repeats(state, call) {
            let consent = call.decisions.iter().any(|(one, seq, decision)| {
                *one == rev && *seq > entry && matches!(**decision, Decision::RunAgain { .. })
            });
            assert!(consent, "{id} repeats the effect of {entry} without consent");
        }
    }

    /// `whole` where everything is looked at; in large sessions that is not after every event.
    pub fn after(&mut self, state: &State, envelope: &Envelope, rules: &Rules, whole: bool) {
        assert_eq!(state.seq, envelope.seq);
        self.ends_stay(state, &envelope.event);
        if whole {
            self.pins_stay(state, &envelope.event);
            agenda(state);
            contexts::contexts(state);
            self.revisions_stay(state);
        } else {
            self.pinned.clear();
        }
        self.book.after(state, envelope);
        if let Event::Call(CallEvent::Decided {
            call,
            rev,
            digest,
            decision,
        }) = &envelope.event
            && decision.allows_run()
        {
            self.decided.insert(*call, digest.clone());
            let life = &state.calls[call];
            let (tool, _) = state.nodes[call].as_call().expect("a call");
            let bytes = ready::resolved_args(state, life).expect("bytes");
            assert_eq!(
                digest.as_ref(),
                Some(&rules.digest(*call, *rev, (tool, &bytes), life.operands())),
                "{call} was decided on other bytes than it would run"
            );
        }
    }

    /// What a person wrote as a result is only replaced by what a person does.
    fn pins_stay(&mut self, state: &State, event: &Event) {
        if let Event::Edit(EditEvent::Recalled { .. }) | Event::Turn(TurnEvent::Revived { .. }) = event {
            self.pinned.clear();
        }
        let own = match event {
            Event::Edit(EditEvent::Revised { node, .. } | EditEvent::Unpinned { node }) => Some(*node),
            Event::Call(CallEvent::Given { call, .. } | CallEvent::Decided { call, .. }) => {
                Some(call.observation())
            }
            _ => None,
        };
        for (id, len) in &self.pinned {
            let node = &state.nodes[id];
            // A new revision of the call does away with the pin on the result of the old one.
            let revised = own == Some(id.call());
            assert!(
                own == Some(*id) || revised || !node.active || (node.pinned && node.revisions.len() == *len),
                "{id} was pinned and {event:?} changed it"
            );
        }
        self.pinned = state
            .nodes
            .values()
            .filter(|node| node.pinned && node.active)
            .map(|node| (node.id, node.revisions.len()))
            .collect();
    }

    /// Every branch is remembered as it was left, and is restored like that.
    fn ends_stay(&mut self, state: &State, event: &Event) {
        let Event::Edit(EditEvent::Recalled { of, .. }) = event else {
            return;
        };
        epochs::remembered(state, &self.ends);
        let now = End::of(state).nodes;
        let then = &self.ends[of].nodes;
        // Nodes that the model replaced with another reply are gone where that reply is active.
        let took_back = |id: &NodeId| {
            let turn = &state.turns[&state.nodes[id].turn];
            let replaced = &state.nodes[&id.call()].replaced;
            replaced.is_some()
                && *replaced == turn.request
                && !matches!(turn.activity, Activity::Superseded(_))
        };
        for (id, rev) in then.iter().filter(|(id, _)| !took_back(id)) {
            assert_eq!(
                now.get(id),
                Some(rev),
                "{id} has another revision on the restored branch"
            );
        }
        for id in now.keys().filter(|id| !then.contains_key(id)) {
            let turn = state.nodes[id].turn;
            let shared = then.keys().any(|one| state.nodes[one].turn == turn)
                || state.turns[&turn].nodes.iter().all(|one| !then.contains_key(one));
            assert!(shared, "{id} was never on that branch");
        }
        // What a call last ran with is what it runs with, or what its result came from.
        for call in state.calls.values() {
            let given = state.observation(call.id).map(|node| &node.now().content);
            let attempt = match (&call.status, given) {
                (Status::Running(attempt), _) | (_, Some(Content::Observation { attempt, .. })) => {
                    Some(attempt)
                }
                _ => None,
            };
            let from = attempt.and_then(|no| call.attempts.iter().find(|one| one.no == *no));
            match from {
                Some(record) => {
                    self.ran.insert(call.id, (record.intent, record.args.clone()));
                }
                None => {
                    self.ran.remove(&call.id);
                }
            }
        }
    }

    /// Every branch that was left is still known as it was.
    pub fn remembers(&self, state: &State) {
        epochs::remembered(state, &self.ends);
    }

    fn revisions_stay(&mut self, state: &State) {
        for (id, seen) in &self.revisions {
            let now = &state.nodes[id].revisions;
            assert!(now.starts_with(seen), "a revision of {id} changed");
        }
        for node in state.nodes.values() {
            let seen = self.revisions.entry(node.id).or_default();
            if seen.len() != node.revisions.len() {
                seen.clone_from(&node.revisions);
            }
        }
    }
}

/// Executions that a call would repeat, of the kinds that need consent.
fn repeats(state: &State, call: &Call) -> Vec<Seq> {
    if !call.effect.has_effect() {
        return Vec::new();
    }
    let equal = overrule_domain::repeat::equal_entries(state, call);
    equal
        .into_iter()
        .filter(|seq| {
            // Whatever another run did after this one left it.
            let Some(entry) = state.ledger.get(seq) else {
                return state.origin.elsewhere.contains_key(seq);
            };
            let resumed = entry.effect == EffectClass::Idempotent && entry.outcome == LedgerOutcome::Unknown;
            let own = entry.call == call.id && !resumed;
            let unknown = entry.outcome == LedgerOutcome::Unknown && entry.effect > EffectClass::Idempotent;
            entry.outcome != LedgerOutcome::DidNot
                && (entry.more.orphaned && entry.more.reverted_by.is_none() || own || unknown)
        })
        .collect()
}

/// What must be true when nothing follows by itself any more.
pub fn at_rest(state: &State) {
    let is_restoring = overrule_domain::files::is_restoring(state);
    if !matches!(state.mode, Mode::Stopped(_)) && !is_restoring {
        for id in &state.agenda.woken {
            let held = !state.turn_of(*id).is_some_and(|turn| thread::acts(state, turn));
            assert!(held, "{id} is not suspended and not handled");
        }
    }
    for call in state.calls.values() {
        bound(state, call);
    }
    for turn in state
        .turns
        .values()
        .filter(|turn| turn.is_active() && turn.producer == Producer::Model)
    {
        let before = || state.turns_of(turn.thread).filter(|one| one.pos < turn.pos);
        assert!(
            turn.drifted || before().all(|one| one.settled),
            "{} follows an open turn",
            turn.id
        );
        if !turn.drifted {
            assert_eq!(
                turn.context,
                Some(context_hash(state, turn.thread, Some(turn.id))),
                "{} was asked with another context than the turns before it",
                turn.id
            );
        }
    }
    thought_first(state);
}

/// What a call ran with is what it reads now.
fn bound(state: &State, call: &Call) {
    let node = &state.nodes[&call.id];
    let counts = node.active
        && state
            .turn_of(call.id)
            .is_some_and(overrule_domain::turn::Turn::is_active);
    let pinned = state.observation(call.id).is_some_and(|node| node.pinned);
    let ran = matches!(
        call.status,
        Status::Succeeded
            | Status::Failed(_)
            | Status::Running(_)
            | Status::Queued
            | Status::AwaitingApproval
            | Status::Consent(_)
    );
    if !counts || pinned || !ran || call.suspect || call.refs.references.is_empty() || call.resolved.is_none()
    {
        return;
    }
    for binding in &call.refs.bindings {
        let Some(source) = binding.source else { continue };
        let Some(observation) = state.observation(source) else {
            panic!("{} is bound to {source}, which has no result", call.id);
        };
        if state.nodes[&source].turn == node.turn {
            assert_eq!(
                binding.rev,
                observation.rev(),
                "{} is bound to an old result of {source}",
                call.id
            );
        }
    }
    if let Readiness::Bound { bindings, resolved } = ready::look(state, call)
        && bindings == call.refs.bindings
    {
        let (_, args) = node.as_call().expect("a call");
        assert_eq!(
            resolved.as_deref().unwrap_or(args),
            call.resolved.as_deref().unwrap_or_default()
        );
    }
}

/// Nothing that the model made in a turn survives a rewritten thought before it.
fn thought_first(state: &State) {
    for turn in state.turns.values() {
        let mut edited: Option<Seq> = None;
        for node in turn.nodes.iter().filter_map(|id| state.nodes.get(id)) {
            if let Some(edit) = edited
                && node.active
            {
                let by_model = node.revisions[0].origin == Origin::Model;
                assert!(
                    !by_model || node.born() > edit,
                    "{} survived an edit of a thought before it",
                    node.id
                );
            }
            if node.id.kind == NodeKind::Thought
                && node.revisions.len() > 1
                && matches!(node.now().origin, Origin::Operator { .. })
            {
                edited = Some(node.now().event);
                assert!(
                    !node.active || !matches!(turn.stream, Stream::Open),
                    "{} is still streaming after a rewritten thought",
                    turn.id
                );
            }
        }
    }
}

/// Every call has exactly one result, directly after its message, with an id of its own.
pub fn transcript(messages: &[Message]) {
    let mut open: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut seen: BTreeSet<Arc<str>> = BTreeSet::new();
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty(), "calls without results: {open:?}");
                for call in calls {
                    assert!(seen.insert(call.wire_id.clone()), "{} twice", call.wire_id);
                    open.insert(call.wire_id.clone());
                }
            }
            Message::Result { wire_id, .. } => {
                assert!(open.remove(wire_id), "a result without its call: {wire_id}");
            }
            Message::User { .. } | Message::Note { .. } => {
                assert!(open.is_empty(), "calls without results: {open:?}");
            }
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}
