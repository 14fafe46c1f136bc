//! OpenAI Chat Completions.
//!
//! Must not know: which edits are tested.

use std::sync::Arc;

use overrule::model::Model;
use serde_json::{Value, json};

use super::{Asked, Format, Made, Message, Part, client, elements, spoken, word};
use crate::wire::server::{self, Seen};

/// The row of the format.
pub const FORMAT: Format = Format {
    name: "openai-chat",
    flags: &[],
    frames: chat_frames,
    end: chat_end,
    read: chat_read,
    model: chat_model,
    signs: false,
    has_signatures: true,
    joins: false,
};

fn chat_model(base: &str) -> Arc<dyn Model> {
    client("openai-chat", base)
}

fn chat_frames(parts: &[Part], calls: usize) -> Vec<String> {
    let mut calls = calls;
    let mut frames = Vec::new();
    for part in parts {
        match part {
            Part::Signed(words, signature) => {
                let detail = json!({"type": "reasoning.text", "text": words, "signature": signature});
                frames.push(server::delta(&json!({"reasoning_details": [detail]})));
            }
            Part::Text(words) => frames.extend(words.split_inclusive(' ').map(server::text)),
            Part::Call(id, tool, args) => {
                frames.extend(server::call(calls, Some(id), tool, args));
                calls += 1;
            }
        }
    }
    frames
}

fn chat_end(calls: bool) -> Vec<String> {
    server::end(if calls { "tool_calls" } else { "stop" })
}

fn chat_read(seen: &Seen) -> Asked {
    let begin = seen.body.find("\"messages\":[").unwrap() + "\"messages\":".len();
    let list = elements(&seen.body, begin);
    Asked {
        messages: list.iter().map(|(raw, _)| chat_message(raw)).collect(),
        ends: list.iter().map(|(_, end)| *end).collect(),
        body: seen.body.clone(),
    }
}

fn chat_message(raw: &str) -> Message {
    let value: Value = serde_json::from_str(raw).unwrap();
    let content = word(&value["content"]);
    match value["role"].as_str().unwrap() {
        "system" => Message::System(content),
        "user" => spoken(content),
        "tool" => Message::Result(word(&value["tool_call_id"]), content),
        "assistant" => Message::Assistant {
            text: content,
            signed: Vec::new(),
            calls: value["tool_calls"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|call| Made {
                    id: word(&call["id"]),
                    tool: word(&call["function"]["name"]),
                    args: word(&call["function"]["arguments"]),
                })
                .collect(),
        },
        other => panic!("a message of nobody: {other}"),
    }
}
