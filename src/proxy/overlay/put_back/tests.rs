//! Tests of histories as agents keep them: joined, forked, compacted, with signed reasoning, in every format.
//!
//! Must not know: how a run decides.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::overlay::Known;
use overrule_domain::id::{NodeId, NodeKind};
use overrule_model::wire::Wire;

/// A turn: what the user said, what the model said, the calls that the agent has, and those that it lacks.
fn turn(words: Option<&str>, texts: &[(&str, Option<&str>)], given: &[u32], hidden: &[u32]) -> Told {
    Told {
        is_asked_again: false,
        words: words.map(str::to_owned),
        texts: texts
            .iter()
            .map(|(text, signature)| ModelText {
                node: NodeId::new(NodeKind::Thought, 1),
                text: (*text).into(),
                reasoning: signature.is_some(),
                opaque: signature.map(|signature| {
                    let block = json!({"type": "thinking", "thinking": text, "signature": signature});
                    json!([{ "anthropic": block }]).to_string().into()
                }),
                by_operator: false,
            })
            .collect(),
        given: given.iter().map(|no| (*no, Some(Arc::from(id(*no))))).collect(),
        hidden: hidden
            .iter()
            .map(|no| CalledAs {
                node: NodeId::new(NodeKind::Call, *no),
                wire_id: id(*no).into(),
                tool: format!("mask_{no}").into(),
                args: "{}".into(),
                opaque: None,
            })
            .collect(),
    }
}

fn id(number: u32) -> String {
    format!("id{number}")
}

/// A run with these turns.
fn run(told: Vec<Told>) -> Overlays {
    let given = told.iter().flat_map(|told| told.given.iter().map(|(no, _)| *no));
    let hidden = told
        .iter()
        .flat_map(|told| told.hidden.iter().map(|call| call.node.no));
    let calls: Vec<u32> = given.chain(hidden).collect();
    let mut own = Overlay {
        told,
        ..Overlay::default()
    };
    for (at, number) in calls.into_iter().enumerate() {
        own.ids.insert(id(number), Some(at));
        own.calls.push(Known {
            number,
            tool: "bash".to_owned(),
            args: "{}".to_owned(),
            keeps_opaque: true,
            was_released: true,
            is_superseded: false,
            texts: Arc::default(),
            result: None,
        });
    }
    Overlays {
        own: Some(own),
        ..Overlays::default()
    }
}

/// The messages of the request that the model gets, or none where it is that of the agent.
fn sent(overlays: &Overlays, wire: &str, member: &str, history: &Value) -> Option<Vec<Value>> {
    let wire = Wire::named(wire).unwrap();
    let body = json!({"model": "m", member: history}).to_string();
    let request = decode_request(wire, body.as_bytes()).unwrap();
    let whole = put_back(overlays, &request)?;
    let whole: Value = serde_json::from_str(&whole.body).unwrap();
    let messages = whole[member].as_array().unwrap().clone();
    let again = decode_request(wire, whole.to_string().as_bytes()).unwrap();
    assert!(put_back(overlays, &again).is_none(), "once: {messages:?}");
    Some(messages)
}

/// A message in short: who speaks, and what is in it.
fn short(message: &Value) -> String {
    let role = message["role"]
        .as_str()
        .or(message["type"].as_str())
        .unwrap_or("?");
    let list = ["content", "parts"]
        .iter()
        .find_map(|key| message[key].as_array());
    let one = |part: &Value| {
        let word = |pointer: &str| part.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        word("/text")
            .or_else(|| word("/thinking").map(|text| format!("({text} {})", part["signature"])))
            .or_else(|| word("/name").map(|name| format!("call {name}")))
            .or_else(|| word("/tool_use_id").map(|id| format!("result {id}")))
            .or_else(|| word("/functionCall/name").map(|name| format!("call {name}")))
            .or_else(|| word("/functionResponse/name").map(|name| format!("result {name}")))
            .unwrap_or_else(|| part.to_string())
    };
    let mut parts: Vec<String> = match list {
        Some(list) => list.iter().map(one).collect(),
        None => message["content"]
            .as_str()
            .map(str::to_owned)
            .into_iter()
            .collect(),
    };
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        parts.push(format!("call {}", call["function"]["name"].as_str().unwrap()));
    }
    for (key, word) in [("name", "call"), ("call_id", "of"), ("tool_call_id", "of")] {
        parts.extend(message[key].as_str().map(|name| format!("{word} {name}")));
    }
    format!("{role}: {}", parts.join(" | "))
}

#[track_caller]
fn is(found: Option<Vec<Value>>, expected: &[&str]) {
    let found: Vec<String> = found.iter().flatten().map(short).collect();
    assert_eq!(found, expected);
}

fn text(role: &str, words: &str) -> Value {
    json!({"role": role, "content": words})
}

/// "go", a hidden call after "First.", and "Second." as the rest of the same reply.
fn continued() -> Overlays {
    run(vec![
        turn(Some("go"), &[], &[], &[]),
        turn(None, &[("First.", None)], &[], &[2]),
        turn(None, &[("Second.", None)], &[], &[]),
        turn(Some("next"), &[], &[], &[]),
    ])
}

