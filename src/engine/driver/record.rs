//! Writes events, applies them, and publishes them once they are stored.
//!
//! Must not know: why they happened.

use std::sync::Arc;

use super::Driver;
use crate::advise::parse_args;
use crate::halt::Halt;
use crate::handle::Publication;
use overrule_domain::effect::Effect;
use overrule_domain::envelope::{Actor, Envelope, stamp};
use overrule_domain::event::{
    CallEvent, EscapeEvent, Event, FilesEvent, RunEvent, SandboxEvent, TurnEvent, WeightEvent,
};
use overrule_domain::id::Seq;
use overrule_domain::node::Node;
use overrule_domain::{apply, effects};
use overrule_policy::Preset;
use overrule_tools::Writes;

impl Driver {
    /// Stamps, writes and folds events, and collects the effects that they ask for. Returns a reason if
    /// nothing was recorded: all events are written before any is folded, and a reader ignores a part of a
    /// decision.
    pub(super) fn record(&mut self, events: Vec<Event>, actor: &Actor, cause: Seq) -> Option<Halt> {
        if self.halted.is_some() {
            return self.halted.clone();
        }
        let events = events.into_iter().map(|event| (actor.clone(), event));
        let envelopes = stamp(self.state.seq, self.clock.moment(), cause, events);
        for envelope in &envelopes {
            if let Err(reason) = self.log.append(envelope) {
                self.halt(Halt::Unwritten(reason));
                return self.halted.clone();
            }
            tracing::trace!(seq = envelope.seq.0, more = envelope.more, "recorded");
        }
        for envelope in envelopes {
            self.take_in(envelope);
        }
        None
    }

    /// Folds a recorded event and collects the effects that it asks for.
    fn take_in(&mut self, envelope: Envelope) {
        apply::apply(&mut self.state, &envelope);
        self.adviser.watch.take(&self.state, &envelope);
        self.adviser.ladder.take(&envelope.event);
        if let Event::Run(RunEvent::RuleAdded { .. } | RunEvent::RuleDropped { .. }) = &envelope.event {
            self.adviser.keep_rules(&self.state.settings.rules);
        }
        if let Event::Sandbox(SandboxEvent::Widened { by }) = &envelope.event {
            self.adviser.keep_widenings(std::slice::from_ref(by));
        }
        if let Some(executor) = &self.executor
            && self.needs_tracking(&envelope.event)
        {
            executor.start_tracking();
        }
        self.batch.sync |= needs_disk(&envelope.event);
        self.batch
            .effects
            .extend(effects::effects(&self.state, &envelope));
        self.batch.envelopes.push(Arc::new(envelope));
    }

    /// Returns true for the proposal of a call that may change any file: the first scan takes its time, and begins before the
    /// call is decided on. Under a preset that decides by what can be restored it begins with the run.
    fn needs_tracking(&self, event: &Event) -> bool {
        let (call, effect) = match event {
            Event::Call(CallEvent::Checked { call, effect, .. }) => (call, effect),
            Event::Run(RunEvent::Started(_) | RunEvent::Reopened { .. } | RunEvent::PolicyChanged { .. }) => {
                return self.adviser.policy.preset() == Preset::Reversible;
            }
            _ => return false,
        };
        let node = self.state.nodes.get(call).filter(|_| effect.has_effect());
        let written = node.and_then(Node::as_call).and_then(|(tool, args)| {
            let tool = self.adviser.registry.get(tool)?;
            Some(tool.writes(&parse_args(args)))
        });
        written == Some(Writes::Anything)
    }

    /// Halts the run: from here on nothing is decided or recorded, and the only remaining effects
    /// are those that end something running. Only the first reason is reported.
    pub(super) fn halt(&mut self, halt: Halt) {
        self.batch.effects.retain(Effect::only_ends);
        if self.halted.is_some() {
            return;
        }
        tracing::error!(seq = self.state.seq.0, reason = %overrule_base::text::visible(&halt.to_string()), "halted");
        self.batch.words.push(Publication::Halted(halt.clone()));
        self.halted = Some(halt);
    }

    /// Puts everything on disk, then notifies the listeners, then acts.
    pub(super) fn conclude(&mut self) {
        let is_stored = self.batch.envelopes.is_empty() || self.keep();
        self.note_work();
        let batch = std::mem::take(&mut self.batch);
        for (reply, result) in batch.replies {
            let result = match &self.halted {
                Some(halt) if !is_stored => result.and_then(|_| Err(halt.not_known())),
                _ => result,
            };
            // The decision is valid even if the caller no longer waits for the answer.
            reply.send(result).unwrap_or_default();
        }
        // What may not be on disk is not published as a fact.
        let facts = if is_stored { batch.envelopes } else { Vec::new() };
        let facts = facts.into_iter().map(Publication::Event);
        self.publish(&facts.chain(batch.words).collect::<Vec<_>>());
        self.published.send_replace(self.state.seq);
        if let Some(executor) = &mut self.executor {
            executor.begin_batch();
        }
        // Once halted, these are the ones that end something.
        for effect in batch.effects {
            self.act(effect);
        }
    }

    /// Puts the recorded events on disk. Returns false if that failed; how much of them is on disk is then
    /// unknown.
    fn keep(&mut self) -> bool {
        let sync = std::mem::take(&mut self.batch.sync) || self.halted.is_some();
        let result = if sync { self.log.sync() } else { self.log.flush() };
        if let Err(reason) = result {
            self.halt(Halt::Unwritten(reason));
            return false;
        }
        true
    }

    /// Publishes everything together, so that each listener is woken only once.
    pub(super) fn publish(&mut self, words: &[Publication]) {
        if !words.is_empty() {
            self.listeners.retain(|out| out.send(words.to_vec()).is_ok());
        }
    }
}

/// Returns true for decisions, and for intents to change the world: they are on disk before anything follows
/// from them.
fn needs_disk(event: &Event) -> bool {
    match event {
        Event::Call(CallEvent::Started { effect, .. }) => effect.has_effect(),
        Event::Run(RunEvent::Started(_) | RunEvent::Reopened { .. } | RunEvent::Finished { .. })
        | Event::Edit(_)
        | Event::Escape(EscapeEvent::Allowed { .. } | EscapeEvent::Muted { .. })
        | Event::Weight(WeightEvent::Set { .. } | WeightEvent::Reset { .. })
        | Event::Sandbox(SandboxEvent::Widened { .. } | SandboxEvent::Kept { .. })
        // What was restored is known before anything follows from it.
        | Event::Files(
            FilesEvent::RestoreStarted(_) | FilesEvent::RestoreContinued { .. } | FilesEvent::Restored { .. },
        )
        | Event::Turn(TurnEvent::Prompted { .. }) => true,
        Event::Run(_)
        | Event::Turn(_)
        | Event::Call(_)
        | Event::Resilience(_)
        | Event::Escape(_)
        | Event::Weight(_)
        | Event::Sandbox(SandboxEvent::Confined { .. } | SandboxEvent::NotKept { .. })
        | Event::Files(
            FilesEvent::Changed { .. } | FilesEvent::ChangedOutside { .. } | FilesEvent::Seen { .. },
        ) => false,
    }
}
