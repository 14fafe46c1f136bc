//! OpenAI Responses.
//!
//! Must not know: which edits are tested.

use std::sync::Arc;

use overrule::model::Model;
use serde_json::{Value, json};

use super::{Asked, Format, Made, Message, Part, client, elements, halves, spoken, word};
use crate::wire::server::Seen;

/// The row of the format.
pub const FORMAT: Format = Format {
    name: "openai-responses",
    flags: &["--wire", "openai-responses"],
    frames,
    end,
    read,
    model,
    signs: true,
    has_signatures: true,
    joins: true,
};

fn model(base: &str) -> Arc<dyn Model> {
    client("openai-responses", base)
}

fn event(data: &Value) -> String {
    let name = data["type"].as_str().unwrap();
    format!("event: {name}\ndata: {data}\n\n")
}

fn frames(parts: &[Part], calls: usize) -> Vec<String> {
    let mut frames = Vec::new();
    if calls == 0 {
        let response = json!({"id": "r", "status": "in_progress", "error": null, "output": []});
        frames.push(event(&json!({"type": "response.created", "response": response})));
    }
    for (place, part) in parts.iter().enumerate() {
        let index = 100 * calls + place;
        if let (0, 1.., Part::Text(words)) = (place, calls, part) {
            // More of the text that is open.
            let more = words
                .split_inclusive(' ')
                .map(|word| event(&json!({"type": "response.output_text.delta", "delta": word})));
            frames.extend(more);
            continue;
        }
        let id = format!("item_{index}");
        let delta = |name: &str, text: &str| {
            event(
                &json!({"type": format!("response.{name}.delta"), "output_index": index, "item_id": id, "delta": text}),
            )
        };
        let (mut item, last, deltas) = match part {
            Part::Signed(words, signature) => (
                json!({"type": "reasoning", "id": id, "summary": []}),
                json!({"encrypted_content": signature}),
                vec![delta("reasoning_summary_text", words)],
            ),
            Part::Text(words) => {
                let words = words.split_inclusive(' ');
                (
                    json!({"type": "message", "id": id, "role": "assistant", "content": []}),
                    json!({}),
                    words.map(|word| delta("output_text", word)).collect(),
                )
            }
            Part::Call(call_id, tool, args) => {
                let text = args.to_string();
                let pieces = halves(&text).map(|half| delta("function_call_arguments", half));
                (
                    json!({"type": "function_call", "id": id, "call_id": call_id, "name": tool, "arguments": ""}),
                    json!({"arguments": text, "status": "completed"}),
                    pieces.to_vec(),
                )
            }
        };
        frames.push(event(
            &json!({"type": "response.output_item.added", "output_index": index, "item": item}),
        ));
        frames.extend(deltas);
        for (key, value) in last.as_object().unwrap() {
            item[key] = value.clone();
        }
        frames.push(event(
            &json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        ));
    }
    frames
}

fn end(_: bool) -> Vec<String> {
    let response = json!({"id": "r", "status": "completed", "error": null, "output": [],
        "usage": {"input_tokens": 100, "output_tokens": 10}});
    vec![event(
        &json!({"type": "response.completed", "response": response}),
    )]
}

fn read(seen: &Seen) -> Asked {
    let body = seen.body.clone();
    let begin = body.find("\"input\":[").unwrap();
    let value: Value = serde_json::from_str(&body).unwrap();
    let (mut messages, mut ends) = (vec![Message::System(word(&value["instructions"]))], vec![begin]);
    let mut is_open = false;
    for (raw, end) in elements(&body, begin + "\"input\":".len()) {
        let item: Value = serde_json::from_str(raw).unwrap();
        let is_own = match (item["type"].as_str(), item["role"].as_str()) {
            (Some("function_call_output"), _) => {
                messages.push(Message::Result(word(&item["call_id"]), word(&item["output"])));
                false
            }
            (None, Some("user")) => {
                messages.push(spoken(word(&item["content"])));
                false
            }
            _ => true,
        };
        if !is_own {
            is_open = false;
            ends.push(end);
            continue;
        }
        // The items of the model between two others are one message of it.
        if !is_open {
            is_open = true;
            let (text, signed, calls) = (String::new(), Vec::new(), Vec::new());
            messages.push(Message::Assistant { text, signed, calls });
            ends.push(end);
        }
        *ends.last_mut().unwrap() = end;
        let Some(Message::Assistant { text, signed, calls }) = messages.last_mut() else {
            unreachable!("it was just added")
        };
        match item["type"].as_str() {
            Some("reasoning") => signed.push(word(&item["encrypted_content"])),
            Some("function_call") => calls.push(Made {
                id: word(&item["call_id"]),
                tool: word(&item["name"]),
                args: word(&item["arguments"]),
            }),
            Some(other) => panic!("an item of nobody: {other}"),
            None => {
                let gap = if text.is_empty() { "" } else { "\n\n" };
                *text = format!("{text}{gap}{}", word(&item["content"]));
            }
        }
    }
    Asked { messages, ends, body }
}
