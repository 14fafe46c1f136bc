//! Lists the effects that began after a gap in a run's records, each with an unknown outcome.
//!
//! Must not know: how records are read, why some of them cannot be.
//!
//! The records after a gap cannot be applied, because the content of the gap is unknown. But each
//! line that names an execution shows that it began. A run that continues from before the gap must
//! not repeat its effect without consent. A call approved before the gap may have started in it:
//! the operator is asked again.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::auto_approved;
use super::call::{EffectClass, Status};
use super::envelope::Envelope;
use super::event::{CallEvent, EditEvent, Event, ResilienceEvent, TurnEvent};
use super::fork::{Elsewhere, UNREADABLE};
use super::id::{Attempt, NodeId, Rev};
use super::node::Content;
use super::reference::rewrite;
use super::repeat::dedup_key;
use super::state::State;
use super::tags;

/// The effects that began after a gap, oldest first, as those of another run; `before` is the state
/// before the gap.
pub fn effects(before: &State, session: &Arc<str>, after: &[Envelope]) -> Vec<Arc<Elsewhere>> {
    let mut reader = Reader {
        before,
        session,
        calls: BTreeMap::new(),
        begun: BTreeMap::new(),
    };
    for envelope in after {
        reader.take(envelope);
    }
    let mut all: Vec<Arc<Elsewhere>> = reader.begun.into_values().map(Arc::new).collect();
    all.sort_by_key(|one| one.entry);
    all
}

/// Withdraws the approvals of calls with effects that may have started in the unreadable part;
/// `state` is that of the run that continues.
pub fn withdrawn(state: &State) -> Vec<CallEvent> {
    let allowed = state.agenda.queued.iter().chain(&state.agenda.delayed);
    let calls = allowed.filter_map(|id| state.calls.get(id));
    let why = "the record is damaged after its approval: it may have run already";
    calls
        .filter(|call| call.effect.has_effect())
        .map(|call| auto_approved::withdrawal(state, call, why))
        .collect()
}

/// What is known of a revision of a call.
#[derive(Default)]
struct CallInfo {
    rev: Rev,
    tool: Option<Arc<str>>,
    /// The argument text as proposed.
    text: Option<Arc<str>>,
    /// The exact bytes to run, once its inputs were known.
    bytes: Option<Arc<str>>,
    effect: Option<EffectClass>,
    delegates: bool,
}

