//! Tests the client over a real socket against a server that sends exactly given bytes.
//!
//! Must not know: the engine.

mod secrets;
mod server;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::server::{Step, serve};
use super::{Access, Client, Error, Patience};
use crate::wire::Wire;
use crate::{Chunk, Model, Request, Tap, Way};
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::transcript::Message;
use overrule_domain::turn::{Stop, StreamFault, StreamFaultKind};

const KEY: &str = "sk-canary-123456";

fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

/// A response without a length, ended by closing the connection.
fn open_response(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n{body}")
        .into_bytes()
}

fn stream() -> String {
    let frame = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    [
        frame(r#"{"content":"żółć "}"#),
        frame(r#"{"content":"🦀"}"#),
        frame(r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}"#),
        frame(r#"{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}"#),
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

fn request() -> Request {
    Request {
        system: "s".into(),
        messages: vec![Message::User {
            node: NodeId::new(NodeKind::Prompt, 1),
            text: "go".into(),
        }],
        tools: Vec::new(),
        quirks: crate::Quirks::new(),
        output_schema: None,
        id: TurnId::default(),
        turn: 1,
        tap: crate::Tap::default(),
    }
}

fn client(base: &str, patience: Patience) -> Client {
    Client::new(
        Wire::default(),
        base,
        "test-model",
        Access::from(Some(SecretString::from(KEY).into())),
        patience,
    )
    .unwrap()
}

async fn ask_with(base: &str, patience: Patience) -> (Vec<Chunk>, Result<(), StreamFault>) {
    let client = client(base, patience);
    let (send, mut receive) = mpsc::channel(4);
    let collect = async {
        let mut chunks = Vec::new();
        while let Some(chunk) = receive.recv().await {
            chunks.push(chunk);
        }
        chunks
    };
    let (result, chunks) = tokio::join!(client.ask(request(), send, CancellationToken::new()), collect);
    (chunks, result)
}

async fn ask(base: &str) -> (Vec<Chunk>, Result<(), StreamFault>) {
    ask_with(base, Patience::default()).await
}

fn impatient() -> Patience {
    Patience {
        idle: Duration::from_millis(700),
        farewell: Duration::from_millis(80),
        ..Patience::default()
    }
}

fn text(chunks: &[Chunk]) -> String {
    chunks
        .iter()
        .filter_map(|chunk| {
            if let Chunk::Text { delta, .. } = chunk {
                Some(delta.as_str())
            } else {
                None
            }
        })
        .collect()
}

fn sealed(chunks: &[Chunk], number: u32) -> bool {
    chunks
        .iter()
        .any(|chunk| matches!(chunk, Chunk::Sealed { part, .. } if *part == number))
}

#[tokio::test]
async fn a_stream_in_single_bytes_arrives_whole_and_the_request_is_right() {
    let server = serve(vec![Step::Drip(open_response(&stream()))]).await;
    let (chunks, result) = ask(&server.base).await;
    assert_eq!(result, Ok(()));
    assert_eq!(text(&chunks), "żółć 🦀");
    assert!(sealed(&chunks, 1));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
    let request = server.request.await.unwrap();
    assert!(
        request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request
            .to_lowercase()
            .contains(&format!("authorization: bearer {KEY}"))
    );
    assert!(
        request.contains(r#""model":"test-model","stream":true"#),
        "{request}"
    );
}

#[tokio::test]
async fn chunks_arrive_while_the_answer_still_comes() {
    let first = stream().split_inclusive("\n\n").take(1).collect::<String>();
    let server = serve(vec![Step::Send(open_response(&first)), Step::Hang]).await;
    let client = client(&server.base, Patience::default());
    let (send, mut receive) = mpsc::channel(4);
    let cancel = CancellationToken::new();
    let ask = client.ask(request(), send, cancel.clone());
    let watch = async {
        let chunk = receive.recv().await;
        cancel.cancel();
        chunk
    };
    let (result, chunk) = tokio::join!(ask, watch);
    assert_eq!(
        chunk,
        Some(Chunk::Text {
            part: 0,
            delta: "żółć ".into()
        })
    );
    assert!(result.is_err());
    server.closed.await.expect("cancelling closes the connection");
}

#[tokio::test]
async fn dropping_the_question_closes_the_connection() {
    let server = serve(vec![Step::Hang]).await;
    let client = client(&server.base, Patience::default());
    let (send, _receive) = mpsc::channel(4);
    let ask = client.ask(request(), send, CancellationToken::new());
    tokio::select! {
        _ = ask => panic!("there is no answer"),
        _ = server.request => {}
    }
    server.closed.await.expect("dropping closes the connection");
}

#[tokio::test]
async fn a_hanging_server_times_out_before_and_during_the_reply() {
    for start in [
        Vec::new(),
        open_response("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so far\"}}]}\n\n"),
    ] {
        let expected = if start.is_empty() { "" } else { "so far" };
        let server = serve(vec![Step::Send(start), Step::Hang]).await;
        let (chunks, result) = ask_with(&server.base, impatient()).await;
        assert_eq!(text(&chunks), expected);
        assert_eq!(result.unwrap_err().kind, StreamFaultKind::Timeout);
        server.closed.await.expect("giving up closes the connection");
    }
}

#[tokio::test]
async fn a_finished_answer_does_not_wait_for_its_end_mark_for_ever() {
    let unmarked = stream().replace("data: [DONE]\n\n", "");
    let server = serve(vec![Step::Send(open_response(&unmarked)), Step::Hang]).await;
    let (chunks, result) = ask_with(&server.base, impatient()).await;
    assert_eq!(result, Ok(()));
    assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
}

#[tokio::test]
async fn what_follows_the_end_mark_is_not_waited_for() {
    let server = serve(vec![Step::Send(open_response(&stream())), Step::Hang]).await;
    let (_, result) = ask(&server.base).await;
    assert_eq!(result, Ok(()));
}

#[tokio::test]
async fn a_cut_in_a_call_leaves_it_unsealed() {
    let cut = stream().split_inclusive("\n\n").take(3).collect::<String>();
    let short = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{cut}",
        stream().len()
    );
    for (bytes, kind) in [
        (open_response(&cut), StreamFaultKind::Truncated),
        (short.into_bytes(), StreamFaultKind::Network),
    ] {
        let server = serve(vec![Step::Send(bytes)]).await;
        let (chunks, result) = ask(&server.base).await;
        assert_eq!(result.unwrap_err().kind, kind);
        assert!(sealed(&chunks, 0) && !sealed(&chunks, 1));
        assert!(
            chunks.contains(&Chunk::Args {
                part: 1,
                delta: "{\"x\":".into()
            }),
            "the received part is there"
        );
    }
}

#[tokio::test]
async fn refusals_carry_the_servers_words_and_its_wish_to_wait() {
    let body = r#"{"error":{"message":"slow down \u001b[31m","type":"rate_limit"}}"#;
    let server = serve(vec![Step::Send(response(
        "429 Too Many Requests",
        "Retry-After: 3\r\n",
        body,
    ))])
    .await;
    let fault = ask(&server.base).await.1.unwrap_err();
    assert_eq!(
        (fault.kind, fault.retry_after_ms),
        (StreamFaultKind::RateLimit, Some(3000))
    );
    assert!(
        fault.message.contains("slow down") && !fault.message.contains('\u{1b}'),
        "{}",
        fault.message
    );

    for (status, body, kind, claims) in [
        (
            "500 Internal Server Error",
            "<h1>oops</h1>",
            StreamFaultKind::Server,
            "oops",
        ),
        ("503 Service Unavailable", "", StreamFaultKind::Overload, "503"),
        (
            "400 Bad Request",
            r#"{"error":"no tools here"}"#,
            StreamFaultKind::Request,
            "no tools here",
        ),
        (
            "404 Not Found",
            r#"{"message":"model `x` not found"}"#,
            StreamFaultKind::Request,
            "model's name",
        ),
        ("307 Temporary Redirect", "", StreamFaultKind::Request, "base URL"),
        ("204 No Content", "", StreamFaultKind::Server, "204"),
    ] {
        let server = serve(vec![Step::Send(response(status, "", body))]).await;
        let (chunks, result) = ask(&server.base).await;
        let fault = result.unwrap_err();
        assert_eq!(fault.kind, kind, "{status}");
        assert!(fault.message.contains(claims), "{}", fault.message);
        assert_eq!(chunks, []);
    }
}

#[tokio::test]
async fn pages_garbage_and_broken_text_in_place_of_a_stream_are_named() {
    let page =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>Please sign in</html>";
    let noise = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\x00\xff\x1b[2J\x07".to_vec();
    for (bytes, claims) in [
        (page.as_bytes().to_vec(), "Please sign in"),
        (noise, "instead of a stream"),
    ] {
        let server = serve(vec![Step::Send(bytes)]).await;
        let fault = ask(&server.base).await.1.unwrap_err();
        assert_eq!(fault.kind, StreamFaultKind::Garbage);
        assert!(fault.message.contains(claims), "{}", fault.message);
        assert!(!fault.message.contains(['\u{1b}', '\u{7}', '\u{0}']));
    }
    let server = serve(vec![Step::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())]).await;
    assert_eq!(
        ask(&server.base).await.1.unwrap_err().kind,
        StreamFaultKind::Network
    );
}

#[tokio::test]
async fn broken_utf8_in_a_stream_is_replaced_and_the_rest_comes() {
    let mut bytes = open_response("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a");
    bytes.extend_from_slice(b"\xFF\xFE");
    bytes.extend_from_slice(b"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    let server = serve(vec![Step::Send(bytes)]).await;
    let (chunks, result) = ask(&server.base).await;
    assert_eq!(result, Ok(()));
    assert_eq!(text(&chunks), "a\u{FFFD}\u{FFFD}b");
}

#[tokio::test]
async fn an_answer_that_was_not_streamed_is_taken() {
    let body = r#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}"#;
    let server = serve(vec![Step::Send(response(
        "200 OK",
        "Content-Type: application/json\r\n",
        body,
    ))])
    .await;
    let (chunks, result) = ask(&server.base).await;
    assert_eq!(result, Ok(()));
    assert_eq!(text(&chunks), "Hi");
}

#[tokio::test]
async fn nobody_listening_is_a_network_fault_with_the_place() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap().to_string();
    drop(listener);
    let fault = ask(&format!("http://{place}/v1")).await.1.unwrap_err();
    assert_eq!(fault.kind, StreamFaultKind::Network);
    assert!(
        fault.message.contains(&place) && fault.message.contains("refused"),
        "{}",
        fault.message
    );
}

#[test]
fn base_urls_are_checked_and_completed() {
    let endpoint = |base: &str| super::endpoint(base, "/chat/completions").map(String::from);
    for base in [
        "http://h:1/v1",
        "http://h:1/v1/",
        " http://h:1/v1/chat/completions ",
    ] {
        assert_eq!(
            endpoint(base).unwrap(),
            "http://h:1/v1/chat/completions",
            "{base}"
        );
    }
    for bad in ["", "h:1/v1", "ftp://h/v1", "http://user:secret@h/v1", "/v1"] {
        let error = endpoint(bad).unwrap_err();
        assert!(matches!(error, Error::BaseUrl { .. }), "{bad}");
        assert!(!error.to_string().contains("secret"));
    }
    for bad in [
        "http://user:secret@[h/v1",
        "ftp://user:secret@h/v1",
        "user:secret@h",
        "ftp://h?key=secret",
    ] {
        let error = endpoint(bad).unwrap_err().to_string();
        assert!(!error.contains("secret") && error.contains('h'), "{error}");
    }
    let named = Client::new(
        Wire::default(),
        "http://127.0.0.1:11434/v1",
        "qwen3",
        Access::default(),
        Patience::default(),
    )
    .unwrap();
    assert_eq!(named.name(), "qwen3 at 127.0.0.1:11434");
    assert!(matches!(
        Client::new(
            Wire::default(),
            "http://h/v1",
            "m",
            Access::from(Some(SecretString::from("a\nb").into())),
            Patience::default()
        ),
        Err(Error::Key)
    ));
}

#[tokio::test]
async fn what_only_keeps_the_connection_holds_up_neither_the_answer_nor_its_absence() {
    let unmarked = stream().replace("data: [DONE]\n\n", "");
    for beat in [
        ": still here\n\n",
        "event: ping\n\n",
        "data: {\"choices\":[]}\n\n",
    ] {
        let server = serve(vec![
            Step::Send(open_response(&unmarked)),
            Step::Beat(beat.into()),
        ])
        .await;
        let asked = tokio::time::timeout(Duration::from_secs(20), ask_with(&server.base, impatient())).await;
        let (chunks, result) = asked.expect("a finished answer is delivered");
        assert_eq!(result, Ok(()));
        assert_eq!(chunks.last(), Some(&Chunk::Finish(Stop::Calls)));
    }
    for beat in [
        ": still here\n\n",
        "data: {\"choices\":[]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"}}]}\n\n",
    ] {
        let server = serve(vec![Step::Send(open_response("")), Step::Beat(beat.into())]).await;
        let patience = Patience {
            idle: Duration::from_millis(300),
            ..impatient()
        };
        let asked = tokio::time::timeout(Duration::from_secs(20), ask_with(&server.base, patience)).await;
        let fault = asked.expect("silence has an end").1.unwrap_err();
        assert_eq!(fault.kind, StreamFaultKind::Timeout, "{beat}");
    }
}
