//! Sends a request over HTTP and converts the response to chunks as it arrives.
//!
//! Must not know: the graph, the journal, approvals.
//!
//! Nothing is tried twice here: whether to ask again is a recorded decision of the engine. Only a
//! request whose form the server refuses is sent in another form, which is reported; the same bytes
//! are never sent again.

mod secrets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::CONTENT_TYPE;
use reqwest::{StatusCode, Url};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use self::secrets::Secrets;
use super::access::Access;
use super::body::Body;
use super::compression::{self, Decompressor, MAX_REPLY};
use super::connect::Error;
use super::connect::{chain, endpoint, http_client, unpacker};
use super::exchange::{Keep, Recorder, Recording};
use super::incoming::Incoming;
use crate::fault::Refusal;
use crate::show::{cut, excerpt, visible};
use crate::wire::{Options, Target, Wire};
use crate::{Chunk, Model, Quirk, Quirks, Request, Tap, Way};
use overrule_domain::ladder::span;
use overrule_domain::turn::{StreamFault, StreamFaultKind};
use overrule_resilience::wait;

/// Maximum bytes read of an error's body.
const MAX_ERROR_BODY: usize = 64 * 1024;
/// How many forms of one request are tried after the first.
const MAX_FORMS: usize = 4;

/// Bytes of an unfinished event that may be one without content.
const SMALL: u64 = 1024;

/// How long the client waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// Limit for the next text, reasoning or arguments, including the first: comments and events without content
    /// only keep the connection open.
    pub idle: Duration,
    /// Limit for the end mark after the finish reason, whatever the server sends meanwhile.
    pub farewell: Duration,
    /// For the body of an error.
    pub error_body: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            farewell: Duration::from_secs(10),
            error_body: Duration::from_secs(10),
        }
    }
}

/// A client of a server that speaks one wire format.
pub struct Client {
    wire: Wire,
    source: Source,
    url: Url,
    model: String,
    options: Options,
    access: Access,
    patience: Patience,
    keep: Option<Keep>,
}

/// Where replies come from.
enum Source {
    /// The server.
    Server(reqwest::Client),
    /// A recording.
    Recording(Arc<Recording>),
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({} at {})", self.model, self.place())
    }
}

/// Why a request gave no reply.
struct Failed {
    fault: StreamFault,
    /// The server's error, if it may have refused the form of the request: no part of a reply has
    /// arrived.
    refusal: Option<Box<Refusal>>,
}

impl From<StreamFault> for Failed {
    fn from(fault: StreamFault) -> Self {
        Self { fault, refusal: None }
    }
}

impl Client {
    /// Creates a client of the server at `base_url`.
    pub fn new(
        wire: Wire,
        base_url: &str,
        model: &str,
        access: Access,
        patience: Patience,
    ) -> Result<Self, Error> {
        let url = endpoint(base_url, &wire.path(Target::plain(model)))?;
        let http = http_client(&url, wire, &access, patience.connect)?;
        Ok(Self {
            wire,
            source: Source::Server(http),
            url,
            model: model.to_owned(),
            options: Options::NONE,
            access,
            patience,
            keep: None,
        })
    }

    /// Asks for these options in every request.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Keeps every exchange.
    #[must_use]
    pub fn kept_by(mut self, keep: Keep) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Answers from a recording. Nothing is sent.
    #[must_use]
    pub fn answered_by(mut self, recording: Recording) -> Self {
        self.source = Source::Recording(Arc::new(recording));
        self
    }