#[test]
fn a_joined_reply_is_separated_around_the_call_in_every_format() {
    let chat = json!([
        text("user", "go"),
        text("assistant", "First.Second."),
        text("user", "next")
    ]);
    is(
        sent(&continued(), "openai-chat", "messages", &chat),
        &[
            "user: go",
            "assistant: First. | call mask_2",
            "tool: rejected | of id2",
            "assistant: Second.",
            "user: next",
        ],
    );
    is(
        sent(&continued(), "anthropic", "messages", &chat),
        &[
            "user: go",
            "assistant: First. | call mask_2",
            "user: result id2",
            "assistant: Second.",
            "user: next",
        ],
    );
    let say = |role: &str, words: &str| json!({"role": role, "parts": [{"text": words}]});
    let gemini = json!([
        say("user", "go"),
        say("model", "First.Second."),
        say("user", "next")
    ]);
    is(
        sent(&continued(), "gemini", "contents", &gemini),
        &[
            "user: go",
            "model: First. | call mask_2",
            "user: result mask_2",
            "model: Second.",
            "user: next",
        ],
    );
}

#[test]
fn signed_reasoning_stays_with_its_own_part_of_the_reply() {
    let overlays = run(vec![
        turn(Some("go"), &[], &[], &[]),
        turn(None, &[("Hm.", Some("sig-one")), ("First.", None)], &[], &[2]),
        turn(None, &[("Well.", Some("sig-two")), ("Second.", None)], &[], &[]),
    ]);
    let thinking =
        |words: &str, signature: &str| json!({"type": "thinking", "thinking": words, "signature": signature});
    let said = |words: &str| json!({"type": "text", "text": words});
    let joined = json!([
        thinking("Hm.", "sig-one"),
        said("First."),
        thinking("Well.", "sig-two"),
        said("Second.")
    ]);
    let history = json!([text("user", "go"), {"role": "assistant", "content": joined}, text("user", "next")]);
    is(
        sent(&overlays, "anthropic", "messages", &history),
        &[
            "user: go",
            "assistant: (Hm. \"sig-one\") | First. | call mask_2",
            "user: result id2",
            "assistant: (Well. \"sig-two\") | Second.",
            "user: next",
        ],
    );
}

#[test]
fn hidden_calls_stand_before_and_after_the_others_as_the_model_made_them() {
    let overlays = run(vec![
        turn(Some("go"), &[], &[], &[]),
        turn(None, &[("All.", None)], &[3], &[2, 4]),
    ]);
    let history = json!([
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"text": "All."}, {"functionCall": {"id": "id3", "name": "bash", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "id3", "name": "bash", "response": {"output": "ok"}}}]},
    ]);
    is(
        sent(&overlays, "gemini", "contents", &history),
        &[
            "user: go",
            "model: All. | call mask_2 | call bash | call mask_4",
            "user: result mask_2 | result bash | result mask_4",
        ],
    );
    let history = json!([
        text("user", "go"),
        {"role": "assistant", "content": "All.", "tool_calls": [
            {"id": "id3", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "id3", "content": "ok"},
    ]);
    let found = sent(&overlays, "openai-chat", "messages", &history).unwrap();
    is(
        Some(found.clone()),
        &[
            "user: go",
            "assistant: All. | call mask_2 | call bash | call mask_4",
            "tool: rejected | of id2",
            "tool: ok | of id3",
            "tool: rejected | of id4",
        ],
    );
}

#[test]
fn a_forked_history_has_the_calls_of_what_is_left_of_it() {
    let mut told = continued().own.unwrap().told;
    told.push(turn(None, &[("Third.", None)], &[], &[5]));
    told.push(turn(None, &[("Fourth.", None)], &[], &[]));
    let overlays = run(told);
    // Its user went back to the reply before the last words.
    let history = json!([
        text("user", "go"),
        text("assistant", "First.Second."),
        text("user", "other")
    ]);
    is(
        sent(&overlays, "openai-chat", "messages", &history),
        &[
            "user: go",
            "assistant: First. | call mask_2",
            "tool: rejected | of id2",
            "assistant: Second.",
            "user: other",
        ],
    );
}

#[test]
fn what_a_compaction_forgot_stays_forgotten() {
    let mut told = continued().own.unwrap().told;
    told.push(turn(None, &[("Third.", None)], &[], &[5]));
    told.push(turn(None, &[("Fourth.", None)], &[], &[]));
    let overlays = run(told);
    // Only the last reply is left.
    let history = json!([
        text("user", "Summary of it."),
        text("assistant", "Third.Fourth."),
        text("user", "more")
    ]);
    is(
        sent(&overlays, "openai-chat", "messages", &history),
        &[
            "user: Summary of it.",
            "assistant: Third. | call mask_5",
            "tool: rejected | of id5",
            "assistant: Fourth.",
            "user: more",
        ],
    );
    // Nothing is left.
    let history = json!([text("user", "Summary of it.")]);
    is(sent(&overlays, "openai-chat", "messages", &history), &[]);
}

#[test]
fn a_reply_that_the_agent_never_had_comes_back_at_the_end() {
    let overlays = run(vec![
        turn(Some("go"), &[], &[], &[]),
        turn(None, &[("First.", None)], &[], &[2]),
    ]);
    for history in [
        json!([text("user", "go")]),
        json!([
            text("user", "go"),
            text("assistant", "First."),
            text("user", "Continue.")
        ]),
    ] {
        let found = sent(&overlays, "openai-chat", "messages", &history).unwrap();
        let found: Vec<String> = found.iter().map(short).collect();
        assert_eq!(
            found.get(..3).unwrap(),
            [
                "user: go",
                "assistant: First. | call mask_2",
                "tool: rejected | of id2"
            ]
        );
        assert!(
            found.iter().filter(|one| one.contains("First.")).count() == 1,
            "{found:?}"
        );
    }
}
