//! Ollama's own format.
//!
//! Must not know: which edits are tested.

use std::sync::Arc;

use overrule::model::Model;
use serde_json::{Value, json};

use super::{Asked, Format, Made, Message, Part, client, elements, raw_member, spoken, word};
use crate::wire::server::Seen;

/// The row of the format.
pub const FORMAT: Format = Format {
    name: "ollama",
    flags: &["--wire", "ollama"],
    frames,
    end,
    read,
    model,
    signs: false,
    has_signatures: false,
    joins: false,
};

fn model(base: &str) -> Arc<dyn Model> {
    client("ollama", base)
}

fn line(message: &Value) -> String {
    format!(
        "{}\n",
        json!({"model": "test", "message": message, "done": false})
    )
}

fn frames(parts: &[Part], _: usize) -> Vec<String> {
    let mut frames = Vec::new();
    for part in parts {
        match part {
            // The format has no signatures.
            Part::Signed(words, _) => {
                frames.push(line(
                    &json!({"role": "assistant", "content": "", "thinking": words}),
                ));
            }
            Part::Text(words) => {
                let words = words.split_inclusive(' ');
                frames.extend(words.map(|word| line(&json!({"role": "assistant", "content": word}))));
            }
            Part::Call(id, tool, args) => {
                let call = json!({"id": id, "function": {"name": tool, "arguments": args}});
                frames.push(line(
                    &json!({"role": "assistant", "content": "", "tool_calls": [call]}),
                ));
            }
        }
    }
    frames
}

fn end(_: bool) -> Vec<String> {
    let message = json!({"role": "assistant", "content": ""});
    let end = json!({"model": "test", "message": message, "done": true, "done_reason": "stop",
        "prompt_eval_count": 100, "eval_count": 10});
    vec![format!("{end}\n")]
}

fn read(seen: &Seen) -> Asked {
    let body = seen.body.clone();
    let begin = body.find("\"messages\":[").unwrap() + "\"messages\":".len();
    let (mut messages, mut ends) = (Vec::new(), Vec::new());
    for (raw, end) in elements(&body, begin) {
        messages.push(message(raw, &body));
        ends.push(end);
    }
    Asked { messages, ends, body }
}

fn message(raw: &str, body: &str) -> Message {
    let value: Value = serde_json::from_str(raw).unwrap();
    let content = word(&value["content"]);
    match value["role"].as_str().unwrap() {
        "system" => Message::System(content),
        "user" => spoken(content),
        "tool" => Message::Result(word(&value["tool_call_id"]), content),
        "assistant" => {
            let place = raw.as_ptr() as usize - body.as_ptr() as usize;
            let calls = raw
                .find("\"tool_calls\":[")
                .map(|at| at + "\"tool_calls\":".len());
            let calls = calls.map(|at| elements(body, place + at)).unwrap_or_default();
            let made = |raw: &str| {
                let call: Value = serde_json::from_str(raw).unwrap();
                Made {
                    id: word(&call["id"]),
                    tool: word(&call["function"]["name"]),
                    args: raw_member(&raw_member(raw, "function"), "arguments"),
                }
            };
            Message::Assistant {
                text: content,
                signed: Vec::new(),
                calls: calls.iter().map(|(raw, _)| made(raw)).collect(),
            }
        }
        other => panic!("a message of nobody: {other}"),
    }
}
