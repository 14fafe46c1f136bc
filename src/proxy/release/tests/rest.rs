//! Tests of the rest of a reply that is written from what was decoded, and of what makes it necessary.
//!
//! Must not know: sockets.

use serde_json::{Value, json};

use super::unclear::{KEPT, chunk, decided, events, items, masked, names, piece, undecided, wire};
use crate::events::Form;
use crate::held::HeldReply;
use crate::reading::{ReadEvent, read_all};
use crate::release::Release;
use overrule_model::decode::summary;
use overrule_model::wire::Wire;

/// A reply of which the agent has what may pass, with an event that is not clear.
fn unclear_at(wire: Wire, body: &str, unclear: impl Fn(usize, &ReadEvent) -> bool) -> (HeldReply, String) {
    let mut held = HeldReply::new(wire, Form::Stream);
    let (read, _) = read_all(wire, Form::Stream, body.as_bytes());
    let mut all = Vec::new();
    for (at, mut event) in read.into_iter().enumerate() {
        event.event.is_unread = unclear(at, &event);
        held.push(event);
        all.extend(held.take());
    }
    held.end();
    (held, String::from_utf8(all).unwrap())
}

/// Decides a call; returns what the agent gets then.
fn then(held: &mut HeldReply, call: usize, release: Release) -> String {
    held.decide(call, release);
    String::from_utf8(held.take()).unwrap()
}

#[test]
fn two_pieces_of_a_call_in_one_event_are_decided_with_it() {
    let wire = wire("openai-chat");
    let pieces = json!({"tool_calls": [
        {"index": 0, "id": "a", "type": "function", "function": {"name": "read"}},
        {"index": 0, "function": {"arguments": "{\"path\":\"secret\"}"}}]});
    let later = json!({"tool_calls": [
        {"index": 1, "function": {"arguments": "{\"x\":"}}, {"index": 1, "function": {"arguments": "1}"}}]});
    let body = events(&[
        chunk(0, &pieces, &Value::Null),
        chunk(0, &piece(1, "b", "write", ""), &Value::Null),
        chunk(0, &later, &Value::Null),
        chunk(0, &json!({}), &"tool_calls".into()),
    ]) + "data: [DONE]\n\n";
    // The first passes while the second waits.
    let (mut held, before, _) = undecided(wire, Form::Stream, body.as_bytes());
    assert!(before.is_empty());
    held.decide(0, KEPT);
    let first = String::from_utf8(held.take()).unwrap();
    assert!(first.contains("secret") && !first.contains("write"), "{first}");
    assert_eq!(decided(wire, Form::Stream, body.as_bytes(), &[KEPT, KEPT]), body);
    for decisions in [[masked(), KEPT], [KEPT, masked()], [masked(), masked()]] {
        let all = decided(wire, Form::Stream, body.as_bytes(), &decisions);
        let now = summary(wire, all.as_bytes());
        let expected = ["read", "write"].into_iter().zip(&decisions);
        let expected: Vec<&str> = expected
            .map(|(name, release)| {
                if *release == KEPT {
                    name
                } else {
                    "rejected_by_operator_x_1"
                }
            })
            .collect();
        assert_eq!(names(&now), expected, "{all}");
        assert_eq!(all.contains("secret"), decisions[0] == KEPT, "{all}");
        let args = if decisions[1] == KEPT { "{\"x\":1}" } else { "{}" };
        assert_eq!(now.calls[1].args, args, "{all}");
    }
}

#[test]
fn a_rest_does_not_repeat_what_the_agent_has() {
    let wire = wire("openai-chat");
    // The first call has no arguments yet: the decoder names it with the second, which is in an unclear event.
    let body = events(&[
        chunk(0, &piece(0, "a", "read", ""), &Value::Null),
        chunk(0, &piece(1, "b", "write", "{}"), &Value::Null),
        chunk(0, &json!({}), &"tool_calls".into()),
    ]) + "data: [DONE]\n\n";
    let (mut held, before) = unclear_at(wire, &body, |at, _| at == 1);
    assert!(before.is_empty(), "{before}");
    let mut all = then(&mut held, 0, KEPT);
    assert!(all.contains("read") && !all.contains("write"), "{all}");
    all += &then(&mut held, 1, KEPT);
    assert!(held.is_done() && !held.is_unwritable(), "{all}");
    assert_eq!(names(&summary(wire, all.as_bytes())), ["read", "write"], "{all}");
}

