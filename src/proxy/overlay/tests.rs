//! Tests of what several runs change of one request.
//!
//! Must not know: sockets, how a state came about.

use serde_json::{Value, json};

use super::*;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::decode_request;

/// What a run says of these texts: other words, nothing in their place (empty words), or that they stay.
fn overlay(texts: &[(&str, Option<&str>)]) -> Overlay {
    let fate = |now: Option<&str>| match now {
        None => TextFate::Unchanged,
        Some("") => TextFate::Removed,
        Some(now) => TextFate::Rewritten(now.to_owned()),
    };
    Overlay {
        texts: texts
            .iter()
            .map(|(was, now)| (text_key(was), fate(*now)))
            .collect(),
        ..Overlay::default()
    }
}

fn request(words: &str) -> (Value, String) {
    let body = json!({"model": "m", "messages": [
        {"role": "user", "content": words},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": words, "signature": "s"}, {"type": "text", "text": words}]},
        {"role": "user", "content": "go on"}]});
    let text = body.to_string();
    (body, text)
}

fn sent(overlays: &Overlays, body: &str) -> String {
    let wire = Wire::named("anthropic").unwrap();
    let request = decode_request(wire, body.as_bytes()).unwrap();
    applied(overlays, &request, &[]).unwrap().to_string()
}

