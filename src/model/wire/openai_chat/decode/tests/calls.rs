//! Tests which piece belongs to which call, and when a call is sealed.
//!
//! Must not know: sockets.

use super::*;

#[test]
fn text_and_interleaved_calls_come_as_parts_in_order_of_their_beginning() {
    let body = stream(
        &[
            r#"{"role":"assistant","content":""}"#,
            r#"{"content":"Let me "}"#,
            r#"{"content":"look."}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read_file","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"search","arguments":"{\"pat"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":" \"a\"}"}},{"index":1,"function":{"arguments":"tern\":\"x\"}"}}]}"#,
        ],
        Some("tool_calls"),
    );
    let (chunks, result) = decode(&body);
    assert_eq!(result, Ok(()));
    let text = |delta: &str| Chunk::Text {
        part: 0,
        delta: delta.into(),
    };
    let args = |part, delta: &str| Chunk::Args {
        part,
        delta: delta.into(),
    };
    let begin = |part, id: &str, name: &str| Chunk::Call {
        part,
        id: Some(id.into()),
        name: name.into(),
    };
    let seal = |part| Chunk::Sealed { part, opaque: None };
    assert_eq!(
        chunks,
        [
            text("Let me "),
            text("look."),
            seal(0),
            begin(1, "a", "read_file"),
            args(1, "{\"path\":"),
            begin(2, "b", "search"),
            args(2, "{\"pat"),
            args(1, " \"a\"}"),
            seal(1),
            args(2, "tern\":\"x\"}"),
            seal(2),
            Chunk::Finish(Stop::Calls),
        ]
    );
}

#[test]
fn a_call_is_sealed_when_whole_and_followed_not_before() {
    let first = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}"#;
    let (alone, _) = decode(&stream(&[first], None));
    assert_eq!(sealed(&alone), [] as [u32; 0], "more could still come");
    let second = r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]}"#;
    let (followed, result) = decode(&stream(&[first, second], None));
    assert_eq!(sealed(&followed), [0]);
    assert_eq!(result.unwrap_err().kind, StreamFaultKind::Truncated);
}

#[test]
fn calls_without_index_are_distinguished() {
    let with_ids = stream(
        &[
            r#"{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}"#,
            r#"{"tool_calls":[{"id":"b","function":{"name":"f","arguments":"{\"x\":2}"}},{"id":"c","function":{"name":"g","arguments":"{}"}}]}"#,
        ],
        Some("tool_calls"),
    );
    assert_eq!(
        calls(&with_ids),
        [
            call("a", "f", "{\"x\":1}"),
            call("b", "f", "{\"x\":2}"),
            call("c", "g", "{}")
        ]
    );
    let without = stream(
        &[
            r#"{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\""}}]}"#,
            r#"{"tool_calls":[{"function":{"arguments":":1}"}}]}"#,
            r#"{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":2}"}}]}"#,
            r#"{"tool_calls":[{"id":null,"function":{"name":"g","arguments":null}}]}"#,
        ],
        Some("tool_calls"),
    );
    assert_eq!(
        calls(&without),
        [
            call("", "f", "{\"x\":1}"),
            call("", "f", "{\"x\":2}"),
            call("", "g", "")
        ]
    );
}

#[test]
fn a_new_id_under_a_used_index_is_a_new_call() {
    let body = stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]}"#,
        ],
        Some("stop"),
    );
    assert_eq!(
        calls(&body),
        [call("a", "f", "{\"x\":1}"), call("b", "g", "{\"y\":2}")]
    );
}

#[test]
fn an_id_made_up_for_every_delta_does_not_split_a_call() {
    let body = stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"r1","function":{"name":"f","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"r2","function":{"arguments":"{\"x\""}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"r3","function":{"name":null,"arguments":":1}"}}]}"#,
        ],
        Some("tool_calls"),
    );
    assert_eq!(calls(&body), [call("r1", "f", "{\"x\":1}")]);
}

#[test]
fn a_repeated_name_does_not_split_a_call_and_a_name_in_pieces_is_joined() {
    let body = stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_"}}]}"#,
            r#"{"tool_calls":[{"index":0,"function":{"name":"file","arguments":""}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}]}"#,
        ],
        Some("tool_calls"),
    );
    assert_eq!(calls(&body), [call("a", "read_file", "{}")]);
}

#[test]
fn indices_out_of_order_keep_their_arguments() {
    let body = stream(
        &[
            r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"q\":"}}]}"#,
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":1}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]}"#,
        ],
        Some("tool_calls"),
    );
    assert_eq!(
        calls(&body),
        [call("b", "g", "{\"q\":2}"), call("a", "f", "{\"p\":1}")]
    );
}

#[test]
fn argument_text_is_preserved_exactly() {
    let odd = r#"{\"big\": 123456789012345678901234567890, \"a\":1, \"a\":2 , \"e\": 1.0e5}"#;
    let body = stream(
        &[&format!(
            r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"f","arguments":"{odd}"}}}}]}}"#
        )],
        Some("tool_calls"),
    );
    assert_eq!(calls(&body), [call("a", "f", &odd.replace("\\\"", "\""))]);
    let object = stream(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"n": 12345678901234567890123}}}]}"#,
        ],
        Some("tool_calls"),
    );
    assert_eq!(
        calls(&object),
        [call("a", "f", "{\"n\": 12345678901234567890123}")]
    );
}

#[test]
fn broken_arguments_are_sealed_as_they_are_at_a_proper_end() {
    let delta = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\": oops"}}]}"#;
    let (chunks, result) = decode(&stream(&[delta], Some("tool_calls")));
    assert_eq!(result, Ok(()));
    assert_eq!(sealed(&chunks), [0]);
}

#[test]
fn what_the_token_limit_cut_is_never_sealed() {
    let whole = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}"#;
    for cut in ["{\\\"x\\\":\\\"", "", "nul"] {
        let second = format!(
            r#"{{"tool_calls":[{{"index":1,"id":"b","function":{{"name":"g","arguments":"{cut}"}}}}]}}"#
        );
        let (chunks, result) = decode(&stream(&[whole, &second], Some("length")));
        assert_eq!(result, Ok(()));
        assert_eq!(sealed(&chunks), [0], "arguments {cut:?}");
        assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Length)));
        assert!(
            chunks
                .iter()
                .any(|chunk| matches!(chunk, Chunk::Call { part: 1, .. })),
            "it is shown"
        );
    }
}

#[test]
fn a_call_without_parameters_keeps_its_empty_text() {
    let delta = r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}"#;
    let body = stream(&[delta], Some("tool_calls"));
    assert_eq!(calls(&body), [call("a", "f", "")]);
    assert_eq!(sealed(&decode(&body).0), [0]);
}
