//! Tests the special forms of a request, each for a server that needs it.
//!
//! Must not know: how it was found.

use super::*;
use crate::Quirk;
use crate::strict::strict;
use crate::wire::Options;
use crate::wire::openai_chat::encode::members;

fn note(text: &str) -> Message {
    Message::Note {
        about: NoteKind::Notice,
        text: text.into(),
    }
}

fn assistant(output: Vec<ModelText>, calls: Vec<CalledAs>) -> Message {
    Message::Assistant { texts: output, calls }
}

fn sent(list: &[Message], quirks: &[Quirk]) -> Value {
    let quirks = quirks.iter().cloned().collect();
    serde_json::from_str(&body("m", &request(list.to_vec()), &quirks)).unwrap()
}

fn roles(sent: &Value) -> Vec<&str> {
    let messages = sent["messages"].as_array().unwrap().iter();
    messages.map(|one| one["role"].as_str().unwrap()).collect()
}

/// A conversation with everything that servers differ in.
fn conversation() -> Vec<Message> {
    vec![
        user("go"),
        assistant(
            vec![
                model_text("hidden", true, false),
                model_text("Aloud.", false, false),
                model_text("mine", true, true),
            ],
            vec![called(3, "{}")],
        ),
        result(3, "text"),
        assistant(
            vec![
                model_text("hidden too", true, false),
                model_text("Done.", false, false),
            ],
            Vec::new(),
        ),
    ]
}

#[test]
fn only_what_a_server_wants_otherwise_is_sent_otherwise() {
    let list = conversation();
    let plain = sent(&list, &[]);
    let mut expected = plain.clone();
    let left = expected.as_object_mut().unwrap().shift_remove("stream_options");
    assert!(left.is_some());
    let leave_out = |name: &str| Quirk::LeaveOut(name.to_owned());
    assert_eq!(sent(&list, &[leave_out("stream_options")]), expected);
    // Without a stream there is nothing to say about one.
    expected.as_object_mut().unwrap().shift_remove("stream");
    assert_eq!(sent(&list, &[leave_out("stream")]), expected);

    let short = sent(&list, &[Quirk::ShortIds]);
    let id = short["messages"][2]["tool_calls"][0]["id"].clone();
    assert_eq!(id.as_str().unwrap().len(), 9);
    assert!(id.as_str().unwrap().chars().all(|c| c.is_ascii_alphanumeric()));
    let mut expected = plain.clone();
    expected["messages"][2]["tool_calls"][0]["id"] = id.clone();
    expected["messages"][3]["tool_call_id"] = id;
    assert_eq!(short, expected);

    let mut expected = plain.clone();
    expected["messages"][0]["role"] = json!("developer");
    assert_eq!(sent(&list, &[Quirk::DeveloperRole]), expected);

    // A form that changes nothing sends the same bytes.
    for quirk in [Quirk::NotesInResult, Quirk::UserLast, Quirk::NoBlankContent] {
        let quirk = [quirk];
        let without_last = &list[..3];
        assert_eq!(sent(without_last, &quirk), sent(without_last, &[]), "{quirk:?}");
    }
}

