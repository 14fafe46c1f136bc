//! Converts the data frames of a Chat Completions stream to chunks.
//!
//! Must not know: sockets, tools, when to ask again.
//!
//! Synchronous and free of I/O, so that live streams, recorded ones and tests use the same code.
//! Rules that real servers make necessary:
//! - a part is identified by its position, never by the server's index alone;
//! - argument text is passed on exactly as it came;
//! - a stream is whole only by a finish reason and the end mark or the end of the body;
//! - unknown data is passed on as such.

#[cfg(test)]
mod tests;

use super::known;
use crate::Chunk;
use crate::fault::Refusal;
use crate::frame::{self, Object};
use crate::torn::Piece;
use crate::wire::choices::{ChoicePiece, Choices};
use crate::wire::stop::stop;
use crate::wire::{Decoder, Reply};
use overrule_domain::turn::{Stop, StreamFault};

/// Decodes one stream.
#[derive(Debug, Default)]
pub struct ChatDecoder {
    reply: Reply,
    choices: Choices,
}

impl Decoder for ChatDecoder {
    fn object(
        &mut self,
        _: &str,
        data: &str,
        frame: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault> {
        if frame.get("choices").is_none() && frame.get("usage").is_none() && frame.get("object").is_none() {
            if !frame.entries().all(|(key, _)| known::FRAME.contains(&key)) {
                self.reply.unknown(data, out);
            }
            return Ok(());
        }
        self.reply.unknown_keys("", frame, known::FRAME, out);
        for (at, raw) in frame.array("choices").into_iter().enumerate() {
            match Object::read(raw) {
                Some(choice) => {
                    let index = choice.number("index").unwrap_or(at as u64);
                    self.choice(index, raw, &choice, out)?;
                }
                None => out.push(Chunk::Unknown { raw: raw.to_owned() }),
            }
        }
        let counts = frame
            .object("usage")
            .or_else(|| frame.object("x_groq").and_then(|groq| groq.object("usage")));
        self.reply.usage(counts.as_ref(), out);
        Ok(())
    }

    fn release(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        for (index, raw) in self.choices.release() {
            if let Some(choice) = Object::read(&raw) {
                self.choice(index, &raw, &choice, out)?;
            }
        }
        Ok(())
    }

    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }
}

impl ChatDecoder {
    /// A decoder of a reply to an agent.
    pub fn of_agent() -> Self {
        Self {
            choices: Choices::of_agent(),
            ..Self::default()
        }
    }

