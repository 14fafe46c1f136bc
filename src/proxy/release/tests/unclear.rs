//! Tests of replies in another form than was asked for, and of calls that are hard to find in their events.
//!
//! Must not know: sockets.

mod bytes;

use serde_json::{Value, json};

use super::{call, changed, form, head, reply};
use crate::events::Form;
use crate::held::HeldReply;
use crate::reading::read_all;
use crate::release::Release;
use overrule_domain::turn::Stop;
use overrule_model::Chunk;
use overrule_model::decode::{Summary, summary};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{encode_stream, encode_whole};

pub(super) fn wire(name: &str) -> Wire {
    Wire::named(name).unwrap()
}

/// What passes of a reply without a decision; the reply after that, and whether it could be read.
pub(super) fn undecided(wire: Wire, expected: Form, bytes: &[u8]) -> (HeldReply, String, bool) {
    let mut held = HeldReply::new(wire, expected);
    let (events, read) = read_all(wire, expected, bytes);
    let mut before = Vec::new();
    for event in events {
        held.push(event);
        before.extend(held.take());
    }
    if read.is_ok() {
        held.end();
        before.extend(held.take());
    }
    (held, String::from_utf8(before).unwrap(), read.is_ok())
}

/// Everything that the agent gets with these decisions.
pub(super) fn decided(wire: Wire, expected: Form, bytes: &[u8], decisions: &[Release]) -> String {
    let (mut held, before, read) = undecided(wire, expected, bytes);
    assert!(read, "{wire}");
    assert_eq!(held.count(), decisions.len(), "{wire}");
    let mut all = before;
    for (call, release) in decisions.iter().enumerate() {
        held.decide(call, release.clone());
        all += &String::from_utf8(held.take()).unwrap();
    }
    assert!(held.is_done() && !held.is_unwritable(), "{wire}: {all}");
    assert_eq!(held.shown(), all.as_bytes());
    all
}

pub(super) fn names(reply: &Summary) -> Vec<&str> {
    reply.calls.iter().map(|call| call.name.as_str()).collect()
}

pub(super) const KEPT: Release = Release::AsItCame;

pub(super) fn masked() -> Release {
    changed("rejected_by_operator_x_1", "{}")
}

pub(super) fn events(all: &[Value]) -> String {
    let all: Vec<String> = all.iter().map(|data| format!("data: {data}\n\n")).collect();
    all.concat()
}

#[test]
fn a_whole_reply_to_a_request_for_a_stream_is_held() {
    for wire in Wire::all().filter(|wire| !wire.is_lines()) {
        let bytes = encode_whole(wire, &head(), &reply()).into_bytes();
        let (held, before, read) = undecided(wire, Form::Stream, &bytes);
        assert!(read && before.is_empty(), "{wire}: {before}");
        assert_eq!(held.count(), 2, "{wire}");
        let all = decided(wire, Form::Stream, &bytes, &[masked(), KEPT]);
        let now = summary(wire, all.as_bytes());
        assert_eq!(names(&now), ["rejected_by_operator_x_1", "write"], "{wire}");
        assert!(!all.contains("read"), "{wire}: {all}");
    }
}

#[test]
fn a_stream_in_place_of_lines_or_of_a_whole_reply_is_held() {
    for wire in Wire::all() {
        let stream = encode_stream(wire, head(), &reply());
        let stream = if wire.is_lines() {
            let lines: Vec<String> = stream.lines().map(|line| format!("data: {line}\n\n")).collect();
            lines.concat()
        } else {
            stream
        };
        for expected in [form(wire), Form::Whole] {
            let (held, before, read) = undecided(wire, expected, stream.as_bytes());
            assert!(read && before.contains("first."), "{wire}");
            assert!(!before.contains("read") && held.count() == 2, "{wire}: {before}");
            let all = decided(wire, expected, stream.as_bytes(), &[KEPT, KEPT]);
            assert_eq!(all, stream, "{wire}");
        }
    }
}

