//! Tests of members that a server adds, wants back or does not know.
//!
//! Must not know: how a rule is learned.

use serde_json::{Value, json};

use super::{assistants, learned_in, messages, role};
use crate::wire::asking;
use crate::wire::course::{answer, first, second};
use crate::wire::formats::{Asked, FORMATS};
use crate::wire::server::{Reply, Server, answer_in_words, call, delta, end};
use crate::wire::world::{World, finish};

#[test]
fn members_that_a_provider_adds_to_a_call_go_back_until_somebody_edits_it() {
    let world = World::new();
    world.file("notes.txt", "alpha\n");
    let server = Server::answering(|_, body| {
        if messages(body).iter().any(|one| role(one) == "tool") {
            return answer_in_words("Done.");
        }
        let function = json!({"name": "read_file", "arguments": "{\"path\":\"notes.txt\"}", "note": "n"});
        let signed = json!({"index": 0, "id": "x", "type": "function", "function": function,
            "extra_content": {"google": {"thought_signature": "QUJD"}}, "weight": 1.5});
        let mut frames = vec![delta(&json!({"tool_calls": [signed]}))];
        frames.extend(end("stop"));
        Reply::Stream(frames)
    });
    finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    let seen = server.seen();
    assert_eq!(seen.len(), 2, "nothing had to be learned");
    let made = assistants(&seen[1].json()).next().unwrap()["tool_calls"][0].clone();
    assert_eq!(made["extra_content"]["google"]["thought_signature"], "QUJD");
    assert_eq!(
        (&made["weight"], &made["function"]["note"]),
        (&json!(1.5), &json!("n"))
    );

    // Another call is not the provider's own: what it added belongs to the old one.
    let id = world.id();
    let call = world.state(&id).calls.keys().next().unwrap().to_string();
    let mut command = world.command(&[
        "edit",
        &id,
        &call,
        "--args",
        "{\"path\":\"notes.txt\",\"from_line\":1}",
        "--resume",
        "--policy",
        "auto",
    ]);
    command.env("NO_PROXY", "127.0.0.1");
    finish(command).ends(0);
    let last = server.seen().last().unwrap().json();
    let made = assistants(&last).next().unwrap()["tool_calls"][0].clone();
    assert!(
        made["function"]["arguments"]
            .as_str()
            .unwrap()
            .contains("from_line")
    );
    for member in ["extra_content", "weight"] {
        assert_eq!(made[member], Value::Null, "{member} of an edited call");
    }
    assert_eq!(made["function"]["note"], Value::Null);
}

/// A member that each format has for thinking, with the refusal of its provider.
const THINKING: [(&str, &str, &str); 5] = [
    (
        "openai-chat",
        "/reasoning_effort",
        r#"{"error":{"message":"Unrecognized request argument supplied: reasoning_effort"}}"#,
    ),
    (
        "openai-responses",
        "/reasoning",
        r#"{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model."}}"#,
    ),
    (
        "anthropic",
        "/thinking",
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"'claude-3-5-haiku' does not support thinking"}}"#,
    ),
    (
        "gemini",
        "/generationConfig/thinkingConfig",
        r#"{"error":{"code":400,"message":"Thinking level is not supported for this model.","status":"INVALID_ARGUMENT"}}"#,
    ),
    (
        "ollama",
        "/think",
        r#"{"error":"\"llama3\" does not support thinking"}"#,
    ),
];

#[test]
fn a_member_that_a_server_does_not_know_is_left_out_from_then_on_in_every_format() {
    for format in FORMATS {
        let name = format.name;
        let (_, member, refusal) = THINKING.into_iter().find(|row| row.0 == name).unwrap();
        let has = move |body: &Value| body.pointer(member).is_some();
        let world = World::new();
        let replies = vec![
            format.message(&first()),
            format.message(&second()),
            answer(format, "Done."),
        ];
        let mut replies = replies.into_iter();
        let server = Server::answering(move |_, asked| {
            if has(asked) {
                return Reply::Status(400, "", refusal);
            }
            replies.next().unwrap()
        });
        let entry = format!(
            "[models.x]\nwire = \"{name}\"\nbase_url = \"{}\"\nthinking = \"high\"\nproxy = \"off\"\n",
            server.base
        );
        let config = world.aside("entry.toml", &entry);
        let args = [
            "--policy", "auto", "--config", &config, "--model", "x", "the task",
        ];
        let output = world.run(&[&["run", "--headless"], &args[..]].concat()).ends(0);
        assert_eq!(output.out, "Done.\n", "{name}");
        let seen = server.seen();
        let refused: Vec<bool> = seen.iter().map(|one| has(&one.json())).collect();
        assert_eq!(refused, [true, false, false, false], "{name}: refused once");
        format.all(&seen).iter().for_each(Asked::coherent);
        let learned = learned_in(&world.journal(&world.id()));
        assert!(
            learned.len() == 1 && learned[0].starts_with("leave_out:"),
            "{name}: {learned:?}"
        );
        assert_eq!(world.read("log.txt"), "start\nfinish\n", "{name}");
    }
}

#[test]
fn signed_reasoning_goes_back_to_a_server_that_wants_it() {
    let world = World::new();
    world.file("notes.txt", "alpha\n");
    let refusal = r#"{"error":{"message":"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. A final assistant message must start with a thinking block"}}"#;
    let signed = |body: &Value| assistants(body).all(|one| !one["reasoning_details"].is_null());
    let server = Server::answering(move |_, asked| {
        if !signed(asked) {
            return Reply::Status(400, "", refusal);
        }
        if assistants(asked).count() > 0 {
            return answer_in_words("Done.");
        }
        let details = json!([{"type": "reasoning.text", "text": "I look.", "signature": "signature-one"}]);
        let mut frames = vec![delta(&json!({"reasoning_details": details}))];
        frames.extend(call(0, Some("x"), "read_file", &json!({"path": "notes.txt"})));
        frames.extend(end("tool_calls"));
        Reply::Stream(frames)
    });
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(output.out, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert!(!seen[1].body.contains("signature-one") && seen[2].body.contains("signature-one"));
    assert_eq!(learned_in(&world.journal(&world.id())), ["signatures_back"]);
}
