//! Converts the data frames of a Chat Completions stream to chunks. Synchronous and free of I/O, so that live
//! streams, recorded ones and tests use the same code.
//!
//! Rules that real servers make necessary: a part is identified by its position, never by the
//! server's index alone; argument text is passed on exactly as it came; a stream is whole only by a
//! finish reason and the end mark or the end of the body; what is not known is passed on as such. Must not know:
//! sockets, tools, when to ask again.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::error;
use super::frame::{self, Object};
use super::parts::{Parts, Rest};
use crate::domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};
use crate::model::show::{sample, visible};
use crate::model::{Chunk, MAX_PARTS};

/// Maximum bytes held back by a stream, which is as much as a whole response may have.
const MAX_HELD: usize = 16 << 20;

/// Reasons by which a server says that it did not come to an end: asking again may help.
const CUT: &[&str] = &[
    "abort",
    "aborted",
    "cancelled",
    "canceled",
    "insufficient_system_resource",
    "interrupted",
    "network_error",
    "timeout",
];

/// Keys of a frame that carry nothing for a conversation.
const PLAIN: &[&str] = &[
    "id",
    "object",
    "created",
    "model",
    "system_fingerprint",
    "service_tier",
    "provider",
    "choices",
    "usage",
    "x_groq",
    "error",
    "obfuscation",
    "p",
    "nonce",
];
/// Keys of a choice that mean nothing for a conversation.
const PLAIN_CHOICE: &[&str] = &[
    "index",
    "delta",
    "message",
    "finish_reason",
    "native_finish_reason",
    "stop_reason",
    "logprobs",
    "token_ids",
    "content_filter_results",
    "error",
];
/// Keys of a delta that are read.
const PLAIN_DELTA: &[&str] = &[
    "role",
    "content",
    "refusal",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "tool_calls",
    "function_call",
    "channel",
];

/// Decodes one stream.
#[derive(Debug, Default)]
pub struct Decoder {
    parts: Parts,
    /// The choice that is followed: the first one that the stream mentions.
    choice: Option<u64>,
    finish: Option<Stop>,
    refusal: String,
    usage: Option<Usage>,
    /// Unknown keys that were already passed on.
    strange: BTreeSet<String>,
    /// Total bytes of these keys and of the refusal.
    held: usize,
    ended: bool,
}

impl Decoder {
    /// Returns true once the end mark was read; nothing after it counts.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Returns true once the server has said why it stopped; the end mark may still be missing.
    pub fn finished(&self) -> bool {
        self.finish.is_some()
    }