#[test]
fn the_end_of_a_part_that_passed_makes_no_part_of_the_rest() {
    let wire = wire("openai-responses");
    let message = json!({"type": "message", "id": "m1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Hi.", "annotations": []}]});
    let call = json!({"type": "function_call", "id": "f1", "call_id": "c", "name": "read", "arguments": "{}", "status": "completed"});
    let body = items(&[message, call]);
    let (mut held, mut text) = unclear_at(wire, &body, |_, event| !event.calls.is_empty());
    assert!(text.contains("Hi."), "{text}");
    text += &then(&mut held, 0, KEPT);
    assert!(held.is_done() && !text.contains("\"reasoning\""), "{text}");
    let now = summary(wire, text.as_bytes());
    assert_eq!((now.text.as_str(), names(&now)), ("Hi.", vec!["read"]), "{text}");
}

#[test]
fn thoughts_in_a_rest_keep_what_the_provider_signed() {
    let messages = wire("anthropic");
    let body = events(&[
        json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "signature_delta", "signature": "c2ln"}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "redacted_thinking", "data": "ZGF0YQ"}}),
        json!({"type": "content_block_stop", "index": 2}),
        json!({"type": "content_block_start", "index": 3, "content_block": {"type": "tool_use", "id": "a", "name": "read", "input": {}}}),
        json!({"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
        json!({"type": "content_block_stop", "index": 3}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ]);
    let (mut held, mut all) = unclear_at(messages, &body, |at, _| at == 1);
    all += &then(&mut held, 0, masked());
    assert!(held.is_done() && !all.contains("\"read\""), "{all}");
    for piece in [
        "\"Hm.\"",
        "\"c2ln\"",
        "\"ZGF0YQ\"",
        "\"redacted_thinking\"",
        "signature_delta",
    ] {
        assert!(all.contains(piece), "{piece}: {all}");
    }
    let responses = wire("openai-responses");
    let thought = json!({"type": "reasoning", "id": "rs_abc", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "ZW5j"});
    let call = json!({"type": "function_call", "id": "f1", "call_id": "c", "name": "read", "arguments": "{}", "status": "completed"});
    let body = items(&[thought, call]);
    let (mut held, mut all) = unclear_at(responses, &body, |at, _| at == 1);
    all += &then(&mut held, 0, KEPT);
    assert!(held.is_done() && all.contains("\"ZW5j\""), "{all}");
    assert!(all.contains("\"rs_abc\"") && !all.contains("overrule_0"), "{all}");
}

#[test]
fn what_every_reader_ignores_holds_nothing_up() {
    let chat = wire("openai-chat");
    let body = format!(
        "foo: 1\nx-y: 2\n\n{}",
        events(&[chunk(0, &json!({"content": "Hi."}), &Value::Null)])
    );
    let (_, before, _) = undecided(chat, Form::Stream, body.as_bytes());
    assert!(before.contains("Hi."), "{before}");
    let messages = wire("anthropic");
    let body = events(&[
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": [{"type": "text", "text": ""}]}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hi."}}),
        json!({"type": "ping"}),
    ]);
    let mut held = HeldReply::new(messages, Form::Stream);
    let (events, _) = read_all(messages, Form::Stream, body.as_bytes());
    for event in events {
        held.push(event);
    }
    assert!(String::from_utf8(held.take()).unwrap().contains("Hi."));
}

/// The blocks of a streamed message, each as it began; fails where one is not ended exactly once before the next.
fn blocks(all: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut open = None;
    for line in all.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let data: Value = serde_json::from_str(line).unwrap();
        match data["type"].as_str().unwrap() {
            "content_block_start" => {
                assert_eq!(open, None, "{all}");
                assert_eq!(data["index"], found.len(), "{all}");
                open = Some(data["index"].clone());
                found.push(data["content_block"].clone());
            }
            "content_block_stop" => assert_eq!(open.take(), Some(data["index"].clone()), "{all}"),
            "message_stop" => assert_eq!(open, None, "{all}"),
            _ => {}
        }
    }
    found
}

