//! Tests how each format writes what the settings ask of a model.
//!
//! Must not know: the rest of a request.

use serde_json::json;

use super::*;
use crate::fault::Refusal;
use crate::wire::tests::{called, request, result, thought, user, wire};
use crate::wire::{Target, Wire};

#[test]
fn nothing_is_recorded_of_what_is_not_set() {
    assert_eq!(serde_json::to_string(&Options::default()).unwrap(), "{}");
    assert_eq!(serde_json::from_str::<Options>("{}").unwrap(), Options::NONE);
    let all = Options {
        max_output: Some(5),
        thinking: Some(Thinking::Budget(9)),
        parallel_calls: Some(false),
        tool_choice: Some(ToolChoice::Required),
        strict: true,
        structured: true,
        extra: [("top_k".to_owned(), json!(3))].into(),
    };
    let text = serde_json::to_string(&all).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), all);
    assert!(!all.is_none() && Options::default().is_none());
}

#[test]
fn further_members_come_first_and_no_other_byte_changes() {
    let body =
        r#"{"model":"m","reasoning":{"effort":"low","x":1},"messages":[{"n":12345678901234567890123}]}"#;
    let options = Options {
        extra: [
            ("top_k".to_owned(), json!(3)),
            (
                "reasoning".to_owned(),
                json!({"summary": "auto", "effort": "high"}),
            ),
        ]
        .into(),
        ..Options::NONE
    };
    assert_eq!(
        options.add_to(body.to_owned()),
        r#"{"top_k":3,"model":"m","reasoning":{"effort":"high","x":1,"summary":"auto"},"messages":[{"n":12345678901234567890123}]}"#
    );
    assert_eq!(Options::NONE.add_to(body.to_owned()), body);
}

#[test]
fn a_budget_has_a_level_and_a_level_a_budget() {
    for level in [Thinking::Low, Thinking::Medium, Thinking::High] {
        assert_eq!(Thinking::Budget(level.budget()).label(), level.label());
        assert_eq!(Thinking::named(level.label()), Some(level));
    }
    assert!(Thinking::Off.is_off() && Thinking::Budget(0).is_off());
    assert_eq!(Thinking::named("enormous"), None);
}

fn options(text: &str) -> Options {
    serde_json::from_str(text).unwrap()
}

