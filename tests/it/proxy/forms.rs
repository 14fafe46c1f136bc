//! Tests of requests and replies in forms that an agent or a server rarely uses.
//!
//! Must not know: how they are read.

use overrule::domain::call::Status;
use overrule::domain::state::Mode;
use overrule::model::decode::summary;
use overrule::model::wire::Wire;
use overrule::policy::Preset;
use serde_json::{Value, json};

use crate::proxy::agent::{Agent, client};
use crate::proxy::course::{WIRES, bash, streamed};
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked, reject};

#[tokio::test]
async fn arguments_that_look_like_references_are_data() {
    for wire in WIRES {
        let args = json!({
            "command": "†call.x", "more": "††z", "_as": "Name", "_out": "†state.y", "_after": ["†call.c9"], "_why": "w",
        });
        let model = Server::new(vec![
            streamed(wire, "Now.", &[("r1", "bash", args.clone())]),
            streamed(wire, "End.", &[]),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        let ran = agent.ran.clone();
        let work = tokio::spawn(async move { agent.work("go").await });
        let mut live = stage.run(Preset::Supervised).await;
        let call = asked(&mut live, "bash").await;
        approve(&live, call).await;
        assert_eq!(work.await.unwrap(), "End.", "{wire}");
        assert_eq!(*ran.lock().unwrap(), [("bash".to_owned(), args)], "{wire}");
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert_eq!(live.state.calls[&call].status, Status::Succeeded, "{wire}");
        live.end().await;
    }
}

/// A response of the Gemini format with one part.
fn response(part: &Value) -> Value {
    json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]})
}

#[tokio::test]
async fn a_stream_as_a_list_waits_for_the_decision() {
    let part = json!({"functionCall": {"name": "bash", "args": {"command": "rm -r ."}}});
    let list = json!([response(&json!({"text": "I clean up."})), response(&part)]);
    let model = Server::new(vec![Reply::Stream(vec![list.to_string()])]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new("gemini", &stage.base);
    agent.say("go");
    let (base, body) = (stage.base.clone(), agent.body());
    let asking = tokio::spawn(async move {
        let path = "/v1beta/models/m:streamGenerateContent";
        let sent = client()
            .post(format!("{base}{path}"))
            .body(body.to_string())
            .send();
        let mut response = sent.await.unwrap();
        let mut got = Vec::new();
        while let Some(piece) = response.chunk().await.unwrap() {
            got.push(piece);
        }
        got
    });
    let mut live = stage.run(Preset::Supervised).await;
    let call = asked(&mut live, "bash").await;
    tokio::time::sleep(std::time::Duration::from_millis(150)).await;
    assert!(!asking.is_finished());
    approve(&live, call).await;
    let got = asking.await.unwrap().concat();
    let got = String::from_utf8(got).unwrap();
    let sent = list.to_string();
    // Only whitespace came before the decision.
    assert!(got.starts_with(' ') && got.trim_start() == sent, "{got}");
    live.end().await;
}

#[tokio::test]
async fn a_reply_of_an_unknown_coding_is_refused_and_a_compressed_request_is_read() {
    let model = Server::new(vec![
        Reply::Status(200, "Content-Encoding: br\r\n", "data: {}\n\n"),
        Reply::Status(200, "Content-Encoding: identity\r\n", "{\"a title\":1}"),
        Reply::Status(200, "", "{\"a title\":2}"),
        Reply::Status(200, "", "{\"a title\":3}"),
    ]);
    let mut stage = Stage::before(&model.base).await;
    let mut agent = Agent::new("openai-chat", &stage.base);
    agent.say("go");
    let asking = tokio::spawn(async move { agent.ask().await });
    let live = stage.run(Preset::Supervised).await;
    let (status, body) = asking.await.unwrap();
    let body = String::from_utf8(body).unwrap();
    assert_eq!(status, 502, "{body}");
    assert!(body.contains("compressed") && body.contains("`br`"), "{body}");
    assert!(!body.contains("data:"), "{body}");
    let body = r#"{"model":"m","messages":[{"role":"user","content":"a title?"}]}"#;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, body.as_bytes()).unwrap();
    let zstd =
        ruzstd::encoding::compress_to_vec(body.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    for (coding, bytes, status) in [
        ("gzip", body.as_bytes().to_vec(), 400),
        ("br", body.as_bytes().to_vec(), 400),
        ("identity", body.as_bytes().to_vec(), 200),
        ("gzip", gzip.finish().unwrap(), 200),
        ("zstd", zstd, 200),
    ] {
        let sent = client()
            .post(format!("{}/chat/completions", stage.base))
            .header("content-encoding", coding)
            .body(bytes)
            .send();
        assert_eq!(sent.await.unwrap().status(), status, "{coding}");
    }
    let seen = model.seen();
    assert_eq!(seen.len(), 4, "what cannot be read goes nowhere");
    for one in &seen[1..] {
        assert_eq!(one.body, body, "as the agent meant it");
    }
    let is_compressed =
        |head: &str| head.to_lowercase().contains("content-encoding: gzip") || head.contains("zstd");
    assert!(
        !seen[2..].iter().any(|one| is_compressed(&one.head)),
        "the model gets it as it is"
    );
    live.end().await;
}

#[tokio::test]
async fn a_reply_that_is_not_compressed_as_it_says_does_not_reach_the_agent() {
    for coding in ["gzip", "deflate", "zstd"] {
        let header: &'static str = format!("Content-Encoding: {coding}\r\n").leak();
        let page = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}]}\n\n";
        let model = Server::new(vec![Reply::Status(200, header, page)]);
        let mut stage = Stage::before(&model.base).await;
        let mut agent = Agent::new("openai-chat", &stage.base);
        agent.say("go");
        let asking = tokio::spawn(async move {
            let mut response = agent.send().await;
            let mut got = Vec::new();
            loop {
                match response.chunk().await {
                    Ok(Some(piece)) => got.extend_from_slice(&piece),
                    end => return (got, end.is_err()),
                }
            }
        });
        let live = stage.run(Preset::Supervised).await;
        let (got, is_broken) = asking.await.unwrap();
        assert!(is_broken, "{coding}");
        assert!(got.is_empty(), "{coding}: {}", String::from_utf8_lossy(&got));
        assert_eq!(model.seen().len(), 1, "it is not asked for again");
        live.end().await;
    }
}