#[test]
fn reasoning_goes_back_with_every_message_and_empty_where_there_was_none() {
    let mut list = conversation();
    list.extend([
        user("more"),
        assistant(vec![model_text("Yes.", false, false)], Vec::new()),
    ]);
    let back = sent(&list, &[Quirk::ReasoningBack]);
    let reported: Vec<&Value> = back["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["role"] == "assistant")
        .map(|one| &one["reasoning_content"])
        .collect();
    assert_eq!(reported, [&json!("hidden"), &json!("hidden too"), &json!("")]);
    assert!(!sent(&list, &[]).to_string().contains("reasoning_content"));
}

#[test]
fn text_after_a_result_is_merged_into_it_if_no_user_message_may_follow() {
    let list = [
        user("go"),
        assistant(Vec::new(), vec![called(3, "{}"), called(4, "{}")]),
        result(3, "one"),
        result(4, "two"),
        user("write it in French"),
        note("A limit is near."),
    ];
    for quirk in [Quirk::NotesInResult, Quirk::AlternateRoles] {
        let joined = sent(&list, std::slice::from_ref(&quirk));
        assert_eq!(
            roles(&joined),
            ["system", "user", "assistant", "tool", "tool"],
            "{quirk}"
        );
        assert_eq!(joined["messages"][3]["content"], "one");
        assert_eq!(
            joined["messages"][4]["content"],
            "two\n\n[operator] write it in French\n\n[operator console] A limit is near."
        );
    }
    assert_eq!(roles(&sent(&list, &[])).len(), 7);
}

#[test]
fn roles_alternate_where_they_have_to() {
    let list = [
        user("go"),
        user("ahead"),
        assistant(vec![model_text("One.", false, false)], Vec::new()),
        assistant(vec![model_text("Two.", false, false)], vec![called(3, "{}")]),
        result(3, "text"),
        note("Mind this."),
    ];
    let joined = sent(&list, &[Quirk::AlternateRoles]);
    assert_eq!(roles(&joined), ["system", "user", "assistant", "tool"]);
    assert_eq!(joined["messages"][1]["content"], "go\n\nahead");
    assert_eq!(joined["messages"][2]["content"], "One.\n\nTwo.");
    assert_eq!(joined["messages"][2]["tool_calls"].as_array().unwrap().len(), 1);
    // A template without a system role as well.
    let both = sent(&list, &[Quirk::AlternateRoles, Quirk::SystemInUser]);
    assert_eq!(roles(&both), ["user", "assistant", "tool"]);
    assert_eq!(both["messages"][0]["content"], "Be brief.\n\ngo\n\nahead");
}

#[test]
fn the_last_message_is_the_users_where_it_has_to_be() {
    let list = conversation();
    let ended = sent(&list, &[Quirk::UserLast]);
    let last = ended["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(
        *last,
        json!({"role": "user", "content": "[operator console] Continue."})
    );
    // The words of the system stay at the beginning in every form.
    let first = sent(&list, &[Quirk::SystemInUser]);
    assert_eq!(first["messages"][0]["content"], "Be brief.\n\ngo");
}

#[test]
fn content_is_a_string_or_not_blank_where_it_has_to_be() {
    let list = [
        user("go"),
        assistant(Vec::new(), vec![called(3, "{}")]),
        result(3, " "),
    ];
    let plain = sent(&list, &[]);
    assert_eq!(plain["messages"][2]["content"], Value::Null);
    let strings = sent(&list, &[Quirk::StringContent]);
    assert_eq!(strings["messages"][2]["content"], "");
    let filled = sent(&list, &[Quirk::NoBlankContent]);
    assert_eq!(filled["messages"][2]["content"], Value::Null);
    assert_eq!(filled["messages"][3]["content"], "(empty)");
}

#[test]
fn a_server_without_parallel_calls_is_shown_one_after_the_other() {
    let list = [
        user("go"),
        assistant(
            vec![model_text("I read.", false, false)],
            vec![called(3, "{}"), called(4, "{}")],
        ),
        result(3, "one"),
        result(4, "two"),
    ];
    let single = sent(&list, &[Quirk::SingleCalls, Quirk::ReasoningBack]);
    assert_eq!(
        roles(&single),
        ["system", "user", "assistant", "tool", "assistant", "tool"]
    );
    let messages = &single["messages"];
    for (call, result) in [(2, 3), (4, 5)] {
        assert_eq!(messages[call]["tool_calls"].as_array().unwrap().len(), 1);
        assert_eq!(
            messages[call]["tool_calls"][0]["id"],
            messages[result]["tool_call_id"]
        );
        assert_eq!(messages[call]["reasoning_content"], "");
    }
    assert_eq!(
        (&messages[2]["content"], &messages[4]["content"]),
        (&json!("I read."), &Value::Null)
    );
    assert_eq!(single["parallel_tool_calls"], false);
    let not_known = Quirk::LeaveOut("parallel_tool_calls".into());
    let without = sent(&list, &[Quirk::SingleCalls, not_known]);
    assert_eq!(without["parallel_tool_calls"], Value::Null);
    assert_eq!(sent(&list, &[])["parallel_tool_calls"], Value::Null);
}

#[test]
fn members_of_a_call_go_back_byte_for_byte_and_a_missing_signature_is_filled_in() {
    let signed = |opaque: &str| CalledAs {
        opaque: Some(opaque.into()),
        ..called(3, "{}")
    };
    let opaque =
        r#"{"extra_content":{"google": {"thought_signature":"QUJD"}},"n":1.50,"function":{"x":[1, 2]}}"#;
    let list = [
        user("go"),
        assistant(Vec::new(), vec![signed(opaque), called(4, "{}")]),
        result(3, "one"),
        result(4, "two"),
    ];
    let text = body("m", &request(list.to_vec()), &Quirks::new());
    for exact in [
        r#""extra_content":{"google": {"thought_signature":"QUJD"}}"#,
        r#""n":1.50"#,
        r#""arguments":"{}","x":[1, 2]}"#,
    ] {
        assert!(text.contains(exact), "{exact} in {text}");
    }
    let target = Target::plain("m");
    let names = members(target, &request(list.to_vec()), &Quirks::new());
    assert_eq!(names, ["extra_content", "n", "stream", "stream_options", "x"]);
    let without = sent(&list, &[Quirk::LeaveOut("n".into())]);
    let call = &without["messages"][2]["tool_calls"][0];
    assert_eq!(
        (&call["n"], call["function"]["x"].is_array()),
        (&Value::Null, true)
    );

    // Only the first call of a message needs one, and only where it has none.
    let filled = sent(&list, &[Quirk::PlaceholderSignatures]);
    let calls = &filled["messages"][2]["tool_calls"];
    assert_eq!(calls[0]["extra_content"]["google"]["thought_signature"], "QUJD");
    assert_eq!(calls[1]["extra_content"], Value::Null);
    let edited = [
        user("go"),
        assistant(Vec::new(), vec![called(3, "{}")]),
        result(3, ""),
    ];
    let filled = sent(&edited, &[Quirk::PlaceholderSignatures]);
    let signature = &filled["messages"][2]["tool_calls"][0]["extra_content"]["google"]["thought_signature"];
    assert_eq!(signature, "skip_thought_signature_validator");
}

#[test]
fn signed_reasoning_goes_back_with_its_words() {
    let block = r#"[{"type":"reasoning.text","text":"","signature":"c2ln","index":0}]"#;
    let signed = ModelText {
        opaque: Some(block.into()),
        ..model_text("I think so.", true, false)
    };
    let sealed = ModelText {
        opaque: Some(r#"[{"type":"reasoning.encrypted","data":"abc=","id":"x"}]"#.into()),
        ..model_text("", true, false)
    };
    let list = [
        user("go"),
        assistant(vec![signed, sealed], vec![called(3, "{}")]),
        result(3, ""),
    ];
    assert_eq!(sent(&list, &[])["messages"][2]["reasoning_details"], Value::Null);
    let back = sent(&list, &[Quirk::SignaturesBack]);
    assert_eq!(
        back["messages"][2]["reasoning_details"],
        json!([
            {"type": "reasoning.text", "text": "I think so.", "signature": "c2ln", "index": 0},
            {"type": "reasoning.encrypted", "data": "abc=", "id": "x"}
        ])
    );
}

#[test]
fn the_limit_of_a_reply_has_the_name_that_the_server_knows() {
    let request = request(vec![user("go")]);
    let limited = |quirks: &[Quirk]| -> Value {
        let quirks = quirks.iter().cloned().collect();
        let options = Options {
            max_output: Some(500),
            ..Options::NONE
        };
        let target = Target {
            model: "m",
            options: &options,
        };
        serde_json::from_str(&body_for(target, &request, &quirks)).unwrap()
    };
    let plain = limited(&[]);
    assert_eq!(
        (&plain["max_tokens"], &plain["max_completion_tokens"]),
        (&json!(500), &Value::Null)
    );
    let other = limited(&[Quirk::CompletionTokens]);
    assert_eq!(
        (&other["max_tokens"], &other["max_completion_tokens"]),
        (&Value::Null, &json!(500))
    );
    let none = limited(&[Quirk::LeaveOut("max_tokens".into())]);
    assert_eq!(none["max_tokens"], Value::Null);
}

#[test]
fn a_strict_schema_requires_everything_and_takes_null_for_what_is_left_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "lines": {"type": "integer", "description": "How many."},
            "mode": {"enum": ["a", "b"]},
            "more": {"type": "object", "properties": {"x": {"type": "string"}}}
        },
        "required": ["path"]
    });
    let strict = strict(&schema, false);
    assert_eq!(
        strict["required"],
        json!(["path", "lines", "mode", "more", "_as", "_out", "_why"])
    );
    assert_eq!(strict["additionalProperties"], false);
    let properties = &strict["properties"];
    assert_eq!(properties["path"], json!({"type": "string"}));
    assert_eq!(properties["lines"]["type"], json!(["integer", "null"]));
    assert_eq!(
        properties["mode"],
        json!({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]})
    );
    assert_eq!(properties["_as"]["type"], json!(["string", "null"]));
    assert_eq!(properties["more"]["required"], json!(["x"]));
    assert_eq!(properties["more"]["additionalProperties"], false);
    assert!(!strict.to_string().contains('†'), "no references");

    let sent = sent(&[user("go")], &[Quirk::StrictSchemas]);
    assert_eq!(sent["tools"][0]["function"]["strict"], true);
    assert_eq!(
        sent["tools"][0]["function"]["parameters"]["required"],
        json!(["path", "_as", "_out", "_why"])
    );
}
