//! Tests of replies with a call where none is asked for: to other methods and paths, in refusals, in odd places of a reply.
//!
//! Must not know: how a reply is read.

use overrule::policy::Preset;

use crate::proxy::agent::{Agent, client};
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, asked, reject};

const STORED: &str = r#"{"id":"resp_1","status":"completed","output":[{"type":"function_call","call_id":"c","name":"bash","arguments":"{\"command\":\"rm -r x\"}"}]}"#;
const CHAT: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{\"command\":\"rm -r x\"}"}}]},"finish_reason":"tool_calls"}]}"#;
const STREAM: &str = "event: response.created\ndata: {\"type\":\"response.created\"}\n\nevent: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"name\":\"bash\",\"arguments\":\"rm -r x\"}}\n\n";
const LINES: &str = "{\"custom_id\":\"1\"}\n{\"custom_id\":\"2\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":\"bash\",\"input\":{\"command\":\"rm -r x\"}}]}}\n";
const RUN: &str = r#"{"status":"requires_action","required_action":{"submit_tool_outputs":{"tool_calls":[{"function":{"name":"bash","arguments":"rm -r x"}}]}}}"#;

/// Sends a request; returns its status, and its body as far as it came.
async fn sent(base: &str, method: &'static str, path: &str, body: &'static str) -> (u16, String) {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let request = client().request(method, format!("{base}{path}")).body(body);
    let mut response = request.send().await.unwrap();
    let mut bytes = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        bytes.extend_from_slice(&piece);
    }
    (response.status().as_u16(), String::from_utf8(bytes).unwrap())
}

