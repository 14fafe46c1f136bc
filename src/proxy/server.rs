//! Serves agents on this machine: checks who asks, identifies conversations, passes everything else through.
//!
//! Must not know: formats of replies, how a call is decided, sessions.

mod pass;
mod side;

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};

use self::side::{AgentName, agent_of};
use super::address::{self, Token};
use super::alarms::Alarms;
use super::conversation::{self, Key, Kind};
use super::outlet::BodyReader;
use super::placement::{Place, Runs, forks, free, place_of, renamed};
use super::resumed::Belongs;
use super::run::{self, AgentRun, Answer, Begun};
use super::side_request::Nameless;
use super::socket::Socket;
use super::sub_agent::{self, Parent};
use super::unread::Unread;
use super::upstream::Upstream;
use super::{Error, compression, headers, overlay, path, rejection, request_body};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{AgentRequest, decode_request};

/// Maximum bytes of the body of a request.
const MAX_BODY: usize = 64 << 20;
/// How long after a request of an agent its hang-up on the one before may be noticed.
const HANG_UP: Duration = Duration::from_millis(150);
/// How long a connection may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(30);
/// Maximum number of connections that have not shown the token yet.
const PLACES: usize = 64;
/// How long a connection may stay without having shown the token.
const UNPROVEN: Duration = Duration::from_secs(2);

type BodyError = Box<dyn std::error::Error + Send + Sync>;
type Sent = Response<UnsyncBoxBody<Bytes, BodyError>>;

/// A conversation that begins: the receiver of this gives it a run.
pub struct Opening {
    /// The conversation.
    pub run: Arc<AgentRun>,
    /// Its first request.
    pub request: AgentRequest,
    /// Its format.
    pub wire: Wire,
    /// True for a sub-agent, and for a conversation other than the first one.
    pub is_beside: bool,
    /// True for the conversation of the session that is resumed.
    pub resumes: bool,
    /// The conversation that it is a sub-agent of.
    pub parent: Option<Parent>,
}

/// What the server is made of.
pub struct Setup {
    /// The word without which nothing is served.
    pub token: Token,
    /// The model's server.
    pub upstream: Arc<Upstream>,
    /// Where new conversations are reported.
    pub openings: mpsc::Sender<Opening>,
    /// Makes a conversation.
    pub begin: fn(Arc<Upstream>) -> Arc<AgentRun>,
    /// Recognises the conversation of the session that is resumed, if there is one.
    pub resumed: Option<Belongs>,
    /// Told about each connection that has shown the token, before its first request is answered.
    pub connected: Option<Connected>,
    /// What the operator must see.
    pub alarms: Alarms,
    /// True to pass requests that cannot be gated, without a decision about the calls in their replies.
    pub pass_unknown: bool,
}

/// Takes the other end of a connection, and this one. It may block.
pub type Connected = Arc<dyn Fn(SocketAddr, SocketAddr) + Send + Sync>;

/// The server.
pub struct Server {
    setup: Setup,
    at: SocketAddr,
    runs: Mutex<Runs>,
    /// Recognises the conversation of the session that is resumed, until it was found.
    resumed: Mutex<Option<Belongs>>,
    requests: watch::Sender<u64>,
    /// Requests beside a conversation that belong to none of their name.
    nameless: Mutex<Nameless>,
    /// The programs that have conversations.
    agents: Mutex<BTreeSet<AgentName>>,
    /// Places for connections that have not shown the token yet.
    places: Arc<Semaphore>,
}

/// Opens a port of this machine.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    if !address.ip().is_loopback() {
        return Err(Error::NotLoopback(address));
    }
    let listener = TcpListener::bind(address).await;
    listener.map_err(|source| Error::Listen { address, source })
}

impl Server {
    /// Makes a server for a listener at this address.
    pub fn new(mut setup: Setup, at: SocketAddr) -> Arc<Self> {
        let resumed = Mutex::new(setup.resumed.take());
        Arc::new(Self {
            setup,
            resumed,
            at,
            runs: Mutex::new(BTreeMap::new()),
            requests: watch::Sender::new(0),
            nameless: Mutex::new(Nameless::default()),
            agents: Mutex::default(),
            places: Arc::new(Semaphore::new(PLACES)),
        })
    }

    /// Returns the base URL for the agent.
    pub fn base(&self) -> String {
        self.setup.token.base(self.at)
    }

    /// Counts the requests of the agent.
    pub fn requests(&self) -> watch::Receiver<u64> {
        self.requests.subscribe()
    }