    fn choice(
        &mut self,
        index: u64,
        raw: &str,
        choice: &Object<'_>,
        out: &mut Vec<Chunk>,
    ) -> Result<(), StreamFault> {
        self.reply.usage(choice.object("usage").as_ref(), out);
        let streamed = choice.object("delta");
        let whole = choice.object("message");
        let output = streamed.as_ref().or(whole.as_ref());
        let piece = ChoicePiece {
            raw,
            index,
            has_content: output.is_some_and(has_content),
            called: output.and_then(called),
        };
        if !self.choices.takes(piece, &mut self.reply, out) {
            return Ok(());
        }
        self.reply.unknown_keys("choices.", choice, known::CHOICE, out);
        if let Some(delta) = &streamed {
            self.delta(delta, out);
        }
        let reason = choice.filled("finish_reason");
        if let Some(message) = whole {
            // A whole message instead of deltas. After deltas it would repeat everything, except
            // calls that come last.
            if self.reply.parts.is_empty() {
                self.delta(&message, out);
            } else if reason.is_some() && !self.reply.parts.has_calls() {
                self.calls(&message, out);
            }
        }
        let Some(reason) = reason else {
            return Ok(());
        };
        if reason == "error" {
            let raw = choice.get("error").unwrap_or_default();
            return Err(self.reply.refused(&Refusal::read(None, raw)));
        }
        if self.reply.finish.is_none() {
            let native = choice.filled("native_finish_reason").map(|native| stop(&native));
            let stop = match native {
                // A router that translates reasons calls this one an ordinary end.
                Some(native @ Stop::BadCall(_)) => native,
                _ => stop(&reason),
            };
            self.reply.stop(stop, out);
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        self.reasoning(delta, out);
        if let Some(content) = delta.get("content") {
            self.content(content, out);
        }
        self.reply.refuse(&delta.piece("refusal"));
        self.calls(delta, out);
        self.reply.usage(delta.object("usage").as_ref(), out);
        self.reply
            .unknown_keys("choices.delta.", delta, known::DELTA, out);
    }

    /// Reads calls; a single one may come without its list.
    fn calls(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        self.reply.parts.begin_frame();
        for raw in list(delta, "tool_calls") {
            match Object::read(raw) {
                Some(call) => self.reply.parts.call(raw, &call, out),
                None if raw == "null" => {}
                None => out.push(Chunk::Unknown { raw: raw.to_owned() }),
            }
        }
        if let Some(function) = delta.object("function_call") {
            self.reply.parts.function(&function, out);
        }
    }

    /// Reads reasoning, which comes under three names, often under two with the same text.
    fn reasoning(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        let names = ["reasoning_content", "reasoning"].into_iter();
        let words = names
            .map(|name| delta.piece(name))
            .find(|words| !words.is_empty());
        if let Some(words) = &words {
            self.reply.parts.reasoning(words, out);
        }
        for raw in delta.array("reasoning_details") {
            let Some(detail) = Object::read(raw) else {
                continue;
            };
            let names = ["text", "summary"].into_iter();
            let text = names.map(|name| detail.piece(name)).find(|text| !text.is_empty());
            if words.is_none()
                && let Some(text) = &text
            {
                self.reply.parts.reasoning(text, out);
            }
            let opaque = detail.filled("data").is_some() || detail.filled("signature").is_some();
            if opaque || text.is_none() {
                self.reply.parts.opaque(raw, out);
            }
        }
    }

    /// Reads content, which is a string or a list of typed pieces.
    fn content(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        if let Some(text) = frame::piece(raw) {
            self.reply.parts.text(&text, out);
            return;
        }
        for piece in one_or_more(raw) {
            if let Some(text) = frame::piece(piece) {
                self.reply.parts.text(&text, out);
                continue;
            }
            let object = Object::read(piece);
            let kind = object.as_ref().and_then(|object| object.string("type"));
            match (kind.as_deref(), &object) {
                (Some("text" | "output_text"), Some(object)) => {
                    self.reply.parts.text(&object.piece("text"), out);
                }
                (None, Some(object)) if object.string("text").is_some() => {
                    self.reply.parts.text(&object.piece("text"), out);
                }
                (Some("thinking" | "reasoning"), Some(object)) => {
                    let inner = ["thinking", "reasoning", "text"]
                        .iter()
                        .find_map(|key| object.get(key));
                    for words in inner.map(thinking).unwrap_or_default() {
                        self.reply.parts.reasoning(&words, out);
                    }
                }
                _ => self.reply.unknown(piece, out),
            }
        }
    }
}

/// The elements of a list, or the object that stands for one.
fn one_or_more(raw: &str) -> Vec<&str> {
    if Object::read(raw).is_some() {
        vec![raw]
    } else {
        frame::array(raw)
    }
}

fn list<'a>(object: &Object<'a>, key: &str) -> Vec<&'a str> {
    object.get(key).map(one_or_more).unwrap_or_default()
}

/// Returns the text of a thinking block, which is a string or a list of pieces with text.
fn thinking(raw: &str) -> Vec<Piece<'_>> {
    if let Some(text) = frame::piece(raw) {
        return vec![text];
    }
    frame::array(raw)
        .into_iter()
        .filter_map(|raw| frame::piece(raw).or_else(|| Object::read(raw).map(|object| object.piece("text"))))
        .collect()
}

/// Returns true for a delta or message with content.
fn has_content(output: &Object<'_>) -> bool {
    const CONTENT_KEYS: &[&str] = &[
        "content",
        "refusal",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "tool_calls",
        "function_call",
    ];
    CONTENT_KEYS
        .iter()
        .any(|key| output.get(key).is_some_and(|value| !frame::is_empty(value)))
}

/// Returns the name of the first tool that a delta or message calls; empty if it does not name one.
fn called(output: &Object<'_>) -> Option<String> {
    let first = list(output, "tool_calls").into_iter().find_map(Object::read);
    let call = first.or_else(|| output.object("function_call"))?;
    let function = call.object("function");
    let name = function.as_ref().unwrap_or(&call).filled("name");
    Some(name.unwrap_or_default().into_owned())
}