#[tokio::test]
async fn a_call_in_a_reply_that_no_run_reads_does_not_reach_the_agent() {
    for (method, path, body, status, reply) in [
        ("GET", "/v1/responses/resp_1", "", 200, STORED),
        ("GET", "/v1/responses/resp_1?stream=true", "", 200, STREAM),
        ("GET", "/v1/chat/completions/c", "", 200, CHAT),
        ("GET", "/v1/messages/batches/b/results", "", 200, LINES),
        ("GET", "/v1/threads/t/runs/r", "", 200, RUN),
        ("GET", "/v1/models", "", 200, CHAT),
        ("OPTIONS", "/v1/chat/completions", "", 200, CHAT),
        ("PUT", "/v1/messages", r#"{"messages":[]}"#, 200, LINES),
        ("POST", "/v1/threads/t/runs", r#"{"assistant_id":"a"}"#, 200, RUN),
        ("POST", "/v1/completions", r#"{"prompt":"x"}"#, 200, CHAT),
        ("POST", "/v1/responses/resp_1/cancel", "", 200, STORED),
        (
            "POST",
            "/v1/messages/count_tokens",
            r#"{"messages":[]}"#,
            200,
            LINES,
        ),
        ("POST", "/v1/chat/completions", r#"{"messages":[]}"#, 400, CHAT),
        ("GET", "/v1/responses/resp_1", "", 500, STORED),
    ] {
        let model = Server::new(vec![Reply::Status(status, "", reply)]);
        let stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let (_, got) = sent(&stage.base, method, path, body).await;
        assert!(!got.contains("rm -r"), "{method} {path}: {got}");
        assert_eq!(model.seen().len(), 1, "{method} {path}");
        let alarms = stage.alarms.all();
        let words = alarms.first().map_or("", |alarm| &alarm.words);
        assert!(
            words.contains("its reply has a call"),
            "{method} {path}: {words:?}"
        );
    }
}

#[tokio::test]
async fn a_redirection_past_the_proxy_is_refused() {
    let head = "Location: http://127.0.0.1:9/v1/chat/completions\r\n";
    let model = Server::new(vec![
        Reply::Status(307, head, ""),
        Reply::Status(302, head, ""),
        Reply::Status(308, head, ""),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    for (method, path, body) in [
        ("GET", "/v1/models", ""),
        ("POST", "/v1/chat/completions", r#"{"messages":[]}"#),
    ] {
        let (status, got) = sent(&stage.base, method, path, body).await;
        assert!(
            status == 502 && got.contains("--upstream"),
            "{path}: {status} {got}"
        );
    }
    let mut agent = Agent::new("openai-chat", &stage.base);
    agent.say("go");
    let asking = tokio::spawn(async move { agent.ask().await });
    let live = stage.run(Preset::Auto).await;
    let (status, got) = asking.await.unwrap();
    let got = String::from_utf8(got).unwrap();
    assert!(status == 502 && got.contains("--upstream"), "{status} {got}");
    live.end().await;
}

#[tokio::test]
async fn what_has_no_call_passes_byte_for_byte_and_so_does_a_history() {
    let models = r#"{"data":[ {"id":"m","supports":{"tool_calls":true}} ]}"#;
    let refusal = r#"{"error":{"message":"a message with 'tool_calls' needs results","type":"x"}}"#;
    let events = ": hello\n\ndata: {\"status\":\"pulling\"}\n\ndata: [DONE]\n\n";
    let history = r#"{"data":[{"type":"function_call","name":"bash","arguments":"{}"}]}"#;
    for (path, status, reply) in [
        ("/v1/models", 200, models),
        ("/v1/x", 400, refusal),
        ("/api/pull", 200, events),
        ("/v1/files/f/content", 200, "plain words: tool_use {"),
        ("/v1/x", 204, ""),
        ("/v1/responses/resp_1/input_items", 200, history),
        ("/v1/conversations/c/items?limit=9", 200, history),
    ] {
        let model = Server::new(vec![Reply::Status(status, "X-Own: 1\r\n", reply)]);
        let stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        assert_eq!(
            sent(&stage.base, "GET", path, "").await,
            (status, reply.to_owned()),
            "{path}"
        );
        assert!(stage.alarms.all().is_empty(), "{path}");
    }
}

#[tokio::test]
async fn a_call_in_an_odd_place_of_a_reply_does_not_pass_with_it() {
    let name = r#""name":"bash","input":{"command":"rm -r x"}"#;
    for content in [
        format!(r#""content":[{{"type":"tool_use",{name}}}],"content":[]"#),
        format!(r#""content":[{{"type":"tool_use","type":"text","text":"a",{name}}}]"#),
        format!(r#""content":[{{"type":"Tool_Use",{name}}}]"#),
        format!(r#""content":[{{"type":"some_tool_use",{name}}}]"#),
        format!(r#""content":[{{"type":"text","text":"a","tool_use":{{{name}}}}}]"#),
    ] {
        let reply = format!(
            r#"{{"id":"m","type":"message","role":"assistant","model":"m",{content},"stop_reason":"end_turn","usage":{{"input_tokens":1,"output_tokens":1}}}}"#
        );
        let model = Server::new(vec![Reply::Status(200, "", reply.clone().leak())]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new("anthropic", &stage.base).in_one_piece();
        agent.say("go");
        let asking = tokio::spawn(async move { agent.ask().await });
        let live = stage.run(Preset::Auto).await;
        let (_, got) = asking.await.unwrap();
        let got = String::from_utf8(got).unwrap();
        assert!(!got.contains("rm -r"), "{reply}: {got}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_call_beside_one_that_is_decided_does_not_pass_with_it() {
    let reply = r#"{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"f","call_id":"c","name":"bash","arguments":"{\"command\":\"ls\"}"},{"type":"Function_Call","call_id":"d","name":"bash","arguments":"{\"command\":\"rm -r x\"}"}],"usage":{"input_tokens":1,"output_tokens":1}}"#;
    let model = Server::new(vec![Reply::Status(200, "", reply)]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new("openai-responses", &stage.base).in_one_piece();
    agent.say("go");
    let asking = tokio::spawn(async move { agent.ask().await });
    let mut live = stage.run(Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    reject(&live, call, "no").await;
    let (_, got) = asking.await.unwrap();
    let got = String::from_utf8(got).unwrap();
    assert!(!got.contains("rm -r") && !got.contains("\"ls"), "{got}");
    live.end().await;
}