#[test]
fn a_signed_thought_is_ended_once_and_does_not_come_again_however_the_reply_ends() {
    let wire = wire("anthropic");
    let body = events(&[
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "S"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "a", "name": "remove", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"a\":"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
        json!({"type": "message_stop"}),
    ]);
    let stopped = "{\"content\":[{\"type\":\"text\",\"text\":\"Stopped.\"}],\"stop_reason\":\"end_turn\"}";
    let redacted = body.replace(
        "\"type\":\"thinking\",\"thinking\":\"\"",
        "\"type\":\"redacted_thinking\",\"data\":\"x\"",
    );
    assert_ne!(body, redacted);
    for body in [&body, &redacted] {
        for is_stopped in [false, true] {
            let (mut held, before, _) = undecided(wire, Form::Stream, body.as_bytes());
            let end = if is_stopped {
                held.close(stopped)
            } else {
                held.close_without_calls()
            };
            let all = before + &String::from_utf8(end).unwrap();
            assert!(!all.contains("remove"), "{all}");
            let blocks = blocks(&all);
            assert_eq!(blocks.len(), if is_stopped { 2 } else { 1 }, "{all}");
            assert_eq!(all.matches("\"S\"").count(), 1, "{all}");
            assert_eq!(all.contains("max_tokens"), !is_stopped, "{all}");
        }
    }
}

#[test]
fn an_item_that_streams_is_ended_before_another_one_comes_in_a_place_of_its_own() {
    let wire = wire("openai-responses");
    let item =
        json!({"type": "message", "id": "m", "role": "assistant", "status": "in_progress", "content": []});
    let at = |mut data: Value| {
        data["output_index"] = 1.into();
        data
    };
    let reasoning = json!({"type": "reasoning", "id": "rs", "summary": []});
    let body = events(&[
        json!({"type": "response.created", "response": {"id": "r", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": reasoning}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": reasoning}),
        at(json!({"type": "response.output_item.added", "item": item})),
        at(
            json!({"type": "response.content_part.added", "item_id": "m", "content_index": 0, "part": {"type": "output_text", "text": ""}}),
        ),
        at(
            json!({"type": "response.output_text.delta", "item_id": "m", "content_index": 0, "delta": "Half "}),
        ),
        at(
            json!({"type": "response.output_text.delta", "item_id": "m", "content_index": 0, "delta": "a text"}),
        ),
    ]);
    let (mut held, before, _) = undecided(wire, Form::Stream, body.as_bytes());
    let stopped = json!({"status": "completed", "output": [{"type": "message", "id": "x", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Stopped."}]}]});
    let end = String::from_utf8(held.close(&stopped.to_string())).unwrap();
    let (mut open, mut ended) = (Vec::new(), Vec::new());
    let all = before.clone() + &end;
    for line in all.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let data: Value = serde_json::from_str(line).unwrap();
        let place = data["output_index"].as_u64();
        match data["type"].as_str().unwrap() {
            "response.output_item.added" => open.push(place.unwrap()),
            "response.output_item.done" => {
                assert!(
                    open.contains(&place.unwrap()) && !ended.contains(&place.unwrap()),
                    "{all}"
                );
                ended.push(place.unwrap());
            }
            "response.completed" => {
                let output = data["response"]["output"].as_array().unwrap();
                assert_eq!(output.len(), 3, "{all}");
                assert_eq!(output[1]["content"][0]["text"], "Half a text", "{all}");
                assert_eq!(output[2]["content"][0]["text"], "Stopped.", "{all}");
            }
            _ => {}
        }
    }
    assert_eq!((open, ended), (vec![0, 1, 2], vec![0, 1, 2]), "{all}");
    assert_eq!(summary(wire, all.as_bytes()).text, "Half a textStopped.", "{all}");
}

#[test]
fn a_call_that_is_open_when_the_reply_is_ended_is_not_finished() {
    let wire = wire("openai-responses");
    for item in [
        json!({"type": "local_shell_call", "id": "i", "call_id": "c", "action": {"command": ["rm"]}, "status": "in_progress"}),
        json!({"type": "function_call", "id": "i", "call_id": "c", "name": "rm", "arguments": ""}),
    ] {
        let body = events(&[
            json!({"type": "response.created", "response": {"id": "r", "output": []}}),
            json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        ]);
        let (mut held, mut all, _) = undecided(wire, Form::Stream, body.as_bytes());
        held.decide(0, masked());
        all += &String::from_utf8(held.take()).unwrap();
        let stopped = json!({"status": "completed", "output": [{"type": "message", "id": "x", "role": "assistant",
            "content": [{"type": "output_text", "text": "Stopped."}]}]});
        all += &String::from_utf8(held.close(&stopped.to_string())).unwrap();
        assert!(!all.contains("\"rm\""), "{all}");
        assert_eq!(all.matches("output_item.done").count() / 2, 1, "{all}");
        assert!(all.contains("\"output_index\":1"), "{all}");
    }
}
