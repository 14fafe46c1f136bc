//! Tests of replies without an answer, and of odd replies with one.
//!
//! Must not know: how a stream is decoded.
//!
//! Replies without an answer: calls written as text, calls in another choice, an odd end, faults
//! with a reason.

use serde_json::{Value, json};

use crate::wire::asking;
use crate::wire::server::{Reply, Server, answer_in_words, call, delta, end, text};
use crate::wire::world::{World, finish};

fn frame(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn words(all: &str) -> Vec<String> {
    all.split_inclusive(' ').map(text).collect()
}

fn ended(mut frames: Vec<String>, reason: &str) -> Vec<String> {
    frames.extend(end(reason));
    frames
}

#[test]
fn a_call_in_any_form_or_half_of_one_is_no_answer_and_nothing_runs() {
    let other_choice = {
        let made = json!({"index": 0, "id": "x", "function": {"name": "list_dir", "arguments": "{}"}});
        let frames = vec![
            text("I look."),
            frame(
                &json!({"choices": [{"index": 1, "delta": {"tool_calls": [made]}, "finish_reason": "tool_calls"}]}),
            ),
        ];
        ended(frames, "stop")
    };
    let half = {
        let mut frames = vec![text("I look.")];
        frames.extend(call(0, Some("x"), "read_file", &json!({"path": "notes.txt"})));
        frames.truncate(3);
        frames
    };
    for (frames, reported) in [
        (
            ended(
                words("<tool_call>\n{\"name\": \"read_file\", \"arguments\": {}}\n</tool_call>"),
                "stop",
            ),
            "unusable call",
        ),
        (
            ended(words("Look: <function=read_file>{\"path\": \"a\"}"), "stop"),
            "unusable call",
        ),
        (
            ended(
                words("```json\n{\"name\": \"list_dir\", \"arguments\": {}}\n```"),
                "stop",
            ),
            "unusable call",
        ),
        (
            ended(words("{\"name\": \"list_dir\", \"parameters\": {}}"), "stop"),
            "unusable call",
        ),
        (ended(words("I look.\n<tool_call>"), "stop"), "unusable call"),
        (other_choice, "another choice"),
        (ended(words("I look."), "tool_calls"), "sent no call"),
        (
            ended(words("I look."), "MALFORMED_FUNCTION_CALL"),
            "no proper call",
        ),
        (ended(words("I look."), "pause_turn"), "pause"),
        (ended(words("I look."), "length"), "token limit"),
        (ended(words("I look."), "content_filter"), "content filter"),
        (ended(half, "length"), "token limit"),
    ] {
        let world = World::new();
        let server = Server::new(vec![Reply::Stream(frames)]);
        let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(6);
        assert_eq!(output.out, "", "{reported}");
        assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
        assert!(output.err.contains("overrule ask-again"), "{}", output.err);
        assert_eq!(
            server.seen().len(),
            1,
            "{reported}: it is not asked again by itself"
        );
        let state = world.state(&world.id());
        assert!(state.ledger.values().next().is_none(), "{reported}: nothing ran");
        // A repeated request is answered.
        let id = world.id();
        let turn = state.turns.keys().last().unwrap().0.to_string();
        let next = Server::new(vec![answer_in_words("Done.")]);
        let mut command = world.command(&["ask-again", &id, &turn, "--resume", "--base-url", &next.base]);
        command.env("NO_PROXY", "127.0.0.1");
        assert_eq!(finish(command).ends(0).out, "Done.\n", "{reported}");
    }
}

#[test]
fn an_answer_that_shows_a_call_as_an_example_is_an_answer() {
    let world = World::new();
    let server = Server::new(vec![answer_in_words(
        "Models write `<tool_call>` before {\"name\": \"x\"}.",
    )]);
    finish(asking(&world, &server, &[])).ends(0);
}

#[test]
fn reasoning_between_marks_is_neither_the_answer_nor_sent_back() {
    for (first, second) in [
        (
            &["<think>first the pl", "an</thi", "nk>\n\nI look."][..],
            &["<think>now I know</think>\n\nIt says alpha."][..],
        ),
        (
            &["first the plan</thi", "nk>\n\nI look."],
            &["now I know\n</think>\n\nIt says alpha."],
        ),
    ] {
        let world = World::new();
        world.file("notes.txt", "alpha\n");
        let mut frames: Vec<String> = first.iter().map(|piece| text(piece)).collect();
        frames.extend(call(0, Some("x"), "read_file", &json!({"path": "notes.txt"})));
        let second: Vec<String> = second.iter().map(|piece| text(piece)).collect();
        let server = Server::new(vec![
            Reply::Stream(ended(frames, "tool_calls")),
            Reply::Stream(ended(second, "stop")),
        ]);
        let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
        assert_eq!(output.out, "It says alpha.\n");
        let back = server.seen()[1].messages();
        let made = back.iter().find(|one| one["role"] == "assistant").unwrap();
        assert_eq!(made["content"], "I look.");
        let journal = world.journal(&world.id());
        assert!(journal.contains("first the plan"), "it is kept as reasoning");
    }
}

#[test]
fn two_calls_with_one_id_are_two_and_empty_arguments_are_none() {
    let made = |path: &str| json!({"id": "call_0", "function": {"name": "read_file", "arguments": json!({"path": path}).to_string()}});
    let none = |args: Value| json!({"id": "call_0", "function": {"name": "list_dir", "arguments": args}});
    for calls in [
        vec![made("a.txt"), made("b.txt")],
        vec![none(json!("null")), none(json!(null))],
        vec![none(json!("")), none(json!("{}"))],
        vec![
            none(json!("\"\"")),
            json!({"id": "call_0", "function": {"name": "list_dir"}}),
        ],
        vec![none(json!({})), none(json!({}))],
    ] {
        let world = World::new();
        world.file("a.txt", "alpha\n");
        world.file("b.txt", "beta\n");
        let frames = vec![delta(&json!({"tool_calls": calls}))];
        let server = Server::new(vec![
            Reply::Stream(ended(frames, "tool_calls")),
            answer_in_words("Done."),
        ]);
        finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
        let seen = server.seen();
        assert_eq!(seen.len(), 2, "{calls:?}: no repair was asked for");
        let results: Vec<String> = seen[1]
            .messages()
            .iter()
            .filter(|one| one["role"] == "tool")
            .map(|one| one["content"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(results.len(), 2, "{calls:?}");
        assert!(results.iter().all(|one| !one.contains("error")), "{results:?}");
    }
}

#[test]
fn what_the_server_sends_beside_the_reply_loses_nothing_and_is_not_noise() {
    let frames = vec![
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Done\"},\"logprobs\":{\"content\":[{\"logprob\":NaN}]}}]}\n\n".to_owned(),
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\".\"}}],\"timings\":{\"prompt_ms\":-Infinity},\"obfuscation\":\"x\"}\n\n".to_owned(),
        "data: {\"prompt_filter_results\":[{\"prompt_index\":0}]}\n\n".to_owned(),
        "data: [DONE]\n\n".to_owned(),
    ];
    let world = World::new();
    let server = Server::new(vec![Reply::Stream(frames)]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Done.\n");
    assert!(!output.err.contains("unknown"), "{}", output.err);
}

#[test]
fn token_counts_inside_of_a_choice_are_counted() {
    let world = World::new();
    world.file("notes.txt", "alpha\n");
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls",
        "usage": {"prompt_tokens": 50_000, "completion_tokens": 1_000, "cached_tokens": 40_000}}]});
    let turn = |path: &str| {
        let mut frames = call(0, Some("x"), "read_file", &json!({"path": path}));
        frames.push(frame(&last));
        frames.push("data: [DONE]\n\n".to_owned());
        Reply::Stream(frames)
    };
    let server = Server::new(vec![
        turn("notes.txt"),
        turn("./notes.txt"),
        answer_in_words("Too late."),
    ]);
    let config = world.aside("limits.toml", "[limits]\ntokens = 100000\n");
    finish(asking(
        &world,
        &server,
        &["--policy", "auto", "--config", &config],
    ))
    .ends(5);
    assert_eq!(server.seen().len(), 2);
    let usage = world.state(&world.id()).tally.usage;
    assert_eq!((usage.input, usage.cached), (Some(100_000), Some(80_000)));
}

