//! Tests of calls that the server tells twice: agents differ about which of the two they take.
//!
//! Must not know: sockets.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::unclear::{KEPT, chunk, decided, events, piece, undecided, wire};
use crate::events::Form;
use crate::reading::read_all;
use overrule_model::Chunk;

/// The events of one call of the Responses format: begun, pieces, finished, and the list at the end.
fn told(begun: &Value, pieces: &[Value], finished: &Value, list: &[Value]) -> String {
    let mut all = vec![
        json!({"type": "response.created", "response": {"id": "r", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": begun}),
    ];
    all.extend(pieces.iter().cloned());
    all.push(json!({"type": "response.output_item.done", "output_index": 0, "item": finished}));
    all.push(
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": list}}),
    );
    events(&all)
}

fn item(name: &str, args: &str) -> Value {
    json!({"type": "function_call", "id": "i", "call_id": "c", "name": name, "arguments": args})
}

fn delta(text: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "item_id": "i", "output_index": 0, "delta": text})
}

fn done(name: &str, args: &str) -> Value {
    json!({"type": "response.function_call_arguments.done", "item_id": "i", "output_index": 0,
        "name": name, "arguments": args})
}

/// Fails unless the reply breaks, and nothing of what was not decided passes. A call that is not complete is not decided.
fn is_refused(name: &str, body: &str) {
    let (mut held, mut all, read) = undecided(wire(name), Form::Stream, body.as_bytes());
    assert!(!read, "{body}");
    let (read, _) = read_all(wire(name), Form::Stream, body.as_bytes());
    let mut chunks = read.iter().flat_map(|event| &event.chunks);
    if chunks.any(|chunk| matches!(chunk, Chunk::Sealed { .. })) {
        held.decide(0, KEPT);
        all += &String::from_utf8(held.take()).unwrap();
    }
    assert_eq!(held.count(), 1, "{body}");
    assert!(!all.contains("rm"), "{all}");
}

#[test]
fn a_call_that_its_finished_item_tells_in_another_way_does_not_pass() {
    let (safe, other) = (r#"{"path":"a"}"#, r#"{"cmd":"rm -rf x"}"#);
    let read = item("read", "");
    let whole = item("read", safe);
    let is_refused = |body: &str| is_refused("openai-responses", body);
    is_refused(&told(&read, &[delta(safe)], &item("read", other), &[]));
    is_refused(&told(&read, &[delta(safe)], &item("rm", safe), &[]));
    is_refused(&told(&read, &[], &item("rm", safe), &[]));
    is_refused(&told(&read, &[delta(safe), done("read", other)], &whole, &[]));
    is_refused(&told(&read, &[delta(safe), done("rm", safe)], &whole, &[]));
    is_refused(&told(&item("read", other), &[delta(safe)], &whole, &[]));
    is_refused(&told(&read, &[delta(safe)], &whole, &[item("read", other)]));
    is_refused(&told(&read, &[delta(safe)], &whole, &[item("rm", safe)]));
    let mut unnamed = item("rm", safe);
    unnamed["call_id"] = "x".into();
    unnamed["id"] = "y".into();
    is_refused(&told(&read, &[delta(safe)], &whole, &[unnamed]));
    // A call of another type in its place.
    let typed = |word: &str| json!({"type": "local_shell_call", "id": "i", "call_id": "c", "action": {"command": [word]}});
    is_refused(&told(&read, &[], &typed("rm"), &[]));
    is_refused(&told(&typed("ls"), &[], &typed("ls"), &[typed("rm")]));
    let text = |input: &str| json!({"type": "custom_tool_call", "id": "i", "call_id": "c", "name": "f", "input": input});
    let input = |text: &str| json!({"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": text});
    is_refused(&told(&text(""), &[input("ls")], &text("rm"), &[]));
    is_refused(&told(&text(""), &[input("ls")], &text("ls"), &[text("rm")]));
}

#[test]
fn a_call_that_is_repeated_passes_byte_for_byte() {
    let safe = r#"{"path":"a","n":1}"#;
    let spaced = item("read", r#"{ "path": "a", "n": 1 }"#);
    let whole = item("read", safe);
    for body in [
        told(
            &item("read", ""),
            &[delta("{\"path\":\"a\","), delta("\"n\":1}"), done("read", safe)],
            &whole,
            from_ref(&whole),
        ),
        told(&whole, &[delta(safe)], &whole, from_ref(&whole)),
        told(&item("read", ""), &[delta(safe)], &spaced, from_ref(&spaced)),
        told(&item("read", ""), &[], &whole, &[]),
        told(&item("read", ""), &[], &item("read", "{}"), &[item("read", "")]),
    ] {
        let all = decided(wire("openai-responses"), Form::Stream, body.as_bytes(), &[KEPT]);
        assert_eq!(all, body);
    }
}

#[test]
fn a_call_that_gets_another_name_does_not_pass() {
    let end = events(&[chunk(0, &json!({}), &"tool_calls".into())]) + "data: [DONE]\n\n";
    let named = |first: (&str, &str), second: (&str, &str, &str)| {
        let (id, name, args) = second;
        let mut next = piece(0, id, name, args);
        if id.is_empty() {
            next["tool_calls"][0].as_object_mut().unwrap().remove("id");
        }
        events(&[
            chunk(0, &piece(0, "a", first.0, first.1), &Value::Null),
            chunk(0, &next, &Value::Null),
        ]) + &end
    };
    is_refused(
        "openai-chat",
        &named(("read", "{\"command\":"), ("", "rm", "\"x\"}")),
    );
    is_refused(
        "openai-chat",
        &named(("read", "{\"command\":"), ("a", "rm", "\"x\"}")),
    );
    is_refused(
        "openai-chat",
        &named(("read", "{\"command\":\"x\"}"), ("a", "rm", "")),
    );
    // The same name again is no other one.
    let body = named(("read", "{\"command\":"), ("", "read", "\"x\"}"));
    assert_eq!(
        decided(wire("openai-chat"), Form::Stream, body.as_bytes(), &[KEPT]),
        body
    );
}

#[test]
fn a_piece_behind_the_end_of_a_call_does_not_pass() {
    let body = |after: &[Value]| {
        let mut all = vec![
            json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": []}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "a", "name": "read", "input": {}}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
            json!({"type": "content_block_stop", "index": 0}),
        ];
        all.extend(after.iter().cloned());
        all.push(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}));
        all.push(json!({"type": "message_stop"}));
        events(&all)
    };
    let piece = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "rm"}});
    is_refused("anthropic", &body(&[piece]));
    let whole = body(&[]);
    assert_eq!(
        decided(wire("anthropic"), Form::Stream, whole.as_bytes(), &[KEPT]),
        whole
    );
}
