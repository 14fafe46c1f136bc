//! Reads a reply: cuts it into events, and says of each what the decoder found in it.
//!
//! Must not know: who receives it, what is decided.

use super::events::{Cutter, Form, RawEvent};
use overrule_domain::turn::{StreamFault, StreamFaultKind};
use overrule_model::Chunk;
use overrule_model::http::body::Body;
use overrule_model::wire::Wire;

/// Why nothing more is taken of a reply whose call is not clear.
const CONTRADICTS: &str =
    "the model's server told a call in two ways, so that it is not clear what would run";

/// An event and what the decoder found in it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadEvent {
    /// The event.
    pub event: RawEvent,
    /// The calls that it has a part of, in order, by their numbers from 0.
    pub calls: Vec<usize>,
    /// Its pieces of the reply.
    pub chunks: Vec<Chunk>,
    /// True if the decoder found a call in it or before that is not made.
    pub has_misplaced_call: bool,
}

/// Reads one reply.
pub struct ReplyReader {
    cutter: Cutter,
    body: Body,
    has_ended: bool,
}

impl ReplyReader {
    /// Begins a reply that was asked for in this form.
    pub fn new(wire: Wire, expected: Form) -> Self {
        Self {
            cutter: Cutter::new(expected),
            body: Body::of_agent(wire),
            has_ended: false,
        }
    }

    /// Takes the next bytes, and adds the events that they complete. An event that cannot be read has no bytes; one in
    /// which the server reports an error has them.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<ReadEvent>) -> Result<(), StreamFault> {
        let events = self.cutter.feed(bytes).map_err(|error| StreamFault {
            kind: StreamFaultKind::Garbage,
            message: error.to_string(),
            retry_after_ms: None,
        })?;
        for event in events {
            let mut chunks = Vec::new();
            let read = self.body.feed(&event.bytes, &mut chunks);
            self.add(event, chunks, read, out)?;
        }
        Ok(())
    }

    /// Ends the reply, and adds what is left of it.
    pub fn end(&mut self, out: &mut Vec<ReadEvent>) -> Result<(), StreamFault> {
        if std::mem::replace(&mut self.has_ended, true) {
            return Ok(());
        }
        let mut chunks = Vec::new();
        let rest = self.cutter.end_of_body();
        let rest = rest.unwrap_or_else(|| RawEvent::empty(self.cutter.form()));
        let fed = self.body.feed(&rest.bytes, &mut chunks);
        let read = fed.and_then(|()| self.body.end(&mut chunks));
        self.add(rest, chunks, read, out)
    }

    fn add(
        &mut self,
        event: RawEvent,
        mut chunks: Vec<Chunk>,
        mut read: Result<(), StreamFault>,
        out: &mut Vec<ReadEvent>,
    ) -> Result<(), StreamFault> {
        if self.body.contradicts() {
            // Nothing completes the call: neither is decided.
            chunks.clear();
            read = Err(StreamFault {
                kind: StreamFaultKind::Garbage,
                message: CONTRADICTS.to_owned(),
                retry_after_ms: None,
            });
        }
        let may_pass = read.is_ok() || self.body.refusal().is_some() && !self.body.contradicts();
        out.push(ReadEvent {
            event: if may_pass {
                event
            } else {
                RawEvent::empty(event.form)
            },
            calls: self.body.take_touched(),
            chunks,
            has_misplaced_call: self.body.has_misplaced_call(),
        });
        read
    }
}

/// Reads a whole body.
pub fn read_all(wire: Wire, expected: Form, bytes: &[u8]) -> (Vec<ReadEvent>, Result<(), StreamFault>) {
    let mut reader = ReplyReader::new(wire, expected);
    let mut events = Vec::new();
    let fed = reader.feed(bytes, &mut events);
    let read = fed.and_then(|()| reader.end(&mut events));
    (events, read)
}
