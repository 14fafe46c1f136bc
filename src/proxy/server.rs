//! Serves agents on this machine: checks who asks, identifies conversations, passes everything else through.
//!
//! Must not know: formats of replies, how a call is decided, sessions.

mod answers;
mod conversations;
mod pass;
mod side;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinHandle;

use self::answers::{Sent, failed, plain, too_large};
use super::address::{self, Token};
use super::alarms::Alarms;
use super::client::Client;
use super::conversation::{self, Kind};
use super::newest_requests::{NewestRequests, WithHistory};
use super::placement::Runs;
use super::resumed::Belongs;
use super::run::{self, AgentRun};
use super::side_request::Nameless;
use super::socket::Socket;
use super::sub_agent::Parent;
use super::unread::Unread;
use super::upstream::Upstream;
use super::upstreams::Upstreams;
use super::{Error, compression, headers, overlay, path, rejection, request_body};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::AgentRequest;
use overrule_tools::registry;

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

/// A conversation that begins: the receiver of this gives it a run.
pub struct Opening {
    /// The conversation.
    pub run: Arc<AgentRun>,
    /// Its first request.
    pub request: Arc<AgentRequest>,
    /// Its format.
    pub wire: Wire,
    /// True for a sub-agent, and for a conversation other than the first one.
    pub is_beside: bool,
    /// True for the conversation of the session that is resumed.
    pub resumes: bool,
    /// The conversation that it is a sub-agent of.
    pub parent: Option<Parent>,
}

/// Makes a conversation of a program with a server; the last is true for that of a sub-agent.
pub type Begin = fn(Client, Arc<Upstream>, bool) -> Arc<AgentRun>;

/// What the server is made of.
pub struct Setup {
    /// The word without which nothing is served.
    pub token: Token,
    /// The models' servers.
    pub upstreams: Arc<Upstreams>,
    /// Where new conversations are reported.
    pub openings: mpsc::Sender<Opening>,
    /// Makes a conversation.
    pub begin: Begin,
    /// Recognises the conversation of the session that is resumed, if there is one.
    pub resumed: Option<Belongs>,
    /// Receives each connection that has shown the token, before the model is asked its first request.
    pub connected: Option<Connected>,
    /// What the operator must see.
    pub alarms: Alarms,
    /// True to pass requests that cannot be gated, without a decision about the calls in their replies.
    pub pass_unknown: bool,
}

/// Takes the other end of a connection, and this one. It may block.
pub type Connected = Arc<dyn Fn(SocketAddr, SocketAddr) + Send + Sync>;

/// A look at who is at the other end of a connection. Nothing is asked for that one before it has ended.
struct Lookup(Option<JoinHandle<()>>);

impl Lookup {
    async fn wait(self) {
        if let Some(task) = self.0
            && let Err(error) = task.await
        {
            tracing::warn!(%error, "the other end of a connection was not looked up");
        }
    }
}

/// The server.
pub struct Server {
    setup: Setup,
    at: SocketAddr,
    runs: tokio::sync::Mutex<Runs>,
    /// Recognises the conversation of the session that is resumed, until it was found.
    resumed: Mutex<Option<Belongs>>,
    requests: watch::Sender<u64>,
    /// The newest requests. The next ones begin like one of them.
    newest: NewestRequests,
    /// Requests beside a conversation that belong to none of their name.
    nameless: Mutex<Nameless>,
    /// The programs that have conversations.
    clients: Mutex<Vec<Client>>,
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
            runs: tokio::sync::Mutex::new(BTreeMap::new()),
            requests: watch::Sender::new(0),
            newest: NewestRequests::default(),
            nameless: Mutex::new(Nameless::default()),
            clients: Mutex::default(),
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
        self.accept(listener, false).await;
    }

    /// Serves an agent on a socket that only processes of its sandbox reach, until the task is dropped. Its conversations are
    /// its own.
    pub async fn serve_confined(self: Arc<Self>, listener: TcpListener) {
        self.accept(listener, true).await;
    }

    async fn accept(self: Arc<Self>, listener: TcpListener, is_confined: bool) {
        // The first request does not wait for it.
        registry::prepare();
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
                        // An agent in a sandbox reaches no socket by which it could decide, and its addresses are of
                        // another network.
                        let lookup = server.note_connection(first.filter(|_| !is_confined).map(|_| from));
                        let mut response = server.answer(request, lookup, is_confined).await;
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

    /// Tells who is at the other end of a connection, if its first request came from there.
    fn note_connection(&self, first: Option<SocketAddr>) -> Lookup {
        let (at, connected) = (self.at, self.setup.connected.clone());
        let task = first.zip(connected);
        Lookup(task.map(|(from, connected)| tokio::task::spawn_blocking(move || connected(from, at))))
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

    async fn answer(self: &Arc<Self>, request: Request<Incoming>, lookup: Lookup, is_confined: bool) -> Sent {
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
            .map(|wire| (wire, self.read(wire, &body)));
        let unread = match &asked {
            Some((_, Ok((request, _)))) => Unread::of_known(&head.method, &path, request),
            Some((_, Err(why))) => Some(Unread::new(&head.method, &path, why)),
            None if conversation::history_of(&path).is_some() => None,
            None => Unread::on_unknown_path(&head.method, &path, &head.headers, &body, MAX_BODY),
        };
        if let Some(unread) = unread {
            if self.setup.pass_unknown {
                lookup.wait().await;
                return self.pass_history(head, &path, None, body).await;
            }
            return self.refuse(&unread);
        }
        let asked = asked.and_then(|(wire, request)| Some((wire, request.ok()?)));
        let Some((wire, (request, history))) = asked else {
            lookup.wait().await;
            let wire = conversation::history_of(&path);
            let request = wire.and_then(|wire| self.read(wire, &body).ok());
            return self.pass_history(head, &path, request, body).await;
        };
        let incoming = run::Incoming {
            others: Vec::new(),
            rejection: rejection::form(&head.headers, &request),
            wire,
            streamed: conversation::is_streamed(wire, &path, &request),
            method: head.method,
            path,
            is_confined,
            headers: head.headers,
            request,
            history,
            begun: None,
            reservation: None,
        };
        match conversation::kind(&incoming.headers, &incoming.request) {
            Kind::SideRequest => {
                lookup.wait().await;
                self.pass_side(incoming, None).await
            }
            Kind::Conversation { key, is_sub_agent } => match self.forced_tool(&incoming).await {
                Some(tool) => {
                    lookup.wait().await;
                    self.pass_side(incoming, Some(tool)).await
                }
                None => self.converse(key, is_sub_agent, (incoming, lookup)).await,
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
        request: Option<WithHistory>,
        body: Bytes,
    ) -> Sent {
        let new = match &request {
            Some((request, history)) => {
                let Some(overlays) = run::overlays(None, &self.all().await, history).await else {
                    return failed();
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
                self.pass(head.method, path, &head.headers, new.bytes().clone())
                    .await
            }
            Err(error) => plain(StatusCode::BAD_GATEWAY, &error.to_string()),
        }
    }

    /// The process of this program ended.
    pub async fn note_agent_ended(&self, program: &str) {
        let all = self.all().await;
        for run in all.iter().filter(|run| run.client().program() == program) {
            run.note_agent_ended().await;
        }
    }

    fn read(&self, wire: Wire, body: &Bytes) -> Result<WithHistory, String> {
        self.newest
            .read(wire, body.clone())
            .map_err(|error| error.to_string())
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
