//! Anthropic Messages.
//!
//! Must not know: which edits are tested.

use std::sync::Arc;

use overrule::model::Model;
use serde_json::{Value, json};

use super::{Asked, Format, Made, Message, Part, client, elements, halves, raw_member, spoken, word};
use crate::wire::server::Seen;

/// The row of the format.
pub const FORMAT: Format = Format {
    name: "anthropic",
    flags: &["--wire", "anthropic"],
    frames: messages_frames,
    end: messages_end,
    read: messages_read,
    model: messages_model,
    signs: true,
    has_signatures: true,
    joins: true,
};

fn messages_model(base: &str) -> Arc<dyn Model> {
    client("anthropic", base)
}

fn event(data: &Value) -> String {
    let name = data["type"].as_str().unwrap();
    format!("event: {name}\ndata: {data}\n\n")
}

fn messages_frames(parts: &[Part], calls: usize) -> Vec<String> {
    let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [], "model": "test",
        "stop_reason": null, "usage": {"input_tokens": 100, "output_tokens": 1}});
    let mut frames = vec![event(&json!({"type": "message_start", "message": message}))];
    for (place, part) in parts.iter().enumerate() {
        let index = 100 * calls + place;
        let (block, deltas) = match part {
            Part::Signed(words, signature) => (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                vec![
                    json!({"type": "thinking_delta", "thinking": words}),
                    json!({"type": "signature_delta", "signature": signature}),
                ],
            ),
            Part::Text(words) => {
                let deltas = words.split_inclusive(' ');
                let deltas = deltas.map(|word| json!({"type": "text_delta", "text": word}));
                (json!({"type": "text", "text": ""}), deltas.collect())
            }
            Part::Call(id, tool, args) => {
                let text = args.to_string();
                let piece = |text: &str| json!({"type": "input_json_delta", "partial_json": text});
                (
                    json!({"type": "tool_use", "id": id, "name": tool, "input": {}}),
                    halves(&text).map(piece).to_vec(),
                )
            }
        };
        frames.push(event(
            &json!({"type": "content_block_start", "index": index, "content_block": block}),
        ));
        for delta in deltas {
            frames.push(event(
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        frames.push(event(&json!({"type": "content_block_stop", "index": index})));
    }
    frames
}

fn messages_end(calls: bool) -> Vec<String> {
    let reason = if calls { "tool_use" } else { "end_turn" };
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 10}});
    vec![event(&delta), event(&json!({"type": "message_stop"}))]
}

fn messages_read(seen: &Seen) -> Asked {
    // Marks move along; what the provider has cached is the same without them.
    let body = seen
        .body
        .replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
    let begin = body.find("\"messages\":[").unwrap();
    let value: Value = serde_json::from_str(&body).unwrap();
    let (mut messages, mut ends) = (
        vec![Message::System(word(&value["system"][0]["text"]))],
        vec![begin],
    );
    for (raw, end) in elements(&body, begin + "\"messages\":".len()) {
        let content = raw.find("\"content\":[").unwrap() + "\"content\":".len();
        let blocks = elements(&body, end - raw.len() + content);
        if raw.starts_with("{\"role\":\"user\"") {
            for (raw, end) in blocks {
                let block: Value = serde_json::from_str(raw).unwrap();
                messages.push(match block["type"].as_str().unwrap() {
                    "text" => spoken(word(&block["text"])),
                    "tool_result" => Message::Result(word(&block["tool_use_id"]), word(&block["content"])),
                    other => panic!("a block of nobody: {other}"),
                });
                ends.push(end);
            }
        } else {
            messages.push(messages_assistant(&blocks));
            ends.push(end);
        }
    }
    Asked { messages, ends, body }
}

fn messages_assistant(blocks: &[(&str, usize)]) -> Message {
    let (mut texts, mut signed, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for (raw, _) in blocks {
        let block: Value = serde_json::from_str(raw).unwrap();
        match block["type"].as_str().unwrap() {
            "text" => texts.push(word(&block["text"])),
            "thinking" => signed.push(word(&block["signature"])),
            "tool_use" => {
                calls.push(Made {
                    id: word(&block["id"]),
                    tool: word(&block["name"]),
                    args: raw_member(raw, "input"),
                });
            }
            other => panic!("a block of nobody: {other}"),
        }
    }
    let text = texts.join("\n\n");
    Message::Assistant { text, signed, calls }
}