    /// Decodes one frame, given the event's name and data.
    pub fn frame(&mut self, name: &str, data: &str, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let data = data.trim();
        if self.ended || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            return self.end(out);
        }
        let Some(frame) = Object::read(data) else {
            if name == "error" {
                return Err(error::in_words(data));
            }
            return self.not_an_object(data, out);
        };
        if let Some(fault) = error::in_frame(name, &frame) {
            return Err(fault);
        }
        if frame.get("choices").is_none() && frame.get("usage").is_none() && frame.get("object").is_none() {
            out.push(Chunk::Unknown { raw: data.to_owned() });
            return Ok(());
        }
        self.unknown_keys("", &frame, PLAIN, out);
        for raw in frame.array("choices") {
            match Object::read(raw) {
                Some(choice) => self.choice(raw, &choice, out)?,
                None => out.push(Chunk::Unknown { raw: raw.to_owned() }),
            }
        }
        self.usage(&frame, out);
        if self.parts.too_many() {
            return Err(truncated(format!(
                "the reply has more than {MAX_PARTS} blocks: it was cut off there"
            )));
        }
        if self.held + self.parts.held() > MAX_HELD {
            return Err(StreamFault {
                kind: StreamFaultKind::Garbage,
                message: format!(
                    "the stream has more than {} MiB of names, refusals and opaque blocks; this is not an answer to wait for",
                    MAX_HELD >> 20
                ),
                retry_after_ms: None,
            });
        }
        Ok(())
    }

    /// Ends the body.
    pub fn eof(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        if self.ended {
            return Ok(());
        }
        if self.finish.is_some() {
            return self.end(out);
        }
        self.parts.flush(out);
        Err(truncated(
            "the stream ended in the middle of the answer: there was neither a finish reason nor an end mark"
                .to_owned(),
        ))
    }

    /// The end mark, or the end of the body after a reason to stop. A mark alone is no reason: it also follows errors
    /// and what was cut. Only calls whose arguments came whole stand for one, because some servers give none for them.
    fn end(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        self.ended = true;
        let Some(mut stop) = self
            .finish
            .take()
            .or_else(|| self.parts.ends_in_whole_calls().then_some(Stop::Calls))
        else {
            self.parts.flush(out);
            return Err(truncated(
                "the server sent its end mark without saying why it stopped: what arrived may be cut"
                    .to_owned(),
            ));
        };
        if let Stop::Other(word) = &stop
            && CUT.contains(&&*word.to_ascii_lowercase())
        {
            self.parts.flush(out);
            return Err(truncated(format!(
                "the server stopped in the middle of the answer and says `{word}`"
            )));
        }
        self.parts.seal_rest(rest(&stop), out);
        if !self.refusal.is_empty() {
            let words = serde_json::Value::String(std::mem::take(&mut self.refusal));
            out.push(Chunk::Unknown {
                raw: format!("{{\"refusal\":{words}}}"),
            });
            if stop == Stop::End {
                stop = Stop::Refusal;
            }
        }
        self.finish = Some(stop.clone());
        out.push(Chunk::Finish(stop));
        Ok(())
    }

    /// Passes on other JSON as unknown. Data that is not JSON may have been a piece of an argument, so the
    /// stream is not trusted any further.
    fn not_an_object(&mut self, data: &str, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        if serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok() {
            out.push(Chunk::Unknown { raw: data.to_owned() });
            return Ok(());
        }
        self.parts.flush(out);
        Err(StreamFault {
            kind: StreamFaultKind::Garbage,
            message: format!("a frame of the stream is not JSON: {}", sample(data)),
            retry_after_ms: None,
        })
    }

    fn choice(&mut self, raw: &str, choice: &Object<'_>, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let index = choice.number("index").unwrap_or(0);
        if *self.choice.get_or_insert(index) != index {
            out.push(Chunk::Unknown { raw: raw.to_owned() });
            return Ok(());
        }
        self.unknown_keys("choices.", choice, PLAIN_CHOICE, out);
        if let Some(delta) = choice.object("delta") {
            self.delta(&delta, out);
        } else if let Some(message) = choice.object("message") {
            // A whole message instead of a delta. After deltas it would repeat everything.
            if self.parts.is_empty() {
                self.delta(&message, out);
            }
        }
        let Some(reason) = choice.filled("finish_reason") else {
            return Ok(());
        };
        if reason == "error" {
            return Err(error::named(choice.object("error").as_ref()));
        }
        if self.finish.is_none() {
            let stop = stop(&reason);
            // What is only text stays open where it may be asked for again.
            if !matches!(stop, Stop::Other(_)) {
                self.parts.seal_rest(rest(&stop), out);
            }
            self.finish = Some(stop);
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        self.reasoning(delta, out);
        if let Some(content) = delta.get("content") {
            self.content(content, out);
        }
        if let Some(refusal) = delta.string("refusal") {
            self.refusal.push_str(&refusal);
            self.held += refusal.len();
        }
        for raw in delta.array("tool_calls") {
            match Object::read(raw) {
                Some(call) => self.parts.call(raw, &call, out),
                None if raw == "null" => {}
                None => out.push(Chunk::Unknown { raw: raw.to_owned() }),
            }
        }
        if let Some(function) = delta.object("function_call") {
            self.parts.function(&function, out);
        }
        self.unknown_keys("choices.delta.", delta, PLAIN_DELTA, out);
    }

    /// Reads reasoning, which comes under three names, often under two at once with the same words.
    fn reasoning(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        let words = delta
            .filled("reasoning_content")
            .or_else(|| delta.filled("reasoning"));
        if let Some(words) = &words {
            self.parts.reasoning(words, out);
        }
        for raw in delta.array("reasoning_details") {
            let Some(detail) = Object::read(raw) else {
                continue;
            };
            let text = detail.filled("text").or_else(|| detail.filled("summary"));
            if words.is_none()
                && let Some(text) = &text
            {
                self.parts.reasoning(text, out);
            }
            let opaque = detail.filled("data").is_some() || detail.filled("signature").is_some();
            if (opaque || text.is_none()) && !self.parts.opaque(raw) {
                out.push(Chunk::Unknown { raw: raw.to_owned() });
            }
        }
    }

    /// Reads content, which is a string or a list of typed pieces.
    fn content(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        if let Some(text) = frame::string(raw) {
            self.parts.text(&text, out);
            return;
        }
        for piece in frame::array(raw) {
            if let Some(text) = frame::string(piece) {
                self.parts.text(&text, out);
                continue;
            }
            let object = Object::read(piece);
            let kind = object.as_ref().and_then(|object| object.string("type"));
            match (kind.as_deref(), &object) {
                (Some("text" | "output_text"), Some(object)) => {
                    self.parts.text(&object.string("text").unwrap_or_default(), out);
                }
                (Some("thinking" | "reasoning"), Some(object)) => {
                    let inner = ["thinking", "reasoning", "text"]
                        .iter()
                        .find_map(|key| object.get(key));
                    for words in inner.map(thinking).unwrap_or_default() {
                        self.parts.reasoning(&words, out);
                    }
                }
                _ => out.push(Chunk::Unknown {
                    raw: piece.to_owned(),
                }),
            }
        }
    }

    fn usage(&mut self, frame: &Object<'_>, out: &mut Vec<Chunk>) {
        let counts = frame
            .object("usage")
            .or_else(|| frame.object("x_groq").and_then(|groq| groq.object("usage")));
        let Some(usage) = counts.map(|counts| usage(&counts)) else {
            return;
        };
        if usage != Usage::default() && self.usage != Some(usage) {
            self.usage = Some(usage);
            out.push(Chunk::Usage(usage));
        }
    }

    /// Passes on each unknown key with a significant value, once per stream.
    fn unknown_keys(&mut self, place: &str, object: &Object<'_>, known: &[&str], out: &mut Vec<Chunk>) {
        for (key, value) in object.entries() {
            if !known.contains(&key)
                && !frame::is_empty(value)
                && self.strange.insert(format!("{place}{key}"))
            {
                self.held += key.len();
                let key = serde_json::Value::from(key);
                out.push(Chunk::Unknown {
                    raw: format!("{{{key}:{value}}}"),
                });
            }
        }
    }
}