#[test]
fn an_edit_of_another_run_does_not_change_what_the_own_run_has_unchanged() {
    let (_, body) = request("Done.");
    for now in ["Other.", ""] {
        let edited = || overlay(&[("Done.", Some(now))]);
        let own = Overlays {
            own: Some(overlay(&[("Done.", None)])),
            others: vec![edited()],
            ..Overlays::default()
        };
        assert_eq!(sent(&own, &body), body, "{now}");
        // Of what the own run does not know, the edit counts, whoever else has the same words unchanged.
        for (own, others) in [
            (Some(overlay(&[("Hm.", None)])), vec![edited()]),
            (Some(overlay(&[])), vec![overlay(&[("Done.", None)]), edited()]),
            (None, vec![edited()]),
            (None, vec![overlay(&[("Done.", None)]), edited()]),
        ] {
            let overlays = Overlays {
                own,
                others,
                ..Overlays::default()
            };
            let sent = sent(&overlays, &body);
            assert!(!sent.contains(r#""text":"Done.""#), "{sent}");
            assert!(
                sent.contains(r#""role":"user","content":"Done.""#)
                    || sent.contains(r#""content":"Done.","role":"user""#),
                "{sent}"
            );
        }
        // Its own edit counts before one of another run.
        let own = Overlays {
            own: Some(overlay(&[("Done.", Some("Mine."))])),
            others: vec![edited()],
            ..Overlays::default()
        };
        let sent = sent(&own, &body);
        assert!(sent.contains("Mine.") && !sent.contains("Other."), "{sent}");
    }
}

#[test]
fn the_name_of_a_mask_is_a_text_like_any_other_where_no_tool_is_named() {
    let foreign = "rejected_by_operator_0badc0de_1";
    let mut own = overlay(&[]);
    "00000000".clone_into(&mut own.tag);
    own.calls.push(Known {
        number: 1,
        tool: "Bash".to_owned(),
        args: "{}".to_owned(),
        keeps_opaque: true,
        was_released: false,
        is_superseded: false,
        texts: Arc::default(),
        result: Some(("no".to_owned(), true)),
    });
    let overlays = Overlays {
        own: Some(own),
        ..Overlays::default()
    };
    let with = |words: &str, name: &str, input: &Value, result: &Value| {
        json!({"model": "m", "messages": [
            {"role": "user", "content": words},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": name, "input": input}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": result}]}]})
        .to_string()
    };
    for mask in [foreign, "rejected_by_operator_00000000_1"] {
        let command = json!({"command": mask, "list": [mask]});
        let result = json!([{"type": "text", "text": mask}]);
        for body in [
            with(mask, "Bash", &json!({}), &json!("x")),
            with("go", "Bash", &command, &json!("x")),
            with("go", "Bash", &json!({}), &json!(mask)),
            with("go", "Bash", &json!({}), &result),
            with(
                &format!("\"name\":\"{mask}\""),
                "Bash",
                &json!({}),
                &json!(format!("{{\"name\":\"{mask}\"}}")),
            ),
        ] {
            assert_eq!(sent(&overlays, &body), body);
        }
    }
    let wire = Wire::named("anthropic").unwrap();
    for body in [
        with("go", foreign, &json!({}), &json!("x")),
        with("go", "invalid", &json!({"tool": foreign}), &json!("x")),
        with("go", "invalid", &json!({"name": foreign}), &json!("x")),
    ] {
        let request = decode_request(wire, body.as_bytes()).unwrap();
        let error = applied(&overlays, &request, &[]).unwrap_err();
        assert_eq!(error.name, foreign);
    }
    // Where a result names its tool.
    let wire = Wire::named("gemini").unwrap();
    let body = |mask: &str| {
        json!({"contents": [
            {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": mask, "response": {"output": mask}}}]}]})
        .to_string()
    };
    let request = decode_request(wire, body(foreign).as_bytes()).unwrap();
    assert_eq!(applied(&overlays, &request, &[]).unwrap_err().name, foreign);
    let masked = |mask: &str| body(mask).replace("\"name\":\"Bash\"", &format!("\"name\":\"{mask}\""));
    let request = decode_request(wire, masked("rejected_by_operator_00000000_1").as_bytes()).unwrap();
    let sent = applied(&overlays, &request, &[]).unwrap();
    assert!(
        !sent.contains("\"name\":\"rejected") && sent.contains("\"no\""),
        "{sent}"
    );
    assert_eq!(sent.matches("\"Bash\"").count(), 2, "{sent}");
}

/// A call of a run.
fn call(number: u32, is_superseded: bool) -> Known {
    Known {
        number,
        tool: "bash".into(),
        args: "{}".into(),
        keeps_opaque: true,
        was_released: true,
        is_superseded,
        texts: Arc::default(),
        result: None,
    }
}

/// A history with these parts of the model in one reply, and a result for each call.
fn history(parts: &[Value]) -> String {
    let ids = parts.iter().filter_map(|part| part["id"].as_str());
    let results: Vec<Value> = ids
        .map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": format!("result of {id}")}))
        .collect();
    json!({"model": "m", "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": parts},
        {"role": "user", "content": results}]})
    .to_string()
}

#[test]
fn what_only_the_provider_reads_stays_or_goes_with_what_follows_it() {
    let secret = |name: &str| json!({"type": "redacted_thinking", "data": name});
    let text = |text: &str| json!({"type": "text", "text": text});
    let thought = |text: &str| json!({"type": "thinking", "thinking": text, "signature": "s9"});
    let tool = |id: &str| json!({"type": "tool_use", "id": id, "name": "bash", "input": {}});
    let own = || {
        let mut own = overlay(&[("Gone.", Some("")), ("Said.", Some("Other."))]);
        own.calls = vec![call(1, false), call(2, true)];
        own.ids = [("kept".to_owned(), Some(0)), ("gone".to_owned(), Some(1))].into();
        Overlays {
            own: Some(own),
            ..Overlays::default()
        }
    };
    let cases: [(&[Value], &[&str], &[&str]); 8] = [
        // A whole reply: nothing of it is left, and the last message is the user's.
        (
            &[secret("s1"), text("Gone."), tool("gone")],
            &["go"],
            &["s1", "Gone.", "gone", "assistant"],
        ),
        // A rewritten thought stays, what belongs to the call after it goes.
        (
            &[text("Said."), secret("s1"), tool("gone")],
            &["Other.", "went back"],
            &["s1", "Said.", "gone"],
        ),
        (
            &[secret("s1"), tool("kept"), secret("s2"), tool("gone")],
            &["s1", "kept", "result of kept"],
            &["s2", "gone"],
        ),
        // A deleted text before a call goes alone; at the end of a reply it takes along what belongs to it.
        (
            &[secret("s1"), text("Gone."), tool("kept")],
            &["s1", "result of kept"],
            &["Gone."],
        ),
        (
            &[tool("kept"), secret("s1"), text("Gone.")],
            &["result of kept"],
            &["s1", "Gone."],
        ),
        // Readable reasoning is signed as well: it never stays alone.
        (
            &[thought("Hm."), text("Gone."), tool("gone")],
            &["go"],
            &["Hm.", "Gone.", "s9", "assistant"],
        ),
        (
            &[thought("Hm."), text("Said."), tool("gone")],
            &["Hm.", "s9", "Other."],
            &["Said.", "gone"],
        ),
        // A text that is nowhere known goes with the call after it.
        (&[text("Unknown."), tool("gone")], &["go"], &["Unknown.", "gone"]),
    ];
    for (parts, stays, goes) in cases {
        let body = history(parts);
        let sent = sent(&own(), &body);
        for words in stays {
            assert!(sent.contains(words), "{words}: {sent}");
        }
        for words in goes {
            assert!(!sent.contains(words), "{words}: {sent}");
        }
    }
    // Neither do words that the run has unchanged, in the reply of a call.
    let mut with_texts = own();
    if let Some(own) = &mut with_texts.own {
        own.texts.insert(text_key("Hm."), TextFate::Unchanged);
    }
    let sent_too = sent(
        &with_texts,
        &history(&[thought("Hm."), text("Gone."), tool("gone")]),
    );
    assert!(!sent_too.contains("Hm."), "{sent_too}");
    // Where nothing was superseded, no byte changes.
    let body = history(&[secret("s1"), text("Hm."), tool("kept"), tool("another")]);
    assert_eq!(sent(&own(), &body), body);
}

/// The same run for a body of another format.
fn sent_by(wire: &str, overlays: &Overlays, body: &Value) -> String {
    let wire = Wire::named(wire).unwrap();
    let request = decode_request(wire, body.to_string().as_bytes()).unwrap();
    applied(overlays, &request, &[]).unwrap().to_string()
}

fn gone() -> Overlays {
    let mut own = overlay(&[("Think.", Some("Think again."))]);
    own.calls = vec![call(1, true)];
    own.ids = [("gone".to_owned(), Some(0))].into();
    Overlays {
        own: Some(own),
        ..Overlays::default()
    }
}

#[test]
fn a_message_of_reasoning_alone_has_it_as_its_content() {
    let call = json!({"id": "gone", "type": "function", "function": {"name": "bash", "arguments": "{}"}});
    for content in [json!(null), json!(""), json!("Said.")] {
        let body = json!({"model": "m", "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": content, "reasoning_content": "Think.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "gone", "content": "result"}]});
        let sent: Value = serde_json::from_str(&sent_by("openai-chat", &gone(), &body)).unwrap();
        let message = &sent["messages"][1];
        assert!(message.get("tool_calls").is_none(), "{sent}");
        // A text that the run does not know belongs to the call.
        assert_eq!(message["content"], "Think again.", "{sent}");
        assert!(message.get("reasoning_content").is_none(), "{sent}");
        assert_eq!(sent["messages"][2]["role"], "user", "{sent}");
    }
}

#[test]
fn a_result_whose_call_the_server_keeps_is_replaced_and_what_the_server_made_stays() {
    let output = json!({"type": "function_call_output", "call_id": "gone", "output": "result"});
    let kept = json!({"model": "m", "previous_response_id": "r1", "input": [output]});
    let sent = sent_by("openai-responses", &gone(), &kept);
    assert!(
        sent.contains("Its result does not count.") && !sent.contains("\"result\""),
        "{sent}"
    );
    let call = json!({"type": "function_call", "call_id": "gone", "name": "bash", "arguments": "{}"});
    let body = json!({"model": "m", "input": [
        {"role": "user", "content": "go"},
        {"type": "compaction", "encrypted_content": "all before"},
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "secret"}, call, output]});
    let sent = sent_by("openai-responses", &gone(), &body);
    assert!(sent.contains("all before"), "{sent}");
    for gone in ["secret", "function_call", "result"] {
        assert!(!sent.contains(gone), "{gone}: {sent}");
    }
}
