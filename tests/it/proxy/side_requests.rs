//! Tests of requests without tools: they pass, and the run says that they did.
//!
//! Must not know: how a run shows them.

use overrule::domain::turn::Usage;
use overrule::policy::Preset;
use serde_json::json;
use tokio::task::JoinHandle;

use crate::proxy::agent::{Agent, client};
use crate::proxy::beside::{asks, base, finished, reply, run};
use crate::proxy::course::{bash, streamed, whole};
use crate::proxy::live::Live;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, reject};

const WIRE: &str = "anthropic";
const HEADER: &str = "x-claude-code-session-id";
const JSON: &str = "Content-Type: application/json\r\n";
const TITLE: &str = r#"{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"A title"}],"stop_reason":"end_turn","usage":{"input_tokens":12,"output_tokens":3}}"#;

/// The same as a stream.
fn titled() -> Reply {
    let events = [
        (
            "message_start",
            r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":20,"output_tokens":1}}}"#,
        ),
        (
            "message_delta",
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
        ),
        ("message_stop", r#"{"type":"message_stop"}"#),
    ];
    let frame = |(name, data): (&str, &str)| format!("event: {name}\ndata: {data}\n\n");
    Reply::Stream(events.map(frame).to_vec())
}

/// Sends a request without tools; returns the bytes of its reply.
async fn asked_beside(stage: &Stage, name: &str, streams: bool, words: &str) -> String {
    let body = serde_json::json!({"model": "m", "stream": streams, "system": "Write a title.",
        "messages": [{"role": "user", "content": words}]});
    let request = client()
        .post(format!("{}/v1/messages", stage.base))
        .header("authorization", "Bearer canary-5c1f")
        .header(HEADER, name)
        .body(body.to_string());
    request.send().await.unwrap().text().await.unwrap()
}

/// Waits until a run knows so many, and returns their tokens.
async fn known(live: &mut Live, count: u32) -> Usage {
    live.settles("it is recorded", |state| state.origin.agent.side.count == count)
        .await;
    live.state.origin.agent.side.usage
}

#[tokio::test]
async fn a_request_without_tools_is_recorded_in_its_conversation_with_its_tokens_and_in_no_limit() {
    let model = Server::new(vec![
        Reply::Status(200, JSON, TITLE),
        streamed(WIRE, "One.", &[]),
        titled(),
        streamed(WIRE, "Two.", &[]),
        Reply::Status(200, JSON, TITLE),
        Reply::Status(200, JSON, TITLE),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    // Before the first conversation.
    let early = asked_beside(&stage, "s1", false, "canary-5c1f and a task").await;
    assert_eq!(early, TITLE, "it passes as it is");
    let mut agent = Agent::new(WIRE, &stage.base).with_header(HEADER, "s1");
    agent.say("one");
    let asking = asks(&agent);
    let mut first = run(&mut stage, Preset::Auto).await;
    assert_eq!(reply(WIRE, asking).await.text, "One.");
    first.settles("finished", finished).await;
    let usage = known(&mut first, 1).await;
    assert_eq!((usage.input, usage.output), (Some(12), Some(3)));
    let (requests, counted) = (first.state.tally.requests, first.state.tally.usage);

    let passed = asked_beside(&stage, "s1", true, "another title").await;
    assert!(passed.contains("message_stop"), "{passed}");
    let usage = known(&mut first, 2).await;
    assert_eq!((usage.input, usage.output), (Some(32), Some(8)));

    let mut other = Agent::new(WIRE, &stage.base).with_header(HEADER, "s2");
    other.say("two");
    let asking = asks(&other);
    let mut second = run(&mut stage, Preset::Auto).await;
    assert_eq!(reply(WIRE, asking).await.text, "Two.");
    second.settles("finished", finished).await;
    asked_beside(&stage, "s2", false, "of the second").await;
    let usage = known(&mut second, 1).await;
    assert_eq!((usage.input, usage.output), (Some(12), Some(3)));
    // That of no known conversation is in the first one.
    asked_beside(&stage, "s3", false, "of nobody").await;
    known(&mut first, 3).await;

    assert_eq!(second.state.origin.agent.side.count, 1);
    assert_eq!(first.state.tally.requests, requests, "no request of the run");
    assert_eq!(first.state.tally.usage, counted, "no limit counts them");
    assert!(first.state.turns.len() <= 2, "no turn");
    first.end().await;
    second.end().await;
}

/// A request with one tool that the model must call.
fn forced(wire: &str, tool: &str, streams: bool) -> (String, serde_json::Value) {
    let schema = json!({"type": "object", "properties": {}});
    let words = json!([{"role": "user", "content": "Is this call safe?"}]);
    match wire {
        "anthropic" => (
            "/v1/messages".into(),
            json!({"model": "m", "stream": streams, "max_tokens": 9, "messages": words,
                "tools": [{"name": tool, "input_schema": schema}], "tool_choice": {"type": "tool", "name": tool}}),
        ),
        "openai-chat" => (
            "/chat/completions".into(),
            json!({"model": "m", "stream": streams, "messages": words, "tool_choice": "required",
                "tools": [{"type": "function", "function": {"name": tool, "parameters": schema}}]}),
        ),
        "openai-responses" => (
            "/responses".into(),
            json!({"model": "m", "stream": streams, "input": words, "tool_choice": {"type": "function", "name": tool},
                "tools": [{"type": "function", "name": tool, "parameters": schema}]}),
        ),
        _ => {
            let method = if streams {
                "streamGenerateContent?alt=sse"
            } else {
                "generateContent"
            };
            (
                format!("/v1beta/models/m:{method}"),
                json!({"contents": [{"role": "user", "parts": [{"text": "Is this call safe?"}]}],
                    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
                    "tools": [{"functionDeclarations": [{"name": tool, "parameters": schema}]}]}),
            )
        }
    }
}

/// Sends it; returns its reply.
fn sends(base: &str, wire: &str, tool: &str, streams: bool) -> JoinHandle<String> {
    let (path, body) = forced(wire, tool, streams);
    // The agent of the conversation says the same.
    let request = client().post(format!("{base}{path}")).body(body.to_string());
    let request = request.header("user-agent", "claude-cli/2.1.332 (external, cli)");
    tokio::spawn(async move { request.send().await.unwrap().text().await.unwrap_or_default() })
}

#[tokio::test]
async fn a_call_of_the_only_tool_that_a_classifier_must_call_passes_and_every_other_one_is_held() {
    for wire in ["anthropic", "openai-chat", "openai-responses", "gemini"] {
        for streams in [true, false] {
            let answer = |calls: &[(&str, &str, serde_json::Value)]| {
                if streams {
                    streamed(wire, "", calls)
                } else {
                    whole(wire, "", calls)
                }
            };
            let model = Server::new(vec![
                streamed(wire, "One.", &[]),
                answer(&[("k1", "classify_result", json!({"safe": true}))]),
                answer(&[
                    ("k2", "classify_result", json!({"safe": true})),
                    ("k3", "bash", bash("rm -r x")),
                ]),
            ]);
            let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
            let mut agent = Agent::new(wire, &stage.base);
            agent.say("one");
            let asking = asks(&agent);
            let mut first = run(&mut stage, Preset::Supervised).await;
            assert_eq!(reply(wire, asking).await.text, "One.");
            first.settles("finished", finished).await;

            let text = sends(&stage.base, wire, "classify_result", streams)
                .await
                .unwrap();
            assert!(text.contains("classify_result"), "{wire} {streams}: {text}");
            known(&mut first, 1).await;

            let asking = sends(&stage.base, wire, "classify_result", streams);
            let mut beside = run(&mut stage, Preset::Supervised).await;
            let call = asked(&mut beside, "bash").await;
            assert!(!asking.is_finished(), "{wire} {streams}: it waits");
            reject(&beside, call, "no").await;
            // Both are decided, as they are one reply.
            let other = asked(&mut beside, "classify_result").await;
            approve(&beside, other).await;
            let text = asking.await.unwrap();
            assert!(!text.contains("rm -r x"), "{wire} {streams}: {text}");
            assert!(text.contains("classify_result"), "{wire} {streams}: {text}");
            assert_eq!(model.seen().len(), 3, "{wire} {streams}: nothing is asked twice");
        }
    }
}

#[tokio::test]
async fn a_forced_tool_that_the_conversation_offers_is_held() {
    let wire = "anthropic";
    let model = Server::new(vec![
        streamed(wire, "One.", &[]),
        streamed(wire, "", &[("k4", "edit", json!({"command": "x"}))]),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(wire, &stage.base);
    agent.say("one");
    let asking = asks(&agent);
    let mut first = run(&mut stage, Preset::Supervised).await;
    assert_eq!(reply(wire, asking).await.text, "One.");
    first.settles("finished", finished).await;
    // An idle conversation takes it.
    let asking = sends(&stage.base, wire, "edit", true);
    let call = asked(&mut first, "edit").await;
    assert!(!asking.is_finished(), "it waits");
    approve(&first, call).await;
    assert!(asking.await.unwrap().contains("edit"));
}

#[tokio::test]
async fn a_forced_tool_of_an_agent_without_a_conversation_is_held() {
    let wire = "anthropic";
    let model = Server::new(vec![streamed(
        wire,
        "",
        &[("k1", "run_it", json!({"what": "rm"}))],
    )]);
    let mut stage = Stage::before(base(&model)).await;
    let asking = sends(&stage.base, wire, "run_it", true);
    let mut live = run(&mut stage, Preset::Supervised).await;
    let call = asked(&mut live, "run_it").await;
    assert!(!asking.is_finished());
    reject(&live, call, "no").await;
    assert!(!asking.await.unwrap().contains("run_it"));
}

#[tokio::test]
async fn a_call_in_the_reply_to_a_request_without_tools_is_held() {
    for streams in [true, false] {
        let calls = [("k1", "Bash", bash("rm -r x"))];
        let model = Server::new(vec![if streams {
            streamed(WIRE, "A title.", &calls)
        } else {
            whole(WIRE, "A title.", &calls)
        }]);
        let mut stage = Stage::before(base(&model)).await;
        let request =
            json!({"model": "m", "stream": streams, "messages": [{"role": "user", "content": "title?"}]});
        let sent = client()
            .post(format!("{}/v1/messages", stage.base))
            .body(request.to_string());
        let asking = tokio::spawn(async move { sent.send().await.unwrap().text().await.unwrap_or_default() });
        let mut live = run(&mut stage, Preset::Supervised).await;
        let call = asked(&mut live, "Bash").await;
        assert!(!asking.is_finished(), "{streams}: it waits");
        approve(&live, call).await;
        let text = asking.await.unwrap();
        assert_eq!(text.matches("A title.").count(), 1, "{streams}: once: {text}");
        assert!(text.contains("rm -r x"), "{streams}: {text}");
        assert_eq!(model.seen().len(), 1, "the model is not asked again");
    }
}

#[tokio::test]
async fn a_count_of_tokens_is_not_recorded_and_a_refused_request_is_without_tokens() {
    let model = Server::new(vec![
        streamed(WIRE, "One.", &[]),
        Reply::Status(200, JSON, "{}"),
        Reply::Status(429, JSON, "{\"error\":\"canary-5c1f\"}"),
    ]);
    let mut stage = Stage::before(base(&model)).await;
    let mut agent = Agent::new(WIRE, &stage.base).with_header(HEADER, "s1");
    agent.say("one");
    let asking = asks(&agent);
    let mut live = run(&mut stage, Preset::Auto).await;
    assert_eq!(reply(WIRE, asking).await.text, "One.");
    live.settles("finished", finished).await;
    let counting = client()
        .post(format!("{}/v1/messages/count_tokens", stage.base))
        .header(HEADER, "s1")
        .body(r#"{"model":"m","messages":[{"role":"user","content":"how long?"}]}"#);
    counting.send().await.unwrap().text().await.unwrap();
    // One that the server refuses was made.
    asked_beside(&stage, "s1", false, "a title").await;
    let usage = known(&mut live, 1).await;
    assert_eq!(usage, Usage::default(), "it says no tokens");
    live.end().await;
}
