//! Tests requests to a server of this test.
//!
//! Must not know: how a connection is made.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::builtin::http_request::same_server;
use crate::output::{HEAD, TAIL};

/// A server that answers by path and remembers the requests.
struct Server {
    base: String,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = seen.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, log.clone()));
            }
        });
        Self { base, seen }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn answer(mut stream: TcpStream, log: Arc<Mutex<Vec<String>>>) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let length = |head: &str| {
        head.lines()
            .find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length:")?
                    .trim()
                    .parse()
                    .ok()
            })
            .unwrap_or(0)
    };
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= length(head)
        {
            break;
        }
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(count) => request.extend_from_slice(&buffer[..count]),
        }
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    log.lock().unwrap().push(text.clone());
    let path = text.split(' ').nth(1).unwrap_or("/").to_owned();
    let reply = |status: &str, headers: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
    };
    let reply = match path.as_str() {
        "/ok" => reply(
            "200 OK",
            "Content-Type: text/plain\r\nSet-Cookie: a=b\r\n",
            "hello",
        ),
        "/missing" => reply("404 Not Found", "", "no such thing"),
        "/then-busy" => reply("303 See Other", "Location: /busy\r\n", ""),
        "/busy" => reply("429 Too Many Requests", "Retry-After: 7\r\n", ""),
        "/loop" => reply("302 Found", "Location: /loop\r\n", ""),
        "/hop" => reply("303 See Other", "Location: /ok\r\n", ""),
        "/file" => reply("302 Found", "Location: file:///etc/passwd\r\n", ""),
        "/binary" => reply("200 OK", "Content-Type: image/png\r\n", "\0\0"),
        "/huge" => {
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nfirst")
                .await;
            let chunk = vec![b'z'; 1 << 16];
            while stream.write_all(&chunk).await.is_ok() {}
            return;
        }
        "/cut" => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".to_owned(),
        "/slow" => {
            tokio::time::sleep(std::time::Duration::from_secs(60)).await;
            return;
        }
        other => {
            let code: u16 = other.trim_start_matches('/').parse().unwrap_or(200);
            reply(&format!("{code} Status"), "", "body")
        }
    };
    let _ = stream.write_all(reply.as_bytes()).await;
    let _ = stream.shutdown().await;
}

#[tokio::test]
async fn a_body_comes_with_figures() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let (text, meta) = bench
        .ok(
            "http_request",
            json!({"method": "POST", "url": server.url("/ok"), "headers": {"X-A": "1"}, "body": "sent"}),
        )
        .await;
    assert_eq!(text, "hello");
    assert_eq!(
        (&meta["status"], &meta["bytes"], &meta["redirects"]),
        (&json!(200), &json!(5), &json!([]))
    );
    assert_eq!(
        meta["headers"],
        json!({"content-type": "text/plain", "content-length": "5"}),
        "cookies are not repeated"
    );
    let seen = server.seen();
    assert!(
        seen[0].starts_with("POST /ok ") && seen[0].ends_with("sent"),
        "{}",
        seen[0]
    );
    assert!(seen[0].to_ascii_lowercase().contains("x-a: 1"), "{}", seen[0]);
    let (text, _) = bench
        .ok(
            "http_request",
            json!({"method": "HEAD", "url": server.url("/ok")}),
        )
        .await;
    assert_eq!(text, "");
}

#[tokio::test]
async fn a_status_is_mapped_to_its_error_class() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let table = [
        (400, ErrorClass::Param),
        (401, ErrorClass::Auth),
        (403, ErrorClass::Auth),
        (404, ErrorClass::NotFound),
        (407, ErrorClass::Auth),
        (408, ErrorClass::Transient),
        (409, ErrorClass::Conflict),
        (410, ErrorClass::NotFound),
        (418, ErrorClass::Business),
        (422, ErrorClass::Param),
        (425, ErrorClass::Transient),
        (429, ErrorClass::Transient),
        (500, ErrorClass::Transient),
        (501, ErrorClass::Business),
        (502, ErrorClass::Transient),
        (503, ErrorClass::Transient),
        (504, ErrorClass::Transient),
    ];
    for (code, class) in table {
        let url = server.url(&format!("/{code}"));
        let error = bench
            .err("http_request", json!({"method": "GET", "url": url}))
            .await;
        assert_eq!(error.class, class, "{code}");
        assert_eq!(error.evidence, format!("HTTP {code}"));
        assert_eq!(partial(&error), "body");
        // Only one status proves that nothing was done.
        assert_eq!(error.executed, code != 429, "{code}");
    }
    let error = bench
        .err(
            "http_request",
            json!({"method": "GET", "url": server.url("/busy")}),
        )
        .await;
    assert_eq!(error.evidence, "HTTP 429, Retry-After 7");
    assert!(error.hint.unwrap().contains("Retry-After 7"));
}