/// Returns the text of a thinking block, which is a string or a list of pieces with text.
fn thinking(raw: &str) -> Vec<String> {
    if let Some(text) = frame::string(raw) {
        return vec![text.into_owned()];
    }
    frame::array(raw)
        .into_iter()
        .filter_map(|piece| {
            frame::string(piece).or_else(|| Object::read(piece).and_then(|piece| piece.string("text")))
        })
        .map(std::borrow::Cow::into_owned)
        .collect()
}

fn usage(counts: &Object<'_>) -> Usage {
    let detail = |group: &str, key: &str| counts.object(group).and_then(|group| group.number(key));
    Usage {
        input: counts.number("prompt_tokens"),
        cached: detail("prompt_tokens_details", "cached_tokens")
            .or_else(|| counts.number("prompt_cache_hit_tokens")),
        output: counts.number("completion_tokens"),
        reasoning: detail("completion_tokens_details", "reasoning_tokens")
            .or_else(|| counts.number("reasoning_tokens")),
    }
}

/// Why the model stopped, from the word of the server, in whatever case it writes it.
fn stop(reason: &str) -> Stop {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" | "stop_token" | "complete"
        | "completed" => Stop::End,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => Stop::Calls,
        "length" | "max_tokens" | "model_length" | "max_length" => Stop::Length,
        "content_filter" | "content_filtered" | "sensitive" | "safety" | "recitation" | "blocklist"
        | "prohibited_content" => Stop::Filter,
        "refusal" => Stop::Refusal,
        _ => Stop::Other(visible(reason).into()),
    }
}

/// Which open parts are complete where the model stopped so.
fn rest(stop: &Stop) -> Rest {
    match stop {
        Stop::End | Stop::Calls | Stop::Kept => Rest::Meant,
        Stop::Length => Rest::Whole,
        Stop::Filter | Stop::Refusal | Stop::Other(_) => Rest::Texts,
    }
}

fn truncated(message: String) -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message,
        retry_after_ms: None,
    }
}
