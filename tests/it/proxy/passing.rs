//! Tests of what passes unchanged, and of who is not served.
//!
//! Must not know: runs.

use overrule::domain::turn::Stream;
use overrule::policy::Preset;

use crate::proxy::agent::{Agent, client};
use crate::proxy::course::streamed;
use crate::proxy::server::{Reply, Server};
use crate::proxy::stage::Stage;

#[tokio::test]
async fn unknown_paths_pass_with_their_bytes_and_status_and_nothing_without_the_token() {
    let model = Server::new(vec![
        Reply::Status(418, "X-Own: 1\r\nContent-Type: text/plain\r\n", "short and stout"),
        Reply::Status(200, "", "{}"),
    ]);
    let stage = Stage::before(&model.base).await;
    let response = client()
        .post(format!("{}/messages/count_tokens?beta=true", stage.base))
        .header("anthropic-beta", "one,two")
        .header("accept-encoding", "gzip")
        .body("{ \"odd\" : 1 }")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 418);
    assert_eq!(response.headers()["x-own"], "1");
    assert_eq!(response.text().await.unwrap(), "short and stout");
    let seen = model.seen();
    assert!(
        seen[0]
            .head
            .starts_with("POST /v1/messages/count_tokens?beta=true "),
        "{}",
        seen[0].head
    );
    assert!(
        seen[0].head.contains("one,two") && !seen[0].head.contains("gzip"),
        "{}",
        seen[0].head
    );
    assert!(!seen[0].head.contains("0123456789abcdef"), "the token stays here");
    assert_eq!(seen[0].body, "{ \"odd\" : 1 }");

    for path in ["/v1/models", "/s/0123456789abcdee/v1/models", "/"] {
        let base = stage.base.split("/s/").next().unwrap();
        let response = client().get(format!("{base}{path}")).send().await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
    let strange = client()
        .get(format!("{}/models", stage.base))
        .header("host", "evil.example")
        .send()
        .await
        .unwrap();
    assert_eq!(strange.status(), 404);
    let socket = client()
        .get(format!("{}/responses", stage.base))
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .send()
        .await
        .unwrap();
    assert_eq!(socket.status(), 426);
    assert_eq!(model.seen().len(), 1, "nothing else reached the model");
}

#[tokio::test]
async fn a_request_without_tools_is_not_held_and_one_that_cannot_be_read_is_refused() {
    let model = Server::new(vec![Reply::Status(200, "", "{\"a title\":1}")]);
    let stage = Stage::before(&model.base).await;
    let post = |body: &'static str| {
        client()
            .post(format!("{}/v1/messages", stage.base))
            .body(body)
            .send()
    };
    let aside = post(r#"{"model":"m","messages":[{"role":"user","content":"title?"}]}"#)
        .await
        .unwrap();
    assert_eq!(aside.text().await.unwrap(), "{\"a title\":1}");
    let broken = post(r#"{"model":"m","tools":[{"name":"x"}],"messages":["#)
        .await
        .unwrap();
    assert_eq!(broken.status(), 400);
    assert_eq!(model.seen().len(), 1, "what cannot be read could hold anything");
}

#[tokio::test]
async fn nothing_of_a_key_is_recorded_where_the_refusal_that_repeats_it_is_cut() {
    let head = "{\"error\":\"";
    for inside in ["canary-5c1f".len(), "canary-5c".len(), "canary-5".len()] {
        // The record has the first 300 characters.
        let before = "x".repeat(300 - head.len() - inside);
        let body = format!("{head}{before}canary-5c1f is no key\"}}");
        let model = Server::new(vec![Reply::Status(401, "", body.clone().leak())]);
        let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
        let mut agent = Agent::new("openai-chat", &stage.base);
        agent.say("hi");
        let asking = tokio::spawn(async move { agent.ask().await });
        let mut live = stage.run(Preset::Auto).await;
        let (status, answer) = asking.await.unwrap();
        assert_eq!(
            (status, String::from_utf8(answer).unwrap()),
            (401, body),
            "it passes as it is"
        );
        live.settles("the turn broke", |state| {
            let mut turns = state.turns.values();
            turns.any(|turn| matches!(turn.stream, Stream::Broken(_)))
        })
        .await;
        let recorded = format!("{:?}", live.state);
        assert!(
            recorded.contains("HTTP 401") && !recorded.contains("canary"),
            "{inside}"
        );
        live.end().await;
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_an_error_with_words() {
    let mut stage = Stage::before("http://127.0.0.1:9").await;
    let response = client()
        .get(format!("{}/models", stage.base))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 502);
    let mut agent = Agent::new("openai-chat", &stage.base);
    agent.say("hi");
    let asking = tokio::spawn(async move { agent.ask().await });
    let live = stage.run(Preset::Auto).await;
    let (status, body) = asking.await.unwrap();
    let body = String::from_utf8(body).unwrap();
    assert_eq!(status, 502);
    assert!(
        body.contains("cannot be reached") && !body.contains("canary"),
        "{body}"
    );
    live.end().await;
}

#[tokio::test]
async fn connections_without_the_token_have_few_places_and_little_time() {
    use tokio::io::AsyncReadExt as _;

    let model = Server::new(vec![streamed("anthropic", "One.", &[])]);
    let mut stage = Stage::before(model.base.trim_end_matches("/v1")).await;
    let at = stage
        .base
        .trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap()
        .to_owned();
    let mut idle = Vec::new();
    for _ in 0..80 {
        idle.push(tokio::net::TcpStream::connect(&at).await.unwrap());
    }
    // Those beyond the places are closed at once, the others after their time.
    let mut bytes = [0; 1];
    for (no, stream) in idle.iter_mut().enumerate().rev() {
        let closed = tokio::time::timeout(std::time::Duration::from_secs(20), stream.read(&mut bytes)).await;
        let read = closed.unwrap_or_else(|_| panic!("connection {no} is open"));
        assert!(matches!(read, Ok(0) | Err(_)), "{no}: {read:?}");
    }
    // There is place for the agent again, and it keeps its connection.
    let mut agent = Agent::new("anthropic", &stage.base);
    let work = tokio::spawn(async move { agent.work("go").await });
    let _live = stage.run(Preset::Supervised).await;
    assert_eq!(work.await.unwrap(), "One.");
}
