//! Tests of servers with their own rules for requests, each with the error text of a provider.
//!
//! Must not know: how a refusal is read.
//!
//! They check what is learned, what is sent from then on, and that nothing is sent twice.

mod members;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::wire::asking;
use crate::wire::server::{Reply, Server, answer_in_words, call, delta, end};
use crate::wire::world::{World, finish};

/// A rule of a server.
struct Rule {
    /// The names of the forms that it teaches, in order.
    learned: &'static [&'static str],
    /// Status and body of its refusal.
    refusal: (u16, &'static str),
    /// True for a request that it refuses.
    refuses: fn(&Value) -> bool,
}

fn messages(body: &Value) -> &[Value] {
    body["messages"].as_array().unwrap()
}

fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap()
}

fn pairs(body: &Value) -> impl Iterator<Item = (&Value, &Value)> {
    messages(body).iter().zip(messages(body).iter().skip(1))
}

fn user_after_tool(body: &Value) -> bool {
    pairs(body).any(|(before, now)| role(before) == "tool" && role(now) == "user")
}

fn assistants(body: &Value) -> impl Iterator<Item = &Value> {
    messages(body).iter().filter(|one| role(one) == "assistant")
}

/// As the templates of models count: calls and their results are neither role.
fn not_alternating(body: &Value) -> bool {
    let counts = |one: &&Value| role(one) != "system" && role(one) != "tool" && one["tool_calls"].is_null();
    let counted: Vec<&Value> = messages(body).iter().filter(counts).collect();
    counted.windows(2).any(|pair| role(pair[0]) == role(pair[1]))
}

const RULES: &[Rule] = &[
    Rule {
        learned: &["leave_out:stream_options"],
        refusal: (
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}"#,
        ),
        refuses: |body| !body["stream_options"].is_null(),
    },
    Rule {
        learned: &["leave_out:stream"],
        refusal: (
            400,
            r#"{"error":{"message":"Unsupported value: 'stream' does not support true with this model.","param":"stream","code":"unsupported_value"}}"#,
        ),
        refuses: |body| body["stream"] == true,
    },
    Rule {
        learned: &["short_ids"],
        refusal: (
            400,
            r#"{"object":"error","message":"Tool call id was x_c4 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_function_call","code":"3280"}"#,
        ),
        refuses: |body| {
            let calls = assistants(body).flat_map(|one| one["tool_calls"].as_array().into_iter().flatten());
            let mut ids = calls.map(|call| call["id"].as_str().unwrap());
            ids.any(|id| id.len() != 9 || !id.chars().all(|c| c.is_ascii_alphanumeric()))
        },
    },
    Rule {
        learned: &["notes_in_result"],
        refusal: (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"object\":\"error\",\"message\":\"Unexpected role 'user' after role 'tool'\",\"type\":\"invalid_request_message_order\",\"code\":\"3230\"}","provider_name":"Mistral"}}}"#,
        ),
        refuses: user_after_tool,
    },
    Rule {
        learned: &["alternate_roles"],
        refusal: (
            500,
            r#"{"error":{"code":500,"message":"Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.","type":"server_error"}}"#,
        ),
        refuses: not_alternating,
    },
    Rule {
        learned: &["system_in_user"],
        refusal: (
            400,
            r#"{"object":"error","message":"System role not supported","type":"BadRequestError","param":null,"code":400}"#,
        ),
        refuses: |body| messages(body).iter().any(|one| role(one) == "system"),
    },
    Rule {
        learned: &["developer_role", "system_in_user"],
        refusal: (
            400,
            r#"{"error":{"message":"Unsupported value: 'messages[0].role' does not support 'developer' with this model.","param":"messages[0].role","code":"unsupported_value"}}"#,
        ),
        refuses: |body| matches!(role(&messages(body)[0]), "system" | "developer"),
    },
    Rule {
        learned: &["reasoning_back"],
        refusal: (
            400,
            r#"{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2","type":"invalid_request_error"}}"#,
        ),
        refuses: |body| assistants(body).any(|one| one["reasoning_content"].is_null()),
    },
    Rule {
        learned: &["placeholder_signatures"],
        refusal: (
            400,
            r#"[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly","status":"INVALID_ARGUMENT"}}]"#,
        ),
        refuses: |body| {
            assistants(body).any(|one| {
                let first = &one["tool_calls"][0];
                !first.is_null() && first["extra_content"]["google"]["thought_signature"].is_null()
            })
        },
    },
    Rule {
        learned: &["string_content"],
        refusal: (
            400,
            r#"{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2.content' : value must be a string)]","type":"invalid_request_error"}}"#,
        ),
        refuses: |body| messages(body).iter().any(|one| !one["content"].is_string()),
    },
    Rule {
        learned: &["single_calls"],
        refusal: (
            400,
            r#"{"object":"error","message":"This model only supports single tool-calls at once!","type":"BadRequestError"}"#,
        ),
        refuses: |body| {
            assistants(body).any(|one| one["tool_calls"].as_array().is_some_and(|calls| calls.len() > 1))
        },
    },
    Rule {
        learned: &["strict_schemas"],
        refusal: (
            400,
            r#"{"error":{"message":"Invalid schema for function 'read_file': In context=(), 'additionalProperties' is required to be supplied and to be false.","type":"invalid_request_error","code":"invalid_function_parameters"}}"#,
        ),
        refuses: |body| {
            let mut tools = body["tools"].as_array().into_iter().flatten();
            tools.any(|tool| tool["function"]["strict"] != true)
        },
    },
];

