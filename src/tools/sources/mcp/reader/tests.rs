//! Tests of the reader: what a line becomes, which repairs are named, and which request it ends.
//!
//! Must not know: transports.

mod matching;

use proptest::prelude::*;
use rmcp::model::{ErrorData, JsonRpcMessage, JsonRpcResponse};
use serde_json::{Value, json};

use super::message::message;
use super::*;

/// The requests that are open in the tests.
fn open() -> Open {
    Open::from([(3, Asked::CallTool)])
}

/// Repairs one message. Returns the JSON that the library reads, and the words of the repairs.
fn repaired(line: &str, open: &Open) -> (Repaired, Vec<String>) {
    let mut repairs = Repairs::default();
    let tree = Tree::read(line)
        .unwrap_or_else(|fault| panic!("{line}: {fault}"))
        .tree;
    let read = message(tree, open, &mut repairs);
    (
        read,
        repairs
            .all()
            .iter()
            .map(|repair| repair.words().to_owned())
            .collect(),
    )
}

/// The result of the answer that a line is.
fn result(line: &str, asked: Asked) -> (Value, Vec<String>) {
    let (read, repairs) = repaired(line, &Open::from([(3, asked)]));
    let Repaired::Answer(3, text) = read else {
        panic!("{line}: {read:?}")
    };
    let mut read: Value = serde_json::from_str(&text).unwrap();
    (read["result"].take(), repairs)
}

/// Asserts that each word is in a repair, and that there are no others.
fn named(repairs: &[String], words: &[&str], line: &str) {
    assert_eq!(repairs.len(), words.len(), "{line}: {repairs:?}");
    for (repair, words) in repairs.iter().zip(words) {
        assert!(repair.contains(words), "{line}: no `{words}` in {repairs:?}");
    }
}

