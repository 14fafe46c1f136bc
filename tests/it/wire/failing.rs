//! Tests of failing servers: what is retried, what is reported, how the run ends.
//!
//! Must not know: what the run was about.

#![expect(
    clippy::disallowed_methods,
    reason = "a server that wants a pause has to get one"
)]

use std::time::{Duration, Instant};

use serde_json::json;

use crate::wire::asking;
use crate::wire::course::{answer, first, flags, second};
use crate::wire::formats::{Asked, FORMATS, Part};
use crate::wire::server::{Reply, Server, answer_in_words, call, calls, delta, end, open, text};
use crate::wire::world::{World, finish};

/// Writes settings with the time for which a model is waited for, and returns their path.
fn waits(world: &World, wait: &str, others: &str) -> String {
    world.aside(
        "waits.toml",
        &format!("{others}[resilience.model]\nwait = \"{wait}\"\n"),
    )
}

#[test]
fn a_server_that_asks_for_a_pause_gets_it() {
    let world = World::new();
    let server = Server::new(vec![
        Reply::Status(
            429,
            "Retry-After: 1\r\n",
            "{\"error\":{\"message\":\"slow down\"}}",
        ),
        answer_in_words("Now."),
    ]);
    let began = Instant::now();
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(output.out, "Now.\n");
    assert!(output.err.contains("rate limit"), "{}", output.err);
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let world = World::new();
    let problem = || Reply::Status(500, "", "oops");
    let server = Server::new(vec![problem(), problem(), problem(), answer_in_words("Back.")]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Back.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 4);
    assert!(
        seen.iter().all(|one| one.body == seen[0].body),
        "the same request each time"
    );
}

#[test]
fn a_server_that_stays_in_trouble_is_not_asked_for_ever() {
    let world = World::new();
    let server = Server::new(Vec::new());
    let config = waits(&world, "1500ms", "");
    let output = finish(asking(&world, &server, &["--config", &config])).ends(6);
    assert_eq!(output.out, "");
    for reported in ["server error", "is asked again in", "overrule ask-again"] {
        assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
    }
    assert_eq!(
        server.seen().len(),
        3,
        "after about 1 s, and at the end of the time"
    );
}

#[test]
fn nobody_there_is_told_with_what_to_do() {
    let world = World::new();
    // A port that was just free.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let config = waits(&world, "1s", "");
    let run = ["run", "--headless", "--model", "test", "--base-url", &base];
    let mut command = world.command(&[&run[..], &["--config", &config, "x"]].concat());
    command.env("NO_PROXY", "127.0.0.1");
    let output = finish(command).ends(6);
    for reported in ["network error", "127.0.0.1", "overrule ask-again"] {
        assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
    }
    // The prompt is kept: nothing has to be typed again.
    assert!(world.journal(&world.id()).contains("turn.prompted"));
}

#[test]
fn a_stream_that_is_cut_in_a_call_is_asked_for_again() {
    let world = World::new();
    let mut begun = vec![text("I log.")];
    begun.extend(call(
        0,
        Some("x"),
        "shell",
        &json!({"command": "echo once >> log.txt"}),
    ));
    begun.pop();
    let mut whole = vec![text("I log.")];
    whole.extend(call(
        0,
        Some("x"),
        "shell",
        &json!({"command": "echo once >> log.txt"}),
    ));
    whole.extend(end("tool_calls"));
    let server = Server::new(vec![
        Reply::Cut(begun),
        Reply::Stream(whole),
        answer_in_words("Logged."),
    ]);
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(output.out, "Logged.\n");
    assert_eq!(world.read("log.txt"), "once\n", "half a call never ran");
    let state = world.state(&world.id());
    assert_eq!(state.calls.len(), 1);
}

