//! Tests of the bytes of what is written instead of a reply in another form.
//!
//! Must not know: sockets.

use super::*;

/// Arguments that another writer would write in another way.
const ODD: &str = r#"{"id": 12345678901234567890123, "x": 1e2, "x":2.50, "s":"\u00e9\/"}"#;

#[test]
fn a_sibling_of_a_changed_call_keeps_its_bytes() {
    let gemini = format!(
        r#"{{ "candidates":[{{"content":{{"role":"model","parts":[{{"functionCall":{{"name":"read","args":{{"a":1}}}}}},{{"functionCall":{{"name":"write","args":{ODD}}}}}]}},"finishReason":"STOP"}}]}}"#
    );
    let ollama = format!(
        r#"{{"model":"m","message":{{"role":"assistant","content":"","tool_calls":[{{"function":{{"name":"read","arguments":{{"a":1}}}}}},{{"function":{{"name":"write","arguments":{ODD}}}}}]}},"done":true}}"#
    );
    let messages = format!(
        r#"{{"type":"message","id":"m","role":"assistant","content":[{{"type":"tool_use","id":"a","name":"read","input":{{"a":1}}}},{{"type":"tool_use","id":"b","name":"write","input":{ODD}}}],"stop_reason":"tool_use"}}"#
    );
    for (name, body, expected) in [
        ("gemini", gemini.clone(), Form::Whole),
        ("gemini", format!("data: {gemini}\n\n"), Form::Stream),
        ("ollama", format!("{ollama}\n"), Form::Lines),
        ("ollama", ollama, Form::Whole),
        ("anthropic", messages, Form::Whole),
    ] {
        let wire = wire(name);
        let all = decided(wire, expected, body.as_bytes(), &[masked(), KEPT]);
        assert!(all.contains(ODD), "{name}: {all}");
        assert!(
            !all.contains("\"read\"") && all.contains("rejected_by_operator_x_1"),
            "{name}: {all}"
        );
        // The call that was edited has exactly the operator's arguments.
        let edited = changed("read", ODD);
        let all = decided(wire, expected, body.as_bytes(), &[edited, masked()]);
        assert!(all.contains(ODD) && !all.contains("\"write\""), "{name}: {all}");
    }
}

#[test]
fn arguments_of_any_depth_are_held_rejected_and_approved() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for wire in Wire::all() {
        let mut chunks = call(0, "read", &deep);
        chunks.extend(call(1, "write", &deep));
        chunks.push(Chunk::Finish(Stop::Calls));
        for (expected, bytes) in [
            (form(wire), encode_stream(wire, head(), &chunks)),
            (Form::Whole, encode_whole(wire, &head(), &chunks)),
        ] {
            assert_eq!(
                decided(wire, expected, bytes.as_bytes(), &[KEPT, KEPT]),
                bytes,
                "{wire}"
            );
            let all = decided(wire, expected, bytes.as_bytes(), &[masked(), KEPT]);
            let now = summary(wire, all.as_bytes());
            assert_eq!(names(&now), ["rejected_by_operator_x_1", "write"], "{wire}");
            assert_eq!(now.calls[1].args, deep, "{wire}");
        }
    }
}

#[test]
fn a_number_that_json_lacks_does_not_hide_a_call() {
    let wire = wire("openai-chat");
    let entry = r#"{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}"#;
    let body = format!(
        "data: {{\"choices\":[{{\"index\":0,\"logprobs\":NaN,\"delta\":{{\"tool_calls\":[{entry}]}}}}]}}\n\n{}",
        events(&[chunk(0, &json!({}), &"tool_calls".into())])
    );
    assert_eq!(decided(wire, Form::Stream, body.as_bytes(), &[KEPT]), body);
    let all = decided(wire, Form::Stream, body.as_bytes(), &[masked()]);
    assert!(!all.contains("read"), "{all}");
    assert_eq!(
        names(&summary(wire, all.as_bytes())),
        ["rejected_by_operator_x_1"]
    );
}

