//! Sample HTTP server that answers a few requests at a time, and the tool to wait with.
//!
//! Must not know: who asks it.
//!
//! It tells other clients to come back later. It listens only on the loopback address.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::service::Service;
use crate::tool::Tool;
use overrule_domain::call::EffectClass;

/// Maximum number of requests that are answered within [`WITHIN`].
const MOST: usize = 2;
/// The period over which requests are counted.
const WITHIN: Duration = Duration::from_secs(1);
/// Maximum bytes of a request's head.
const HEAD: u64 = 16 * 1024;
/// Longer than a client on this machine takes to send a request.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the tool to wait with.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let schema = json!({
        "type": "object",
        "properties": {
            "reason": {"type": "string", "description": "What is waited for."}
        },
        "additionalProperties": false
    });
    let answer = |_: &Value, _: u32| Ok(json!({"waited_ms": WAIT_MS}));
    let wait = Service::new(
        "wait",
        "Wait a little longer than a second, before something is tried again.",
        &schema,
        EffectClass::Pure,
        answer,
    );
    vec![Arc::new(wait.taking(WAIT_MS))]
}

/// A little longer than the server asks for.
const WAIT_MS: u64 = 1_100;

/// Starts the server for the rest of this program's life and returns its port. A resumed run needs the same
/// port as before.
pub fn start(port: Option<u16>) -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
    let port = listener.local_addr()?.port();
    std::thread::Builder::new()
        .name("sample server".to_owned())
        .spawn(move || serve(&listener))?;
    Ok(port)
}

/// Serves one request after the other.
fn serve(listener: &TcpListener) {
    let mut rate = Rate::default();
    for socket in listener.incoming().flatten() {
        // A client that went away misses its answer; other clients are not affected.
        answer(&socket, &mut rate).unwrap_or_default();
    }
}

fn answer(socket: &TcpStream, rate: &mut Rate) -> io::Result<()> {
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.set_write_timeout(Some(PATIENCE))?;
    let mut head = BufReader::new(socket).take(HEAD);
    let mut first = String::new();
    head.read_line(&mut first)?;
    let mut line = first.clone();
    while !line.trim().is_empty() {
        line.clear();
        head.read_line(&mut line)?;
    }
    let path = first.split(' ').nth(1).unwrap_or("/");
    let (status, more, body) = match path.strip_prefix("/page/").map(str::parse::<u32>) {
        _ if !rate.admits(Instant::now()) => (
            "429 Too Many Requests",
            format!("Retry-After: {}\r\n", WITHIN.as_secs()),
            "too many requests: two in a second are answered".to_owned(),
        ),
        Some(Ok(page)) => ("200 OK", String::new(), format!("This is page {page}.")),
        _ => (
            "404 Not Found",
            String::new(),
            "there are pages only, such as /page/1".to_owned(),
        ),
    };
    let mut socket = socket;
    write!(
        socket,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\n{more}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    socket.flush()
}

/// The times of the recently answered requests.
#[derive(Default)]
pub(super) struct Rate(VecDeque<Instant>);

impl Rate {
    /// Counts a request that is answered; returns false for one too many, which does not count.
    pub(super) fn admits(&mut self, now: Instant) -> bool {
        while self
            .0
            .front()
            .is_some_and(|then| now.duration_since(*then) >= WITHIN)
        {
            self.0.pop_front();
        }
        let admits = self.0.len() < MOST;
        if admits {
            self.0.push_back(now);
        }
        admits
    }
}
