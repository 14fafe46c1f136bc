//! Tests requests of the Gemini API.
//!
//! Must not know: sockets.

use super::*;
use crate::wire::Options;
use crate::wire::tests::{called, note, request, result, sent, spoken_text, thought, user};

const WIRE: &str = "gemini";

/// A call without an id of the provider.
fn unnamed(no: u32, opaque: Option<&str>) -> CalledAs {
    CalledAs {
        wire_id: format!("call_c{no}").into(),
        ..called(no, r#"{"path": "a"}"#, opaque)
    }
}

#[test]
fn results_follow_their_calls_by_name_and_in_order() {
    let mut first = result(1, "first", false);
    if let Message::Result { wire_id, .. } = &mut first {
        *wire_id = "call_c1".into();
    }
    let body = sent(
        WIRE,
        vec![
            user("go"),
            Message::Assistant {
                texts: vec![spoken_text("I look.")],
                calls: vec![unnamed(1, None), called(2, " ", None)],
            },
            first,
            result(2, "second", true),
            note("a note"),
        ],
        &[],
    );
    assert_eq!(
        body["contents"],
        json!([
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [
                {"text": "I look."},
                {"functionCall": {"name": "read_file", "args": {"path": "a"}}},
                {"functionCall": {"id": "id:2_c2", "name": "read_file", "args": {}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "read_file", "response": {"result": "first"}}},
                {"functionResponse": {"id": "id:2_c2", "name": "read_file", "response": {"error": "second"}}},
                {"text": "[operator console] a note"},
            ]},
        ])
    );
    assert_eq!(
        body["systemInstruction"],
        json!({"parts": [{"text": "Be brief."}]})
    );
    let declared = &body["tools"][0]["functionDeclarations"][0];
    assert_eq!(declared["parametersJsonSchema"]["required"], json!(["path"]));
}

#[test]
fn signatures_go_back_on_their_parts() {
    let signed = r#"[{"gemini":{"thoughtSignature":"sig-text"}}]"#;
    let code = r#"[{"gemini":{"executableCode":{"code":"x"}}}]"#;
    let text = ModelText {
        opaque: Some(signed.into()),
        ..spoken_text("Aloud.")
    };
    let messages = vec![
        user("go"),
        Message::Assistant {
            texts: vec![thought("hidden", None), thought("", Some(code)), text],
            calls: vec![
                unnamed(1, Some(r#"{"gemini":{"thoughtSignature":"sig-call"}}"#)),
                unnamed(2, None),
            ],
        },
        result(1, "x", false),
    ];
    let body = sent(WIRE, messages.clone(), &[]);
    let parts = &body["contents"][1]["parts"];
    assert_eq!(parts[0], json!({"executableCode": {"code": "x"}}));
    assert_eq!(
        parts[1],
        json!({"text": "Aloud.", "thoughtSignature": "sig-text"})
    );
    assert_eq!(parts[2]["thoughtSignature"], "sig-call");
    assert_eq!(parts[3].get("thoughtSignature"), None);
    // The first call of a message that lacks one gets the documented one where the server requires it.
    let edited = vec![
        user("go"),
        Message::Assistant {
            texts: vec![],
            calls: vec![unnamed(1, None), unnamed(2, None)],
        },
        result(1, "x", false),
    ];
    let body = sent(WIRE, edited, &[Quirk::PlaceholderSignatures]);
    let parts = &body["contents"][1]["parts"];
    assert_eq!(parts[0]["thoughtSignature"], "skip_thought_signature_validator");
    assert_eq!(parts[1].get("thoughtSignature"), None);
    let none = sent(WIRE, messages, &[Quirk::LeaveOut(SIGNATURE.to_owned())]);
    assert!(!none.to_string().contains("sig-"));
}

#[test]
fn the_model_is_part_of_the_path_and_a_limit_of_the_configuration() {
    let wire = crate::wire::tests::wire(WIRE);
    for model in ["gemini-x", "models/gemini-x"] {
        let options = Options {
            max_output: Some(7),
            ..Options::NONE
        };
        let target = Target {
            model,
            options: &options,
        };
        assert_eq!(
            wire.path(target),
            "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
        );
        let body = wire.body(target, &request(vec![user("go")]), &Quirks::new());
        assert!(
            body.contains(r#""generationConfig":{"maxOutputTokens":7}"#),
            "{body}"
        );
    }
}
