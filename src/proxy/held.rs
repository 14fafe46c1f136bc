//! Keeps back a reply from its first undecided call on, and gives out what the agent may have.
//!
//! Must not know: sockets, who decides.

use std::collections::{BTreeMap, VecDeque};

use super::events::{Form, RawEvent};
use super::release::{Calls, Changes, Release, calls};
use crate::model::wire::Wire;

/// The reply to one request, as far as it is here.
pub struct HeldReply {
    calls: Box<dyn Calls>,
    form: Form,
    queue: VecDeque<(RawEvent, Vec<usize>)>,
    decided: BTreeMap<usize, Release>,
    changes: Changes,
    /// Calls that the events named so far.
    seen: usize,
    /// Calls that the decoder found so far.
    known: usize,
    has_ended: bool,
    /// Everything that was given out.
    shown: Vec<u8>,
}

impl HeldReply {
    /// Begins a reply.
    pub fn new(wire: Wire, form: Form) -> Self {
        Self {
            calls: calls(wire),
            form,
            queue: VecDeque::new(),
            decided: BTreeMap::new(),
            changes: Changes::new(),
            seen: 0,
            known: 0,
            has_ended: false,
            shown: Vec::new(),
        }
    }

    /// Takes an event. `known` is the number of calls that the decoder found up to it.
    pub fn push(&mut self, event: RawEvent, known: usize) {
        let calls = self.calls.of(&event);
        self.seen = calls
            .iter()
            .map(|call| call + 1)
            .max()
            .unwrap_or(0)
            .max(self.seen);
        self.known = known;
        self.queue.push_back((event, calls));
    }

    /// The model has sent everything.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Decides a call, once.
    pub fn decide(&mut self, call: usize, release: Release) {
        if self.decided.contains_key(&call) {
            return;
        }
        if let Release::Changed { tool, args } = &release {
            self.changes.insert(call, (tool.clone(), args.clone()));
        }
        self.decided.insert(call, release);
    }

    /// True once a call is decided.
    pub fn is_decided(&self, call: usize) -> bool {
        self.decided.contains_key(&call)
    }

    /// Returns the bytes that the agent may have now.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some((event, calls)) = self.queue.front() {
            // A call that the events do not show as one: nothing passes before every call is decided.
            let all = self.known > self.seen && (0..self.known).any(|call| !self.is_decided(call));
            if all || self.is_unwritable() || !self.may_pass(calls) || self.is_kept_open(event) {
                break;
            }
            let Some((event, calls)) = self.queue.pop_front() else {
                break;
            };
            out.extend(self.calls.written(&event, &calls, &self.changes));
        }
        self.shown.extend_from_slice(&out);
        out
    }

    fn may_pass(&self, calls: &[usize]) -> bool {
        calls.iter().all(|call| self.is_decided(*call))
    }

    /// The end of a text waits for the next event, so that a heartbeat can extend the text.
    fn is_kept_open(&self, event: &RawEvent) -> bool {
        self.calls.ends_words(event)
            && match self.queue.get(1) {
                None => !self.has_ended,
                Some((_, calls)) => !self.may_pass(calls),
            }
    }

    /// Returns an event that keeps the agent waiting. Nothing where a byte would break what was sent.
    pub fn heartbeat(&mut self) -> Vec<u8> {
        let beat = match self.form {
            Form::Whole => b" ".to_vec(),
            Form::Stream | Form::Lines => self.calls.heartbeat(),
        };
        self.shown.extend_from_slice(&beat);
        beat
    }

    /// True while something waits for a decision.
    pub fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// True once the agent has everything.
    pub fn is_done(&self) -> bool {
        self.has_ended && self.queue.is_empty()
    }

    /// True if calls were changed, and the events do not show all calls: the rest of the reply cannot be written.
    pub fn is_unwritable(&self) -> bool {
        self.known > self.seen && !self.changes.is_empty()
    }

    /// Calls that the events or the decoder showed so far.
    pub fn count(&self) -> usize {
        self.known.max(self.seen)
    }

    /// Everything that was given out so far.
    pub fn shown(&self) -> &[u8] {
        &self.shown
    }
}
