//! Test server on a real socket that sends exactly the given bytes.
//!
//! Must not know: what is asked of it.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// What the server does after it has read the request.
pub(super) enum Step {
    Send(Vec<u8>),
    /// One byte at a time, each in its own packet as far as the system allows.
    Drip(Vec<u8>),
    /// This again and again until the client closes the connection.
    Beat(Vec<u8>),
    /// Nothing more; the connection stays open until the client closes it.
    Hang,
}

/// A server for one request: its base URL, the request as received, and a signal when the client closes.
pub(super) struct Server {
    pub(super) base: String,
    pub(super) request: oneshot::Receiver<String>,
    pub(super) closed: oneshot::Receiver<()>,
}

pub(super) async fn serve(steps: Vec<Step>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1/", listener.local_addr().unwrap());
    let (send_request, request) = oneshot::channel();
    let (send_closed, closed) = oneshot::channel();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.set_nodelay(true).unwrap();
        let mut seen = Vec::new();
        while !is_whole(&seen) {
            let mut piece = [0; 4096];
            let n = socket.read(&mut piece).await.unwrap();
            assert!(n > 0, "the request was cut");
            seen.extend_from_slice(&piece[..n]);
        }
        let _ = send_request.send(String::from_utf8(seen).unwrap());
        for step in steps {
            match step {
                Step::Send(bytes) => socket.write_all(&bytes).await.unwrap(),
                Step::Drip(bytes) => {
                    for byte in bytes {
                        socket.write_all(&[byte]).await.unwrap();
                        tokio::task::yield_now().await;
                    }
                }
                Step::Beat(bytes) => {
                    while socket.write_all(&bytes).await.is_ok() {
                        tokio::time::sleep(Duration::from_millis(10)).await;
                    }
                    let _ = send_closed.send(());
                    return;
                }
                Step::Hang => {
                    let n = socket.read(&mut [0; 16]).await.unwrap_or(0);
                    assert_eq!(n, 0, "nothing more is said by the client");
                    let _ = send_closed.send(());
                    return;
                }
            }
        }
    });
    Server {
        base,
        request,
        closed,
    }
}

/// Returns true once the headers and the announced number of body bytes have arrived.
fn is_whole(seen: &[u8]) -> bool {
    let text = String::from_utf8_lossy(seen);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("content-length:")
            .map(|n| n.trim().parse::<usize>().unwrap())
    });
    body.len() >= length.unwrap_or(0)
}