#[test]
fn a_list_of_responses_is_held_to_its_end() {
    let wire = wire("gemini");
    let part =
        |part: &Value| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]});
    let mut last = part(&json!({"functionCall": {"name": "write", "args": {"n": 1}}}));
    last["candidates"][0]["finishReason"] = "STOP".into();
    let list = json!([
        part(&json!({"text": "I look."})),
        part(&json!({"functionCall": {"name": "read", "args": {}}})),
        last
    ]);
    // As the server sends it, in pieces with empty lines.
    let body = serde_json::to_string_pretty(&list)
        .unwrap()
        .replace("},\n", "}\n,\r\n\r\n");
    let (held, before, read) = undecided(wire, Form::Stream, body.as_bytes());
    assert!(read && before.is_empty() && held.count() == 2, "{before}");
    assert_eq!(decided(wire, Form::Stream, body.as_bytes(), &[KEPT, KEPT]), body);
    let all = decided(wire, Form::Stream, body.as_bytes(), &[KEPT, masked()]);
    let all: Value = serde_json::from_str(&all).unwrap();
    let name = |at: usize| all[at]["candidates"][0]["content"]["parts"][0]["functionCall"]["name"].clone();
    assert_eq!(
        (name(1), name(2)),
        ("read".into(), "rejected_by_operator_x_1".into())
    );
}

#[test]
fn nothing_of_a_body_that_cannot_be_read_passes() {
    let whole = |wire: Wire| encode_whole(wire, &head(), &reply());
    for wire in Wire::all() {
        for body in [
            "<html>tool_use</html>".to_owned(),
            "\u{1f}\u{8b}data: {}\n\n".to_owned(),
            "upstream said no".to_owned(),
            format!("ok\n\n{}", whole(wire)),
            format!("{}{}", whole(wire), whole(wire)),
        ] {
            for expected in [form(wire), Form::Whole] {
                let (held, before, read) = undecided(wire, expected, body.as_bytes());
                // Of lines, the first one is a whole reply. It waits.
                let is_read = wire.is_lines() && held.count() == 2;
                assert!(read == is_read && before.is_empty(), "{wire}: {before}");
            }
        }
    }
}

pub(super) fn items(all: &[Value]) -> String {
    let mut found = vec![
        json!({"type": "response.created", "sequence_number": 0, "response": {"id": "r", "output": []}}),
    ];
    for (at, item) in all.iter().enumerate() {
        let mut begun = item.clone();
        begun["status"] = "in_progress".into();
        let number = found.len();
        found.push(json!({"type": "response.output_item.added", "sequence_number": number, "output_index": at, "item": begun}));
        found.push(json!({"type": "response.output_item.done", "sequence_number": number + 1, "output_index": at, "item": item}));
    }
    let number = found.len();
    found.push(json!({"type": "response.completed", "sequence_number": number,
        "response": {"id": "r", "status": "completed", "output": all}}));
    events(&found)
}

