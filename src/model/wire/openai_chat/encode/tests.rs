//! Tests the encoder.
//!
//! Must not know: sockets.

use std::sync::Arc;

use serde_json::{Value, json};

mod forms;

use super::{Target, body as body_for};
use crate::Quirks;
use crate::Request;
use crate::quirk::Quirk;
use crate::wire::schema::widen;
use overrule_domain::call::EffectClass;
use overrule_domain::event::run::ToolCard;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::transcript::{CalledAs, Message, ModelText, NoteKind};

pub(super) fn body(model: &str, request: &Request, quirks: &Quirks) -> String {
    body_for(Target::plain(model), request, quirks)
}

pub(super) fn model_text(text: &str, reasoning: bool, by_operator: bool) -> ModelText {
    ModelText {
        node: NodeId::new(NodeKind::Thought, 2),
        text: text.into(),
        reasoning,
        opaque: None,
        by_operator,
    }
}

pub(super) fn called(no: u32, args: &str) -> CalledAs {
    CalledAs {
        node: NodeId::new(NodeKind::Call, no),
        wire_id: format!("call_{no}").into(),
        tool: "read_file".into(),
        args: args.into(),
        opaque: None,
    }
}

pub(super) fn result(no: u32, text: &str) -> Message {
    Message::Result {
        call: NodeId::new(NodeKind::Call, no),
        wire_id: format!("call_{no}").into(),
        tool: "read_file".into(),
        text: text.into(),
        is_error: false,
    }
}

pub(super) fn user(text: &str) -> Message {
    Message::User {
        node: NodeId::new(NodeKind::Prompt, 1),
        text: text.into(),
    }
}

pub(super) fn request(messages: Vec<Message>) -> Request {
    let card = ToolCard {
        description: "Reads.".into(),
        schema: r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#.into(),
        ..ToolCard::bare("read_file", EffectClass::Read, &[])
    };
    Request {
        system: "Be brief.".into(),
        messages,
        tools: vec![card],
        quirks: crate::Quirks::new(),
        output_schema: None,
        id: TurnId::default(),
        turn: 1,
        tap: crate::Tap::default(),
    }
}

pub(super) fn messages(list: Vec<Message>) -> Value {
    let text = body("m", &request(list), &Quirks::new());
    serde_json::from_str::<Value>(&text).unwrap()["messages"].take()
}

#[test]
fn every_kind_of_message_has_its_place_on_the_wire() {
    let sent = messages(vec![
        user("go"),
        Message::Assistant {
            texts: vec![
                model_text("hidden", true, false),
                model_text("First.", false, false),
                model_text("Mine.", true, true),
            ],
            calls: vec![called(3, r#"{"path": "a",  "n":1.0}"#), called(4, " ")],
        },
        result(3, "text"),
        result(4, "more"),
        Message::Note {
            about: NoteKind::ThoughtRewritten,
            text: "The thought above was rewritten.".into(),
        },
    ]);
    let call = |id: &str, args: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": args}});
    assert_eq!(
        sent,
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "First.\n\nMine.",
             "tool_calls": [call("call_3", r#"{"path": "a",  "n":1.0}"#), call("call_4", "{}")]},
            {"role": "tool", "tool_call_id": "call_3", "content": "text"},
            {"role": "tool", "tool_call_id": "call_4", "content": "more"},
            {"role": "user", "content": "[operator console] The thought above was rewritten."},
        ])
    );
}

#[test]
fn reasoning_alone_is_not_sent_and_calls_without_words_have_null_content() {
    let sent = messages(vec![
        Message::Assistant {
            texts: vec![model_text("hidden", true, false)],
            calls: Vec::new(),
        },
        Message::Assistant {
            texts: vec![model_text("hidden", true, false)],
            calls: vec![called(1, "{}")],
        },
    ]);
    assert_eq!(sent.as_array().unwrap().len(), 2);
    assert_eq!(sent[1]["content"], Value::Null);
    assert!(!sent.to_string().contains("hidden"));
}

#[test]
fn arguments_that_servers_could_not_read_are_wrapped_for_the_model() {
    let sent = messages(vec![Message::Assistant {
        texts: Vec::new(),
        calls: vec![called(1, "{\"a\": oops"), called(2, "[1]")],
    }]);
    let args = |n: usize| -> Value {
        serde_json::from_str(
            sent[1]["tool_calls"][n]["function"]["arguments"]
                .as_str()
                .unwrap(),
        )
        .unwrap()
    };
    assert_eq!(args(0), json!({"_unreadable": "{\"a\": oops"}));
    assert_eq!(args(1), json!({"_unreadable": "[1]"}));
}

#[test]
fn a_longer_request_repeats_the_bytes_of_the_shorter_one() {
    let mut list = vec![
        user("go"),
        Message::Assistant {
            texts: vec![model_text("a", false, false)],
            calls: vec![called(1, "{}")],
        },
    ];
    let mut before = body("m", &request(list.clone()), &Quirks::new());
    for no in 1..4 {
        list.push(result(no, "x"));
        let after = body("m", &request(list.clone()), &Quirks::new());
        let stored = before.strip_suffix("]}").unwrap();
        assert!(after.starts_with(stored), "{after}\n{before}");
        before = after;
    }
}

#[test]
fn the_usage_is_asked_for_and_no_tools_means_no_tools() {
    let mut request = request(vec![user("go")]);
    let sent: Value = serde_json::from_str(&body("m-1", &request, &Quirks::new())).unwrap();
    assert_eq!(sent["model"], "m-1");
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
    assert_eq!(sent["tools"][0]["function"]["name"], "read_file");
    request.tools.clear();
    let sent: Value = serde_json::from_str(&body("m-1", &request, &Quirks::new())).unwrap();
    assert_eq!(sent.get("tools"), None);
}

#[test]
fn a_widened_schema_takes_references_everywhere_and_forgets_nothing() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["path"],
        "properties": {
            "path": {"type": "string", "description": "where"},
            "mode": {"enum": ["a", "b"], "description": "how"},
            "list": {"type": "array", "items": {"type": "integer"}},
            "deep": {"type": "object", "properties": {"n": {"type": "number"}}},
        },
    });
    let wide = widen(&schema, false);
    let reference = json!({"type": "string", "pattern": "^†.*$"});
    let properties = &wide["properties"];
    assert_eq!(
        properties["path"],
        json!({"type": "string", "description": "where"}),
        "any text already fits"
    );
    assert_eq!(
        properties["mode"],
        json!({"description": "how", "anyOf": [{"enum": ["a", "b"]}, reference]})
    );
    assert_eq!(
        properties["list"]["anyOf"][0]["items"],
        json!({"anyOf": [{"type": "integer"}, reference]})
    );
    assert_eq!(
        properties["deep"]["anyOf"][0]["properties"]["n"],
        json!({"anyOf": [{"type": "number"}, reference]})
    );
    assert_eq!(wide["required"], schema["required"]);
    assert_eq!(wide["additionalProperties"], false);
    let keys: Vec<&String> = properties.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["path", "mode", "list", "deep", "_as", "_out", "_why"]);
    for value in [json!("a"), json!("†call.x")] {
        let validator = jsonschema::validator_for(&wide).unwrap();
        let args = json!({"path": "†call.x", "mode": value, "list": ["†call.y", 1], "_as": "name"});
        assert!(validator.is_valid(&args), "{args}");
        assert!(!validator.is_valid(&json!({"path": "p", "mode": "c"})));
    }
}