#[test]
fn a_used_up_quota_is_told_at_once_and_an_overload_is_asked_again() {
    let world = World::new();
    let quota = r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    for status in [429, 403] {
        let world = World::new();
        let server = Server::new(vec![Reply::Status(status, "", quota), answer_in_words("No.")]);
        let output = finish(asking(&world, &server, &[])).ends(6);
        assert!(output.err.contains("quota used up"), "{}", output.err);
        assert_eq!(server.seen().len(), 1);
    }
    let busy = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let server = Server::new(vec![
        Reply::Status(529, "", busy),
        Reply::Status(503, "", ""),
        answer_in_words("Done."),
    ]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Done.\n");
    assert!(output.err.contains("overloaded"), "{}", output.err);
}

#[test]
fn the_reason_below_the_reason_is_told_with_the_providers_name() {
    let world = World::new();
    let body = r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"at most 1 \u001b[31mimage\"}}","provider_name":"Example"}}}"#;
    let server = Server::new(vec![Reply::Status(400, "", body)]);
    let output = finish(asking(&world, &server, &[])).ends(6);
    assert!(output.err.contains("at most 1"), "{}", output.err);
    assert!(output.err.contains("provider Example"), "{}", output.err);
    assert!(!output.err.contains('\u{1b}'), "{:?}", output.err);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_pause_of_messages_in_work_of_the_provider_is_continued_with_the_same_message() {
    let world = World::new();
    let event = |data: &Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let block = |index: u32, block: Value, delta: Value| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": block}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let message = |blocks: Vec<[Value; 3]>, reason: &str| {
        let message = json!({"id": "m", "type": "message", "role": "assistant", "content": [], "model": "test",
            "usage": {"input_tokens": 10, "output_tokens": 1}});
        let mut all = vec![json!({"type": "message_start", "message": message})];
        all.extend(blocks.into_iter().flatten());
        all.push(
            json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}),
        );
        all.push(json!({"type": "message_stop"}));
        Reply::Stream(all.iter().map(event).collect())
    };
    let spoken = |index, words: &str| {
        let empty = json!({"type": "text", "text": ""});
        block(index, empty, json!({"type": "text_delta", "text": words}))
    };
    let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let query = json!({"type": "input_json_delta", "partial_json": "{\"query\": \"x\"}"});
    let server = Server::new(vec![
        message(
            vec![spoken(0, "I search."), block(1, search, query)],
            "pause_turn",
        ),
        message(vec![spoken(0, "Found.")], "end_turn"),
    ]);
    let output = finish(asking(&world, &server, &["--wire", "anthropic"])).ends(0);
    assert_eq!(output.out, "Found.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    let body: Value = serde_json::from_str(&seen[1].body).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["role"], "assistant");
    assert_eq!(last["content"][0]["text"], "I search.");
    assert_eq!(last["content"][1]["type"], "server_tool_use");
    assert!(
        seen[1].body.contains("{\"query\": \"x\"}"),
        "byte for byte: {}",
        seen[1].body
    );
    assert!(!seen[1].body.contains("Continue."), "{}", seen[1].body);
}