/// A model that makes two calls, then one, and answers; the last request says that no other is left.
fn conversation(body: &Value) -> Reply {
    if body["stream"] != true {
        return answered(body);
    }
    let turn = messages(body).iter().filter(|one| role(one) == "tool").count();
    let mut frames = match turn {
        0 => {
            let mut frames = vec![delta(&json!({"reasoning_content": "I look."}))];
            frames.extend(call(0, Some("x"), "read_file", &json!({"path": "notes.txt"})));
            frames.extend(call(1, Some("y"), "list_dir", &json!({})));
            frames
        }
        2 => call(
            0,
            Some("z"),
            "read_file",
            &json!({"path": "notes.txt", "from_line": 1}),
        ),
        _ => return answered(body),
    };
    frames.extend(end("tool_calls"));
    Reply::Stream(frames)
}

fn answered(body: &Value) -> Reply {
    if body["stream"] == true {
        return answer_in_words("Done.");
    }
    let text = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}]}"#;
    Reply::Status(200, "Content-Type: application/json\r\n", text)
}

fn limits(world: &World) -> String {
    world.aside("limits.toml", "[limits]\nturns = 4\n")
}

fn learned_in(journal: &str) -> Vec<String> {
    let lines = journal.lines().filter(|line| line.contains("run.quirk_learned"));
    let name = |line: &str| -> String {
        let value: Value = serde_json::from_str(line).unwrap();
        value["body"]["quirk"].as_str().unwrap().to_owned()
    };
    lines.map(name).collect()
}

#[test]
fn each_rule_is_learned_once_and_kept_and_nothing_refused_is_sent_again() {
    for rule in RULES {
        let name = rule.learned.join(", ");
        let world = World::new();
        world.file("notes.txt", "alpha\n");
        let (status, body) = rule.refusal;
        let refuses = rule.refuses;
        let server = Server::answering(move |_, asked| {
            if refuses(asked) {
                Reply::Status(status, "", body)
            } else {
                conversation(asked)
            }
        });
        let config = limits(&world);
        let output = finish(asking(
            &world,
            &server,
            &["--policy", "auto", "--config", &config],
        ));
        let output = output.ends(0);
        assert_eq!(output.out, "Done.\n", "{name}");
        let seen = server.seen();
        let refused: Vec<usize> = (0..seen.len()).filter(|at| refuses(&seen[*at].json())).collect();
        assert_eq!(refused.len(), rule.learned.len(), "{name}: {refused:?}");
        let bodies: BTreeSet<&String> = seen.iter().map(|one| &one.body).collect();
        assert_eq!(bodies.len(), seen.len(), "{name}: equal bytes were sent twice");
        assert_eq!(learned_in(&world.journal(&world.id())), rule.learned, "{name}");
        let state = world.state(&world.id());
        let broken = state.turns.values().any(|turn| turn.asked > 1);
        assert!(!broken, "{name}: nothing was asked again for it");
    }
}

