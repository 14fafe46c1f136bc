//! The calls in a reply of the Messages format: blocks of type `tool_use`.
//!
//! Must not know: who decided.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Calls, Changes, any_changed, change, each, in_member, object, set, text};
use crate::events::{Form, RawEvent, event};
use overrule_model::frame::{self, Object};
use overrule_model::wire::agent::json::quoted;

/// The open blocks of a reply.
#[derive(Default)]
pub(super) struct Messages {
    /// Numbers of the open calls, by the index of their block.
    open: BTreeMap<u64, usize>,
    has_begun: bool,
    /// True until the model begins a reply that began here.
    has_own_beginning: bool,
    /// The index of the next block.
    next: u64,
    /// The index of the block that was written last and not ended.
    unended: Option<u64>,
    /// The text that was written last and not ended: its index, and the kind of its pieces.
    words: Option<(u64, &'static str)>,
}

fn index(data: &Object<'_>) -> u64 {
    data.number("index").unwrap_or(0)
}

fn is_call(block: &str) -> bool {
    text(block, "type") == "tool_use"
}

/// The blocks of a message.
fn blocks(message: &str) -> Vec<&str> {
    frame::member(message, "content")
        .map(frame::array)
        .unwrap_or_default()
}

/// True for an event that is a whole message.
fn is_whole(event: &RawEvent) -> bool {
    event.form == Form::Whole || event.kind() == "message"
}

impl Calls for Messages {
    fn of(&mut self, event: &RawEvent, calls: &[usize]) -> Option<Vec<usize>> {
        let Some(data) = event.object() else {
            return calls.is_empty().then(Vec::new);
        };
        if is_whole(event) {
            let count = blocks(&event.data)
                .into_iter()
                .filter(|block| is_call(block))
                .count();
            return (count == calls.len()).then(|| calls.to_vec());
        }
        match &*event.kind() {
            // Its calls come in blocks.
            "message_start" => {
                let message = frame::member(&event.data, "message").unwrap_or("{}");
                let has_call = blocks(message).into_iter().any(is_call);
                (!has_call && calls.is_empty()).then(Vec::new)
            }
            "content_block_start" => {
                self.open.remove(&index(&data));
                match (is_call(data.get("content_block").unwrap_or("{}")), calls) {
                    (true, [call]) => {
                        self.open.insert(index(&data), *call);
                        Some(vec![*call])
                    }
                    (false, []) => Some(Vec::new()),
                    _ => None,
                }
            }
            kind @ ("content_block_delta" | "content_block_stop") => {
                let own: Vec<usize> = if kind == "content_block_delta" {
                    self.open.get(&index(&data)).copied().into_iter().collect()
                } else {
                    self.open.remove(&index(&data)).into_iter().collect()
                };
                calls.iter().all(|call| own.contains(call)).then_some(own)
            }
            _ => calls.is_empty().then(Vec::new),
        }
    }

    fn written(&mut self, raw: &RawEvent, calls: &[usize], changes: &Changes) -> Option<Vec<u8>> {
        self.note(raw);
        if raw.kind() == "message_start" && std::mem::take(&mut self.has_own_beginning) {
            // The agent has the message already, but not what it costs.
            let message = frame::member(&raw.data, "message").unwrap_or("{}");
            return Some(progress(frame::member(message, "usage")));
        }
        if !any_changed(changes, calls) {
            return Some(raw.bytes.clone());
        }
        let data = raw.object()?;
        if is_whole(raw) {
            return Some(whole(raw, calls, changes));
        }
        let (tool, args) = calls.first().and_then(|call| change(changes, *call))?;
        Some(match &*raw.kind() {
            "content_block_start" => {
                let begun = in_member(&raw.data, "content_block", |block| {
                    set(&set(block, "name", &quoted(tool)), "input", "{}")
                });
                let mut bytes = raw.with(&begun);
                bytes.extend(delta(index(&data), "input_json_delta", "partial_json", args));
                bytes
            }
            "content_block_delta" => Vec::new(),
            _ => raw.bytes.clone(),
        })
    }

    fn ends_words(&self, event: &RawEvent) -> bool {
        event.form == Form::Stream && event.kind() == "content_block_stop"
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        if !self.has_begun {
            return event("ping", "{\"type\":\"ping\"}");
        }
        let Some((index, kind)) = self.words else {
            return progress(None);
        };
        delta(index, kind, kind.trim_end_matches("_delta"), "")
    }

    fn opening(&mut self, empty: &str) -> Vec<u8> {
        (self.has_begun, self.has_own_beginning) = (true, true);
        start(empty)
    }

    fn failure(&mut self, error: &str) -> Vec<u8> {
        event("error", &set(error, "type", "\"error\""))
    }