#[test]
fn calls_of_the_providers_types_are_held_and_changed() {
    let wire = wire("openai-responses");
    for kind in [
        "local_shell_call",
        "shell_call",
        "apply_patch_call",
        "computer_call",
        "tool_search_call",
        "mcp_approval_request",
    ] {
        let own = json!({"type": kind, "id": "i1", "call_id": "c1", "action": {"command": ["rm", "-rf", "x"]}, "status": "completed"});
        let other = json!({"type": "function_call", "id": "i2", "call_id": "c2", "name": "read", "arguments": "{}", "status": "completed"});
        let body = items(&[own, other]);
        let (_, before, _) = undecided(wire, Form::Stream, body.as_bytes());
        assert!(!before.contains("rm"), "{kind}: {before}");
        assert_eq!(
            decided(wire, Form::Stream, body.as_bytes(), &[KEPT, KEPT]),
            body,
            "{kind}"
        );
        let all = decided(wire, Form::Stream, body.as_bytes(), &[masked(), KEPT]);
        assert!(!all.contains("rm") && !all.contains(kind), "{kind}: {all}");
        let now = summary(wire, all.as_bytes());
        assert_eq!(names(&now), ["rejected_by_operator_x_1", "read"], "{kind}");
        assert_eq!(now.calls[0].id.as_deref(), Some("c1"), "{kind}");
        let edited = changed(kind, r#"{"action":{"command":["ls"]}}"#);
        let all = decided(wire, Form::Stream, body.as_bytes(), &[edited, KEPT]);
        assert!(
            all.contains(r#"{"command":["ls"]}"#) && all.contains(kind) && !all.contains("rm"),
            "{kind}: {all}"
        );
        // The same in one piece.
        let whole = json!({"id": "r", "object": "response", "status": "completed", "output": [
            {"type": kind, "id": "i1", "call_id": "c1", "action": {"command": ["rm"]}}]})
        .to_string();
        let all = decided(wire, Form::Stream, whole.as_bytes(), &[masked()]);
        assert!(
            !all.contains("\"rm\"") && all.contains("rejected_by_operator_x_1"),
            "{kind}: {all}"
        );
    }
}

#[test]
fn what_the_server_executed_itself_is_no_call() {
    let wire = wire("openai-responses");
    for item in [
        json!({"type": "web_search_call", "id": "w", "status": "completed", "action": {"query": "x"}}),
        json!({"type": "tool_search_call", "id": "w", "execution": "server", "status": "completed"}),
        json!({"type": "shell_call", "id": "w", "environment": {"type": "container_auto"}, "status": "completed"}),
    ] {
        let body = items(&[item]);
        let (held, before, _) = undecided(wire, Form::Stream, body.as_bytes());
        assert_eq!((held.count(), before), (0, body));
    }
}

#[test]
fn a_call_for_the_client_is_held_whatever_it_says_of_the_server() {
    let wire = wire("openai-responses");
    let server = ("execution", json!("server"));
    let container = ("environment", json!({"type": "container_auto"}));
    for (kind, (member, value)) in [
        ("local_shell_call", server.clone()),
        ("local_shell_call", container.clone()),
        ("shell_call", server.clone()),
        ("apply_patch_call", server.clone()),
        ("apply_patch_call", container.clone()),
        ("computer_call", server.clone()),
        ("custom_tool_call", server.clone()),
        ("custom_tool_call", container.clone()),
        ("function_call", server.clone()),
        ("mcp_approval_request", server),
        ("tool_search_call", container),
    ] {
        let mut item =
            json!({"type": kind, "id": "i", "call_id": "c", "name": "apply_patch", "status": "completed"});
        match kind {
            "function_call" => item["arguments"] = "{\"rm\":1}".into(),
            "custom_tool_call" => item["input"] = "rm".into(),
            _ => item["action"] = json!({"command": ["rm"]}),
        }
        item[member] = value;
        let body = items(&[item.clone()]);
        let (held, before, _) = undecided(wire, Form::Stream, body.as_bytes());
        assert_eq!(held.count(), 1, "{kind} {member}");
        assert!(!before.contains("rm"), "{kind} {member}: {before}");
        let all = decided(wire, Form::Stream, body.as_bytes(), &[masked()]);
        assert!(!all.contains("rm"), "{kind} {member}: {all}");
        let whole = json!({"id": "r", "object": "response", "status": "completed", "output": [item]});
        let (held, before, _) = undecided(wire, Form::Whole, whole.to_string().as_bytes());
        assert_eq!((held.count(), before.as_str()), (1, ""), "{kind} {member}");
    }
}

/// An event of the Chat format with these entries of a choice.
pub(super) fn chunk(choice: u64, delta: &Value, finish: &Value) -> Value {
    json!({"id": "r", "object": "chat.completion.chunk", "choices": [
        {"index": choice, "delta": delta, "finish_reason": finish}]})
}

pub(super) fn piece(index: u64, id: &str, name: &str, args: &str) -> Value {
    let mut function = json!({"arguments": args});
    if !name.is_empty() {
        function["name"] = name.into();
    }
    json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})
}

#[test]
fn a_server_that_gives_each_piece_an_id_has_its_calls_decided_one_by_one() {
    let wire = wire("openai-chat");
    let body = events(&[
        chunk(0, &piece(0, "a1", "read", ""), &Value::Null),
        chunk(0, &piece(0, "a2", "", "{\"path\":"), &Value::Null),
        chunk(0, &piece(0, "a3", "", "\"secret\"}"), &Value::Null),
        chunk(0, &piece(1, "b1", "write", "{\"x\":"), &Value::Null),
        chunk(0, &piece(1, "b2", "", "1}"), &Value::Null),
        chunk(0, &json!({}), &"tool_calls".into()),
    ]) + "data: [DONE]\n\n";
    assert_eq!(decided(wire, Form::Stream, body.as_bytes(), &[KEPT, KEPT]), body);
    let all = decided(wire, Form::Stream, body.as_bytes(), &[masked(), KEPT]);
    assert!(!all.contains("secret") && !all.contains("read"), "{all}");
    let now = summary(wire, all.as_bytes());
    assert_eq!(names(&now), ["rejected_by_operator_x_1", "write"]);
    assert_eq!(now.calls[1].args, "{\"x\":1}");
    // The second is decided first: nothing of the first passes under that.
    let (mut held, _, _) = undecided(wire, Form::Stream, body.as_bytes());
    held.decide(1, KEPT);
    assert!(held.take().is_empty());
}