#[tokio::test]
async fn without_a_connection_nothing_was_done() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let error = bench
        .err("http_request", json!({"method": "POST", "url": url}))
        .await;
    assert_eq!(
        (error.class, error.executed),
        (ErrorClass::Transient, false),
        "{error:?}"
    );
    assert!(
        error.message.contains("nothing accepts connections"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn a_slow_or_broken_answer_may_have_been_an_effect() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let slow = bench
        .err(
            "http_request",
            json!({"method": "POST", "url": server.url("/slow"), "timeout_s": 1}),
        )
        .await;
    assert_eq!((slow.class, slow.executed), (ErrorClass::Transient, true));
    assert_eq!(slow.evidence, "time limit of 1 s");
    let cut = bench
        .err(
            "http_request",
            json!({"method": "GET", "url": server.url("/cut")}),
        )
        .await;
    assert_eq!((cut.class, cut.executed), (ErrorClass::Transient, true));
    assert!(cut.message.contains("broke off"), "{}", cut.message);
}

#[tokio::test]
async fn cancelling_a_request_leaves_its_outcome_open() {
    let (bench, server) = (Arc::new(Bench::new()), Server::start().await);
    let running = {
        let bench = bench.clone();
        let args = json!({"method": "POST", "url": server.url("/slow")});
        tokio::spawn(async move { bench.call("http_request", args).await })
    };
    while server.seen().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    bench.cancel.cancel();
    assert_eq!(running.await.unwrap(), Outcome::Cancelled { executed: true });
}

#[tokio::test]
async fn a_huge_body_is_bounded() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let Outcome::Ok {
        value,
        discarded,
        meta,
        ..
    } = bench
        .call(
            "http_request",
            json!({"method": "GET", "url": server.url("/huge")}),
        )
        .await
    else {
        panic!("not done");
    };
    assert!(value.starts_with("\"first") && value.len() < HEAD + TAIL + 200);
    assert!(discarded > 1 << 20);
    let meta: Value = serde_json::from_str(&meta.unwrap()).unwrap();
    assert_eq!(meta["truncated"], true);
}

#[tokio::test]
async fn redirects_are_followed_shown_and_limited() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let (text, meta) = bench
        .ok(
            "http_request",
            json!({"method": "POST", "url": server.url("/hop"), "body": "sent", "headers": {"Authorization": "x"}}),
        )
        .await;
    assert_eq!(text, "hello");
    assert_eq!(meta["redirects"], json!([server.url("/ok")]));
    let second = server.seen()[1].to_ascii_lowercase();
    assert!(
        second.starts_with("get /ok ") && !second.contains("sent"),
        "{second}"
    );
    assert!(
        second.contains("authorization: x"),
        "the same server gets it again: {second}"
    );

    let error = bench
        .err(
            "http_request",
            json!({"method": "GET", "url": server.url("/loop")}),
        )
        .await;
    assert_eq!((error.class, error.executed), (ErrorClass::Business, true));
    assert!(
        error.message.contains("more than 10 redirects"),
        "{}",
        error.message
    );
    let error = bench
        .err(
            "http_request",
            json!({"method": "GET", "url": server.url("/file")}),
        )
        .await;
    assert_eq!(error.class, ErrorClass::Param);
    assert!(error.message.contains("file:///etc/passwd"), "{}", error.message);
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    let (bench, other) = (Bench::new(), Server::start().await);
    let target = other.url("/ok");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let to = target.clone();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        let _ = stream.read(&mut buffer).await;
        let reply =
            format!("HTTP/1.1 307 Moved\r\nConnection: close\r\nContent-Length: 0\r\nLocation: {to}\r\n\r\n");
        let _ = stream.write_all(reply.as_bytes()).await;
    });
    let headers = json!({"Authorization": "Bearer secret", "X-Api-Key": "secret"});
    let error = bench
        .err(
            "http_request",
            json!({"method": "POST", "url": url, "headers": headers, "body": "sent"}),
        )
        .await;
    assert_eq!((error.class, error.executed), (ErrorClass::Business, true));
    assert!(error.message.contains(&target), "{}", error.message);
    assert!(error.evidence.contains("HTTP 307"), "{}", error.evidence);
    assert_eq!(other.seen(), [""; 0], "nothing was sent there");
}

#[test]
fn a_server_is_its_host_and_its_port() {
    let is = |from: &str, to: &str| same_server(&from.parse().unwrap(), &to.parse().unwrap());
    assert!(is("http://a.example/x", "http://a.example/y"));
    assert!(is("http://a.example/x", "https://a.example/x"));
    assert!(is("https://a.example:443/x", "https://a.example/x"));
    for other in [
        "http://b.example/x",
        "http://www.a.example/x",
        "http://a.example:8080/x",
        "https://a.example:8443/x",
        "http://a.example@b.example/x",
        "http://169.254.169.254/x",
    ] {
        assert!(!is("http://a.example/x", other), "{other}");
    }
    assert!(
        !is("https://a.example/x", "http://a.example/x"),
        "no way back into the open"
    );
}

#[tokio::test]
async fn a_request_executed_before_a_redirect_counts_whatever_follows() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let args = |path: &str| json!({"method": "POST", "url": server.url(path), "body": "order"});
    let error = bench.err("http_request", args("/then-busy")).await;
    assert_eq!((error.class, error.executed), (ErrorClass::Transient, true));
    assert_eq!(error.evidence, "HTTP 429, Retry-After 7");
    // Alone it says that nothing was done.
    assert!(!bench.err("http_request", args("/busy")).await.executed);
}

#[tokio::test]
async fn a_binary_body_is_named_not_shown() {
    let (bench, server) = (Bench::new(), Server::start().await);
    let (text, _) = bench
        .ok(
            "http_request",
            json!({"method": "GET", "url": server.url("/binary")}),
        )
        .await;
    assert_eq!(text, "[binary body, image/png, 2 bytes, not shown]");
}

#[tokio::test]
async fn what_is_no_web_address_is_refused_by_the_schema() {
    let bench = Bench::new();
    for url in ["file:///etc/passwd", "ftp://x/", "/ok", "javascript:1", "http:/"] {
        let args = json!({"method": "GET", "url": url}).to_string();
        let faults = bench.tools.check("http_request", &args, true).unwrap();
        assert!(!faults.is_empty(), "{url}");
    }
    let error = bench
        .err(
            "http_request",
            json!({"method": "GET", "url": "http://127.0.0.1/", "headers": {"a b": "c"}}),
        )
        .await;
    assert_eq!((error.class, error.executed), (ErrorClass::Param, false));
}
