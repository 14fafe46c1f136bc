//! Joins the chunks of a reply to its parts.
//!
//! Must not know: formats, what is done with the parts.

use crate::Chunk;
use overrule_domain::turn::{Stop, Usage};

/// A reply as far as its chunks are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReplyParts {
    /// The parts, in the order in which they began.
    pub parts: Vec<ReplyPart>,
    /// The numbers of the parts.
    numbers: Vec<u32>,
    /// What the model says in refusing.
    pub refusal: Option<String>,
    /// Token counts, if there were any.
    pub usage: Option<Usage>,
    /// Why it ended, if it did.
    pub stop: Option<Stop>,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyPart {
    /// Text or reasoning.
    Words(Words),
    /// A call.
    Call(CallPart),
}

/// Text or reasoning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// True for reasoning.
    pub is_reasoning: bool,
    /// The words.
    pub text: String,
    /// What the provider added, as a JSON list.
    pub opaque: Option<String>,
    /// True once the part is complete.
    pub is_sealed: bool,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallPart {
    /// The id, if there was one.
    pub id: Option<String>,
    /// Name of the tool.
    pub name: String,
    /// The argument text.
    pub args: String,
    /// What the provider added, as a JSON object.
    pub opaque: Option<String>,
    /// True once the part is complete. Any other call must not run.
    pub is_sealed: bool,
}

impl ReplyParts {
    /// Returns the parts of these chunks.
    pub fn of(chunks: &[Chunk]) -> Self {
        let mut reply = Self::default();
        for chunk in chunks {
            reply.take(chunk);
        }
        reply
    }

    /// Adds a chunk. Unknown data and learned forms are no part of a reply.
    pub fn take(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Text { part, delta } => self.words(*part, false, |words| words.text += delta),
            Chunk::Reasoning { part, delta } => self.words(*part, true, |words| words.text += delta),
            Chunk::WasReasoning { part } => self.words(*part, true, |words| words.is_reasoning = true),
            Chunk::Call { part, id, name } => {
                self.numbers.push(*part);
                self.parts.push(ReplyPart::Call(CallPart {
                    id: id.clone(),
                    name: name.clone(),
                    ..CallPart::default()
                }));
            }
            Chunk::Args { part, delta } => {
                if let Some(ReplyPart::Call(call)) = self.find(*part) {
                    call.args.push_str(delta);
                }
            }
            Chunk::Sealed { part, opaque } => match self.find(*part) {
                Some(ReplyPart::Call(call)) => {
                    call.opaque.clone_from(opaque);
                    call.is_sealed = true;
                }
                // Reasoning that only the provider can read has no chunks before.
                _ => self.words(*part, true, |words| {
                    words.opaque.clone_from(opaque);
                    words.is_sealed = true;
                }),
            },
            Chunk::Refused { words } => self.refusal.get_or_insert_default().push_str(words),
            Chunk::Usage(usage) => self.usage = Some(*usage),
            Chunk::Finish(stop) => self.stop = Some(stop.clone()),
            Chunk::Learned { .. } | Chunk::Unknown { .. } | Chunk::Sent { .. } => {}
        }
    }

    /// Iterates over the calls.
    pub fn calls(&self) -> impl Iterator<Item = &CallPart> {
        self.parts.iter().filter_map(|part| match part {
            ReplyPart::Call(call) => Some(call),
            ReplyPart::Words(_) => None,
        })
    }

    /// Returns all text, or all reasoning.
    pub fn joined(&self, reasoning: bool) -> String {
        let words = self.parts.iter().filter_map(|part| match part {
            ReplyPart::Words(words) if words.is_reasoning == reasoning => Some(words.text.as_str()),
            _ => None,
        });
        words.collect()
    }

    fn find(&mut self, part: u32) -> Option<&mut ReplyPart> {
        let at = self.numbers.iter().rposition(|number| *number == part)?;
        self.parts.get_mut(at)
    }

    /// Changes the text or reasoning of this number, which begins if there is none.
    fn words(&mut self, part: u32, is_reasoning: bool, change: impl FnOnce(&mut Words)) {
        if !matches!(self.find(part), Some(ReplyPart::Words(_))) {
            self.numbers.push(part);
            self.parts.push(ReplyPart::Words(Words {
                is_reasoning,
                ..Words::default()
            }));
        }
        if let Some(ReplyPart::Words(words)) = self.find(part) {
            change(words);
        }
    }
}
