//! Tests notifications with programs and servers of this test.
//!
//! Must not know: what a notification says.

use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use tokio::sync::oneshot;

use super::*;
use crate::child::Environment;
use crate::operator_program::Program;

fn ways(command: &[&str], webhook: Option<String>) -> Ways {
    Ways {
        program: Program {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            limit: Duration::from_secs(20),
            cwd: std::env::temp_dir(),
            environment: Environment::default(),
            mark: crate::child::unmarked,
        },
        webhook,
    }
}

/// A server for one request; returns its URL, and the request once it has arrived.
async fn server(answer: &'static str) -> (String, oneshot::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let (sender, message) = oneshot::channel();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = String::new();
        let mut buffer = [0; 4096];
        while !request.ends_with('}') {
            let count = stream.read(&mut buffer).await.unwrap();
            request.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        sender.send(request).unwrap();
    });
    (base, message)
}

#[tokio::test]
async fn a_program_is_fed_the_text() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("got");
    let line = format!("cat > {}", file.display());
    let failed = ways(&["sh", "-c", &line], None).call("{\"a\":1}").await;
    assert_eq!(failed, Vec::<String>::new());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "{\"a\":1}");
}

#[tokio::test]
async fn a_program_that_reads_nothing_has_not_failed() {
    let long = "x".repeat(1 << 20);
    assert_eq!(ways(&["true"], None).call(&long).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_failing_program_is_reported_with_its_output() {
    let failed = ways(&["sh", "-c", "printf 'no \\033[31mroute' >&2; exit 3"], None)
        .call("{}")
        .await;
    assert_eq!(
        failed,
        [
            "notify.command failed: `sh` ended with exit status: 3, and says: no ⟨U+001B⟩[31mroute. The run is not affected"
        ]
    );
    let failed = ways(&["/no/such/program"], None).call("{}").await;
    assert!(
        failed[0].starts_with("notify.command failed: cannot start `/no/such/program`: "),
        "{failed:?}"
    );
}

#[tokio::test]
async fn a_program_that_does_not_end_is_ended() {
    let mut ways = ways(&["sh", "-c", "sleep 100 & sleep 100"], None);
    ways.program.limit = Duration::from_millis(50);
    let failed = ways.call("{}").await;
    assert_eq!(
        failed,
        ["notify.command failed: `sh` did not end within 50 ms. The run is not affected"]
    );
}

#[tokio::test]
async fn an_address_is_posted_to() {
    let (base, message) = server("HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").await;
    let failed = ways(&[], Some(format!("{base}/hook/s3cret")))
        .call("{\"a\":1}")
        .await;
    assert_eq!(failed, Vec::<String>::new());
    let request = message.await.unwrap();
    assert!(request.starts_with("POST /hook/s3cret HTTP/1.1\r\n"), "{request}");
    assert!(
        request.to_lowercase().contains("content-type: application/json"),
        "{request}"
    );
    assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
}

#[tokio::test]
async fn a_failing_address_is_reported_without_its_path() {
    let (base, _reported) =
        server("HTTP/1.1 500 Oops\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    let failed = ways(&[], Some(format!("{base}/hook/s3cret"))).call("{}").await;
    assert_eq!(
        failed,
        ["notify.webhook failed: 127.0.0.1 answered with status 500. The run is not affected"]
    );
    // A redirect is not followed, because the text is for this URL.
    let (base, _reported) =
        server("HTTP/1.1 307 Away\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    let failed = ways(&[], Some(format!("{base}/hook/s3cret"))).call("{}").await;
    assert!(failed[0].contains("status 307"), "{failed:?}");
    // No server listens on a port that was just released.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let failed = ways(&[], Some(format!("http://127.0.0.1:{port}/hook/s3cret")))
        .call("{}")
        .await;
    assert!(
        failed[0].starts_with("notify.webhook failed: cannot reach 127.0.0.1: "),
        "{failed:?}"
    );
    assert!(!failed[0].contains("s3cret"), "{failed:?}");
}