    /// Serves until the task is dropped.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        loop {
            let Ok((socket, from)) = listener.accept().await else {
                // No file is left for another connection; the next may find one.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            // Without a place it is closed: others must not fill the memory of this process.
            let Ok(place) = self.places.clone().try_acquire_owned() else {
                continue;
            };
            // Small events must not wait for each other.
            let _ = socket.set_nodelay(true);
            let server = self.clone();
            tokio::spawn(async move {
                let socket = Socket::new(socket);
                let half_closed = socket.half_closed();
                let place = Arc::new(Mutex::new(Some(place)));
                let taken = place.clone();
                let service = service_fn(move |request| {
                    let (server, half_closed) = (server.clone(), half_closed.clone());
                    let knows_token = server.path_of(&request).is_some();
                    // Its connection may stay.
                    let first = knows_token
                        .then(|| taken.lock().unwrap_or_else(PoisonError::into_inner).take())
                        .flatten();
                    async move {
                        if first.is_some() {
                            server.note_connection(from).await;
                        }
                        let mut response = server.answer(request).await;
                        if half_closed.get() {
                            let close = HeaderValue::from_static("close");
                            response.headers_mut().insert(header::CONNECTION, close);
                        }
                        Ok::<_, Infallible>(response)
                    }
                });
                let mut http = hyper::server::conn::http1::Builder::new();
                http.timer(TokioTimer::new())
                    .header_read_timeout(HEAD)
                    .title_case_headers(false);
                // The reply on a connection detects that it broke.
                let mut connection = std::pin::pin!(http.serve_connection(TokioIo::new(socket), service));
                tokio::select! {
                    _ = &mut connection => return,
                    () = tokio::time::sleep(UNPROVEN) => {}
                }
                let is_proven = place.lock().unwrap_or_else(PoisonError::into_inner).is_none();
                if is_proven {
                    let _ = connection.await;
                }
            });
        }
    }

    /// Tells who is at the other end of a connection, before its first request is answered.
    async fn note_connection(&self, from: SocketAddr) {
        let Some(connected) = self.setup.connected.clone() else {
            return;
        };
        let at = self.at;
        if let Err(error) = tokio::task::spawn_blocking(move || connected(from, at)).await {
            tracing::warn!(%error, "the other end of a connection was not looked up");
        }
    }

    /// Returns the path of a request without the token; none without the right token, or for another host.
    fn path_of<'r>(&self, request: &'r Request<Incoming>) -> Option<&'r str> {
        let headers = request.headers();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let path = request.uri().path_and_query().map_or("", |path| path.as_str());
        let token = headers.get(address::HEADER).and_then(|token| token.to_str().ok());
        let path = match token {
            Some(token) => Some(path).filter(|_| self.setup.token.is(token)),
            None => self.setup.token.strip(path),
        };
        path.filter(|_| address::is_host(host, self.at))
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>) -> Sent {
        let Some(path) = self.path_of(&request).map(str::to_owned) else {
            return plain(StatusCode::NOT_FOUND, "not found");
        };
        let (mut head, body) = request.into_parts();
        // It is decided on what is sent.
        let Some((path, method)) = path::normal(&path).zip(path::method(&head.method)) else {
            return plain(StatusCode::NOT_FOUND, "not found");
        };
        head.method = method;
        // A server may read as a request for a reply what is none here.
        let hidden = path::with_slashes(&path).filter(|plain| conversation::wire_of(plain).is_some());
        if hidden.is_some() && conversation::wire_of(&path).is_none() {
            let unread = Unread::new(&head.method, &path, "its path has encoded slashes");
            self.setup.alarms.raise(&unread.alarm());
            return plain(StatusCode::NOT_FOUND, "not found");
        }
        self.requests.send_modify(|count| *count += 1);
        if head.headers.contains_key(header::UPGRADE) {
            let mut response = plain(StatusCode::UPGRADE_REQUIRED, "only plain HTTP is served here");
            response
                .headers_mut()
                .insert(header::UPGRADE, HeaderValue::from_static("HTTP/1.1"));
            return response;
        }
        let body = match request_body::read(body, MAX_BODY).await {
            Ok(body) => body,
            Err(request_body::Error::TooLarge) => return too_large(),
            Err(request_body::Error::Broken) => {
                return plain(StatusCode::BAD_REQUEST, "the request broke off");
            }
        };
        let body = match decompressed(&mut head.headers, &path, body) {
            Ok(body) => body,
            Err(compression::Error::TooLarge(_)) => return too_large(),
            Err(error) => {
                let unread = Unread::new(&head.method, &path, &error.to_string());
                return self.refuse(&unread);
            }
        };
        let asked = (head.method == hyper::Method::POST)
            .then(|| conversation::wire_of(&path))
            .flatten()
            .map(|wire| (wire, read(wire, &body)));
        let unread = match &asked {
            Some((_, Ok(request))) => Unread::of_known(&head.method, &path, request),
            Some((_, Err(why))) => Some(Unread::new(&head.method, &path, why)),
            None if conversation::history_of(&path).is_some() => None,
            None => Unread::on_unknown_path(&head.method, &path, &head.headers, &body, MAX_BODY),
        };
        if let Some(unread) = unread {
            if self.setup.pass_unknown {
                return self.pass_history(head, &path, None, body).await;
            }
            return self.refuse(&unread);
        }
        let Some((wire, request)) = asked.and_then(|(wire, request)| Some((wire, request.ok()?))) else {
            let wire = conversation::history_of(&path);
            let request = wire.and_then(|wire| read(wire, &body).ok());
            return self.pass_history(head, &path, request, body).await;
        };
        let incoming = run::Incoming {
            others: Vec::new(),
            rejection: rejection::form(&head.headers, &request),
            wire,
            streamed: conversation::is_streamed(wire, &path, &request),
            method: head.method,
            path,
            headers: head.headers,
            request,
            begun: Begun::default(),
        };
        match conversation::kind(&incoming.headers, &incoming.request) {
            Kind::SideRequest => self.pass_side(incoming, None).await,
            Kind::Conversation { key, is_sub_agent } => match self.forced_tool(&incoming) {
                Some(tool) => self.pass_side(incoming, Some(tool)).await,
                None => self.converse(key, is_sub_agent, incoming).await,
            },
        }
    }

    /// Refuses a request that cannot be gated.
    fn refuse(&self, unread: &Unread) -> Sent {
        self.setup.alarms.raise(&unread.alarm());
        plain(StatusCode::BAD_REQUEST, &unread.answer())
    }

    /// Passes on a request that is no part of a conversation. The history in it is the one that the model knows.
    async fn pass_history(
        self: &Arc<Self>,
        head: hyper::http::request::Parts,
        path: &str,
        request: Option<AgentRequest>,
        body: Bytes,
    ) -> Sent {
        let new = match &request {
            Some(request) => {
                let overlays = overlay::Overlays {
                    own: None,
                    others: self.all().iter().map(|run| run.overlay()).collect(),
                };
                overlay::applied(&overlays, request, &[])
            }
            None => match overlay::unrestored(&String::from_utf8_lossy(&body)) {
                Some(error) => Err(error),
                None => return self.pass(head.method, path, &head.headers, body).await,
            },
        };
        match new {
            Ok(new) => {
                self.pass(head.method, path, &head.headers, Bytes::from(new))
                    .await
            }
            Err(error) => plain(StatusCode::BAD_GATEWAY, &error.to_string()),
        }
    }

    /// The process of the agent ended.
    pub fn note_agent_ended(&self) {
        for run in self.all() {
            run.note_agent_ended();
        }
    }

    /// Every conversation once.
    fn all(&self) -> Vec<Arc<AgentRun>> {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Arc<AgentRun>> = Vec::new();
        for run in runs.values() {
            if !all.iter().any(|known| Arc::ptr_eq(known, run)) {
                all.push(run.clone());
            }
        }
        all
    }

    async fn converse(&self, key: Key, is_sub_agent: bool, mut incoming: run::Incoming) -> Sent {
        let agent = agent_of(&incoming);
        self.agents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(agent);
        let history = incoming.request.canonical();
        let is_fork = {
            let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
            place_of(&runs, &key, is_sub_agent, &incoming.request, &history).is_fork()
        };
        if is_fork {
            tokio::time::sleep(HANG_UP).await;
        }
        let (run, opening) = self.run_of(&key, is_sub_agent, &incoming, &history);
        if let Some(opening) = opening
            && self.setup.openings.send(opening).await.is_err()
        {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "the supervisor has ended");
        }
        let mut others = self.all();
        others.retain(|other| !Arc::ptr_eq(other, &run));
        incoming.others = others;
        match run.request(incoming).await {
            Some(Answer { head, body }) => respond(head.status, head.headers, stream(body)),
            None => plain(StatusCode::SERVICE_UNAVAILABLE, "the request was withdrawn"),
        }
    }

    /// The conversation of a request, and its opening if it is new.
    fn run_of(
        &self,
        key: &Key,
        is_sub_agent: bool,
        incoming: &run::Incoming,
        history: &[String],
    ) -> (Arc<AgentRun>, Option<Opening>) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let request = &incoming.request;
        let resumes = self.is_resumed(&runs, key, request, history);
        let new = match place_of(&runs, key, is_sub_agent, request, history) {
            Place::Known(run) if !resumes => {
                if key.is_named() {
                    runs.entry(key.clone()).or_insert_with(|| run.clone());
                }
                return (run, None);
            }
            // Next to those that took the key before.
            Place::Known(_) => free(&runs, key),
            Place::New { key, .. } => key,
        };
        // Without a name, a new conversation of the agent continues the run that no request of it is waiting for.
        let mut others: Vec<&Arc<AgentRun>> = if key.is_named() {
            forks(&runs, key).collect()
        } else {
            runs.values().collect()
        };
        // An agent that names its conversations marks its sub-agents, too.
        let may_be = is_sub_agent || !key.is_named() && !resumes;
        let parent = may_be
            .then(|| sub_agent::parent(&runs, request, is_sub_agent))
            .flatten();
        let is_sub_agent = is_sub_agent || parent.is_some();
        others.retain(|run| !resumes && !is_sub_agent && !run.is_sub_agent());
        let idle = others.into_iter().find(|run| run.reserve_if_idle());
        if let Some(run) = idle.cloned() {
            runs.insert(new, run.clone());
            return (run, None);
        }
        let is_beside = !runs.is_empty() || is_sub_agent;
        let run = (self.setup.begin)(self.setup.upstream.clone());
        run.set_sub_agent(is_sub_agent);
        runs.insert(new, run.clone());
        let early = self.nameless().begin(&run);
        if !early.is_empty() {
            let run = run.clone();
            tokio::spawn(async move {
                for one in early {
                    run.report_side_request(one).await;
                }
            });
        }
        let opening = Opening {
            run: run.clone(),
            request: incoming.request.clone(),
            wire: incoming.wire,
            is_beside,
            resumes,
            parent,
        };
        (run, Some(opening))
    }

    /// True once, for the conversation of the session that is resumed. A conversation that has a run already is another.
    fn is_resumed(&self, runs: &Runs, key: &Key, request: &AgentRequest, history: &[String]) -> bool {
        let mut resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known =
            || runs.values().any(|run| run.known(history) > 0) || renamed(runs, key, request).is_some();
        let belongs = |belongs: &mut Belongs| belongs(request) && !is_known();
        resumed.take_if(belongs).is_some()
    }

    fn nameless(&self) -> MutexGuard<'_, Nameless> {
        self.nameless.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Decompresses the body of a request that is read, and removes the header that said so.