/// The body of a request with these options, as JSON.
fn asked(name: &str, options: &Options, quirks: &[Quirk]) -> Value {
    let target = Target { model: "m", options };
    let mut request = request(vec![user("go")]);
    request.output_schema = Some(r#"{"type":"object"}"#.into());
    let quirks = quirks.iter().cloned().collect();
    serde_json::from_str(&wire(name).body(target, &request, &quirks)).unwrap()
}

/// The values of a body at these places; null where there is none.
fn at(body: &Value, places: &[&str]) -> Vec<Value> {
    let value = |place: &&str| body.pointer(place).cloned().unwrap_or(Value::Null);
    places.iter().map(value).collect()
}

#[test]
fn without_options_no_byte_of_a_request_is_about_them() {
    for one in Wire::all() {
        let name = one.name();
        let body = asked(name, &Options::NONE, &[]).to_string();
        for word in [
            "effort",
            "think",
            "tool_choice",
            "toolConfig",
            "json_schema",
            "Schema\":{\"type\":\"object\"}",
            "parallel",
        ] {
            assert!(!body.contains(word), "{name}: {word} in {body}");
        }
    }
}

#[test]
fn every_format_is_asked_to_think_in_its_own_words() {
    let chat = ["/reasoning_effort"];
    let responses = ["/reasoning/effort"];
    let messages = ["/thinking/type", "/thinking/budget_tokens", "/max_tokens"];
    let gemini = [
        "/generationConfig/thinkingConfig/thinkingLevel",
        "/generationConfig/thinkingConfig/thinkingBudget",
    ];
    let ollama = ["/think"];
    for (name, places, thinking, expected) in [
        ("openai-chat", &chat[..], "\"off\"", json!(["none"])),
        ("openai-chat", &chat, "\"high\"", json!(["high"])),
        ("openai-chat", &chat, "{\"budget\":9000}", json!(["medium"])),
        ("openai-responses", &responses, "\"low\"", json!(["low"])),
        ("openai-responses", &responses, "\"off\"", json!(["none"])),
        (
            "anthropic",
            &messages,
            "\"off\"",
            json!(["disabled", null, 32_000]),
        ),
        (
            "anthropic",
            &messages,
            "\"medium\"",
            json!(["enabled", 8_192, 32_000]),
        ),
        (
            "anthropic",
            &messages,
            "{\"budget\":50000}",
            json!(["enabled", 50_000, 58_000]),
        ),
        ("gemini", &gemini, "\"high\"", json!(["high", null])),
        ("gemini", &gemini, "\"off\"", json!([null, 0])),
        ("gemini", &gemini, "{\"budget\":700}", json!([null, 700])),
        ("ollama", &ollama, "\"off\"", json!([false])),
        ("ollama", &ollama, "{\"budget\":30000}", json!(["high"])),
    ] {
        let options = options(&format!("{{\"thinking\":{thinking}}}"));
        let body = asked(name, &options, &[]);
        assert_eq!(json!(at(&body, places)), expected, "{name} {thinking}: {body}");
    }
}

#[test]
fn a_limit_of_a_reply_leaves_room_behind_the_thoughts() {
    let limited = options(r#"{"thinking":"high","max_output":3000}"#);
    let body = asked("anthropic", &limited, &[]);
    assert_eq!(
        at(&body, &["/max_tokens", "/thinking/budget_tokens"]),
        [json!(3000), json!(2250)],
        "a quarter is left for the answer"
    );
    let short = options(r#"{"thinking":"high","max_output":1000}"#);
    let body = asked("anthropic", &short, &[]);
    assert_eq!(
        at(&body, &["/max_tokens", "/thinking"]),
        [json!(1000), Value::Null]
    );
}

#[test]
fn a_message_without_its_thought_is_continued_without_thinking() {
    let sent = |texts| {
        let messages = vec![
            user("go"),
            overrule_domain::transcript::Message::Assistant {
                texts,
                calls: vec![called(1, "{}", None)],
            },
            result(1, "found", false),
        ];
        let options = options(r#"{"thinking":"low"}"#);
        let target = Target {
            model: "m",
            options: &options,
        };
        let body = wire("anthropic").body(target, &request(messages), &Quirks::new());
        serde_json::from_str::<Value>(&body).unwrap()["thinking"]["type"].clone()
    };
    let signed = r#"[{"anthropic":{"type":"thinking","signature":"sig"}}]"#;
    assert_eq!(sent(vec![thought("why", Some(signed))]), json!("enabled"));
    assert_eq!(sent(Vec::new()), Value::Null);
}

#[test]
fn calls_and_the_answer_are_asked_for_in_the_words_of_each_format() {
    let all = options(r#"{"parallel_calls":false,"tool_choice":"required","structured":true,"strict":true}"#);
    let schema = json!({"type": "object"});
    for (name, expected) in [
        (
            "openai-chat",
            vec![
                ("/parallel_tool_calls", json!(false)),
                ("/tool_choice", json!("required")),
                ("/response_format/json_schema/schema", schema.clone()),
                ("/tools/0/function/strict", json!(true)),
            ],
        ),
        (
            "openai-responses",
            vec![
                ("/parallel_tool_calls", json!(false)),
                ("/tool_choice", json!("required")),
                ("/text/format/schema", schema.clone()),
                ("/tools/0/strict", json!(true)),
            ],
        ),
        (
            "anthropic",
            vec![
                ("/tool_choice/type", json!("any")),
                ("/tool_choice/disable_parallel_tool_use", json!(true)),
                ("/output_config/format/schema", schema.clone()),
            ],
        ),
        (
            "gemini",
            vec![
                ("/toolConfig/functionCallingConfig/mode", json!("ANY")),
                ("/generationConfig/responseJsonSchema", schema),
            ],
        ),
        // It would hold calls to the schema as well.
        ("ollama", vec![("/format", Value::Null)]),
    ] {
        let quirks: Vec<Quirk> = all.quirks().into_iter().collect();
        let body = asked(name, &all, &quirks);
        for (place, value) in expected {
            assert_eq!(
                body.pointer(place).cloned().unwrap_or_default(),
                value,
                "{name} {place}: {body}"
            );
        }
    }
}

#[test]
fn what_a_server_does_not_take_is_left_out_from_then_on() {
    let all = options(r#"{"thinking":"low","tool_choice":"required","structured":true}"#);
    for (name, words, place) in [
        (
            "openai-chat",
            "Unrecognized request argument supplied: reasoning_effort",
            "/reasoning_effort",
        ),
        (
            "openai-chat",
            "response_format is not supported with tools",
            "/response_format",
        ),
        (
            "openai-responses",
            "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            "/reasoning",
        ),
        (
            "anthropic",
            "'claude-3-5-haiku' does not support thinking",
            "/thinking",
        ),
        (
            "gemini",
            "Thinking level is not supported for this model.",
            "/generationConfig/thinkingConfig",
        ),
        ("ollama", "\"llama3\" does not support thinking", "/think"),
    ] {
        let refusal = Refusal::read(Some(400), &json!({"error": {"message": words}}).to_string());
        let target = Target {
            model: "m",
            options: &all,
        };
        let members = wire(name).members(target, &request(vec![user("go")]), &Quirks::new());
        let quirk = wire(name).quirks(&refusal, &members).into_iter().next();
        let quirk = quirk.unwrap_or_else(|| panic!("{name}: {words}"));
        assert!(asked(name, &all, &[]).pointer(place).is_some(), "{name}");
        let body = asked(name, &all, &[quirk]);
        assert_eq!(body.pointer(place), None, "{name}: {body}");
    }
    let words = "thinking.type.enabled is not supported for this model. Use thinking.type.adaptive and output_config.effort";
    let refusal = Refusal::read(Some(400), &json!({"error": {"message": words}}).to_string());
    let target = Target {
        model: "m",
        options: &all,
    };
    let members = wire("anthropic").members(target, &request(vec![user("go")]), &Quirks::new());
    let quirk = wire("anthropic").quirks(&refusal, &members).remove(0);
    let body = asked("anthropic", &all, &[quirk]);
    assert_eq!(
        at(&body, &["/thinking/type", "/output_config/effort"]),
        [json!("adaptive"), json!("low")]
    );
}
