//! Tests of results and errors of a server.
//!
//! Must not know: connections.

use super::*;
use overrule_domain::id::NodeKind;

/// The outcome of a result, with the files that were stored.
fn of(result: Value) -> (Outcome, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let redaction = Redaction::default();
    redaction.add("12345678");
    let made = Made {
        call: NodeId::new(NodeKind::Call, 5),
        args: &json!({}),
        ms: 1,
        redaction: &redaction,
        whole: &WholeResults::new(Some(dir.path().to_owned())),
    };
    let outcome = finished(serde_json::from_value(result).unwrap(), &made);
    let files = std::fs::read_dir(dir.path().join("outputs"))
        .into_iter()
        .flatten();
    let mut files: Vec<String> = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    files.sort();
    (outcome, files)
}

fn text(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

#[test]
fn everything_that_is_cut_is_stored_whole() {
    let long = "y".repeat(HEAD + TAIL + 1);
    let (outcome, files) = of(json!({ "content": text(&long), "structuredContent": {"n": 1} }));
    let Outcome::Ok {
        value,
        meta,
        discarded,
        ..
    } = outcome
    else {
        panic!("{outcome:?}")
    };
    assert_eq!((&*value, discarded), (r#"{"n":1}"#, 0), "the value is whole");
    let meta: Value = serde_json::from_str(&meta.unwrap()).unwrap();
    assert_eq!(meta["whole_text"], "outputs/c5.txt");
    assert_eq!(files, std::slice::from_ref(&long));

    let (outcome, files) = of(json!({ "content": text(&long), "structuredContent": {"s": long, "n": 1} }));
    assert!(matches!(outcome, Outcome::Ok { discarded: 1.., .. }));
    assert_eq!(files.len(), 2);

    let (outcome, files) = of(json!({ "content": text(&long), "structuredContent": {"s": long} }));
    assert!(matches!(outcome, Outcome::Ok { discarded: 1.., .. }));
    assert_eq!(
        files,
        std::slice::from_ref(&long),
        "the structure only repeats the text"
    );

    let (outcome, files) = of(json!({ "content": text(&long), "isError": true }));
    let Outcome::Err(error) = outcome else {
        panic!("no error")
    };
    assert!(
        error.evidence.contains("whole at outputs/c5.txt"),
        "{}",
        error.evidence
    );
    assert_eq!(files, [long]);

    let (_, files) = of(json!({ "content": text("short"), "structuredContent": {"n": 1} }));
    assert!(files.is_empty(), "what is not cut is in the record alone");
}

#[test]
fn a_structure_that_repeats_the_text_is_shown_once() {
    let number = "12345678901234567890123";
    let exact = format!(r#"{{"n":{number}}}"#);
    for (content, structured, value, has_text) in [
        (
            text("a\n\"b\""),
            r#"{"result":"a\n\"b\""}"#,
            r#""a\n\"b\"""#,
            false,
        ),
        (text("a"), r#""a""#, r#""a""#, false),
        (text(r#"{"n": 1}"#), r#"{"n":1}"#, r#"{"n":1}"#, false),
        (text("42"), r#"{"result":42}"#, r#"{"result":42}"#, false),
        (
            text("a\nb"),
            r#"{"result":["a","b"]}"#,
            r#"{"result":["a","b"]}"#,
            false,
        ),
        (json!([]), &exact, &exact, false),
        (text("summary"), r#"{"n":1}"#, r#"{"n":1}"#, true),
        (
            text(r#"{"b": [1e2], "a": 1.0}"#),
            r#"{"a":1,"b":[100]}"#,
            r#"{"a":1,"b":[100]}"#,
            false,
        ),
        (text(r#"{"n": 2}"#), r#"{"n":1}"#, r#"{"n":1}"#, true),
        (text(r#"{"n": 1, "m": 2}"#), r#"{"n":1}"#, r#"{"n":1}"#, true),
        (text(r#"["a"]"#), r#"{"n":["b"]}"#, r#"{"n":["b"]}"#, true),
        (
            text(&format!(r#"{{"n": {number}}}"#)),
            r#"{"n":12345678901234567890124}"#,
            r#"{"n":12345678901234567890124}"#,
            true,
        ),
        (text("43"), r#"{"result":42}"#, r#"{"result":42}"#, true),
    ] {
        // As the reader of messages passes it on.
        let (outcome, _) = of(json!({ "content": content, "structuredContent": structured }));
        let Outcome::Ok {
            value: shown, meta, ..
        } = outcome
        else {
            panic!("{outcome:?}")
        };
        assert_eq!(&*shown, value, "{structured}");
        let meta: Value = serde_json::from_str(&meta.unwrap()).unwrap();
        assert_eq!(meta.get("text").is_some(), has_text, "{structured}: {meta}");
    }
}

#[test]
fn the_words_of_a_failure_are_whole_with_their_lines_and_the_data_of_the_error() {
    let redaction = Redaction::default();
    redaction.add("12345678");
    let lines = "1 validation error for call[book]\ndate\n  Field required";
    let (outcome, _) = of(json!({ "content": text(lines), "isError": true }));
    let Outcome::Err(error) = outcome else {
        panic!("no error")
    };
    assert_eq!(error.text(), lines);
    assert!(!error.message.contains('\n'), "{}", error.message);
    let (outcome, _) = of(json!({ "content": text("no"), "isError": true }));
    assert!(matches!(outcome, Outcome::Err(error) if error.partial.is_none() && error.text() == "no"));
    // A server may say it in the structure alone, or in the data of a protocol error.
    let structure = r#"{"errors":{"class":["is invalid"]}}"#;
    let (outcome, _) = of(json!({ "content": [], "structuredContent": structure, "isError": true }));
    assert!(matches!(outcome, Outcome::Err(error) if error.text() == structure));
    let data = json!([{ "path": ["date"], "message": "Required 12345678" }]);
    for (data, words) in [
        (
            Some(data),
            "Invalid params\n[{\"path\":[\"date\"],\"message\":\"Required [redacted 8 bytes]\"}]",
        ),
        (Some(Value::Null), "Invalid params"),
        (None, "Invalid params"),
    ] {
        let error = rmcp::ErrorData::new(rmcp::model::ErrorCode(-32_602), "Invalid params", data);
        let error = failed(&ServiceError::McpError(error), &redaction);
        assert_eq!((error.class, error.text().as_str()), (ErrorClass::Param, words));
    }
}

#[test]
fn refusals_over_http_say_whether_the_call_ran() {
    for (status, class, executed) in [
        (400, ErrorClass::Unknown, false),
        (403, ErrorClass::Auth, false),
        (404, ErrorClass::Business, false),
        (413, ErrorClass::Business, false),
        (429, ErrorClass::Transient, false),
        (408, ErrorClass::Transient, true),
        (500, ErrorClass::Transient, true),
        (504, ErrorClass::Transient, true),
    ] {
        let error = by_status(StatusCode::from_u16(status).unwrap(), Some(7), "HTTP");
        assert_eq!((error.class, error.executed), (class, executed), "{status}");
    }
}

#[test]
fn a_key_that_is_a_number_leaves_the_structure_valid() {
    let (outcome, _) = of(json!({ "content": [], "structuredContent": {"n": 12_345_678, "t": "12345678"} }));
    let Outcome::Ok { value, .. } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(&*value, r#"{"n":12345678,"t":"[redacted 8 bytes]"}"#);
}