#[test]
fn a_call_in_another_choice_never_passes_and_those_of_the_first_do() {
    let wire = wire("openai-chat");
    let body = events(&[
        chunk(0, &json!({"content": "I look."}), &Value::Null),
        chunk(0, &piece(0, "a", "read", "{}"), &Value::Null),
        chunk(1, &piece(0, "b", "remove", "{\"all\":true}"), &Value::Null),
        chunk(0, &piece(1, "c", "write", "{}"), &Value::Null),
        chunk(0, &json!({}), &"tool_calls".into()),
        chunk(1, &json!({}), &"tool_calls".into()),
    ]) + "data: [DONE]\n\n";
    let all = decided(wire, Form::Stream, body.as_bytes(), &[KEPT, masked()]);
    assert!(!all.contains("remove"), "{all}");
    let now = summary(wire, all.as_bytes());
    assert_eq!((now.text.as_str(), now.error), ("I look.", None));
    let names: Vec<&str> = now.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["read", "rejected_by_operator_x_1"]);
    assert_eq!(now.finish.as_deref(), Some("tool_calls"));

    let candidate = |index: u64, name: &str| {
        json!({"index": index, "finishReason": "STOP",
            "content": {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]}})
    };
    let body = events(&[json!({"candidates": [candidate(0, "read"), candidate(1, "remove")]})]);
    let gemini = Wire::named("gemini").unwrap();
    let all = decided(gemini, Form::Stream, body.as_bytes(), &[KEPT]);
    assert!(!all.contains("remove") && all.contains("read"), "{all}");
}

#[test]
fn calls_in_old_forms_can_be_changed() {
    let wire = wire("openai-chat");
    let old = events(&[
        chunk(0, &json!({"content": "I look."}), &Value::Null),
        chunk(
            0,
            &json!({"function_call": {"name": "read", "arguments": "{\"a\":"}}),
            &Value::Null,
        ),
        chunk(0, &json!({"function_call": {"arguments": "1}"}}), &Value::Null),
        chunk(0, &json!({}), &"function_call".into()),
    ]) + "data: [DONE]\n\n";
    let message = json!({"role": "assistant", "content": "I look.", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}]});
    let whole = events(&[json!({"object": "chat.completion.chunk", "choices": [
        {"index": 0, "message": message, "finish_reason": "tool_calls"}]})])
        + "data: [DONE]\n\n";
    let single = json!({"tool_calls": {"id": "a", "function": {"name": "read", "arguments": {"a": 1}}}});
    let single = events(&[
        chunk(0, &json!({"content": "I look."}), &Value::Null),
        chunk(0, &single, &"tool_calls".into()),
    ]);
    for body in [old, whole, single] {
        assert_eq!(decided(wire, Form::Stream, body.as_bytes(), &[KEPT]), body);
        let all = decided(wire, Form::Stream, body.as_bytes(), &[masked()]);
        assert!(!all.contains("read"), "{all}");
        let now = summary(wire, all.as_bytes());
        assert_eq!(names(&now), ["rejected_by_operator_x_1"], "{all}");
        assert_eq!(
            (now.text.as_str(), now.calls[0].args.as_str()),
            ("I look.", "{}"),
            "{all}"
        );
    }
}

#[test]
fn the_original_of_a_changed_call_is_nowhere_even_in_a_form_that_is_not_known() {
    let wire = wire("openai-chat");
    let custom = json!({"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "read", "input": "secret"}}]});
    let twice = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"x\":\"secret\"}"},"function":{"name":"read","arguments":"{\"x\":\"secret\"}"}}]}}]}"#;
    for first in [chunk(0, &custom, &Value::Null).to_string(), twice.to_owned()] {
        let body = format!(
            "data: {first}\n\n{}data: [DONE]\n\n",
            events(&[chunk(0, &json!({}), &"tool_calls".into())])
        );
        let all = decided(wire, Form::Stream, body.as_bytes(), &[masked()]);
        assert!(!all.contains("secret") && !all.contains("\"read\""), "{all}");
        assert_eq!(
            names(&summary(wire, all.as_bytes())),
            ["rejected_by_operator_x_1"]
        );
    }
}