#[test]
fn a_rule_that_was_learned_holds_after_a_resume_and_for_the_same_server_only() {
    let rule = &RULES[0];
    let (world, refuses) = (World::new(), rule.refuses);
    let strict = || {
        let (status, body) = rule.refusal;
        Server::answering(move |number, asked| {
            if refuses(asked) {
                Reply::Status(status, "", body)
            } else if number == 2 {
                Reply::Status(401, "", "{\"error\":{\"message\":\"expired\"}}")
            } else {
                answer_in_words("Done.")
            }
        })
    };
    let server = strict();
    finish(asking(&world, &server, &[])).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let again = |more: &[&str]| {
        let mut args = vec!["ask-again", &id, &turn, "--resume"];
        args.extend(more);
        let mut command = world.command(&args);
        command.env("NO_PROXY", "127.0.0.1");
        command
    };
    finish(again(&[])).ends(0);
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert!(!refuses(&seen[2].json()), "it is known from the record");

    // Another server is asked in the ordinary form.
    let world = World::new();
    let (first, second) = (strict(), Server::new(vec![answer_in_words("There.")]));
    finish(asking(&world, &first, &[])).ends(6);
    let id = world.id();
    let turn = world.state(&id).turns.keys().last().unwrap().0.to_string();
    let mut command = world.command(&["ask-again", &id, &turn, "--resume", "--base-url", &second.base]);
    command.env("NO_PROXY", "127.0.0.1");
    finish(command).ends(0);
    assert!(
        refuses(&second.seen()[0].json()),
        "what one server wants says nothing of another"
    );
}

#[test]
fn the_limit_of_a_reply_gets_the_name_that_the_server_wants() {
    let world = World::new();
    let words = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let server = Server::answering(move |_, asked| {
        if asked["max_tokens"].is_null() {
            answer_in_words("Done.")
        } else {
            Reply::Status(400, "", words)
        }
    });
    let config = world.aside("limit.toml", "max_output_tokens = 500\n");
    finish(asking(&world, &server, &["--config", &config])).ends(0);
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].json()["max_tokens"], 500);
    assert_eq!(seen[1].json()["max_completion_tokens"], 500);
    assert_eq!(learned_in(&world.journal(&world.id())), ["completion_tokens"]);
}

#[test]
fn a_server_that_refuses_everything_is_asked_in_a_few_forms_and_told() {
    let world = World::new();
    let words = r#"{"error":{"message":"roles must alternate; reasoning_content is missing; content must be a string; 'system' role is not supported, stream_options and stream are unsupported; a tool role may not follow a user role; last message must be user"}}"#;
    let server = Server::answering(move |_, _| Reply::Status(400, "", words));
    let output = finish(asking(&world, &server, &[])).ends(6);
    assert!(output.err.contains("roles must alternate"), "{}", output.err);
    let seen = server.seen();
    assert!((2..=5).contains(&seen.len()), "{} requests", seen.len());
    let bodies: BTreeSet<&String> = seen.iter().map(|one| &one.body).collect();
    assert_eq!(bodies.len(), seen.len());
}

#[test]
fn a_rule_that_is_told_inside_of_an_answer_is_learned_too() {
    let world = World::new();
    let refused =
        "data: {\"error\":{\"message\":\"property 'stream_options' is unsupported\",\"code\":400}}\n\n";
    let server = Server::answering(move |_, asked| {
        if asked["stream_options"].is_null() {
            answer_in_words("Done.")
        } else {
            Reply::Stream(vec![refused.to_owned()])
        }
    });
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Done.\n");
    assert_eq!(server.seen().len(), 2);

    // After the first words of a reply it is an error.
    let world = World::new();
    let server = Server::answering(move |_, _| {
        Reply::Stream(vec![delta(&json!({"content": "So "})), refused.to_owned()])
    });
    finish(asking(&world, &server, &[])).ends(6);
    assert_eq!(server.seen().len(), 1);
}