    fn closing(&mut self, whole: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        if !self.has_begun {
            bytes.extend(start(whole));
        }
        self.words = None;
        if let Some(index) = self.unended.take() {
            bytes.extend(stop(index));
        }
        for block in blocks(whole) {
            let (index, args) = (self.next, frame::member(block, "input").unwrap_or("{}"));
            let (begun, piece) = match &*text(block, "type") {
                "text" => (
                    set(block, "text", "\"\""),
                    delta(index, "text_delta", "text", &text(block, "text")),
                ),
                "tool_use" | "server_tool_use" => (
                    set(block, "input", "{}"),
                    delta(index, "input_json_delta", "partial_json", args),
                ),
                "thinking" => {
                    let signature = text(block, "signature");
                    let thought = delta(index, "thinking_delta", "thinking", &text(block, "thinking"));
                    let signed = delta(index, "signature_delta", "signature", &signature);
                    let begun = set(&set(block, "thinking", "\"\""), "signature", "\"\"");
                    (begun, [thought, signed].concat())
                }
                // Every other block comes whole.
                _ => (block.to_owned(), Vec::new()),
            };
            let begun =
                format!("{{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{begun}}}");
            bytes.extend(event("content_block_start", &begun));
            bytes.extend(piece);
            bytes.extend(stop(index));
            self.next += 1;
        }
        let reason = frame::member(whole, "stop_reason").unwrap_or("\"end_turn\"");
        let usage = frame::member(whole, "usage").and_then(Object::read);
        let tokens = usage.and_then(|usage| usage.number("output_tokens")).unwrap_or(0);
        let last = format!(
            "{{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":{reason},\"stop_sequence\":null}},\
             \"usage\":{{\"output_tokens\":{tokens}}}}}"
        );
        bytes.extend(event("message_delta", &last));
        bytes.extend(event("message_stop", "{\"type\":\"message_stop\"}"));
        bytes
    }
}

impl Messages {
    /// Notes what the agent has seen.
    fn note(&mut self, raw: &RawEvent) {
        let Some(data) = raw.object() else { return };
        match &*raw.kind() {
            "message_start" => self.has_begun = true,
            "content_block_start" => {
                self.next = index(&data) + 1;
                self.unended = Some(index(&data));
                let kind = data
                    .object("content_block")
                    .and_then(|block| block.string("type"));
                self.words = match kind.as_deref() {
                    Some("text") => Some((index(&data), "text_delta")),
                    Some("thinking") => Some((index(&data), "thinking_delta")),
                    _ => None,
                };
            }
            // Nothing may follow the signature of a thought.
            "content_block_delta" => {
                let kind = data.object("delta").and_then(|delta| delta.string("type"));
                if kind.as_deref() == Some("signature_delta") {
                    self.words = None;
                }
            }
            "content_block_stop" => (self.words, self.unended) = (None, None),
            _ => {}
        }
    }
}

/// The beginning of a message.
fn start(whole: &str) -> Vec<u8> {
    let message = set(&set(whole, "content", "[]"), "stop_reason", "null");
    let data = format!("{{\"type\":\"message_start\",\"message\":{message}}}");
    event("message_start", &data)
}

/// An event that says nothing but what the message costs so far.
fn progress(usage: Option<&str>) -> Vec<u8> {
    let usage = usage.filter(|usage| Object::read(usage).is_some());
    let data = format!(
        "{{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":null,\"stop_sequence\":null}},\"usage\":{}}}",
        usage.unwrap_or("{\"output_tokens\":0}")
    );
    event("message_delta", &data)
}

/// A piece of a block.
fn delta(index: u64, kind: &str, member: &str, piece: &str) -> Vec<u8> {
    let delta = json!({"type": kind, member: piece});
    let data = json!({"type": "content_block_delta", "index": index, "delta": delta});
    event("content_block_delta", &data.to_string())
}

/// The end of a block.
fn stop(index: u64) -> Vec<u8> {
    let data = json!({"type": "content_block_stop", "index": index});
    event("content_block_stop", &data.to_string())
}

fn whole(raw: &RawEvent, calls: &[usize], changes: &Changes) -> Vec<u8> {
    let mut numbers = calls.iter();
    let data = in_member(&raw.data, "content", |content| {
        each(content, |block| {
            let number = Some(block)
                .filter(|block| is_call(block))
                .and_then(|_| numbers.next());
            let changed = number.and_then(|number| change(changes, *number));
            Some(changed.map_or_else(
                || block.to_owned(),
                |(tool, args)| set(&set(block, "name", &quoted(tool)), "input", object(args)),
            ))
        })
    });
    raw.with(&data)
}
