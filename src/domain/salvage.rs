//! What records behind a gap tell of the world. They cannot be folded: nobody knows what stood in the gap. But each
//! line that names an execution says by itself that it was begun, and a run that goes on from before the gap must not
//! repeat its effect unasked. What was let run before the gap may have begun in it: a person is asked again.
//!
//! Must not know: how records are read, why some of them cannot be.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::call::{EffectClass, Outcome, Status};
use super::envelope::Envelope;
use super::event::{CallEvent, EditEvent, Event, ResilienceEvent, RunEvent, TurnEvent};
use super::fork::{Elsewhere, UNREADABLE};
use super::id::{Attempt, NodeId, Rev, Seq};
use super::ledger;
use super::let_run;
use super::node::{Content, Origin};
use super::reference::rewrite;
use super::repeat::sameness;
use super::state::{LedgerOutcome, State};
use super::tags;

/// The effects that were begun behind a gap, oldest first, as those of another run, with what the damaged run knew of
/// others; `before` is the fold of what stands before it.
pub fn effects(before: &State, session: &Arc<str>, behind: &[Envelope]) -> Vec<Arc<Elsewhere>> {
    let mut reader = Reader {
        before,
        session,
        said: BTreeMap::new(),
        begun: BTreeMap::new(),
        others: Vec::new(),
        awaited: None,
    };
    for envelope in behind {
        reader.take(envelope);
    }
    let own = reader.begun.into_values();
    let own = own.filter(|one| one.may_have_happened).map(|one| one.what);
    let mut all: Vec<(Seq, Arc<Elsewhere>)> = own.map(|what| (what.entry, Arc::new(what))).collect();
    all.extend(reader.others);
    all.sort_by_key(|(seq, _)| *seq);
    all.into_iter().map(|(_, what)| what).collect()
}

/// How executions ended that were under way where the gap begins, from records behind it.
///
/// An end belongs to an intent where the intent is intact before the gap and open there, and the end names its call, its
/// revision and its attempt: a run numbers calls, and the attempts of each, once, so no other execution can have the three.
/// That the line is one of this run is up to who read it. It is a fact whatever stood in the gap: a tool reports once.
/// Left open are: what has two ends that differ, as one of them must be wrong; what was cancelled, since who asked for
/// that, and whether it happened before, may stand in the gap; and the work of a sub-agent, which is made of what is in
/// the gap.
pub fn ends(before: &State, behind: &[Envelope]) -> Vec<CallEvent> {
    let mut found: BTreeMap<(NodeId, Attempt), Option<&CallEvent>> = BTreeMap::new();
    for envelope in behind {
        let Event::Call(event) = &envelope.event else {
            continue;
        };
        let CallEvent::Finished {
            call,
            rev,
            attempt,
            outcome,
            ..
        } = event
        else {
            continue;
        };
        let mut attempts = before.calls.get(call).into_iter().flat_map(|call| &call.attempts);
        let is_open = attempts.any(|one| {
            (one.no, one.rev) == (*attempt, *rev)
                && one.outcome.is_none()
                && one.thread.is_none()
                && one.intent < envelope.seq
        });
        if !is_open {
            continue;
        }
        let of_tool = (!matches!(outcome, Outcome::Cancelled { .. })).then_some(event);
        let one = found.entry((*call, *attempt)).or_insert(of_tool);
        if *one != of_tool {
            *one = None;
        }
    }
    found.into_values().flatten().cloned().collect()
}

/// What takes back the decisions that let effects run and may have been followed where nobody can read it; `state` is
/// that of the run that goes on.
pub fn withdrawn(state: &State) -> Vec<CallEvent> {
    let let_run = state.agenda.queued.iter().chain(&state.agenda.delayed);
    let calls = let_run.filter_map(|id| state.calls.get(id));
    let why = "the record is damaged behind what let it run: it may have run already";
    calls
        .filter(|call| call.effect.has_effect())
        .map(|call| let_run::withdrawal(state, call, why))
        .collect()
}

/// What is known of a call, for a revision of it.
#[derive(Default)]
struct Said {
    rev: Rev,
    tool: Option<Arc<str>>,
    /// The argument text.
    text: Option<Arc<str>>,
    /// What the text came to, once it was known what it reads.
    bytes: Option<Arc<str>>,
    effect: Option<EffectClass>,
    delegates: bool,
}