#[test]
fn only_a_confined_tool_offers_to_run_outside_of_the_sandbox() {
    let offered = |confined: bool, quirks: &Quirks| {
        let mut request = request(vec![user("go")]);
        for card in &mut request.tools {
            card.confined = confined;
        }
        body("m", &request, quirks)
    };
    let strict = Quirks::from([Quirk::StrictSchemas]);
    for quirks in [Quirks::new(), strict] {
        assert!(!offered(false, &quirks).contains("_outside"));
        let sent: Value = serde_json::from_str(&offered(true, &quirks)).unwrap();
        let schema = &sent["tools"][0]["function"]["parameters"];
        let outside = schema["properties"]["_outside"].to_string();
        assert!(outside.contains("A person is asked."), "{outside}");
        // It is optional, also where every property is required.
        let required = schema["required"].to_string();
        assert_eq!(
            required.contains("_outside"),
            outside.contains("null"),
            "{schema}"
        );
    }
}

#[test]
fn own_properties_named_like_ours_and_empty_schemas_are_left_whole() {
    let wide = widen(
        &json!({"type": "object", "properties": {"_as": {"type": "string", "title": "mine"}}}),
        false,
    );
    assert_eq!(wide["properties"]["_as"]["title"], "mine");
    for odd in [
        json!(null),
        json!({}),
        json!(true),
        json!({"type": "object", "properties": []}),
    ] {
        assert_eq!(widen(&odd, false)["type"], "object", "{odd}");
    }
    let card = ToolCard {
        schema: Arc::from("no json"),
        ..request(Vec::new()).tools.remove(0)
    };
    let mut request = request(vec![user("go")]);
    request.tools = vec![card];
    assert!(serde_json::from_str::<Value>(&body("m", &request, &Quirks::new())).is_ok());
}

#[test]
fn a_name_that_no_server_takes_is_sent_as_one_that_they_do() {
    let long = "n".repeat(65);
    let fits = "n".repeat(64);
    for (name, sent) in [
        ("read_file-2", "read_file-2"),
        (fits.as_str(), fits.as_str()),
        (long.as_str(), fits.as_str()),
        ("functions.read file", "functions_read_file"),
        ("żółw", "___w"),
        ("", "unnamed"),
    ] {
        let call = CalledAs {
            tool: name.into(),
            ..called(1, "{}")
        };
        let list = messages(vec![Message::Assistant {
            texts: Vec::new(),
            calls: vec![call],
        }]);
        assert_eq!(list[1]["tool_calls"][0]["function"]["name"], sent, "{name}");
    }
}