impl CallInfo {
    fn before(state: &State, id: NodeId) -> Option<Self> {
        let node = state.nodes.get(&id)?;
        let (tool, text) = node.as_call()?;
        let call = state.calls.get(&id)?;
        let is_checked = !matches!(call.status, Status::Proposed | Status::Invalid);
        let is_ready = is_checked && !call.suspect && call.status != Status::Blocked;
        Some(Self {
            effect: is_checked.then_some(call.effect),
            delegates: call.delegates,
            bytes: call
                .digest
                .as_ref()
                .and(call.resolved.clone())
                .filter(|_| is_ready),
            ..Self::proposed(node.rev(), tool, text)
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

    /// What ran, where it is the same as the intent says.
    fn ran(&self, same: &str) -> Option<Arc<str>> {
        let of_text = || Some(Arc::from(rewrite::resolve(self.text.as_deref()?, |_| None)));
        let args: Arc<str> = self.bytes.clone().or_else(of_text)?;
        (dedup_key(self.tool.as_deref()?, &args) == same).then_some(args)
    }
}

struct Reader<'s> {
    before: &'s State,
    session: &'s Arc<str>,
    calls: BTreeMap<NodeId, CallInfo>,
    begun: BTreeMap<(NodeId, Attempt), Elsewhere>,
}

impl Reader<'_> {
    fn take(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::Turn(TurnEvent::Proposed { node, tool, args, .. }) => {
                self.calls.insert(*node, CallInfo::proposed(Rev(1), tool, args));
            }
            Event::Edit(EditEvent::Revised {
                node,
                rev,
                content: Content::Call { tool, args },
                ..
            }) => {
                self.calls.insert(*node, CallInfo::proposed(*rev, tool, args));
            }
            Event::Resilience(
                ResilienceEvent::RetryScheduled {
                    call, rev, attempt, ..
                }
                | ResilienceEvent::RetryDue {
                    call, rev, attempt, ..
                },
            ) => self.named(envelope, (*call, *attempt), Some(*rev)),
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
                let output = self.call_info(*call, Some(*rev));
                (output.effect, output.delegates) = (Some(*effect), *delegates);
                // A call that is checked again reads its inputs again.
                output.bytes = None;
            }
            CallEvent::Ready {
                call, rev, resolved, ..
            } => {
                let output = self.call_info(*call, Some(*rev));
                output.bytes = resolved.clone().or_else(|| output.text.clone());
            }
            // The work of a sub-agent is listed by its own calls.
            CallEvent::Started { thread: Some(_), .. } => {}
            CallEvent::Started { .. } => self.started(envelope, event),
            CallEvent::Spawned { call, attempt, .. }
            | CallEvent::CancelAsked { call, attempt, .. }
            | CallEvent::Undetermined { call, attempt }
            | CallEvent::Resolved { call, attempt, .. } => self.named(envelope, (*call, *attempt), None),
            CallEvent::Finished {
                call, rev, attempt, ..
            } => self.named(envelope, (*call, *attempt), Some(*rev)),
            _ => {}
        }
    }

    /// What is known of a call so far; of another revision than the known one nothing is.
    fn call_info(&mut self, call: NodeId, rev: Option<Rev>) -> &mut CallInfo {
        let before = self.before;
        let output = self
            .calls
            .entry(call)
            .or_insert_with(|| CallInfo::before(before, call).unwrap_or_default());
        if let Some(rev) = rev.filter(|rev| *rev != output.rev) {
            *output = CallInfo {
                rev,
                ..CallInfo::default()
            };
        }
        output
    }

    /// The intent itself: it says which effects it is the same as, and thereby whether what is known of the call ran.
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
        let output = self.call_info(*call, Some(*rev));
        output.effect = Some(*effect);
        let (tool, args) = (output.tool.clone(), output.ran(same));
        let what = self.unknown(envelope, *call, tool, *effect);
        let what = Elsewhere {
            args: args.unwrap_or_default(),
            same: same.clone(),
            ..what
        };
        self.begun.insert((*call, *attempt), what);
    }

    /// An execution that a line names, though the intent may be among what cannot be read. Leaves out what had no effect,
    /// and what began before the gap.
    fn named(&mut self, envelope: &Envelope, which: (NodeId, Attempt), rev: Option<Rev>) {
        let (id, attempt) = which;
        let known = self.before.calls.get(&id);
        let is_known = known.is_some_and(|call| call.attempts.iter().any(|one| one.no == attempt));
        if is_known || attempt == Attempt(0) || self.begun.contains_key(&which) {
            return;
        }
        let before = self.before;
        let output = self.call_info(id, rev);
        let (tool, args) = (output.tool.clone(), output.bytes.clone());
        let by_tool = || {
            tool.as_deref()
                .map(|tool| tags::effect(before, tool, args.as_deref().unwrap_or_default()))
        };
        let effect = output.effect.or_else(by_tool).unwrap_or(EffectClass::Unknown);
        if output.delegates || !effect.has_effect() {
            return;
        }
        let same = args.as_deref().zip(tool.as_deref());
        let same = same.map(|(args, tool)| dedup_key(tool, args).into());
        let what = self.unknown(envelope, id, tool, effect);
        let what = Elsewhere {
            args: args.unwrap_or_default(),
            same: same.unwrap_or_default(),
            ..what
        };
        self.begun.insert(which, what);
    }

    /// An effect with unknown arguments and an unknown outcome.
    fn unknown(
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
