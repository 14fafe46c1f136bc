//! The calls in a reply of the Messages format: blocks of type `tool_use`.
//!
//! Must not know: who decided.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Calls, Changes, change, object};
use crate::proxy::events::{Form, RawEvent, event};

/// The open blocks of a reply.
#[derive(Default)]
pub(super) struct Messages {
    calls: usize,
    /// Numbers of the open calls, by the index of their block.
    open: BTreeMap<u64, usize>,
    has_begun: bool,
    /// The text that was written last and not ended: its index, and the kind of its pieces.
    words: Option<(u64, &'static str)>,
}

fn index(data: &Value) -> u64 {
    data["index"].as_u64().unwrap_or_default()
}

impl Calls for Messages {
    fn of(&mut self, event: &RawEvent) -> Vec<usize> {
        let Some(data) = &event.data else {
            return Vec::new();
        };
        if event.form == Form::Whole {
            let blocks = data["content"].as_array().map_or(&[][..], Vec::as_slice);
            self.calls = blocks.iter().filter(|block| block["type"] == "tool_use").count();
            return (0..self.calls).collect();
        }
        match event.kind() {
            "content_block_start" if data["content_block"]["type"] == "tool_use" => {
                self.open.insert(index(data), self.calls);
                self.calls += 1;
                vec![self.calls - 1]
            }
            "content_block_delta" => self.open.get(&index(data)).copied().into_iter().collect(),
            "content_block_stop" => self.open.remove(&index(data)).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn written(&mut self, raw: &RawEvent, calls: &[usize], changes: &Changes) -> Vec<u8> {
        self.note(raw);
        let Some(data) = &raw.data else {
            return raw.bytes.clone();
        };
        if raw.form == Form::Whole {
            return whole(raw, data, changes);
        }
        let Some((tool, args)) = calls.first().and_then(|call| change(changes, *call)) else {
            return raw.bytes.clone();
        };
        match raw.kind() {
            "content_block_start" => {
                let mut data = data.clone();
                data["content_block"]["name"] = tool.into();
                data["content_block"]["input"] = json!({});
                let delta = json!({
                    "type": "content_block_delta", "index": index(&data),
                    "delta": {"type": "input_json_delta", "partial_json": args},
                });
                let mut bytes = raw.with(&data);
                bytes.extend(event("content_block_delta", &delta));
                bytes
            }
            "content_block_delta" => Vec::new(),
            _ => raw.bytes.clone(),
        }
    }

    fn ends_words(&self, event: &RawEvent) -> bool {
        event.form == Form::Stream && event.kind() == "content_block_stop"
    }

    fn heartbeat(&mut self) -> Vec<u8> {
        if !self.has_begun {
            return event("ping", &json!({"type": "ping"}));
        }
        let Some((index, kind)) = self.words else {
            let nothing = json!({
                "type": "message_delta", "delta": {"stop_reason": null, "stop_sequence": null},
                "usage": {"output_tokens": 0},
            });
            return event("message_delta", &nothing);
        };
        let member = kind.trim_end_matches("_delta");
        let delta = json!({"type": kind, member: ""});
        let data = json!({"type": "content_block_delta", "index": index, "delta": delta});
        event("content_block_delta", &data)
    }
}

impl Messages {
    /// Notes what the agent has seen.
    fn note(&mut self, raw: &RawEvent) {
        let Some(data) = &raw.data else { return };
        match raw.kind() {
            "message_start" => self.has_begun = true,
            "content_block_start" => {
                self.words = match data["content_block"]["type"].as_str() {
                    Some("text") => Some((index(data), "text_delta")),
                    Some("thinking") => Some((index(data), "thinking_delta")),
                    _ => None,
                };
            }
            // Nothing may follow the signature of a thought.
            "content_block_delta" if data["delta"]["type"] == "signature_delta" => self.words = None,
            "content_block_stop" => self.words = None,
            _ => {}
        }
    }
}

fn whole(raw: &RawEvent, data: &Value, changes: &Changes) -> Vec<u8> {
    if changes.is_empty() {
        return raw.bytes.clone();
    }
    let mut data = data.clone();
    let blocks = data["content"].as_array_mut().into_iter().flatten();
    let calls = blocks.filter(|block| block["type"] == "tool_use");
    for (number, block) in calls.enumerate() {
        if let Some((tool, args)) = change(changes, number) {
            block["name"] = tool.into();
            block["input"] = object(args);
        }
    }
    raw.with(&data)
}