fn decompressed(headers: &mut HeaderMap, path: &str, body: Bytes) -> Result<Bytes, compression::Error> {
    let is_read = conversation::wire_of(path)
        .or(conversation::history_of(path))
        .is_some();
    let Some(codings) = headers::coding(headers).filter(|_| is_read) else {
        return Ok(body);
    };
    headers.remove(header::CONTENT_ENCODING);
    compression::decompressed(&codings, body, MAX_BODY)
}

fn read(wire: Wire, body: &Bytes) -> Result<AgentRequest, String> {
    decode_request(wire, body).map_err(|error| error.to_string())
}

/// The answer to a request above the limit.
fn too_large() -> Sent {
    let most = MAX_BODY >> 20;
    plain(
        StatusCode::PAYLOAD_TOO_LARGE,
        &format!(
            "the request has more than the {most} MB that the proxy reads; hint: let the agent shorten its history"
        ),
    )
}

/// The body of a response that a run writes.
fn stream(body: BodyReader) -> UnsyncBoxBody<Bytes, BodyError> {
    let body = futures_util::stream::unfold(body, |body| async move {
        body.next().await.map(|piece| (piece, body))
    });
    let body = body
        .map_ok(Frame::data)
        .map_err(|error| BodyError::from(error.to_string()));
    BodyExt::boxed_unsync(StreamBody::new(body))
}

fn respond(status: StatusCode, headers: HeaderMap, body: UnsyncBoxBody<Bytes, BodyError>) -> Sent {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

fn plain(status: StatusCode, words: &str) -> Sent {
    let body = serde_json::json!({"error": {"type": "proxy_error", "message": words}}).to_string();
    let body = Full::new(Bytes::from(body))
        .map_err(|never| match never {})
        .boxed_unsync();
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    respond(status, headers, body)
}
