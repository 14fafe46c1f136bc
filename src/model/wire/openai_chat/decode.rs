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

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::known;
use crate::domain::turn::{Stop, StreamFault, StreamFaultKind, Usage};
use crate::model::fault::{self, Refusal};
use crate::model::frame::{self, Object};
use crate::model::show::{sample, visible};
use crate::model::wire::parts::{Parts, Rest};
use crate::model::wire::stop::stop;
use crate::model::wire::{Decoder, stray};
use crate::model::{Chunk, MAX_PARTS, usage};

/// Maximum bytes buffered by a stream, the same as for a whole response.
const MAX_HELD: usize = 16 << 20;

/// Finish reasons of an incomplete reply: asking again may help.
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

/// Where a call is not made.
const OTHER_CHOICE: &str = "another choice than the first";
const OTHER_MEMBER: &str = "a member that holds no calls";

/// Decodes one stream.
#[derive(Debug, Default)]
pub struct ChatDecoder {
    parts: Parts,
    /// The choice that is followed: the first one with content.
    choice: Option<u64>,
    /// The lowest choice that the stream mentions.
    first: Option<u64>,
    /// The tool that was called where no call is made, and where that was.
    misplaced: Option<(String, &'static str)>,
    /// The server's error, if it reported one.
    refusal_of_request: Option<Refusal>,
    finish: Option<Stop>,
    refusal: String,
    /// True if the model refused in plain text.
    refused_in_words: bool,
    usage: Option<Usage>,
    /// Unknown keys that were already passed on.
    strange: BTreeSet<String>,
    /// Total bytes of these keys and of the refusal.
    held: usize,
    ended: bool,
}

impl Decoder for ChatDecoder {
    fn ended(&self) -> bool {
        self.ended
    }

    fn finished(&self) -> bool {
        self.finish.is_some()
    }

    fn refusal(&self) -> Option<&Refusal> {
        self.refusal_of_request.as_ref()
    }

    fn frame(&mut self, name: &str, data: &str, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        let data = data.trim();
        if self.ended || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            return self.end(out);
        }
        let data = if Object::read(data).is_some() {
            Cow::Borrowed(data)
        } else {
            // Numbers that JSON lacks occur in members that are never read.
            frame::without_odd_numbers(data).map_or(Cow::Borrowed(data), Cow::Owned)
        };
        let data: &str = &data;
        let Some(frame) = Object::read(data) else {
            if name == "error" {
                return Err(self.refused(&Refusal::read(None, data)));
            }
            return self.not_an_object(data, out);
        };
        if let Some(refusal) = fault::in_frame(name, &frame, data) {
            return Err(self.refused(&refusal));
        }
        if frame.get("choices").is_none() && frame.get("usage").is_none() && frame.get("object").is_none() {
            if !frame.entries().all(|(key, _)| known::FRAME.contains(&key)) {
                self.unknown(data, out);
            }
            return Ok(());
        }
        self.unknown_keys("", &frame, known::FRAME, out);
        for raw in frame.array("choices") {
            match Object::read(raw) {
                Some(choice) => self.choice(raw, &choice, out)?,
                None => out.push(Chunk::Unknown { raw: raw.to_owned() }),
            }
        }
        let counts = frame
            .object("usage")
            .or_else(|| frame.object("x_groq").and_then(|groq| groq.object("usage")));
        self.usage(counts.as_ref(), out);
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

    fn eof(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
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
}

impl ChatDecoder {
    /// The end mark, or the end of the body after a reason to stop. After a mark without a reason, a call that may lack
    /// a part of its arguments is cut.
    fn end(&mut self, out: &mut Vec<Chunk>) -> Result<(), StreamFault> {
        self.ended = true;
        self.parts.flush(out);
        let given = self.finish.take();
        let (stop, rest) = match given {
            Some(stop) => {
                let rest = rest(&stop);
                (stop, rest)
            }
            None if !self.parts.calls_are_whole() => {
                return Err(truncated(
                    "the server sent its end mark in the middle of a call, without saying why it stopped"
                        .to_owned(),
                ));
            }
            None if self.parts.has_calls() => (Stop::Calls, Rest::Whole),
            None => (Stop::End, Rest::Whole),
        };
        if let Stop::Other(word) = &stop
            && CUT.contains(&&*word.to_ascii_lowercase())
        {
            return Err(truncated(format!(
                "the server stopped in the middle of the answer and says `{word}`"
            )));
        }
        self.parts.seal_rest(rest, out);
        if !self.refusal.is_empty() {
            let words = std::mem::take(&mut self.refusal);
            out.push(Chunk::Refused { words });
        }
        let stop = self.checked_stop(stop);
        self.finish = Some(stop.clone());
        out.push(Chunk::Finish(stop));
        Ok(())
    }

