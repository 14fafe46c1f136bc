//! The Gemini API.
//!
//! Must not know: which edits are tested.

use std::sync::Arc;

use overrule::model::Model;
use serde_json::{Value, json};

use super::{Asked, Format, Made, Message, Part, client, elements, raw_member, spoken, word};
use crate::wire::server::Seen;

/// The row of the format.
pub const FORMAT: Format = Format {
    name: "gemini",
    flags: &["--wire", "gemini"],
    frames,
    end,
    read,
    model,
    signs: false,
    has_signatures: true,
    joins: true,
};

fn model(base: &str) -> Arc<dyn Model> {
    client("gemini", base)
}

fn frame(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}

fn frames(parts: &[Part], _: usize) -> Vec<String> {
    let mut frames = Vec::new();
    let mut part = |part: Value| {
        let content = json!({"role": "model", "parts": [part]});
        frames.push(frame(&json!({"candidates": [{"content": content, "index": 0}]})));
    };
    for one in parts {
        match one {
            Part::Signed(words, signature) => {
                part(json!({"text": words, "thought": true}));
                part(json!({"text": "", "thought": true, "thoughtSignature": signature}));
            }
            Part::Text(words) => words
                .split_inclusive(' ')
                .for_each(|word| part(json!({"text": word}))),
            Part::Call(id, tool, args) => {
                part(json!({"functionCall": {"id": id, "name": tool, "args": args}}));
            }
        }
    }
    frames
}

fn end(_: bool) -> Vec<String> {
    let content = json!({"role": "model", "parts": [{"text": ""}]});
    vec![frame(
        &json!({"candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10}}),
    )]
}

fn read(seen: &Seen) -> Asked {
    let body = seen.body.clone();
    let begin = body.find("\"contents\":[").unwrap();
    let value: Value = serde_json::from_str(&body).unwrap();
    let system = word(&value["systemInstruction"]["parts"][0]["text"]);
    let (mut messages, mut ends) = (vec![Message::System(system)], vec![begin]);
    for (raw, end) in elements(&body, begin + "\"contents\":".len()) {
        let content = raw.find("\"parts\":[").unwrap() + "\"parts\":".len();
        let parts = elements(&body, end - raw.len() + content);
        if raw.starts_with("{\"role\":\"user\"") {
            for (raw, end) in parts {
                let part: Value = serde_json::from_str(raw).unwrap();
                let result = &part["functionResponse"];
                messages.push(if result.is_null() {
                    spoken(word(&part["text"]))
                } else {
                    let response = &result["response"];
                    let words = word(&response["result"]) + &word(&response["error"]);
                    Message::Result(word(&result["id"]), words)
                });
                ends.push(end);
            }
        } else {
            messages.push(assistant(&parts));
            ends.push(end);
        }
    }
    Asked { messages, ends, body }
}

fn assistant(parts: &[(&str, usize)]) -> Message {
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for (raw, _) in parts {
        let part: Value = serde_json::from_str(raw).unwrap();
        let call = &part["functionCall"];
        if call.is_null() {
            texts.push(word(&part["text"]));
        } else {
            calls.push(Made {
                id: word(&call["id"]),
                tool: word(&call["name"]),
                args: raw_member(&raw_member(raw, "functionCall"), "args"),
            });
        }
    }
    Message::Assistant {
        text: texts.join("\n\n"),
        signed: Vec::new(),
        calls,
    }
}
