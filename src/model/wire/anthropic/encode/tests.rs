//! Tests requests of the Messages format.
//!
//! Must not know: sockets.

use super::*;
use crate::wire::tests::{called, note, result, sent, spoken_text, text as body_text, thought, user};

const NAME: &str = "anthropic";

fn without_marks(messages: Vec<Message>) -> Value {
    sent(NAME, messages, &[Quirk::LeaveOut(CACHE.to_owned())])
}

#[test]
fn results_come_first_in_the_message_after_their_calls() {
    let body = without_marks(vec![
        user("go"),
        Message::Assistant {
            texts: vec![spoken_text("I look.")],
            calls: vec![called(1, r#"{"path": "a"}"#, None), called(2, " ", None)],
        },
        result(1, "first", false),
        result(2, "second", true),
        note("a note"),
        user("and this"),
    ]);
    let call =
        |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "read_file", "input": input});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                call("id_1_c1", json!({"path": "a"})),
                call("id_2_c2", json!({})),
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "id_1_c1", "content": "first"},
                {"type": "tool_result", "tool_use_id": "id_2_c2", "content": "second", "is_error": true},
                {"type": "text", "text": "[operator console] a note"},
                {"type": "text", "text": "and this"},
            ]},
        ])
    );
    assert_eq!(body["system"], json!([{"type": "text", "text": "Be brief."}]));
    assert_eq!(body["max_tokens"], 32_000);
    assert_eq!(body["stream"], true);
    assert_eq!(body["tools"][0]["input_schema"]["required"], json!(["path"]));
}

#[test]
fn arguments_go_back_byte_for_byte() {
    let body = body_text(
        NAME,
        vec![
            user("go"),
            Message::Assistant {
                texts: vec![],
                calls: vec![called(1, r#"{"n":  1.50, "big":12345678901234567890}"#, None)],
            },
            result(1, "x", false),
        ],
        &[],
    );
    assert!(
        body.contains(r#""input":{"n":  1.50, "big":12345678901234567890}"#),
        "{body}"
    );
}

#[test]
fn signed_reasoning_goes_back_unchanged_before_its_calls() {
    let signed = r#"[{"anthropic":{"type":"thinking","thinking":"","signature":"abc"}}]"#;
    let hidden = r#"[{"anthropic":{"type":"redacted_thinking","data":"xyz"}}]"#;
    let server =
        r#"[{"anthropic":{"type":"server_tool_use","id":"s","name":"web_search","input":{"q": 1.0}}}]"#;
    let caller = r#"{"anthropic":{"caller":{"type":"direct"}}}"#;
    let messages = vec![
        user("go"),
        Message::Assistant {
            texts: vec![
                thought("hm \"x\"", Some(signed)),
                thought("", Some(hidden)),
                thought("unsigned", None),
                thought("", Some(server)),
                spoken_text("Aloud."),
            ],
            calls: vec![called(1, "{}", Some(caller))],
        },
        result(1, "x", false),
    ];
    let body = without_marks(messages.clone());
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            {"type": "thinking", "thinking": "hm \"x\"", "signature": "abc"},
            {"type": "redacted_thinking", "data": "xyz"},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 1.0}},
            {"type": "text", "text": "Aloud."},
            {"type": "tool_use", "id": "id_1_c1", "name": "read_file", "input": {}, "caller": {"type": "direct"}},
        ])
    );
    // A server that does not know the signatures gets no reasoning.
    let body = sent(NAME, messages, &[Quirk::LeaveOut(THINKING.to_owned())]);
    assert!(!body.to_string().contains("abc") && !body.to_string().contains("xyz"));
    assert!(body.to_string().contains("web_search"));
}

#[test]
fn text_with_citations_goes_back_block_by_block() {
    let blocks = r#"[{"anthropic":{"type":"text","text":"It is.","citations":[{"url":"u"}]}},{"anthropic":{"type":"text","text":" Yes."}}]"#;
    let cited = ModelText {
        opaque: Some(blocks.into()),
        ..spoken_text("It is. Yes.")
    };
    let calls = vec![called(1, "{}", None)];
    let texts = vec![cited];
    let body = without_marks(vec![
        user("go"),
        Message::Assistant { texts, calls },
        result(1, "x", false),
    ]);
    assert_eq!(
        body["messages"][1]["content"][0],
        json!({"type": "text", "text": "It is.", "citations": [{"url": "u"}]})
    );
    assert_eq!(body["messages"][1]["content"][1]["text"], " Yes.");
}

#[test]
fn at_most_four_marks_name_what_to_cache() {
    let turn = |no: u32| {
        let calls = vec![called(no, "{}", None)];
        [
            Message::Assistant { texts: vec![], calls },
            result(no, "x", false),
        ]
    };
    let mut messages = vec![user("go")];
    messages.extend((1..5).flat_map(turn));
    let body = sent(NAME, messages, &[]);
    assert_eq!(body.to_string().matches(CACHE).count(), 4);
    let mark = json!({"type": "ephemeral"});
    assert_eq!(body["tools"][0][CACHE], mark);
    assert_eq!(body["system"][0][CACHE], mark);
    for place in [6, 8] {
        assert_eq!(body["messages"][place]["content"][0][CACHE], mark);
    }
}