    fn target(&self) -> Target<'_> {
        Target {
            model: &self.model,
            options: &self.options,
        }
    }

    async fn converse(&self, request: Request, chunks: &mpsc::Sender<Chunk>) -> Result<(), StreamFault> {
        let mut quirks = request.quirks.clone();
        let mut body = self.wire.body(self.target(), &request, &quirks);
        let mut refused = Vec::new();
        loop {
            let sent = blake3::hash(body.as_bytes());
            let failed = match self.attempt(body, &request.tap, chunks).await {
                Ok(()) => return Ok(()),
                Err(failed) => failed,
            };
            let Some(output) = failed.refusal else {
                return Err(failed.fault);
            };
            refused.push(sent);
            let members = self.wire.members(self.target(), &request, &quirks);
            let candidates = self.wire.quirks(&output, &members);
            // Whatever the status is: bytes in a refused form are not sent again.
            let is_form = !candidates.is_empty() && failed.fault.kind == StreamFaultKind::Server;
            let other = if refused.len() <= MAX_FORMS {
                self.other_form(&request, &quirks, candidates, &refused)
            } else {
                None
            };
            let Some((quirk, with, other)) = other else {
                let kind = if is_form {
                    StreamFaultKind::Request
                } else {
                    failed.fault.kind
                };
                return Err(StreamFault { kind, ..failed.fault });
            };
            let learned = Chunk::Learned {
                quirk,
                words: excerpt(&self.access.without_secrets(output.reason)),
            };
            chunks.send(learned).await.map_err(|_| cancelled())?;
            (quirks, body) = (with, other);
        }
    }

    /// Another form of a request after a refusal: the first of these that was not refused yet.
    fn other_form(
        &self,
        request: &Request,
        quirks: &Quirks,
        candidates: Vec<Quirk>,
        refused: &[blake3::Hash],
    ) -> Option<(String, Quirks, String)> {
        candidates.into_iter().find_map(|quirk| {
            let mut with = quirks.clone();
            let name = quirk.to_string();
            if !with.insert(quirk) {
                return None;
            }
            let body = self.wire.body(self.target(), request, &with);
            let is_new = !refused.contains(&blake3::hash(body.as_bytes()));
            is_new.then_some((name, with, body))
        })
    }

    /// Sends a body once and passes on the response.
    async fn attempt(&self, body: String, tap: &Tap, chunks: &mpsc::Sender<Chunk>) -> Result<(), Failed> {
        tap.note(Way::Sent, body.as_bytes());
        let mut record = Recorder::begin(self.keep.clone(), &body);
        let response = self.send(body).await;
        let response = response.inspect_err(|fault| record.end(Some(fault)))?;
        record.head(response.status(), response.headers());
        if response.status() == StatusCode::OK.as_u16() {
            self.read(response, (tap, &mut record), chunks).await
        } else {
            Err(self.refused(response, &mut record).await)
        }
    }

    /// Sends a body; returns the head of the response.
    async fn send(&self, body: String) -> Result<Incoming, StreamFault> {
        let http = match &self.source {
            Source::Server(http) => http,
            Source::Recording(recording) => return Incoming::recorded(recording.take(&body)?),
        };
        let send = http
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body)
            .send();
        match tokio::time::timeout(self.patience.idle, send).await {
            Err(_) => Err(self.idle_timeout()),
            Ok(Err(error)) => Err(self.broken(&error)),
            Ok(Ok(response)) => {
                // The status of a refusal says more than its body.
                let unpacker = match unpacker(&response, MAX_REPLY) {
                    Err(_) if response.status() != StatusCode::OK => Decompressor::default(),
                    unpacker => unpacker.map_err(|error| self.packed(&error))?,
                };
                Ok(Incoming::Live(response, unpacker))
            }
        }
    }

    async fn read(
        &self,
        mut response: Incoming,
        (tap, record): (&Tap, &mut Recorder),
        chunks: &mpsc::Sender<Chunk>,
    ) -> Result<(), Failed> {
        let mut without = Secrets::of(&self.access);
        let mut body = Body::new(self.wire);
        let mut out = Vec::new();
        let mut open = 0;
        let mut nothing_arrived = true;
        let mut until = Instant::now() + self.patience.idle;
        let mut finished = false;
        loop {
            let piece = if Instant::now() < until {
                timeout_at(until, response.chunk(self)).await.ok()
            } else {
                // A server that never pauses is not waited for either.
                None
            };
            let (result, over) = match piece.ok_or(()) {
                Ok(Ok(Some(bytes))) => {
                    let kept = without.feed(&bytes);
                    tap.note(Way::Received, &kept);
                    record.piece(&kept);
                    (body.feed(&bytes, &mut out), body.ended())
                }
                Ok(Ok(None)) => {
                    let kept = without.end();
                    tap.note(Way::Received, &kept);
                    record.piece(&kept);
                    (body.end(&mut out), true)
                }
                // Problems of the connection after the end of the answer are harmless.
                Err(()) | Ok(Err(_)) if body.finished() => (body.end(&mut out), true),
                Err(()) => (Err(self.idle_timeout()), true),
                Ok(Err(fault)) => (Err(fault), true),
            };
            if over {
                record.piece(&without.end());
                record.end(result.as_ref().err().filter(|_| !body.finished()));
            }
            if finished != body.finished() {
                finished = true;
                until = Instant::now() + self.patience.farewell;
            } else if !finished && (body.open_bytes() > open.max(SMALL) || out.iter().any(Chunk::is_content))
            {
                until = Instant::now() + self.patience.idle;
            }
            open = body.open_bytes();
            for chunk in out.drain(..) {
                nothing_arrived = false;
                chunks.send(chunk).await.map_err(|_| cancelled())?;
            }
            result.map_err(|fault| Failed {
                fault: StreamFault {
                    message: cut(self.access.without_secrets(fault.message)),
                    ..fault
                },
                refusal: body.refusal().filter(|_| nothing_arrived).cloned().map(Box::new),
            })?;
            if over {
                return Ok(());
            }
        }
    }

    /// A status other than 200, with the server's own text.
    async fn refused(&self, mut response: Incoming, record: &mut Recorder) -> Failed {
        let status = response.status();
        let code = StatusCode::from_u16(status).map_or_else(|_| status.to_string(), |code| code.to_string());
        let headers: Vec<(String, String)> = response.headers().collect();
        let header = |name: &str| {
            let (_, value) = headers.iter().find(|(known, _)| known == name)?;
            Some(value.as_str())
        };
        let asked_ms = wait::asked(header);
        let location = header("location").map(str::to_owned);
        let mut bytes = Vec::new();
        let read = async {
            while let Ok(Some(piece)) = response.chunk(self).await {
                let room = MAX_ERROR_BODY.saturating_sub(bytes.len());
                bytes.extend(piece.iter().take(room));
                if bytes.len() >= MAX_ERROR_BODY {
                    break;
                }
            }
        };
        let _ = tokio::time::timeout(self.patience.error_body, read).await;
        let mut without = Secrets::of(&self.access);
        record.piece(&without.feed(&bytes));
        record.piece(&without.end());
        record.end(None);
        let body = String::from_utf8_lossy(&bytes);
        let output = Refusal::read(Some(u64::from(status)), &body);
        let kind = output.kind(asked_ms);
        let retry_after_ms = asked_ms.or(output.wait_ms);
        let mut message = format!("{} answered {code}", self.place());
        if !output.reason.trim().is_empty() {
            message.push_str(": ");
            message.push_str(&excerpt(&self.access.without_secrets(output.reason.clone())));
        }
        if let Some(location) = location {
            message.push_str("; it redirects, which is not followed, to ");
            message.push_str(&excerpt(&self.access.without_secrets(location)));
        }
        if let Some(ms) = retry_after_ms.filter(|ms| *ms > 0) {
            message.push_str("; it asks to wait ");
            message.push_str(&span(ms));
        }
        message.push_str(match (kind, status) {
            (StreamFaultKind::Quota, _) => {
                "; waiting does not help: check the plan and the credit of the account"
            }
            (StreamFaultKind::Auth, _) => "; check the API key",
            (StreamFaultKind::Overflow, _) => "; shorten old results, or delete earlier calls",
            (_, 404) => "; check the base URL and the model's name",
            (_, 300..=399) => "; put the right address into the base URL",
            _ => "",
        });
        Failed {
            fault: StreamFault {
                kind,
                message,
                retry_after_ms,
            },
            refusal: Some(Box::new(output)),
        }
    }

    pub(super) fn broken(&self, error: &reqwest::Error) -> StreamFault {
        let (kind, what) = if error.is_timeout() {
            (StreamFaultKind::Timeout, "no connection in time to")
        } else if error.is_connect() {
            (StreamFaultKind::Network, "failed to connect to")
        } else if error.is_decode() && !error.is_body() {
            (
                StreamFaultKind::Network,
                "the answer broke off or could not be unpacked, from",
            )
        } else {
            (StreamFaultKind::Network, "the connection broke to")
        };
        StreamFault {
            kind,
            message: format!(
                "{what} {}: {}",
                self.place(),
                self.access.without_secrets(chain(error))
            ),
            retry_after_ms: None,
        }
    }

    /// A compressed body that cannot be unpacked.
    pub(super) fn packed(&self, error: &compression::Error) -> StreamFault {
        StreamFault {
            kind: match error {
                compression::Error::Cut(_) => StreamFaultKind::Truncated,
                compression::Error::Unknown(_)
                | compression::Error::TooMany(_)
                | compression::Error::TooLarge(_)
                | compression::Error::Broken { .. } => StreamFaultKind::Garbage,
            },
            message: format!("{}: {error}", self.place()),
            retry_after_ms: None,
        }
    }

    fn idle_timeout(&self) -> StreamFault {
        StreamFault {
            kind: StreamFaultKind::Timeout,
            message: format!(
                "{} said nothing for {} s",
                self.place(),
                self.patience.idle.as_secs_f32()
            ),
            retry_after_ms: None,
        }
    }

    /// Returns the host and port, for people.
    fn place(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        visible(&match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }
}

impl Model for Client {
    fn name(&self) -> String {
        // Not made visible here, because every display does that; twice would be too often.
        format!("{} at {}", self.model, self.place())
    }

    fn quirks(&self) -> Quirks {
        self.options.quirks()
    }

    fn ask(
        &self,
        request: Request,
        chunks: mpsc::Sender<Chunk>,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<(), StreamFault>> {
        Box::pin(async move {
            // Whichever ends first drops the other, and with it the connection.
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(cancelled()),
                result = self.converse(request, &chunks) => result,
            }
        })
    }
}

fn cancelled() -> StreamFault {
    StreamFault {
        kind: StreamFaultKind::Truncated,
        message: "the request was stopped here".to_owned(),
        retry_after_ms: None,
    }
}
