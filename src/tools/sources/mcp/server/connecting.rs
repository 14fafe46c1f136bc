//! Connects to a server, in the way that it speaks.
//!
//! Must not know: its tools, what follows from the end of a connection.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientCacheConfig, ClientInitializeError, ClientLifecycleMode, RunningService,
    serve_client_with_lifecycle,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{End, HANDSHAKE, OnChange, Server};
use crate::sources::mcp::confined;
use crate::sources::mcp::current::Watched;
use crate::sources::mcp::handler::Handler;
use crate::sources::mcp::http;
use crate::sources::mcp::live::Connection;
use crate::sources::mcp::reader::Reader;
use crate::sources::mcp::result::of_handshake;
use crate::sources::mcp::setup::Via;
use crate::sources::mcp::spoken::Generation;
use crate::sources::mcp::stdio::{self, Process};
use crate::sources::mcp::transport::Closed;

/// How long a process that was asked in the newer way may say nothing at all. Some of last year stop reading at it.
const SILENT: Duration = Duration::from_secs(4);

type Running = RunningService<RoleClient, Handler>;

/// How a connection is made.
struct Attempt {
    speaks: Generation,
    reader: Arc<Reader>,
    closed: Closed,
    /// Cancelled once a server over HTTP accepts no connection.
    gone: CancellationToken,
}

impl Server {
    /// Connects, and keeps its definitions current until the connection ends.
    pub(super) async fn connected(&self, process: &mut Option<Process>, on_change: &OnChange) -> End {
        let began = Instant::now();
        let speaks = self.spoken.get().await;
        let (log, told) = (Arc::clone(&self.log), Arc::clone(&self.told));
        let attempt = Attempt {
            speaks,
            reader: Arc::new(Reader::new(log, told, speaks == Generation::Unknown)),
            closed: Closed::default(),
            gone: CancellationToken::new(),
        };
        let running = tokio::select! {
            running = tokio::time::timeout(HANDSHAKE, self.connect(&attempt, process)) => running,
            () = self.is_silent(&attempt) => {
                self.spoken.set(Generation::Old);
                return End::Again("it says nothing since it was asked in the newer way: started again".to_owned());
            }
        };
        let running = match running {
            Ok(Ok(running)) => running,
            Ok(Err((end, is_answered))) => return self.not_connected(&attempt, end, is_answered),
            Err(_) => return End::Lost(format!("no handshake within {} s", HANDSHAKE.as_secs())),
        };
        let peer = running.peer().clone();
        let info = peer.peer_info();
        let is_old = info.is_none_or(|info| info.protocol_version.has_initialize());
        if speaks == Generation::Old || attempt.reader.is_probe_costly() {
            self.remember(if is_old { Generation::Old } else { Generation::New })
                .await;
        }
        // A kept answer would hide a change.
        peer.set_response_cache_config(ClientCacheConfig::disabled())
            .await;
        let connection = Connection {
            peer,
            pid: process.as_ref().map(Process::pid),
            closing: CancellationToken::new(),
            handshake: began.elapsed(),
        };
        let service = running.cancellation_token();
        let mut ended = std::pin::pin!(running.waiting());
        let end = tokio::select! {
            _ = &mut ended => End::Lost(ended_because(&attempt.closed)),
            () = connection.closing.cancelled() => End::Lost("the server ended the session".to_owned()),
            () = attempt.gone.cancelled() => End::Lost("the connection ended: the server accepts none any more".to_owned()),
            end = self.follow(&connection, on_change) => end,
        };
        service.cancel();
        end
    }

    async fn remember(&self, speaks: Generation) {
        if let Err(why) = self.spoken.remember(speaks).await {
            self.log.note(&why);
        }
    }

    /// Waits until a process that was asked in the newer way has said nothing for too long.
    async fn is_silent(&self, attempt: &Attempt) {
        let is_asked =
            attempt.speaks == Generation::Unknown && matches!(self.config.via, Via::Command { .. });
        if is_asked {
            tokio::time::sleep(SILENT).await;
        }
        if !is_asked || attempt.reader.has_heard() {
            std::future::pending::<()>().await;
        }
    }