    /// What a reason to stop means, seen with the rest of the reply.
    fn checked_stop(&self, stop: Stop) -> Stop {
        let has_calls = self.parts.has_calls();
        match stop {
            Stop::End if self.refused_in_words => Stop::Refusal,
            Stop::End | Stop::Calls if !has_calls && self.misplaced.is_some() => {
                let (tool, place) = self.misplaced.clone().unwrap_or_default();
                Stop::BadCall(format!("the model called `{}` in {place}", visible(&tool)).into())
            }
            Stop::Calls if !has_calls => {
                Stop::BadCall("the server says that the model called a tool, and sent no call".into())
            }
            stop => stop,
        }
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
        self.first = Some(self.first.map_or(index, |first| first.min(index)));
        self.usage(choice.object("usage").as_ref(), out);
        let streamed = choice.object("delta");
        let whole = choice.object("message");
        let output = streamed.as_ref().or(whole.as_ref());
        let claims = output.is_some_and(has_content);
        let called = output.and_then(called);
        let misplaced = called.is_some() && self.first != Some(index);
        if claims && !misplaced && self.choice.is_none() {
            self.choice = Some(index);
            // Only a choice without content has ended so far.
            self.finish = None;
        }
        let other = self.choice.is_some_and(|followed| followed != index);
        if misplaced || other {
            // Such a call is not made, and the reply is no answer either.
            if let Some(tool) = called {
                self.misplaced.get_or_insert((tool, OTHER_CHOICE));
            }
            if claims {
                out.push(Chunk::Unknown { raw: raw.to_owned() });
            }
            return Ok(());
        }
        self.unknown_keys("choices.", choice, known::CHOICE, out);
        if let Some(delta) = &streamed {
            self.delta(delta, out);
        }
        let reason = choice.filled("finish_reason");
        if let Some(message) = whole {
            // A whole message instead of deltas. After deltas it would repeat everything, except
            // calls that come last.
            if self.parts.is_empty() {
                self.delta(&message, out);
            } else if reason.is_some() && !self.parts.has_calls() {
                self.calls(&message, out);
            }
        }
        let Some(reason) = reason else {
            return Ok(());
        };
        if reason == "error" {
            let raw = choice.get("error").unwrap_or_default();
            return Err(self.refused(&Refusal::read(None, raw)));
        }
        if self.finish.is_none() {
            let native = choice.filled("native_finish_reason").map(|native| stop(&native));
            let stop = match native {
                // A router that translates reasons calls this one an ordinary end.
                Some(native @ Stop::BadCall(_)) => native,
                _ => stop(&reason),
            };
            self.parts.flush(out);
            // Text stays open where it may be asked for again.
            if !matches!(stop, Stop::Other(_)) {
                self.parts.seal_rest(rest(&stop), out);
            }
            self.finish = Some(stop);
        }
        Ok(())
    }

    /// Stores the server's error, and returns the fault.
    fn refused(&mut self, refusal: &Refusal) -> StreamFault {
        self.refusal_of_request = Some(refusal.clone());
        refusal.fault_in_answer()
    }

    fn delta(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        self.reasoning(delta, out);
        if let Some(content) = delta.get("content") {
            self.content(content, out);
        }
        if let Some(refusal) = delta.string("refusal") {
            self.refusal.push_str(&refusal);
            self.refused_in_words |= !refusal.is_empty();
            self.held += refusal.len();
        }
        self.calls(delta, out);
        self.usage(delta.object("usage").as_ref(), out);
        self.unknown_keys("choices.delta.", delta, known::DELTA, out);
    }

    /// Reads calls; a single one may come without its list.
    fn calls(&mut self, delta: &Object<'_>, out: &mut Vec<Chunk>) {
        self.parts.begin_frame();
        for raw in list(delta, "tool_calls") {
            match Object::read(raw) {
                Some(call) => self.parts.call(raw, &call, out),
                None if raw == "null" => {}
                None => out.push(Chunk::Unknown { raw: raw.to_owned() }),
            }
        }
        if let Some(function) = delta.object("function_call") {
            self.parts.function(&function, out);
        }
    }

    /// Passes on unknown data. A call in it is not made, and the reply is no answer either.
    fn unknown(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        if let Some(tool) = stray::find(raw) {
            self.misplaced.get_or_insert((tool, OTHER_MEMBER));
        }
        out.push(Chunk::Unknown { raw: raw.to_owned() });
    }

    /// Reads reasoning, which comes under three names, often under two with the same text.
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
            if opaque || text.is_none() {
                self.parts.opaque(raw, out);
            }
        }
    }

    /// Reads content, which is a string or a list of typed pieces.
    fn content(&mut self, raw: &str, out: &mut Vec<Chunk>) {
        if let Some(text) = frame::string(raw) {
            self.parts.text(&text, out);
            return;
        }
        for piece in one_or_more(raw) {
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
                (None, Some(object)) if object.string("text").is_some() => {
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
                _ => self.unknown(piece, out),
            }
        }
    }

    fn usage(&mut self, counts: Option<&Object<'_>>, out: &mut Vec<Chunk>) {
        let Some(counts) = counts else { return };
        let before = self.usage.unwrap_or_default();
        let usage = usage::join(before, usage::read(counts));
        if usage != before {
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
                self.unknown(&format!("{{{key}:{value}}}"), out);
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

/// Which open parts are complete where the model stopped so.
fn rest(stop: &Stop) -> Rest {
    match stop {
        Stop::End | Stop::Calls | Stop::Accepted => Rest::Meant,
        Stop::Length => Rest::Whole,
        Stop::Filter | Stop::Refusal | Stop::Pause | Stop::BadCall(_) | Stop::Other(_) => Rest::Texts,
    }
}

fn truncated(message: String) -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message,
        retry_after_ms: None,
    }
}