#[test]
fn a_stream_that_is_cut_after_a_call_goes_on_with_its_result() {
    let world = World::new();
    let mut begun = vec![text("I log.")];
    begun.extend(call(
        0,
        Some("x"),
        "shell",
        &json!({"command": "echo once >> log.txt"}),
    ));
    // The next call begins, so that the first is known to be whole.
    begun.push(
        call(
            1,
            Some("y"),
            "shell",
            &json!({"command": "echo twice >> log.txt"}),
        )
        .remove(0),
    );
    let server = Server::new(vec![Reply::Cut(begun), answer_in_words("Went on.")]);
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(output.out, "Went on.\n");
    assert_eq!(world.read("log.txt"), "once\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    let results = seen[1]
        .messages()
        .iter()
        .filter(|one| one["role"] == "tool")
        .count();
    assert_eq!(results, 1);
}

#[test]
fn what_is_no_stream_at_all_is_told_and_not_tried_again() {
    for (reply, words) in [
        (
            Reply::Status(
                200,
                "Content-Type: text/html\r\n",
                "<html>Welcome to the café</html>",
            ),
            "unreadable answer",
        ),
        (
            Reply::Status(
                200,
                "Content-Type: text/event-stream\r\n",
                "data: {\"choices\": [oops\n\n",
            ),
            "unreadable answer",
        ),
        (
            Reply::Status(401, "", "{\"error\":{\"message\":\"bad key sk-canary-111\"}}"),
            "not authorised",
        ),
        (
            Reply::Status(404, "", "{\"error\":{\"message\":\"no such model\"}}"),
            "request refused",
        ),
        (
            Reply::Status(400, "", "{\"error\":{\"message\":\"bad \\u001b[31mred\"}}"),
            "request refused",
        ),
    ] {
        let world = World::new();
        let server = Server::new(vec![reply]);
        let output = finish(asking(&world, &server, &[])).ends(6);
        assert_eq!(output.out, "");
        assert!(output.err.contains(words), "no `{words}` in {}", output.err);
        assert!(!output.err.contains('\u{1b}'), "{:?}", output.err);
        assert!(!output.err.contains("panicked"), "{}", output.err);
        assert_eq!(server.seen().len(), 1, "{words}");
    }
}

#[test]
fn an_answer_that_ran_into_its_limit_is_no_answer() {
    let world = World::new();
    let mut frames = vec![text("The answer is forty-")];
    frames.extend(end("length"));
    let server = Server::new(vec![Reply::Stream(frames)]);
    let output = finish(asking(&world, &server, &[])).ends(6);
    assert_eq!(output.out, "");
    assert!(output.err.contains("token limit"), "{}", output.err);
}

#[test]
fn an_empty_answer_is_asked_for_once_more() {
    let world = World::new();
    let server = Server::new(vec![Reply::Stream(end("stop")), answer_in_words("Something.")]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "Something.\n");

    let world = World::new();
    let server = Server::new(vec![Reply::Stream(end("stop")), Reply::Stream(end("stop"))]);
    let output = finish(asking(&world, &server, &[])).ends(6);
    assert!(output.err.contains("empty answer"), "{}", output.err);
}

/// A message of this text, with this end, is asked for so often. No call of it runs, and it is no answer.
fn is_no_answer(text: Vec<String>, end: Vec<String>, reported: &str, asked: usize) {
    let world = World::new();
    let frames: Vec<String> = text.into_iter().chain(end).collect();
    let replies = (0..asked).map(|_| Reply::Stream(frames.clone())).collect();
    let server = Server::new(replies);
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(6);
    assert_eq!(output.out, "");
    assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
    assert_eq!(server.seen().len(), asked);
    let state = world.state(&world.id());
    assert_eq!(state.calls.len(), 0, "no call ran");
}

/// A call without its end.
fn begun() -> Vec<String> {
    let mut frames = call(0, Some("x"), "list_dir", &json!({}));
    frames.truncate(1);
    frames
}

#[test]
fn a_filtered_message_runs_no_call_and_is_no_answer() {
    is_no_answer(begun(), end("content_filter"), "content filter", 1);
}

#[test]
fn a_message_that_ends_without_a_reason_runs_no_call_and_is_no_answer() {
    let mark = vec!["data: [DONE]\n\n".to_owned()];
    is_no_answer(begun(), mark, "without saying why", 5);
}

#[test]
fn a_message_that_ends_in_an_error_is_no_answer() {
    let error =
        "error: {\"code\":400,\"message\":\"the context is full\",\"type\":\"invalid_request_error\"}\n\n";
    let llama = vec![error.to_owned(), "data: [DONE]\n\n".to_owned()];
    is_no_answer(vec![text("half of")], llama, "the context is full", 1);
}

#[test]
fn an_aborted_message_is_no_answer() {
    let began = Instant::now();
    is_no_answer(vec![text("half of")], end("abort"), "`abort`", 5);
    // The breaker is open now, and nothing waits for it.
    assert!(began.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_message_that_ends_for_an_unknown_reason_is_no_answer() {
    is_no_answer(vec![text("half of")], end("because"), "`because`", 1);
}

#[test]
fn an_end_mark_is_an_end_also_without_a_reason() {
    let world = World::new();
    let frames = vec![text("All of it."), "data: [DONE]\n\n".to_owned()];
    let server = Server::new(vec![Reply::Stream(frames)]);
    let output = finish(asking(&world, &server, &[])).ends(0);
    assert_eq!(output.out, "All of it.\n");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_wait_that_nobody_sits_through_is_left_to_the_operator() {
    let world = World::new();
    let server = Server::new(vec![
        Reply::Status(
            429,
            "Retry-After: 7200\r\n",
            "{\"error\":{\"message\":\"daily limit\"}}",
        ),
        answer_in_words("Too soon."),
    ]);
    let output = finish(asking(&world, &server, &[])).ends(6);
    for reported in ["daily limit", "it asks to wait 120 min", "overrule ask-again"] {
        assert!(output.err.contains(reported), "no `{reported}` in {}", output.err);
    }
    assert_eq!(output.out, "");
    assert_eq!(server.seen().len(), 1, "nobody asked again meanwhile");
}

#[test]
fn a_tool_that_the_model_made_up_does_not_end_the_run() {
    let world = World::new();
    let server = Server::new(vec![
        calls("Look.", &[("x", "functions.read file", json!({}))]),
        answer_in_words("Done."),
    ]);
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(output.out, "Done.\n");
    let messages = server.seen()[1].messages();
    let made = messages.iter().find(|one| !one["tool_calls"].is_null()).unwrap();
    assert_eq!(made["tool_calls"][0]["function"]["name"], "functions_read_file");
    let result = messages.iter().find(|one| one["role"] == "tool").unwrap();
    assert!(
        result["content"]
            .as_str()
            .unwrap()
            .contains("functions.read file"),
        "{result}"
    );
}

#[test]
fn a_server_with_habits_of_its_own_gets_what_it_wants_from_then_on() {
    let refuse = |status, body| Reply::Status(status, "", body);
    let mut thinks = vec![delta(&json!({"reasoning_content": "I look."}))];
    thinks.extend(call(0, Some("x"), "list_dir", &json!({"path": "."})));
    thinks.extend(end("tool_calls"));
    let world = World::new();
    let server = Server::new(vec![
        refuse(
            422,
            "{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"stream_options\"]}]}",
        ),
        Reply::Stream(thinks),
        refuse(
            400,
            "{\"message\":\"Tool call id was x_c1 but must be a-z, A-Z, 0-9, with a length of 9.\"}",
        ),
        refuse(
            400,
            "{\"error\":{\"message\":\"The `reasoning_content` must be passed back to the API.\"}}",
        ),
        answer_in_words("Done."),
    ]);
    let output = finish(asking(&world, &server, &["--policy", "auto"])).ends(0);
    assert_eq!(output.out, "Done.\n");
    let seen = server.seen();
    assert_eq!(seen.len(), 5);
    let options: Vec<bool> = seen
        .iter()
        .map(|one| one.body.contains("stream_options"))
        .collect();
    assert_eq!(options, [true, false, false, false, false]);
    let made = |number: usize| {
        let messages = seen[number].messages();
        messages
            .into_iter()
            .find(|one| !one["tool_calls"].is_null())
            .unwrap()
    };
    let id = |number: usize| made(number)["tool_calls"][0]["id"].as_str().unwrap().to_owned();
    assert!(id(2).starts_with("x_c"), "{}", id(2));
    assert_eq!((id(3).len(), id(3) == id(4)), (9, true));
    let back: Vec<bool> = (2..5)
        .map(|number| made(number)["reasoning_content"] == "I look.")
        .collect();
    assert_eq!(back, [false, false, true]);
    let result = seen[4]
        .messages()
        .into_iter()
        .find(|one| one["role"] == "tool")
        .unwrap();
    assert_eq!(result["tool_call_id"], id(4).as_str());

    // A request that is refused all the same is reported.
    let world = World::new();
    let no = "{\"detail\":\"stream_options is not known here\"}";
    let server = Server::new(vec![refuse(400, no), refuse(400, no)]);
    let output = finish(asking(&world, &server, &[])).ends(6);
    assert!(
        output.err.contains("stream_options is not known here"),
        "{}",
        output.err
    );
    assert_eq!(server.seen().len(), 2);
}

#[test]
fn what_passes_is_asked_again_in_every_format_with_the_same_bytes() {
    for format in FORMATS {
        let world = World::new();
        let begun = (format.frames)(&[Part::Text("I look around.")], 0);
        let busy =
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
        let server = Server::new(vec![
            Reply::Status(
                429,
                "retry-after-ms: 1\r\n",
                "{\"error\":{\"message\":\"slow down\"}}",
            ),
            Reply::Status(529, "retry-after-ms: 1\r\n", busy),
            Reply::Cut(begun.into_iter().take(1).collect()),
            format.message(&first()),
            format.message(&second()),
            answer(format, "All is done."),
        ]);
        let output = finish(asking(&world, &server, &flags(format, &["--policy", "auto"]))).ends(0);
        assert_eq!(output.out, "All is done.\n", "{}", format.name);
        let seen = server.seen();
        assert_eq!(seen.len(), 6, "{}", format.name);
        for again in &seen[1..4] {
            assert_eq!(again.body, seen[0].body, "{}", format.name);
        }
        format.all(&seen).iter().for_each(Asked::coherent);
        assert_eq!(world.read("log.txt"), "start\nfinish\n", "each call ran once");
    }
}

#[test]
fn a_used_up_quota_is_told_in_every_format_and_not_asked_again() {
    const USED_UP: &str = "{\"error\":{\"message\":\"You exceeded your current quota, please check your plan and billing details.\",\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}";
    for format in FORMATS {
        let world = World::new();
        let replies = vec![Reply::Status(429, "", USED_UP), answer(format, "Never.")];
        let server = Server::new(replies);
        let output = finish(asking(&world, &server, &flags(format, &[]))).ends(6);
        assert_eq!(output.out, "", "{}", format.name);
        for words in ["quota used up", "check your plan"] {
            assert!(output.err.contains(words), "{}: {}", format.name, output.err);
        }
        assert_eq!(server.seen().len(), 1, "{}", format.name);
    }
}

/// How long a model may send nothing is a setting.
#[test]
fn a_model_that_sends_nothing_is_told_and_given_up_after_the_times_of_the_settings() {
    let world = World::new();
    let (replies, _rests): (Vec<Reply>, Vec<_>) = (0..5).map(|_| open(vec![text("I look")])).unzip();
    let server = Server::new(replies);
    let quick = "[stream]\nnotice = \"100ms\"\ntimeout = \"300ms\"\n";
    let config = waits(&world, "1500ms", quick);
    let output = finish(asking(&world, &server, &["--config", &config])).ends(6);
    for words in ["no data from the model for ", "said nothing for 0.3 s"] {
        assert!(output.err.contains(words), "no `{words}` in {}", output.err);
    }
    assert_eq!(output.out, "");
    let asked = server.seen().len();
    assert!((2..=3).contains(&asked), "{asked}: silence is part of the time");
}
