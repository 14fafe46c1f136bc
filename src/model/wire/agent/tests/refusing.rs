//! Tests that a request that cannot be understood is refused with its place.
//!
//! Must not know: what is done with such a request.

use super::super::decode_request;
use crate::wire::Wire;

#[track_caller]
fn refused(wire: &str, body: &str, words: &[&str]) {
    let error = decode_request(Wire::named(wire).unwrap(), body.as_bytes()).unwrap_err();
    let shown = error.to_string();
    for word in words {
        assert!(shown.contains(word), "no `{word}` in `{shown}`");
    }
}

#[test]
fn a_request_that_cannot_be_understood_is_refused_with_place_and_reason() {
    refused("anthropic", "", &["not JSON"]);
    refused("anthropic", "{\"messages\":[", &["not JSON", "byte 13"]);
    refused("anthropic", "[]", &["must be an object", "byte 0", "the top"]);
    refused("anthropic", "{}", &["`messages` is missing"]);
    refused("gemini", "{}", &["`contents` is missing"]);
    refused("openai-responses", "{}", &["`input` is missing"]);
    refused(
        "openai-chat",
        r#"{"messages":[{"role":"user","content":"a"},{"role":"owner","content":"b"}]}"#,
        &["no role", "/messages/1/role"],
    );
    refused(
        "openai-chat",
        r#"{"messages":[{"role":"user","content":3}]}"#,
        &["must be a text", "byte 38", "/messages/0/content"],
    );
    refused(
        "anthropic",
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":"{}"}]}]}"#,
        &["must be an object", "/messages/0/content/0/input"],
    );
    refused(
        "ollama",
        r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]}]}"#,
        &["`name` is missing", "/messages/0/tool_calls/0/function"],
    );
    let deep = format!("{{\"messages\":[],\"x\":{}{}}}", "[".repeat(200), "]".repeat(200));
    refused("openai-chat", &deep, &["nested deeper"]);
}

#[test]
fn two_values_of_one_name_are_refused_where_it_matters_which_one_counts() {
    refused(
        "openai-chat",
        r#"{"messages":[],"messages":[]}"#,
        &["`messages` occurs twice", "the top"],
    );
    refused(
        "anthropic",
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"rm","name":"ls","input":{}}]}]}"#,
        &["`name` occurs twice", "/messages/0/content/0"],
    );
}

#[test]
fn what_a_refusal_quotes_is_safe_to_show() {
    let body = "{\"a\\u001b[31m\":1,\"a\\u001b[31m\":2}";
    refused("ollama", body, &["⟨U+001B⟩"]);
    let bytes = b"{\"messages\":[\xff]}";
    let error = decode_request(Wire::named("ollama").unwrap(), bytes).unwrap_err();
    assert!(error.to_string().contains("not UTF-8 (byte 13)"), "{error}");
}