    /// Chooses how it is asked after a handshake that failed. `is_answered` is true if the server refused it itself.
    fn not_connected(&self, attempt: &Attempt, end: End, is_answered: bool) -> End {
        let End::Lost(why) = end else { return end };
        let is_stdio = matches!(self.config.via, Via::Command { .. });
        let next = match attempt.speaks {
            // It was slow to start, and has no older way.
            Generation::Unknown if is_answered && attempt.reader.is_probe_costly() => Generation::New,
            Generation::Unknown => Generation::Old,
            Generation::Old if is_answered => Generation::New,
            // What an earlier process remembered may be outdated.
            Generation::Old if !self.spoken.is_read() => Generation::Old,
            Generation::Old | Generation::New => Generation::Unknown,
        };
        self.spoken.set(next);
        if attempt.speaks == Generation::Unknown && (is_stdio || next == Generation::New) {
            End::Again(format!("{why}; started again and asked in the other way"))
        } else {
            End::Lost(why)
        }
    }

    /// Wraps a transport so that changes of the definitions count as soon as they arrive.
    pub(super) fn watched<T>(&self, transport: T) -> Watched<T> {
        Watched::new(transport, Arc::clone(&self.current))
    }

    /// Returns what answers the server.
    pub(super) fn handler(&self) -> Handler {
        Handler {
            log: Arc::clone(&self.log),
            progress: Arc::clone(&self.progress),
            questions: Arc::clone(&self.questions),
        }
    }

    /// Makes the handshake. The error also says whether the server answered it.
    async fn connect(
        &self,
        attempt: &Attempt,
        process: &mut Option<Process>,
    ) -> Result<Running, (End, bool)> {
        let handler = self.handler();
        let newest = || vec![ProtocolVersion::V_2026_07_28];
        let mode = match attempt.speaks {
            Generation::Old => ClientLifecycleMode::Initialize,
            Generation::New => ClientLifecycleMode::Discover {
                preferred_versions: newest(),
            },
            Generation::Unknown => ClientLifecycleMode::Auto {
                preferred_versions: newest(),
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
        };
        let refused = |why| (End::Refused(why), false);
        match &self.config.via {
            Via::Command {
                program,
                args,
                env,
                cwd,
            } => {
                let cwd = cwd.as_deref().unwrap_or(&self.workspace);
                let confined = confined::plan(&self.config.confinement, self.sandbox.as_ref()).await;
                let surroundings = (cwd, &self.environment, confined.map_err(refused)?);
                let ends = (Arc::clone(&attempt.reader), Arc::clone(&attempt.closed));
                let log = Arc::clone(&self.log);
                let started = stdio::start((program, args), env, surroundings, log, ends).await;
                let (child, lines) = started.map_err(refused)?;
                self.note_refused_hosts(child.refused_hosts());
                *process = Some(child);
                let served = serve_client_with_lifecycle(handler, self.watched(lines), mode).await;
                served.map_err(|error| self.unserved(&error))
            }
            Via::Http { url, headers, token } => {
                let ends = (Arc::clone(&attempt.reader), attempt.gone.clone());
                let target = (url.as_str(), headers, token.as_ref());
                let transport = http::transport(target, &self.environment, &self.redaction, ends).await;
                let transport = transport.map_err(refused)?;
                let served = serve_client_with_lifecycle(handler, self.watched(transport), mode).await;
                served.map_err(|error| self.unserved(&error))
            }
        }
    }

    /// Describes a handshake that failed.
    fn unserved(&self, error: &ClientInitializeError) -> (End, bool) {
        if error.is_authorization_required() {
            return (End::Refused(http::LOG_IN.to_owned()), true);
        }
        let why = format!("the handshake failed: {}", of_handshake(error, &self.redaction));
        if is_final(error) {
            return (End::Refused(why), true);
        }
        (End::Lost(why), is_answered(error))
    }
}

/// Says why a connection ended.
fn ended_because(closed: &Closed) -> String {
    match closed.get() {
        Some(why) => format!("the connection ended: {why}"),
        None => "the connection ended".to_owned(),
    }
}

/// True if the next attempt would be refused in the same way.
fn is_final(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::TransportError { error, .. } => http::is_final(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_final(fallback),
        _ => false,
    }
}

/// True if the server itself refused the handshake.
fn is_answered(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(_) => true,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_answered(fallback),
        _ => false,
    }
}
