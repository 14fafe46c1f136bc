//! Reads the reply to a request beside a conversation while it passes, and keeps back a call that must be decided.
//!
//! Must not know: sockets, how a call is decided, how a run records the request.

use super::events::Form;
use super::held::HeldReply;
use super::reading::{ReadEvent, ReplyReader};
use super::release::Release;
use overrule_domain::turn::{StreamFault, Usage};
use overrule_model::Chunk;
use overrule_model::wire::Wire;

/// The reply to a request beside a conversation.
pub(super) struct SideReply {
    reader: ReplyReader,
    held: HeldReply,
    /// The only tool that may be called without a decision.
    forced: Option<String>,
    /// The calls of the forced tool, by number. They pass with the end of the reply: another call may follow.
    passes: Vec<usize>,
    /// The number of calls so far.
    calls: usize,
    usage: Usage,
    needs_decision: bool,
}

impl SideReply {
    /// Begins a reply that was asked for in this form. Calls of the forced tool pass.
    pub fn new(wire: Wire, form: Form, forced: Option<String>) -> Self {
        Self {
            reader: ReplyReader::new(wire, form),
            held: HeldReply::new(wire, form),
            forced,
            passes: Vec::new(),
            calls: 0,
            usage: Usage::default(),
            needs_decision: false,
        }
    }

    /// Takes the next bytes; returns those that the agent may have.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, StreamFault> {
        let mut events = Vec::new();
        let read = self.reader.feed(bytes, &mut events);
        self.take(events);
        read.map(|()| self.held.take())
    }

    /// Ends the reply; returns the bytes that the agent may have.
    pub fn end(&mut self) -> Result<Vec<u8>, StreamFault> {
        let mut events = Vec::new();
        let read = self.reader.end(&mut events);
        self.take(events);
        if !self.needs_decision {
            for call in std::mem::take(&mut self.passes) {
                self.held.decide(call, Release::AsItCame);
            }
            self.held.end();
        }
        read.map(|()| self.held.take())
    }

    /// True for a whole reply, of which nothing passed, that has none of the words of a call in any format. It may pass
    /// although it cannot be read.
    pub fn is_free_of_calls(&self, received: &[u8]) -> bool {
        let text = String::from_utf8_lossy(received).to_ascii_lowercase();
        self.held.shown().is_empty()
            && !["tool", "function", "call"]
                .iter()
                .any(|word| text.contains(word))
    }

    /// True once it has a call that must be decided.
    pub const fn needs_decision(&self) -> bool {
        self.needs_decision
    }

    /// The tokens that it says so far.
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    fn take(&mut self, events: Vec<ReadEvent>) {
        for event in events {
            self.needs_decision |= event.has_misplaced_call;
            for chunk in &event.chunks {
                match chunk {
                    Chunk::Usage(newest) => self.usage = *newest,
                    Chunk::Call { name, .. } => {
                        if self.forced.as_deref() == Some(&**name) {
                            self.passes.push(self.calls);
                        } else {
                            self.needs_decision = true;
                        }
                        self.calls += 1;
                    }
                    _ => {}
                }
            }
            self.held.push(event);
        }
    }
}