#[test]
fn two_events_without_a_line_between_them_are_written_from_what_was_decoded() {
    let wire = wire("openai-chat");
    let entries = [
        chunk(0, &piece(0, "a", "read", "{}"), &Value::Null),
        chunk(0, &piece(1, "b", "write", "{\"x\":1}"), &"tool_calls".into()),
    ];
    // The line ends differ, so that the two look like one.
    let body = format!(
        "data: {}\n\n{}data: [DONE]\n\n",
        chunk(0, &json!({"content": "I look."}), &Value::Null),
        entries.map(|data| format!("data: {data}\n\r\n")).concat()
    );
    let all = decided(wire, Form::Stream, body.as_bytes(), &[masked(), KEPT]);
    let now = summary(wire, all.as_bytes());
    assert!(!all.contains("read"), "{all}");
    assert_eq!(names(&now), ["rejected_by_operator_x_1", "write"]);
    assert_eq!(
        (now.text.as_str(), now.calls[1].args.as_str()),
        ("I look.", "{\"x\":1}")
    );
}

#[test]
fn a_message_that_begins_with_content_does_not_pass_undecided() {
    let wire = wire("anthropic");
    let block = json!({"type": "tool_use", "id": "a", "name": "remove", "input": {}});
    let body = events(&[
        json!({"type": "message_start", "message": {"type": "message", "role": "assistant", "content": [block]}}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Done."}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}),
        json!({"type": "message_stop"}),
    ]);
    let all = decided(wire, Form::Stream, body.as_bytes(), &[]);
    assert!(!all.contains("remove"), "{all}");
    let now = summary(wire, all.as_bytes());
    assert_eq!(
        (now.text.as_str(), now.calls.len(), now.error),
        ("Done.", 0, None),
        "{all}"
    );
}

#[test]
fn a_rest_that_is_written_anew_can_be_read_in_every_format() {
    for wire in Wire::all() {
        for before in [true, false] {
            let bytes = encode_stream(wire, head(), &reply());
            let mut held = HeldReply::new(wire, form(wire));
            let (events, _) = read_all(wire, form(wire), bytes.as_bytes());
            let mut all = Vec::new();
            for (at, mut event) in events.into_iter().enumerate() {
                // From the first call on, or from the beginning on, nothing is clear.
                event.event.is_unread = !event.calls.is_empty() || (!before && at == 0);
                held.push(event);
                all.extend(held.take());
            }
            assert!(before || all.is_empty(), "{wire}");
            held.end();
            held.decide(0, KEPT);
            assert!(!String::from_utf8_lossy(&held.take()).contains("read"), "{wire}");
            held.decide(1, masked());
            all.extend(held.take());
            assert!(held.is_done(), "{wire}");
            let now = summary(wire, &all);
            let text = String::from_utf8_lossy(&all);
            assert_eq!(now.error, None, "{wire}: {text}");
            assert_eq!(now.text, "I look first.", "{wire}: {text}");
            assert_eq!(
                names(&now),
                ["read", "rejected_by_operator_x_1"],
                "{wire}: {text}"
            );
            assert_eq!(now.calls[0].args, r#"{"path":"a"}"#, "{wire}: {text}");
            assert_eq!(now.finish.as_deref(), Some("tool_calls"), "{wire}");
        }
    }
}

#[test]
fn heartbeats_are_small_and_are_not_kept() {
    for wire in Wire::all() {
        let mut body = encode_stream(wire, head(), &reply());
        let long = "x".repeat(50_000);
        if wire.name() == "openai-responses" {
            body = body.replace(
                "\"object\":\"response\"",
                &format!("\"object\":\"response\",\"instructions\":\"{long}\""),
            );
        }
        let (mut held, before, _) = undecided(wire, form(wire), body.as_bytes());
        for _ in 0..3 {
            let beat = held.heartbeat();
            assert!(!beat.is_empty() && beat.len() < 500, "{wire}: {}", beat.len());
        }
        assert_eq!(held.shown(), before.as_bytes(), "{wire}");
    }
}
