//! Writes the chunks of a reply as frames, in the order in which an agent may see them.
//!
//! Must not know: the frames of a format, who decides about calls.
//!
//! Text and reasoning pass as they come. A call is written once it is complete, and nothing after a call before it. At
//! the end of a reply an incomplete call is written as far as it came, where the format can carry that.

use super::reply::{CallPart, ReplyPart, ReplyParts, Words};
use crate::Chunk;
use crate::wire::Wire;
use overrule_domain::turn::Stop;

/// What a reply says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplyHead {
    /// Its id.
    pub id: String,
    /// The model.
    pub model: String,
    /// When it began, in seconds since 1970.
    pub created: i64,
}

/// Writes the frames of one reply. Every function returns their bytes.
pub trait Frames: Send {
    /// Begins the reply.
    fn begin(&mut self) -> String;

    /// Writes a piece of text or reasoning. `begins` is true for the first piece of a part.
    fn words(&mut self, is_reasoning: bool, delta: &str, begins: bool) -> String;

    /// Ends a text or reasoning. `is_begun` is false if no piece of it was written.
    fn end_words(&mut self, words: &Words, is_begun: bool) -> String;

    /// Writes a call.
    fn call(&mut self, call: &CallPart) -> String;

    /// Ends the reply.
    fn finish(&mut self, reply: &ReplyParts, stop: &Stop) -> String;

    /// Returns an event that changes nothing, which agents count as progress.
    fn heartbeat(&mut self) -> String;
}

/// Writes one reply.
pub struct StreamEncoder {
    frames: Box<dyn Frames>,
    has_begun: bool,
    reply: ReplyParts,
    /// The first part that was not written to its end.
    next: usize,
    /// Bytes of it that were written; none before its first piece.
    written: Option<usize>,
}

/// The mark at the end of reasoning that began as text.
const END_OF_REASONING: &str = "</think>";

impl StreamEncoder {
    /// Creates a writer.
    pub fn new(wire: Wire, head: ReplyHead) -> Self {
        Self {
            frames: wire.agent_side().frames(head),
            has_begun: false,
            reply: ReplyParts::default(),
            next: 0,
            written: None,
        }
    }

    /// Takes a chunk; returns the bytes that can be sent now. Nothing follows a reason to stop.
    pub fn chunk(&mut self, chunk: &Chunk) -> String {
        if self.reply.stop.is_some() || matches!(chunk, Chunk::Learned { .. } | Chunk::Unknown { .. }) {
            return String::new();
        }
        let mut out = self.begin();
        self.reply.take(chunk);
        if let (Chunk::WasReasoning { .. }, Some(_)) = (chunk, self.written) {
            out += &self.frames.words(false, END_OF_REASONING, false);
        }
        self.advance(&mut out);
        if let Some(stop) = self.reply.stop.clone() {
            out += &self.frames.finish(&self.reply, &stop);
        }
        out
    }

    /// Returns an event that shows that the reply is not stuck.
    pub fn heartbeat(&mut self) -> String {
        let begin = self.begin();
        begin + &self.frames.heartbeat()
    }

    fn begin(&mut self) -> String {
        if std::mem::replace(&mut self.has_begun, true) {
            String::new()
        } else {
            self.frames.begin()
        }
    }

    /// Writes what can be written.
    fn advance(&mut self, out: &mut String) {
        let has_ended = self.reply.stop.is_some();
        let count = self.reply.parts.len();
        while let Some(part) = self.reply.parts.get(self.next) {
            match part {
                ReplyPart::Words(words) => {
                    let from = self.written.unwrap_or_default();
                    let delta = words.text.get(from..).unwrap_or_default();
                    if !delta.is_empty() {
                        let begins = self.written.is_none();
                        *out += &self.frames.words(words.is_reasoning, delta, begins);
                        self.written = Some(words.text.len());
                    }
                    if !words.is_sealed && !has_ended && self.next + 1 == count {
                        return;
                    }
                    *out += &self.frames.end_words(words, self.written.is_some());
                }
                ReplyPart::Call(call) if call.is_sealed || has_ended => *out += &self.frames.call(call),
                ReplyPart::Call(_) => return,
            }
            self.next += 1;
            self.written = None;
        }
    }
}
