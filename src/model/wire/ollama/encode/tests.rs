//! Tests requests of Ollama.
//!
//! Must not know: sockets.

use super::*;
use crate::Quirk;
use crate::wire::tests::{called, note, result, sent, spoken_text, thought, user};

#[test]
fn every_kind_of_message_has_its_place_on_the_wire() {
    let messages = vec![
        user("go"),
        Message::Assistant {
            texts: vec![thought("hm", None), spoken_text("I look.")],
            calls: vec![
                called(1, r#"{"path": "a"}"#, Some(r#"{"ollama":{"extra":1}}"#)),
                called(2, " ", None),
            ],
        },
        result(1, "first", false),
        result(2, "second", true),
        note("a note"),
    ];
    let body = sent("ollama", messages.clone(), &[]);
    let call =
        |id: &str, args: Value| json!({"id": id, "function": {"name": "read_file", "arguments": args}});
    let mut first = call("id:1_c1", json!({"path": "a"}));
    first["extra"] = json!(1);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "I look.", "thinking": "hm",
             "tool_calls": [first, call("id:2_c2", json!({}))]},
            {"role": "tool", "tool_name": "read_file", "tool_call_id": "id:1_c1", "content": "first"},
            {"role": "tool", "tool_name": "read_file", "tool_call_id": "id:2_c2", "content": "second"},
            {"role": "user", "content": "[operator console] a note"},
        ])
    );
    assert_eq!(body["stream"], true);
    let without = sent("ollama", messages, &[Quirk::LeaveOut(THINKING.to_owned())]);
    assert_eq!(without["messages"][2].get("thinking"), None);
}