impl Said {
    fn before(state: &State, id: NodeId) -> Option<Self> {
        let node = state.nodes.get(&id)?;
        let (tool, text) = node.as_call()?;
        let call = state.calls.get(&id)?;
        let is_checked = !matches!(call.status, Status::Proposed | Status::Invalid);
        let is_ready = is_checked && !call.suspect && call.status != Status::Blocked;
        Some(Self {
            rev: node.rev(),
            tool: Some(tool.clone()),
            text: Some(text.clone()),
            bytes: call
                .digest
                .as_ref()
                .and(call.resolved.clone())
                .filter(|_| is_ready),
            effect: is_checked.then_some(call.effect),
            delegates: call.delegates,
        })
    }

    fn proposed(rev: Rev, tool: &Arc<str>, text: &Arc<str>) -> Self {
        Self {
            rev,
            tool: Some(tool.clone()),
            text: Some(text.clone()),
            ..Self::default()
        }
    }

    /// The exact bytes that ran, where that can be told.
    fn ran(&self) -> Option<Arc<str>> {
        let of_text = || {
            let text = self.text.as_ref()?;
            let reads = rewrite::scan(text);
            (reads.references.is_empty() && reads.faults.is_empty())
                .then(|| Arc::from(rewrite::resolve(text, |_| None)))
        };
        self.bytes.clone().or_else(of_text)
    }
}

/// An execution that some line names.
struct Begun {
    what: Elsewhere,
    may_have_happened: bool,
}

struct Reader<'s> {
    before: &'s State,
    session: &'s Arc<str>,
    said: BTreeMap<NodeId, Said>,
    begun: BTreeMap<(NodeId, Attempt), Begun>,
    others: Vec<(Seq, Arc<Elsewhere>)>,
    /// It happened, and what it gave is said in a line of its own.
    awaited: Option<(NodeId, Attempt)>,
}