#[test]
fn results_of_calls_are_repaired_and_every_repair_is_named() {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let table: &[(&str, Value, &[&str])] = &[
        (r#"{"content":[{"type":"text","text":"a"}]}"#, text("a"), &[]),
        (
            r#"{"content":[{"type":"text","text":"a"}],"isError":null,"structuredContent":null,"_meta":null}"#,
            text("a"),
            &[],
        ),
        (
            r#"{"content":"a"}"#,
            text("a"),
            &["the content is a text", "is a text: read as text"],
        ),
        (
            r#"{"content":{"type":"text","text":"a"}}"#,
            text("a"),
            &["is an object: read as one block"],
        ),
        (r#"{"content":["a"]}"#, text("a"), &["is a text"]),
        (
            r#"{"content":[{"type":"text","text":null},{"type":"text","text":"a"}]}"#,
            text("a"),
            &["has no text: left out"],
        ),
        (
            r#"{"content":[{"type":"text","text":7}]}"#,
            text("7"),
            &["a number: read as text"],
        ),
        (
            r#"{"content":[{"type":"text","text":12345678901234567890123}]}"#,
            text("12345678901234567890123"),
            &["a number"],
        ),
        (r#"{"content":[{"text":"a"}]}"#, text("a"), &["has no type"]),
        (
            r#"{"content":[null,{"type":"text","text":"a"}]}"#,
            text("a"),
            &["null: left out"],
        ),
        (
            r#"{"content":[{"type":"video","url":"x"}]}"#,
            text("[content of the type `video`, which is not known: left out]"),
            &["`video`, which is not known"],
        ),
        (
            r#"{"content":[{"type":"image"}]}"#,
            text("[content of the type `image`, which has no data: left out]"),
            &["no data: left out"],
        ),
        (
            r#"{"content":[{"type":"text","text":"a","annotations":7,"_meta":[]}]}"#,
            text("a"),
            &[],
        ),
        (r#"{"content":null}"#, json!([]), &[]),
        (
            r#"{"content":[{"type":"text","text":"a"}],"tools":[],"messages":[]}"#,
            text("a"),
            &[],
        ),
        (r#""a""#, text("a"), &["the result of a call is a text"]),
        ("7", text("7"), &["is a number"]),
        ("[]", json!([]), &["empty list"]),
        (r#"[{"type":"text","text":"a"}]"#, text("a"), &["is its content"]),
        (
            "null",
            text("[the server answered without a result]"),
            &["has no result"],
        ),
    ];
    for (given, content, words) in table {
        let line = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{given}}}"#);
        let (read, repairs) = result(&line, Asked::CallTool);
        assert_eq!(read["content"], *content, "{given}");
        named(&repairs, words, given);
    }
}

#[test]
fn other_members_of_a_result_are_repaired() {
    let structured = |given: &str| {
        let line = format!(r#"{{"jsonrpc":"2.0","id":3,"result":{given}}}"#);
        result(&line, Asked::CallTool).0
    };
    for number in [
        "12345678901234567890123",
        "0.12345678901234567890123",
        "1E400",
        "18446744073709551616",
    ] {
        let read = structured(&format!(
            r#"{{"content":[],"structuredContent":{{"n":{number}}}}}"#
        ));
        assert_eq!(
            read["structuredContent"],
            format!(r#"{{"n":{number}}}"#),
            "as a text, with its digits"
        );
    }
    assert_eq!(
        structured(r#"{"temperature":5}"#)["structuredContent"],
        r#"{"temperature":5}"#
    );
    assert_eq!(structured("[1,2]")["structuredContent"], "[1,2]");
    for (given, failed) in [
        ("true", true),
        ("\"true\"", true),
        ("1", true),
        ("\"false\"", false),
        ("0", false),
        ("{}", true),
    ] {
        assert_eq!(
            structured(&format!(r#"{{"content":[],"isError":{given}}}"#))["isError"],
            failed,
            "{given}"
        );
    }
    let link = structured(r#"{"content":[{"type":"resource_link","uri":"file:///a","size":-1.5}]}"#);
    assert_eq!(
        link["content"][0],
        json!({"type": "resource_link", "uri": "file:///a", "name": "file:///a"})
    );
    let resource = structured(r#"{"content":[{"type":"resource","resource":{"text":7}}]}"#);
    assert_eq!(
        resource["content"][0]["resource"],
        json!({"uri": "no address", "text": "7"})
    );
}

#[test]
fn an_answer_is_recognised_whatever_its_envelope_is() {
    let ok = r#""result":{"content":[]}"#;
    let table: &[(String, &[&str])] = &[
        (
            format!(r#"{{"jsonrpc":"2.0","id":"3",{ok}}}"#),
            &["an id is a text"],
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":3.0,{ok}}}"#), &[]),
        (format!(r#"{{"id":3,{ok}}}"#), &["`jsonrpc`"]),
        (format!(r#"{{"jsonrpc":"1.0","id":3,{ok}}}"#), &["`jsonrpc`"]),
        (
            format!(r#"{{"jsonrpc":"2.0","id":3,{ok},"error":null}}"#),
            &["`error` null"],
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":3,{ok},"error":{{}}}}"#),
            &["an empty `error`"],
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":null,{ok}}}"#), &["no id"]),
        (format!(r#"{{"jsonrpc":"2.0",{ok}}}"#), &["no id"]),
        (
            format!(r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call",{ok}}}"#),
            &["names a method"],
        ),
        (r#"{"jsonrpc":"2.0","id":3}"#.to_owned(), &["has no result"]),
        (
            r#"{"jsonrpc":"2.0","id":3,"content":[]}"#.to_owned(),
            &["is its result itself"],
        ),
        (
            r#"{"content":[]}"#.to_owned(),
            &["`jsonrpc`", "no id", "is its result itself"],
        ),
    ];
    for (line, words) in table {
        let (read, repairs) = repaired(line, &open());
        assert!(matches!(read, Repaired::Answer(3, _)), "{line}: {read:?}");
        named(&repairs, words, line);
    }
    // A log in JSON is no answer, whatever its words are.
    for line in [
        r#"{"level":"error","error":"disk is slow"}"#,
        r#"{"id":3,"msg":"started"}"#,
        r#"{"level":"info","id":3,"result":"x"}"#,
    ] {
        assert!(
            matches!(repaired(line, &open()).0, Repaired::Nothing(_)),
            "{line}"
        );
    }
    // With two open requests nobody knows which one it answers.
    let two = Open::from([(3, Asked::CallTool), (4, Asked::CallTool)]);
    assert_eq!(
        repaired(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, &two).0,
        Repaired::Stray
    );
    // It could be the late answer to a request that was given up.
    let mut late = open();
    late.insert(2, Asked::CallTool);
    late.give_up(2);
    assert_eq!(
        repaired(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, &late).0,
        Repaired::Stray
    );
    assert!(matches!(
        repaired(r#"{"jsonrpc":"2.0","id":"3","result":{}}"#, &late).0,
        Repaired::Answer(3, _)
    ));
    // One that has its answer has no other.
    let mut answered = open();
    answered.insert(2, Asked::CallTool);
    answered.remove(2);
    assert!(matches!(
        repaired(r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, &answered).0,
        Repaired::Answer(3, _)
    ));
    // A request that only waits for changes does not count.
    let listens = Open::from([(3, Asked::CallTool), (1, Asked::Listen)]);
    assert!(matches!(
        repaired(r#"{"jsonrpc":"2.0","result":{}}"#, &listens).0,
        Repaired::Answer(3, _)
    ));
}

#[test]
fn errors_are_repaired() {
    for (given, code, words) in [
        (r#"{"code":-32602,"message":"no"}"#, -32_602, "no"),
        (r#"{"code":"-32602","message":"no","data":null}"#, -32_602, "no"),
        (r#"{"code":-32602.0,"message":7}"#, -32_602, "7"),
        (r#"{"message":"no"}"#, -32_000, "no"),
        (r#"{"code":99999999999999999999,"message":"no"}"#, -32_000, "no"),
        (r#""out of paper""#, -32_000, "out of paper"),
        ("{}", -32_000, "it gave no reason"),
        ("true", -32_000, "true"),
        (r#"{"code":1,"data":"the disk is full"}"#, 1, "the disk is full"),
        (r#"{"code":-32099,"message":"mine"}"#, -32_000, "mine"),
        (r#"{"code":"-32098","message":"mine"}"#, -32_000, "mine"),
        (r#"{"code":-32097,"message":"mine"}"#, -32_097, "mine"),
    ] {
        for result in ["", r#","result":null"#] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":3{result},"error":{given}}}"#);
            let (read, _) = repaired(&line, &open());
            let Repaired::Answer(3, text) = read else {
                panic!("{line}: {read:?}")
            };
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["error"]["code"], code, "{line}");
            let message = read["error"]["message"].as_str().unwrap();
            assert!(message.contains(words), "{line}: {message}");
            assert!(read.get("result").is_none(), "{line}");
        }
    }
}

#[test]
fn a_tool_that_cannot_be_read_is_left_out_and_the_rest_counts() {
    let object = json!({ "type": "object" });
    let table: &[(&str, Value, &[&str])] = &[
        (r#"{"name":"b"}"#, json!([object]), &["`b` has no `inputSchema`"]),
        (
            r#"{"name":"b","inputSchema":null}"#,
            json!([object]),
            &["no `inputSchema`"],
        ),
        (
            r#"{"name":"b","inputSchema":true}"#,
            json!([object]),
            &["is `true`"],
        ),
        (r#"{"name":"b","inputSchema":[]}"#, json!([{}]), &["empty list"]),
        (
            r#"{"name":"b","input_schema":{"type":"object"}}"#,
            json!([object]),
            &["`input_schema` read as `inputSchema`"],
        ),
        (
            r#"{"name":"b","inputSchema":"{\"type\":\"object\"}"}"#,
            json!([object]),
            &["is a text"],
        ),
        (
            r#"{"name":"b","inputSchema":{"type":"object","properties":[]}}"#,
            json!([{"type": "object", "properties": {}}]),
            &["`properties` is an empty list"],
        ),
        (r#"{"name":"b","inputSchema":7}"#, json!([]), &["`b` is left out"]),
        (
            r#"{"name":"","inputSchema":{}}"#,
            json!([]),
            &["tool 2 of the list is left out"],
        ),
        (r#"{"name":" ","inputSchema":{}}"#, json!([]), &["no name"]),
        (r#"{"name":null,"inputSchema":{}}"#, json!([]), &["no name"]),
        (r#"{"name":"x\ud83d","inputSchema":{}}"#, json!([]), &["no name"]),
        ("null", json!([]), &["it is null"]),
        (
            r#"{"name":"b","inputSchema":{},"description":7,"title":null}"#,
            json!([{}]),
            &["left out `description`"],
        ),
        (
            r#"{"name":"b","inputSchema":{},"annotations":[],"icons":7}"#,
            json!([{}]),
            &["`annotations` is an empty list"],
        ),
        (
            r#"{"name":"b","inputSchema":{},"annotations":{"readOnlyHint":"true"}}"#,
            json!([{}]),
            &["left out `readOnlyHint`"],
        ),
        (
            r#"{"name":"b","inputSchema":{},"outputSchema":true}"#,
            json!([{}]),
            &["left out `outputSchema`"],
        ),
        (
            r#"{"name":"b","inputSchema":{"maximum":1e999}}"#,
            json!([{"maximum": null}]),
            &["out of range"],
        ),
        (
            r#"{"name":"b","inputSchema":{},"execution":{"taskSupport":"required"}}"#,
            json!([]),
            &["only as a task"],
        ),
        (
            r#"{"name":"b","inputSchema":{},"execution":{"taskSupport":"optional"}}"#,
            json!([{}]),
            &[],
        ),
    ];
    for (tool, schemas, words) in table {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":3,"result":{{"tools":[{{"name":"a","inputSchema":{{}}}},{tool},{{"name":"c","inputSchema":{{}}}}]}}}}"#
        );
        let (read, repairs) = result(&line, Asked::ListTools);
        let tools = read["tools"].as_array().unwrap();
        assert_eq!(
            (&tools[0]["name"], &tools[tools.len() - 1]["name"]),
            (&json!("a"), &json!("c")),
            "{tool}"
        );
        let found: Vec<&Value> = tools[1..tools.len() - 1]
            .iter()
            .map(|tool| &tool["inputSchema"])
            .collect();
        assert_eq!(json!(found), *schemas, "{tool}");
        named(&repairs, words, tool);
    }
}

#[test]
fn lists_and_handshakes_are_repaired() {
    let list = |given: &str| {
        result(
            &format!(r#"{{"jsonrpc":"2.0","id":3,"result":{given}}}"#),
            Asked::ListTools,
        )
        .0
    };
    let tool = r#"{"name":"a","inputSchema":{}}"#;
    for given in [
        format!(r#"{{"tools":[{tool}],"nextCursor":null,"ttlMs":"x","cacheScope":7}}"#),
        format!("[{tool}]"),
        r#"{"tools":{"a":{"inputSchema":{}}}}"#.to_owned(),
    ] {
        let read = list(&given);
        assert_eq!(read["tools"][0]["name"], "a", "{given}");
        assert!(read.get("nextCursor").is_none(), "{given}");
    }
    assert_eq!(
        list(&format!(r#"{{"tools":[{tool}],"nextCursor":2,"ttlMs":5000.0}}"#))["nextCursor"],
        "2"
    );
    for nothing in ["null", "{}", r#"{"tools":null}"#, "[]", "7"] {
        assert_eq!(list(nothing)["tools"], json!([]), "{nothing}");
    }
    let start = |given: &str| {
        result(
            &format!(r#"{{"jsonrpc":"2.0","id":3,"result":{given}}}"#),
            Asked::Initialize,
        )
        .0
    };
    for given in [
        "{}",
        "[]",
        r#"{"protocolVersion":null,"capabilities":[],"serverInfo":"x","instructions":7}"#,
        r#"{"protocolVersion":20251125,"capabilities":{"tools":[],"logging":null,"experimental":7},"serverInfo":{"name":1,"version":2.0}}"#,
    ] {
        assert_eq!(start(given)["protocolVersion"], "2025-11-25", "{given}");
    }
    assert_eq!(
        start(r#"{"capabilities":{"tools":{"listChanged":true}}}"#)["capabilities"],
        json!({"tools": {"listChanged": true}})
    );
    let discovers = |given: &str| {
        repaired(
            &format!(r#"{{"jsonrpc":"2.0","id":3,"result":{given}}}"#),
            &Open::from([(3, Asked::Discover)]),
        )
        .0
    };
    assert!(matches!(
        discovers(r#"{"supportedVersions":["2026-07-28"]}"#),
        Repaired::Answer(3, _)
    ));
    // A server that answers everything with something is asked in the older way.
    for given in ["{}", "null", "\"ok\"", r#"{"protocolVersion":"2025-06-18"}"#] {
        assert!(matches!(discovers(given), Repaired::Unreadable(3, _)), "{given}");
    }
}

#[test]
fn what_a_server_says_by_itself_is_repaired() {
    for (line, expected) in [
        (
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":[],"id":null}"#,
            json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"7","progress":1e999}}"#,
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 7, "progress": null}}),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"q1","method":"ping","error":null,"result":null}"#,
            json!({"jsonrpc": "2.0", "id": "q1", "method": "ping"}),
        ),
    ] {
        let Repaired::Said(text) = repaired(line, &open()).0 else {
            panic!("{line}")
        };
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected, "{line}");
    }
}
