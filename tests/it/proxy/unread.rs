//! Tests of requests that cannot be gated: they are refused and stand as alarms, or pass if the operator says so.
//!
//! Must not know: how a request is read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use overrule::policy::Preset;

use crate::proxy::agent::{Agent, client};
use crate::proxy::course::{bash, streamed};
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::{Stage, approve, asked};
use crate::proxy::world::{World, until, wait, written};

/// A body with a tool, as Bedrock takes it.
const BEDROCK: &str = r#"{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"bash"}}]}}"#;
const ANTHROPIC: &str = r#"{"messages":[{"role":"user","content":"go"}],"max_tokens":9,"tools":[{"name":"bash","input_schema":{}}]}"#;

async fn sent(base: &str, method: &'static str, path: &str, body: String) -> (u16, String) {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let request = client().request(method, format!("{base}{path}")).body(body);
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_request_with_tools_that_no_format_knows_is_refused_and_is_an_alarm() {
    let model = Server::new(Vec::new());
    let stage = Stage::before(&model.base).await;
    let batch = format!(r#"{{"requests":[{{"params":{ANTHROPIC}}}]}}"#);
    let cut = BEDROCK.strip_suffix('}').unwrap();
    for (method, path, body) in [
        (
            "POST",
            "/model/anthropic.claude/converse-stream?k=canary-5c1f",
            BEDROCK,
        ),
        ("POST", "/model/anthropic.claude/invoke", ANTHROPIC),
        ("POST", "/projects/p/models/claude:streamRawPredict", ANTHROPIC),
        ("POST", "/v2/messages/stream", ANTHROPIC),
        ("POST", "/v1/messages/batches", &batch),
        (
            "PUT",
            "/v1/interactions",
            r#"{"input":"go","tools":[{"type":"function"}]}"#,
        ),
        (
            "POST",
            "/v1/chat",
            r#"{"messages":[],"functions":[{"name":"x"}]}"#,
        ),
        ("POST", "/v1/Messages", ANTHROPIC),
        ("POST", "/v1%2Fmessages", ANTHROPIC),
        // Known paths in an unknown form.
        (
            "POST",
            "/v1/messages",
            r#"{"contents":[],"tools":[{"name":"x"}]}"#,
        ),
        ("POST", "/v1/chat/completions", cut),
        (
            "POST",
            "/v1/responses",
            r#"{"model":"m","input":"go","background":true,"tools":[{"type":"shell"}]}"#,
        ),
    ] {
        let before = stage.alarms.all().len();
        let (status, words) = sent(&stage.base, method, path, body.to_owned()).await;
        assert!((400..500).contains(&status), "{path}: {status}");
        let alarms = stage.alarms.all();
        assert_eq!(alarms.len(), before + 1, "{path}");
        let alarm = &alarms[before];
        assert!(
            !alarm.is_seen && alarm.words.contains("refused"),
            "{path}: {}",
            alarm.words
        );
        assert!(!alarm.words.contains("canary"), "{}", alarm.words);
        if status != 404 {
            let is_told = words.contains("overrule refused") && words.contains("--pass-unknown");
            assert!(is_told, "{path}: {words}");
        }
    }
    assert!(model.seen().is_empty(), "nothing reached the model's server");
}

#[tokio::test]
async fn what_counts_tokens_shortens_a_history_or_names_no_tool_passes_without_an_alarm() {
    let gemini = r#"{"contents":[],"tools":[{"functionDeclarations":[{"name":"x"}]}]}"#;
    let responses = r#"{"model":"m","input":"x","tools":[{"type":"shell"}]}"#;
    let requests = [
        ("/v1/messages/count_tokens", ANTHROPIC),
        ("/messages/count_tokens?beta=true", ANTHROPIC),
        ("/v1beta/models/gemini-3:countTokens", gemini),
        ("/v1/responses/compact", responses),
        ("/codex/responses/input_tokens", responses),
        (
            "/api/event_logging/batch",
            r#"{"events":[{"name":"tools","tools":[]}]}"#,
        ),
        ("/v1/embeddings", r#"{"model":"m","input":"functions and tools"}"#),
    ];
    let replies = requests.map(|_| Reply::Status(200, "", "{\"ok\":1}"));
    let model = Server::new(replies.into());
    let stage = Stage::before(&model.base).await;
    for (path, body) in requests {
        let (status, words) = sent(&stage.base, "POST", path, body.to_owned()).await;
        assert_eq!((status, &*words), (200, "{\"ok\":1}"), "{path}");
    }
    let bodies: Vec<String> = model.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(bodies, requests.map(|(_, body)| body));
    assert!(stage.alarms.all().is_empty(), "{:?}", stage.alarms.all());
}

#[tokio::test]
async fn a_format_is_gated_whatever_stands_before_its_path() {
    for (wire, path) in [
        ("anthropic", "/messages"),
        ("anthropic", "/team-a/anthropic/v1/messages?beta=true"),
        ("openai-chat", "/chat/completions"),
        (
            "openai-chat",
            "/openai/deployments/d/chat/completions?api-version=1",
        ),
        ("openai-responses", "/backend-api/codex/responses"),
        (
            "gemini",
            "/v1/projects/p/publishers/google/models/g:streamGenerateContent?alt=sse",
        ),
    ] {
        let model = Server::new(vec![streamed(wire, "", &[("k1", "bash", bash("rm -r x"))])]);
        let mut stage = Stage::before(&model.base).await;
        let mut agent = Agent::new(wire, &stage.base);
        agent.say("go");
        let (base, body) = (stage.base.clone(), agent.body());
        let asking = tokio::spawn(async move { sent(&base, "POST", path, body.to_string()).await });
        let mut live = stage.run(Preset::Supervised).await;
        let call = asked(&mut live, "bash").await;
        assert!(!asking.is_finished(), "{path}: the call waits");
        approve(&live, call).await;
        let (status, reply) = asking.await.unwrap();
        assert!(
            status == 200 && reply.contains("rm -r x"),
            "{path}: {status} {reply}"
        );
        assert!(stage.alarms.all().is_empty(), "{path}");
        live.end().await;
    }
}

/// Starts an agent that does nothing by itself below the program; returns the address that it got.
fn started(world: &World, model: &Server, flags: &[&str]) -> (Child, String) {
    let script = "#!/bin/sh\necho \"$ANTHROPIC_BASE_URL\" > base.new && mv base.new base\n\
        while [ ! -e done ]; do sleep 0.02; done\n";
    let agent = world.aside("claude", script);
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let upstream = ["--upstream", model.base.trim_end_matches("/v1")];
    let args = [&["proxy", "--headless"], &upstream[..], flags, &["--", &agent]].concat();
    let mut command = world.command(&args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let program = command.spawn().unwrap();
    until("the agent runs", || written(&world.ws().join("base")));
    (program, world.read("base").trim().to_owned())
}

#[tokio::test]
async fn an_agent_whose_requests_are_all_refused_does_not_end_well() {
    let world = World::new();
    let model = Server::new(Vec::new());
    let (program, base) = started(&world, &model, &[]);
    for _ in 0..2 {
        let (status, words) = sent(&base, "POST", "/model/m/converse", BEDROCK.to_owned()).await;
        assert!(
            status == 400 && words.contains("overrule refused"),
            "{status} {words}"
        );
    }
    world.file("done", "");
    let said = wait(program);
    assert_eq!(said.code, Some(1), "{}", said.err);
    let alarm = "ALARM: refused POST /model/m/converse: it names tools";
    assert!(said.err.contains(alarm), "{}", said.err);
    assert!(said.err.contains("without a request"), "{}", said.err);
    assert!(said.err.contains("(2 times)"), "{}", said.err);
    assert!(model.seen().is_empty() && world.ids().is_empty());
}

#[tokio::test]
async fn with_the_flag_such_requests_pass_and_the_run_says_so() {
    let wire = "anthropic";
    let world = World::new();
    let model = Server::new(vec![
        Reply::Status(200, "", "passed"),
        streamed(wire, "Done.", &[]),
    ]);
    let (program, base) = started(&world, &model, &["--pass-unknown"]);
    let (status, words) = sent(&base, "POST", "/model/m/converse", BEDROCK.to_owned()).await;
    assert_eq!((status, &*words), (200, "passed"));
    let mut agent = Agent::new(wire, &base);
    assert_eq!(agent.work("go").await, "Done.");
    world.file("done", "");
    let said = wait(program);
    assert_eq!(said.code, Some(0), "{}", said.err);
    assert!(!said.err.contains("ALARM"), "{}", said.err);
    let started = world.journal(&world.id());
    assert!(started.contains("pass-unknown"), "{started}");
}