#[tokio::test]
async fn a_page_in_place_of_a_reply_does_not_reach_the_agent() {
    for wire in WIRES {
        let model = Server::new(vec![Reply::Status(200, "", "<html>log in: tool_calls</html>")]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let asking = tokio::spawn(async move {
            let mut response = agent.send().await;
            let mut got = Vec::new();
            while let Ok(Some(piece)) = response.chunk().await {
                got.extend_from_slice(&piece);
            }
            got
        });
        let live = stage.run(Preset::Supervised).await;
        let got = asking.await.unwrap();
        assert!(
            got.trim_ascii().is_empty(),
            "{wire}: {}",
            String::from_utf8_lossy(&got)
        );
        live.end().await;
    }
}

#[tokio::test]
async fn calls_of_tools_that_are_not_in_the_request_wait_too() {
    for (wire, member, value) in [
        ("gemini", "cachedContent", json!("cachedContents/1")),
        ("openai-responses", "prompt", json!({"id": "pmpt_1"})),
    ] {
        let id = if wire == "gemini" { "" } else { "s1" };
        let model = Server::new(vec![
            streamed(wire, "Now.", &[(id, "deploy", bash("all"))]),
            streamed(
                wire,
                "Again.",
                &[(if id.is_empty() { "" } else { "s2" }, "deploy", bash("more"))],
            ),
        ]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let base = stage.base.clone();
        let post = |agent: &Agent| {
            let mut body = agent.body();
            body.as_object_mut().unwrap().remove("tools");
            body[member] = value.clone();
            let path = if wire == "gemini" {
                "/v1beta/models/m:streamGenerateContent?alt=sse"
            } else {
                "/responses"
            };
            let sent = client()
                .post(format!("{base}{path}"))
                .body(body.to_string())
                .send();
            tokio::spawn(async move { sent.await.unwrap().bytes().await.unwrap().to_vec() })
        };
        let first = post(&agent);
        let mut live = stage.run(Preset::Supervised).await;
        let call = asked(&mut live, "deploy").await;
        assert!(!first.is_finished(), "{wire}");
        approve(&live, call).await;
        let reply = summary(Wire::named(wire).unwrap(), &first.await.unwrap());
        assert_eq!(reply.calls[0].name, "deploy", "{wire}");
        agent.take(&reply);
        let second = post(&agent);
        let again = asked(&mut live, "deploy").await;
        assert_ne!(again, call, "{wire}");
        assert_eq!(live.state.calls[&call].status, Status::Succeeded, "{wire}");
        assert!(!second.is_finished(), "{wire}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_in_no_event() {
    let words = r#"{"error":{"message":"Invalid token: canary-5c1f","type":"auth"}}"#;
    let inside = format!("data: {words}\n\n");
    for (reply, status) in [
        (Reply::Status(401, "", words), 401),
        (Reply::Stream(vec![inside]), 200),
    ] {
        let model = Server::new(vec![reply]);
        let mut stage = Stage::before(&model.base).await;
        let mut agent = Agent::new("openai-chat", &stage.base);
        agent.say("go");
        let asking = tokio::spawn(async move {
            let mut response = agent.send().await;
            let status = response.status().as_u16();
            let mut got = Vec::new();
            while let Ok(Some(piece)) = response.chunk().await {
                got.extend_from_slice(&piece);
            }
            (status, String::from_utf8(got).unwrap())
        });
        let mut live = stage.run(Preset::Supervised).await;
        let (got, body) = asking.await.unwrap();
        assert_eq!(got, status);
        assert!(body.contains("canary-5c1f"), "the agent gets the bytes: {body}");
        live.settles("the fault is known", |state| {
            let mut turns = state.turns.values();
            turns.any(|turn| matches!(turn.stream, overrule::domain::turn::Stream::Broken(_)))
        })
        .await;
        let all = format!("{:?}", live.state);
        assert!(
            all.contains("Invalid token") && !all.contains("canary-5c1f"),
            "{all}"
        );
        live.end().await;
    }
}

/// A reply of the Responses format with these items.
fn items(all: &[Value]) -> Reply {
    let mut events = vec![json!({"type": "response.created", "response": {"id": "r", "output": []}})];
    for (at, item) in all.iter().enumerate() {
        events.push(json!({"type": "response.output_item.added", "output_index": at, "item": item}));
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    events.push(
        json!({"type": "response.completed", "response": {"id": "r", "status": "completed", "output": all}}),
    );
    Reply::Stream(events.iter().map(|data| format!("data: {data}\n\n")).collect())
}

/// Asks in the background.
fn post(base: &str, path: &str, body: &Value) -> tokio::task::JoinHandle<String> {
    let sent = client()
        .post(format!("{base}{path}"))
        .body(body.to_string())
        .send();
    tokio::spawn(async move { sent.await.unwrap().text().await.unwrap() })
}

#[tokio::test]
async fn results_of_calls_of_the_providers_types_end_their_calls() {
    let search = json!({"type": "tool_search_call", "id": "i1", "call_id": "c1", "execution": "client",
        "arguments": {"query": "mail"}, "status": "completed"});
    let consent = json!({"type": "mcp_approval_request", "id": "m1", "server_label": "s", "name": "send", "arguments": "{}"});
    let shell = json!({"type": "shell_call", "id": "i2", "call_id": "c2", "action": {"commands": ["ls"]}, "status": "completed"});
    for (tool, call, result) in [
        (
            json!({"type": "tool_search"}),
            search,
            json!({"type": "tool_search_output", "call_id": "c1", "execution": "client", "status": "completed", "tools": []}),
        ),
        (
            json!({"type": "mcp", "server_label": "s"}),
            consent,
            json!({"type": "mcp_approval_response", "approval_request_id": "m1", "approve": true}),
        ),
        (
            json!({"type": "shell"}),
            shell,
            json!({"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "a", "stderr": ""}]}),
        ),
    ] {
        let model = Server::new(vec![
            items(std::slice::from_ref(&call)),
            streamed("openai-responses", "End.", &[]),
        ]);
        let mut stage = Stage::before(&model.base).await;
        let mut body = json!({"model": "m", "stream": true, "tools": [tool],
            "input": [{"type": "message", "role": "user", "content": "go"}]});
        let first = post(&stage.base, "/responses", &body);
        let mut live = stage.run(Preset::Supervised).await;
        let id = asked(&mut live, call["type"].as_str().unwrap()).await;
        approve(&live, id).await;
        assert!(first.await.unwrap().contains("response.completed"));
        let input = body["input"].as_array_mut().unwrap();
        input.extend([call.clone(), result.clone()]);
        let second = tokio::time::timeout(
            std::time::Duration::from_secs(20),
            post(&stage.base, "/responses", &body),
        );
        let second = second.await.expect("the next request is answered").unwrap();
        assert!(second.contains("End."), "{second}");
        assert_eq!(model.seen()[1].body, body.to_string(), "nothing was changed");
        live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
            .await;
        assert_eq!(live.state.calls[&id].status, Status::Succeeded, "{call}");
        live.end().await;
    }
}

#[tokio::test]
async fn a_shell_in_a_container_of_the_provider_is_not_asked_about() {
    let place = json!({"type": "container_reference", "container_id": "k"});
    let call = json!({"type": "shell_call", "id": "i", "call_id": "c", "environment": place,
        "action": {"commands": ["ls"]}, "status": "completed"});
    let output = json!({"type": "shell_call_output", "id": "o", "call_id": "c", "output": []});
    let text = json!({"type": "message", "id": "m", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Listed.", "annotations": []}]});
    let model = Server::new(vec![items(&[call, output, text])]);
    let mut stage = Stage::before(&model.base).await;
    let body = json!({"model": "m", "stream": true,
        "tools": [{"type": "shell", "environment": {"type": "container_auto"}}, {"type": "function", "name": "x", "parameters": {}}],
        "input": [{"type": "message", "role": "user", "content": "go"}]});
    let first = post(&stage.base, "/responses", &body);
    let mut live = stage.run(Preset::Supervised).await;
    live.settles("finished", |state| matches!(state.mode, Mode::Finished(_)))
        .await;
    assert!(live.state.calls.is_empty());
    let reply = first.await.unwrap();
    assert!(
        reply.contains("shell_call_output") && reply.contains("container_reference"),
        "{reply}"
    );
    live.end().await;
}

#[tokio::test]
async fn tools_that_come_after_a_request_without_any_are_known() {
    let model = Server::new(vec![
        streamed("gemini", "Hm.", &[]),
        streamed("gemini", "Now.", &[("", "bash", bash("ls"))]),
    ]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new("gemini", &stage.base);
    agent.say("go");
    let path = "/v1beta/models/m:streamGenerateContent?alt=sse";
    let mut body = agent.body();
    body.as_object_mut().unwrap().remove("tools");
    body["cachedContent"] = "cachedContents/1".into();
    let first = post(&stage.base, path, &body);
    let mut live = stage.run(Preset::Supervised).await;
    let reply = summary(Wire::named("gemini").unwrap(), first.await.unwrap().as_bytes());
    agent.take(&reply);
    agent.say("and on");
    // The cache is gone.
    let second = post(&stage.base, path, &agent.body());
    let call = asked(&mut live, "bash").await;
    approve(&live, call).await;
    let reply = second.await.unwrap();
    assert!(
        reply.contains("\"bash\"") && !reply.contains("rejected_by_operator"),
        "{reply}"
    );
    live.end().await;
}

#[tokio::test]
async fn arguments_of_a_tool_that_the_server_has_are_data_too() {
    let args = json!({"command": "†call.x", "_as": "Name", "_why": "w"});
    let model = Server::new(vec![streamed("gemini", "Now.", &[("", "deploy", args.clone())])]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let mut agent = Agent::new("gemini", &stage.base);
    agent.say("go");
    let mut body = agent.body();
    body.as_object_mut().unwrap().remove("tools");
    body["cachedContent"] = "cachedContents/1".into();
    let first = post(
        &stage.base,
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        &body,
    );
    let mut live = stage.run(Preset::Supervised).await;
    let call = asked(&mut live, "deploy").await;
    approve(&live, call).await;
    let reply = summary(Wire::named("gemini").unwrap(), first.await.unwrap().as_bytes());
    let got: Value = serde_json::from_str(&reply.calls[0].args).unwrap();
    assert_eq!(got, args);
    live.end().await;
}

#[tokio::test]
async fn a_tool_of_the_agent_that_is_called_like_a_built_in_one_follows_the_policy() {
    for (tool, preset, waits) in [
        ("final_answer", Preset::Supervised, true),
        ("ask_operator", Preset::Auto, false),
    ] {
        let wire = "openai-chat";
        let model = Server::new(vec![streamed(wire, "Hm.", &[("f1", tool, bash("secret"))])]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let mut body = agent.body();
        body["tools"][0]["function"]["name"] = tool.into();
        let base = stage.base.clone();
        let asking = tokio::spawn(async move {
            let sent = client()
                .post(format!("{base}/chat/completions"))
                .body(body.to_string())
                .send();
            sent.await.unwrap().text().await.unwrap()
        });
        let mut live = stage.run(preset).await;
        if waits {
            let call = asked(&mut live, tool).await;
            assert!(live.state.calls[&call].attempts.is_empty());
            assert!(!asking.is_finished());
            reject(&live, call, "not so").await;
        }
        let reply = asking.await.unwrap();
        assert_eq!(reply.contains("secret"), !waits, "{tool}: {reply}");
        live.end().await;
    }
}
