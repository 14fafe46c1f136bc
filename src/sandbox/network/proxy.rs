//! Serves one connection of a child: one request, or one tunnel.
//!
//! Must not know: how many connections there are, who reads what was refused.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use overrule_base::text::visible_head;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::body::Body;
use super::dial::{DialError, Resolve, dial};
use super::request::{self, HeadError, Kind, Request};
use super::response::{self, Answer};
use super::serving::Refusals;
use overrule_domain::sandbox::Hosts;

/// What opens a tunnel.
const OPEN: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";
/// How long what a child still sends is read after its response, so that no reset overtakes the response.
const LINGER: Duration = Duration::from_secs(1);
/// Bytes that are passed in one go.
const PART: usize = 16 << 10;
/// Maximum characters of a host in a message.
const SHOWN: usize = 255;

/// How long and how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Until the head of a request is there.
    pub(super) head: Duration,
    /// Until a host took a connection.
    pub(super) connect: Duration,
    /// Connections of the child that are served together. More wait.
    pub(super) connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            connect: Duration::from_secs(60),
            connections: 64,
        }
    }
}

/// What all connections of a child share.
pub(super) struct Proxy {
    pub(super) hosts: Hosts,
    pub(super) resolve: Resolve,
    pub(super) limits: Limits,
    pub(super) refusals: Arc<Refusals>,
}

impl Proxy {
    /// Serves a connection to its end.
    pub(super) async fn serve(&self, mut child: TcpStream) {
        let served = match self.request(&mut child).await {
            Ok((request, rest)) => self.answer(&mut child, request, rest).await,
            Err(Some(answer)) => finish(&mut child, &answer.bytes(false)).await,
            Err(None) => Ok(()),
        };
        if let Err(error) = served {
            tracing::debug!(%error, "a connection of a confined child ended early");
        }
    }

    /// Reads a request. Without one, returns the answer, or `None` if the child is gone.
    async fn request(&self, child: &mut TcpStream) -> Result<(Request, Vec<u8>), Option<Answer>> {
        let read = timeout(self.limits.head, request::read(child)).await;
        let Ok(read) = read else {
            return Err(Some(malformed(
                "408 Request Timeout",
                "the head of the request took too long",
            )));
        };
        let request = read.and_then(|(head, rest)| Ok((request::parse(&head)?, rest)));
        request.map_err(|error| {
            let status = match error {
                HeadError::Ended => return None,
                HeadError::TooLong => "431 Request Header Fields Too Large",
                HeadError::Malformed(_) => "400 Bad Request",
            };
            Some(malformed(status, &error.to_string()))
        })
    }

    async fn answer(&self, child: &mut TcpStream, request: Request, rest: Vec<u8>) -> io::Result<()> {
        let Request { host, port, kind } = request;
        let is_head = matches!(kind, Kind::Forward { is_head: true, .. });
        let dialled = dial(&self.hosts, &self.resolve, (&host, port), self.limits.connect).await;
        let mut upstream = match dialled {
            Ok(upstream) => upstream,
            Err(error) => {
                let answer = self.failed(&format!("{}:{port}", shown(&host)), &error);
                return finish(child, &answer.bytes(is_head)).await;
            }
        };
        match kind {
            Kind::Tunnel => {
                child.write_all(OPEN).await?;
                upstream.write_all(&rest).await?;
                tokio::io::copy_bidirectional(child, &mut upstream).await?;
                Ok(())
            }
            Kind::Forward { head, body, .. } => {
                upstream.write_all(&head).await?;
                exchange(child, &mut upstream, rest, body).await
            }
        }
    }

    /// Returns the answer about a host that was not reached, and remembers it if it was refused.
    fn failed(&self, place: &str, error: &DialError) -> Answer {
        tracing::debug!(%place, %error, "a confined child reached no host");
        let (status, kind, text) = match error {
            DialError::NotListed | DialError::Private => {
                self.refusals.add(place);
                let why = match error {
                    DialError::Private => format!(" ({error})"),
                    _ => String::new(),
                };
                let text = format!("[sandbox] refused: network {place}{why}");
                ("403 Forbidden", "refused", text)
            }
            DialError::Late => ("504 Gateway Timeout", "unreachable", unreachable(place, error)),
            DialError::Resolve(_) | DialError::Connect(_) => {
                ("502 Bad Gateway", "unreachable", unreachable(place, error))
            }
        };
        Answer { status, kind, text }
    }
}

fn unreachable(place: &str, error: &DialError) -> String {
    format!("[sandbox] cannot reach {place}: {error}")
}

fn malformed(status: &'static str, why: &str) -> Answer {
    Answer {
        status,
        kind: "malformed",
        text: format!("[sandbox] cannot pass the request: {why}"),
    }
}

/// Returns a host as messages name it: in lower case, without a final dot, and without the text before `@`, which
/// may be a password.
fn shown(host: &str) -> String {
    let host = host.rfind('@').and_then(|at| host.get(at..)).unwrap_or(host);
    let host = host.strip_suffix('.').unwrap_or(host);
    visible_head(&host.to_ascii_lowercase(), SHOWN)
}

/// Passes the body of one request and its response. What follows the body is not passed.
async fn exchange(
    child: &mut TcpStream,
    upstream: &mut TcpStream,
    rest: Vec<u8>,
    body: Body,
) -> io::Result<()> {
    {
        let (mut from_child, mut to_child) = child.split();
        let (mut from_host, mut to_host) = upstream.split();
        tokio::select! {
            passed = response::pass(&mut from_host, &mut to_child) => passed?,
            error = send(&mut from_child, &mut to_host, rest, body) => return Err(error),
        }
    }
    finish(child, b"").await
}

/// Passes a body, and then the end of what the child sends. Returns only if the child is gone, or its body is
/// malformed.
///
/// A host that takes no more of the body may still send a response.
async fn send(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    mut part: Vec<u8>,
    mut body: Body,
) -> io::Error {
    loop {
        let length = match body.take(&part) {
            Ok(length) => length,
            Err(error) => return io::Error::other(error),
        };
        if to
            .write_all(part.get(..length).unwrap_or_default())
            .await
            .is_err()
        {
            body = Body::NONE;
        }
        part.resize(PART, 0);
        match from.read(&mut part).await {
            Ok(0) => break,
            Ok(length) => part.truncate(length),
            Err(error) => return error,
        }
    }
    // It fails only if the host is gone, and then the response ends.
    to.shutdown().await.ok();
    std::future::pending().await
}

/// Sends the last bytes to a child, and waits until it has them.
async fn finish(child: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    child.write_all(bytes).await?;
    child.shutdown().await?;
    let mut part = vec![0; PART];
    let drained = timeout(LINGER, async {
        while child.read(&mut part).await.is_ok_and(|length| length > 0) {}
    });
    // It only ends the wait.
    drained.await.ok();
    Ok(())
}
