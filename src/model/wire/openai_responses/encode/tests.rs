//! Tests requests of Responses.
//!
//! Must not know: sockets.

use super::*;
use crate::fault::Refusal;
use crate::wire::tests::{called, note, request, result, sent, spoken_text, text, thought, user, wire};

const WIRE: &str = "openai-responses";

fn conversation() -> Vec<Message> {
    let encrypted =
        r#"[{"openai-responses":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"enc"}}]"#;
    let search = r#"[{"openai-responses":{"type":"web_search_call","id":"ws","status":"completed"}}]"#;
    vec![
        user("go"),
        Message::Assistant {
            texts: vec![
                thought("hidden", Some(encrypted)),
                thought("", Some(search)),
                thought("lost", None),
                spoken_text("I look."),
            ],
            calls: vec![
                called(
                    1,
                    r#"{"path":  1.50}"#,
                    Some(r#"{"openai-responses":{"namespace":"n"}}"#),
                ),
                called(2, " ", None),
            ],
        },
        result(1, "first", false),
        result(2, "second", true),
        note("a note"),
    ]
}

/// Reasoning without the item that it led to is refused: it goes, and so does what the server misses otherwise.
#[test]
fn reasoning_without_its_item_is_not_sent() {
    let sealed = r#"[{"openai-responses":{"type":"reasoning","summary":[],"encrypted_content":"SEAL"}}]"#;
    let said = |texts| {
        let message = Message::Assistant { texts, calls: vec![] };
        crate::wire::tests::text(WIRE, vec![user("go"), message, user("no")], &[])
    };
    let whole = said(vec![thought("", Some(sealed)), spoken_text("Done.")]);
    assert!(whole.find("SEAL") < whole.find("Done."), "{whole}");
    for texts in [
        vec![thought("", Some(sealed))],
        vec![
            spoken_text("Done."),
            thought("", Some(sealed)),
            thought("", Some(sealed)),
        ],
    ] {
        let body = said(texts);
        assert!(!body.contains("SEAL"), "{body}");
    }
    let words = r#"{"error":{"message":"Item 'rs_1' of type 'reasoning' was provided without its required following item."}}"#;
    let quirks = wire(WIRE).quirks(&Refusal::read(Some(400), words), &[]);
    assert_eq!(quirks.first(), Some(&Quirk::LeaveOut(REASONING.to_owned())));
}

#[test]
fn every_kind_of_message_has_its_place_on_the_wire() {
    let body = sent(WIRE, conversation(), &[]);
    assert_eq!(
        body["input"],
        json!([
            {"role": "user", "content": "go"},
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "enc"},
            {"type": "web_search_call", "id": "ws", "status": "completed"},
            {"role": "assistant", "content": "I look."},
            {"type": "function_call", "call_id": "id:1_c1", "name": "read_file", "arguments": "{\"path\":  1.50}", "namespace": "n"},
            {"type": "function_call", "call_id": "id:2_c2", "name": "read_file", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "id:1_c1", "output": "first"},
            {"type": "function_call_output", "call_id": "id:2_c2", "output": "second"},
            {"role": "user", "content": "[operator console] a note"},
        ])
    );
    assert_eq!(body["store"], false);
    assert_eq!(body["include"], json!(["reasoning.encrypted_content"]));
    assert_eq!(body["instructions"], "Be brief.");
    assert_eq!(body["tools"][0]["strict"], false);
}

#[test]
fn members_that_a_server_does_not_take_are_left_out() {
    let words = r#"{"error":{"message":"Encrypted content is not supported with this model.","type":"invalid_request_error","param":"include","code":null}}"#;
    let target = Target::plain("m");
    let members = wire(WIRE).members(
        target,
        &crate::wire::tests::request(conversation()),
        &Quirks::new(),
    );
    let quirks = wire(WIRE).quirks(&Refusal::read(Some(400), words), &members);
    assert_eq!(quirks.first(), Some(&Quirk::LeaveOut("include".to_owned())));
    assert!(!text(WIRE, conversation(), &quirks).contains("reasoning.encrypted_content"));
    let words = r#"{"error":{"message":"The encrypted content gAAA could not be verified.","code":"invalid_encrypted_content"}}"#;
    let quirks = wire(WIRE).quirks(&Refusal::read(Some(400), words), &members);
    assert_eq!(quirks.first(), Some(&Quirk::LeaveOut(REASONING.to_owned())));
    let body = text(WIRE, conversation(), &quirks);
    assert!(
        !body.contains("\"enc\"") && body.contains("web_search_call"),
        "{body}"
    );
}

#[test]
fn the_phase_of_a_text_goes_back_with_it() {
    let comment = ModelText {
        opaque: Some(r#"[{"openai-responses":{"phase":"commentary"}}]"#.into()),
        ..spoken_text("I {look}")
    };
    let messages = vec![
        user("go"),
        Message::Assistant {
            texts: vec![comment],
            calls: vec![],
        },
    ];
    let expected = json!({"role": "assistant", "content": "I {look}", "phase": "commentary"});
    assert_eq!(sent(WIRE, messages, &[])["input"][1], expected);
}

#[test]
fn requests_of_one_system_text_have_one_key_for_the_cache() {
    let key = |messages, quirks: &[Quirk]| sent(WIRE, messages, quirks)["prompt_cache_key"].clone();
    let first = key(vec![user("go")], &[]);
    assert!(first.as_str().is_some_and(|key| key.len() >= 8), "{first}");
    assert_eq!(key(vec![user("go"), user("more")], &[]), first);
    assert_eq!(key(vec![user("an edited prompt")], &[]), first);
    let mut other = request(vec![user("go")]);
    other.system = "Be long.".into();
    let other = wire(WIRE).body(Target::plain("m"), &other, &Quirks::new());
    assert!(!other.contains(first.as_str().unwrap()), "{other}");
    let left_out = Quirk::LeaveOut(CACHE_KEY.to_owned());
    assert_eq!(key(vec![user("go")], &[left_out]), Value::Null);
}