impl Reader<'_> {
    fn take(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::Run(RunEvent::HappenedElsewhere(one)) => self.others.push((envelope.seq, one.clone())),
            Event::Turn(TurnEvent::Proposed { node, tool, args, .. }) => {
                self.said.insert(*node, Said::proposed(Rev(1), tool, args));
            }
            Event::Edit(EditEvent::Revised {
                node,
                rev,
                content: Content::Call { tool, args },
                ..
            }) => {
                self.said.insert(*node, Said::proposed(*rev, tool, args));
            }
            Event::Resilience(
                ResilienceEvent::RetryScheduled {
                    call, rev, attempt, ..
                }
                | ResilienceEvent::RetryDue {
                    call, rev, attempt, ..
                },
            ) => _ = self.named(envelope, (*call, *attempt), Some(*rev)),
            Event::Call(event) => self.of_call(envelope, event),
            _ => {}
        }
    }

    fn of_call(&mut self, envelope: &Envelope, event: &CallEvent) {
        match event {
            CallEvent::Checked {
                call,
                rev,
                effect,
                delegates,
                ..
            } => {
                let said = self.said(*call, Some(*rev));
                (said.effect, said.delegates) = (Some(*effect), *delegates);
                // A call that is checked anew reads anew.
                said.bytes = None;
            }
            CallEvent::Ready {
                call, rev, resolved, ..
            } => {
                let said = self.said(*call, Some(*rev));
                said.bytes = resolved.clone().or_else(|| said.text.clone());
            }
            CallEvent::Started { thread: Some(_), .. } => {}
            CallEvent::Started { .. } => self.started(envelope, event),
            CallEvent::Spawned { call, attempt, .. }
            | CallEvent::CancelAsked { call, attempt, .. }
            | CallEvent::Undetermined { call, attempt } => _ = self.named(envelope, (*call, *attempt), None),
            CallEvent::Finished {
                call,
                rev,
                attempt,
                outcome,
                ..
            } => {
                if let Some(one) = self.named(envelope, (*call, *attempt), Some(*rev)) {
                    match ledger::told_by(outcome, one.what.effect) {
                        LedgerOutcome::Known(outcome) => one.what.outcome = Some(outcome),
                        LedgerOutcome::DidNot => one.may_have_happened = false,
                        LedgerOutcome::Running | LedgerOutcome::Unknown => {}
                    }
                }
            }
            CallEvent::Resolved {
                call,
                attempt,
                happened,
                value,
                ..
            } => {
                let which = (*call, *attempt);
                if let Some(one) = self.named(envelope, which, None) {
                    one.may_have_happened = *happened;
                    one.what.outcome = value.clone().map(Outcome::ok);
                    self.awaited = (*happened && value.is_none()).then_some(which);
                }
            }
            CallEvent::Given {
                call,
                outcome,
                origin: Origin::Operator { .. },
                ..
            } => {
                let which = self.awaited.take().filter(|(of, _)| of == call);
                if let Some(one) = which.and_then(|which| self.begun.get_mut(&which)) {
                    one.what.outcome = Some(outcome.clone());
                }
            }
            _ => {}
        }
    }

    /// What is known of a call so far; of another revision than the known one nothing is.
    fn said(&mut self, call: NodeId, rev: Option<Rev>) -> &mut Said {
        let before = self.before;
        let said = self
            .said
            .entry(call)
            .or_insert_with(|| Said::before(before, call).unwrap_or_default());
        if let Some(rev) = rev.filter(|rev| *rev != said.rev) {
            *said = Said {
                rev,
                ..Said::default()
            };
        }
        said
    }

    /// The intent itself: it says what it is of the same as, and thereby whether what is known of the call is what ran.
    fn started(&mut self, envelope: &Envelope, event: &CallEvent) {
        let CallEvent::Started {
            call,
            rev,
            attempt,
            same,
            effect,
            ..
        } = event
        else {
            return;
        };
        if !effect.has_effect() {
            return;
        }
        let said = self.said(*call, Some(*rev));
        said.effect = Some(*effect);
        let tool = said.tool.clone();
        let ran = said.ran().zip(tool.as_deref());
        let args = ran.and_then(|(args, tool)| (sameness(tool, &args) == **same).then_some(args));
        let what = Elsewhere {
            args: args.unwrap_or_default(),
            same: same.clone(),
            ..self.unsaid(envelope, *call, tool, *effect)
        };
        self.begun.insert(
            (*call, *attempt),
            Begun {
                what,
                may_have_happened: true,
            },
        );
    }

    /// An execution that a line names, though the intent may be among what cannot be read; none of one that had no
    /// effect, or that the run goes on with.
    fn named(
        &mut self,
        envelope: &Envelope,
        which: (NodeId, Attempt),
        rev: Option<Rev>,
    ) -> Option<&mut Begun> {
        let (id, attempt) = which;
        if !self.begun.contains_key(&which) {
            let known = self.before.calls.get(&id);
            let is_known = known.is_some_and(|call| call.attempts.iter().any(|one| one.no == attempt));
            if is_known || attempt == Attempt(0) {
                return None;
            }
            let before = self.before;
            let said = self.said(id, rev);
            let tool = said.tool.clone();
            let by_tool = || tool.as_deref().map(|tool| tags::effect(before, tool));
            let effect = said.effect.or_else(by_tool).unwrap_or(EffectClass::Unknown);
            // What a sub-agent did is told by its own calls.
            if said.delegates || !effect.has_effect() {
                return None;
            }
            let ran = said.ran().zip(tool.as_deref());
            let (args, same) = ran.map_or_else(Default::default, |(args, tool)| {
                let same = sameness(tool, &args).into();
                (args, same)
            });
            let what = Elsewhere {
                args,
                same,
                ..self.unsaid(envelope, id, tool, effect)
            };
            let may_have_happened = true;
            self.begun.insert(
                which,
                Begun {
                    what,
                    may_have_happened,
                },
            );
        }
        self.begun.get_mut(&which)
    }

    /// An effect of which it is not known with what it ran.
    fn unsaid(
        &self,
        envelope: &Envelope,
        call: NodeId,
        tool: Option<Arc<str>>,
        effect: EffectClass,
    ) -> Elsewhere {
        Elsewhere {
            session: self.session.clone(),
            entry: envelope.seq,
            call,
            tool: tool.unwrap_or_else(|| UNREADABLE.into()),
            args: "".into(),
            same: "".into(),
            effect,
            at: envelope.at,
            outcome: None,
        }
    }
}