#[test]
fn a_conversation_ends_with_the_user_and_blank_text_is_not_sent() {
    let body = without_marks(vec![
        user("go"),
        Message::Assistant {
            texts: vec![spoken_text("So."), spoken_text(" \n")],
            calls: vec![],
        },
    ]);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "So."}]},
            {"role": "user", "content": [{"type": "text", "text": "[operator console] Continue."}]},
        ])
    );
}

#[test]
fn a_refused_signature_takes_the_reasoning_along() {
    let words = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#;
    let refusal = crate::fault::Refusal::read(Some(400), words);
    let quirks = crate::wire::tests::wire(NAME).quirks(&refusal, &[]);
    assert_eq!(quirks.first(), Some(&Quirk::LeaveOut(THINKING.to_owned())));
}

#[test]
fn a_limit_that_is_too_high_for_the_model_is_the_one_that_the_server_says() {
    let words = r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for this model"}}"#;
    let refusal = crate::fault::Refusal::read(Some(400), words);
    let wire = crate::wire::tests::wire(NAME);
    let quirk = wire.quirks(&refusal, &[]).remove(0);
    assert_eq!(quirk, Quirk::MaxOutput(8192));
    assert_eq!(
        sent(NAME, vec![user("go")], std::slice::from_ref(&quirk))["max_tokens"],
        8192
    );
    let options = Options {
        max_output: Some(9000),
        ..Options::NONE
    };
    let target = Target {
        model: "m",
        options: &options,
    };
    let request = crate::wire::tests::request(vec![user("go")]);
    let own = |quirk: &Quirk| wire.body(target, &request, &[quirk.clone()].into());
    assert!(own(&quirk).contains("\"max_tokens\":8192"), "{}", own(&quirk));
    // Without a number only the program's own limit is lowered.
    let words = r#"{"error":{"message":"max_tokens is above the maximum allowed number of output tokens"}}"#;
    let quirk = wire
        .quirks(&crate::fault::Refusal::read(Some(400), words), &[])
        .remove(0);
    assert_eq!(quirk, Quirk::LeaveOut(MAX_TOKENS.to_owned()));
    assert_eq!(
        sent(NAME, vec![user("go")], std::slice::from_ref(&quirk))["max_tokens"],
        4096
    );
    assert!(own(&quirk).contains("\"max_tokens\":9000"), "{}", own(&quirk));
}

/// A message that ends in a thought is refused: the thought goes, and the rest of the message stays.
#[test]
fn no_message_ends_in_a_thought() {
    let sealed = thought(
        "Hm.",
        Some(r#"[{"anthropic":{"type":"thinking","thinking":"","signature":"s"}}]"#),
    );
    let redacted = thought(
        "",
        Some(r#"[{"anthropic":{"type":"redacted_thinking","data":"d"}}]"#),
    );
    let said = |texts| {
        without_marks(vec![
            user("go"),
            Message::Assistant { texts, calls: vec![] },
            user("no"),
        ])
    };
    let types = |body: &Value| {
        let messages = body["messages"].as_array().unwrap().iter();
        let content = messages.flat_map(|one| one["content"].as_array().unwrap().clone());
        content.map(|block| block["type"].clone()).collect::<Vec<_>>()
    };
    let body = said(vec![sealed.clone(), spoken_text("Done.")]);
    assert_eq!(types(&body), ["text", "thinking", "text", "text"]);
    let body = said(vec![spoken_text("Done."), sealed.clone(), redacted.clone()]);
    assert_eq!(types(&body), ["text", "text", "text"]);
    let body = said(vec![sealed, redacted]);
    assert_eq!(types(&body), ["text", "text"], "both are of the user");
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    let words = r#"{"error":{"message":"messages.1: The final block in an assistant message cannot be `thinking`."}}"#;
    let quirks = crate::wire::tests::wire(NAME).quirks(&crate::fault::Refusal::read(Some(400), words), &[]);
    assert_eq!(quirks.first(), Some(&Quirk::LeaveOut(THINKING.to_owned())));
}

#[test]
fn a_message_in_which_the_provider_paused_goes_back_as_it_is() {
    let search =
        r#"[{"anthropic":{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}}]"#;
    let found = r#"[{"anthropic":{"type":"web_search_tool_result","tool_use_id":"s","content":[]}}]"#;
    let paused = |texts| without_marks(vec![user("go"), Message::Assistant { texts, calls: vec![] }]);
    let body = paused(vec![spoken_text("I search."), thought("", Some(search))]);
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["role"], "assistant");
    assert_eq!(last["content"][1]["type"], "server_tool_use");
    let body = paused(vec![thought("", Some(search)), thought("", Some(found))]);
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["content"][0]["text"], CONTINUE);
}

#[test]
fn there_are_at_most_four_marks_for_the_cache() {
    let mut messages = Vec::new();
    for _ in 0..6 {
        messages.push(user("go"));
        messages.push(note("a note"));
        messages.push(Message::Assistant {
            texts: vec![spoken_text("Aloud.")],
            calls: vec![],
        });
        let body = body_text(NAME, messages.clone(), &[]);
        assert!((3..=4).contains(&body.matches("cache_control").count()), "{body}");
    }
}
