//! One conversation of an agent as a run: requests become prompts and results, replies wait for decisions.
//!
//! Must not know: formats, how a decision is made, how a session is stored.
//!
//! The engine's loop decides everything. This is where its two ends meet: [`AgentModel`](super::model::AgentModel) takes
//! the request that [`AgentRun::request`] received, and [`AgentTool`](super::tool::AgentTool) waits for the result that a
//! later one brings. What was decided is read off the published facts.

mod arrival;
mod reply;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use hyper::header::HeaderMap;
use hyper::{Method, StatusCode};
use tokio::sync::{Notify, oneshot};

use super::conversation::{self, Tail};
use super::outlet::{BodyReader, BodyWriter};
use super::upstream::Upstream;
use crate::domain::apply;
use crate::domain::call::Outcome;
use crate::domain::id::{NodeId, TurnId};
use crate::domain::state::State;
use crate::domain::thread::ROOT;
use crate::domain::turn::{Producer, Stream};
use crate::engine::{Handle, Publication};
use crate::model::wire::Wire;
use crate::model::wire::agent::{AgentRequest, AgentTool};
use crate::tools::registry::Registry;

/// How often an agent that waits for a decision gets an event.
const BEAT: Duration = Duration::from_secs(30);
/// The same for a reply in one piece, where nothing but whitespace can be sent.
const BEAT_OF_WHOLE: Duration = Duration::from_secs(5);

/// The head of a response.
#[derive(Debug)]
pub struct Head {
    /// Its status.
    pub status: StatusCode,
    /// Its headers.
    pub headers: HeaderMap,
}

/// A request of the agent.
pub struct Incoming {
    /// Its format.
    pub wire: Wire,
    /// Its method.
    pub method: Method,
    /// Its path and query, without the token.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub request: AgentRequest,
    /// True where a streamed reply is asked for.
    pub streamed: bool,
}

/// A request of the agent that the run has not asked the model with yet.
pub struct Pending {
    /// Its format.
    pub wire: Wire,
    /// Its method.
    pub method: Method,
    /// Its path and query, without the token.
    pub path: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub request: AgentRequest,
    /// True where a streamed reply is asked for.
    pub streamed: bool,
    /// Its messages in one spelling.
    history: Vec<String>,
    head: oneshot::Sender<Head>,
    out: BodyWriter,
    /// True once the run got a command to ask the model, because it would not by itself.
    nudged: bool,
}

impl Pending {
    /// Answers with a whole response.
    pub fn answer(self, status: StatusCode, headers: HeaderMap, body: Vec<u8>) {
        // An error means that the agent has gone.
        self.head.send(Head { status, headers }).unwrap_or_default();
        self.out.write(&body);
    }

    /// Answers with an error of the proxy's own.
    pub fn refuse(self, status: u16, words: &str) {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        let body = serde_json::json!({"error": {"type": "proxy_error", "message": words}});
        let mut headers = HeaderMap::new();
        let json = hyper::header::HeaderValue::from_static("application/json");
        headers.insert(hyper::header::CONTENT_TYPE, json);
        self.answer(status, headers, body.to_string().into_bytes());
    }
}

/// Gives the tools of an agent what the settings say of them.
pub type Fit = Arc<dyn Fn(Registry) -> Registry + Send + Sync>;

/// The run of a conversation.
struct Attached {
    handle: Handle,
    fit: Fit,
}

/// One conversation of an agent.
pub struct AgentRun {
    upstream: Arc<Upstream>,
    attached: OnceLock<Attached>,
    inner: Mutex<Inner>,
    /// Notified whenever the state or the pending request changed.
    changed: Notify,
    /// Requests of the conversation are taken in one after the other.
    arriving: tokio::sync::Mutex<()>,
    /// How often an agent that waits gets an event, for streamed replies and for others.
    beats: (Duration, Duration),
}

#[derive(Default)]
struct Inner {
    /// The published state of the run.
    state: State,
    /// The request that waits for the run to ask.
    pending: Option<Pending>,
    /// The reply that the agent is getting.
    reply: Option<reply::Reply>,
    /// The calls with the agent, and the way to their outcome.
    with_agent: BTreeMap<NodeId, oneshot::Sender<Outcome>>,
    /// The newest request that was taken in.
    history: Vec<String>,
    /// Tools whose calls take any text.
    texts: BTreeSet<String>,
    /// Tools as the agent offered them last.
    tools: Vec<AgentTool>,
    has_ended: bool,
    is_sub_agent: bool,
}

impl AgentRun {
    /// Begins a conversation; it waits for a run.
    pub fn new(upstream: Arc<Upstream>) -> Arc<Self> {
        Self::with_beats(upstream, (BEAT, BEAT_OF_WHOLE))
    }

    /// The same with other times between heartbeats.
    pub fn with_beats(upstream: Arc<Upstream>, beats: (Duration, Duration)) -> Arc<Self> {
        Arc::new(Self {
            upstream,
            attached: OnceLock::new(),
            inner: Mutex::new(Inner::default()),
            changed: Notify::new(),
            arriving: tokio::sync::Mutex::new(()),
            beats,
        })
    }

    /// Gives the conversation its run, before that is started.
    pub fn attach(self: &Arc<Self>, handle: Handle, fit: Fit) {
        let mut facts = handle.subscribe().facts;
        if self.attached.set(Attached { handle, fit }).is_err() {
            return;
        }
        self.changed.notify_waiters();
        let run = self.clone();
        tokio::spawn(async move {
            while let Some(fact) = facts.recv().await {
                let mut inner = run.lock();
                let mut next = Some(fact);
                while let Some(fact) = next {
                    inner.take(fact);
                    next = facts.try_recv();
                }
                let has_ended = inner.has_ended;
                drop(inner);
                run.look();
                run.changed.notify_waiters();
                if has_ended {
                    break;
                }
            }
            run.end();
        });
    }

    /// Says whether this is the conversation of a sub-agent.
    pub fn set_sub_agent(&self, is_sub_agent: bool) {
        self.lock().is_sub_agent = is_sub_agent;
    }

    /// True for the conversation of a sub-agent.
    pub fn is_sub_agent(&self) -> bool {
        self.lock().is_sub_agent
    }

    /// True while no request of the agent waits, and no reply is on its way.
    pub fn is_idle(&self) -> bool {
        let inner = self.lock();
        let is_replying = inner.reply.as_ref().is_some_and(reply::Reply::is_open);
        self.attached.get().is_some()
            && inner.pending.is_none()
            && !is_replying
            && inner.with_agent.is_empty()
    }

    /// Returns how many messages of a request this conversation has already; 0 if they differ.
    pub fn known(&self, history: &[String]) -> usize {
        let inner = self.lock();
        if history.starts_with(&inner.history) {
            inner.history.len()
        } else {
            0
        }
    }

    /// True for a request that the agent makes next to this conversation: the conversation waits for a reply or for
    /// results, and the request neither repeats nor continues what the agent asked before.
    pub fn is_fork(&self, request: &AgentRequest, history: &[String]) -> bool {
        let inner = self.lock();
        let continues = |asked: &[String]| conversation::continues(asked, history, request);
        if let Some(reply) = inner.reply.as_ref().filter(|reply| reply.is_open())
            && reply.is_connected()
        {
            return !continues(&reply.history);
        }
        if let Some(pending) = &inner.pending
            && !pending.head.is_closed()
        {
            return !continues(&pending.history);
        }
        let calls = inner.with_agent.keys().map(|id| {
            let call = inner.state.calls.get(id)?;
            call.provider_id.as_deref()
        });
        // Without ids the two cannot be distinguished.
        let ids: Option<Vec<&str>> = calls.collect();
        ids.is_some_and(|ids| !ids.is_empty() && !conversation::has_any(request, &ids))
            && !continues(&inner.history)
    }

    /// The model's server.
    pub fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the published state.
    pub fn with_state<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.lock().state)
    }

    /// Waits until something holds.
    async fn until<T>(&self, mut found: impl FnMut(&mut Inner) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // Registered before the look, so that no change is missed.
            changed.as_mut().enable();
            let found = found(&mut self.lock());
            match found {
                Some(found) => return found,
                None => changed.await,
            }
        }
    }

    /// Waits for the agent's next request.
    pub async fn next_request(&self) -> Pending {
        self.until(|inner| inner.pending.take()).await
    }

    /// Returns the turn of a request to the model, by its number in the conversation.
    pub async fn turn(&self, number: u32) -> TurnId {
        self.until(|inner| {
            let mut turns = inner
                .state
                .turns_of(ROOT)
                .filter(|turn| turn.producer == Producer::Model);
            let turn = turns.nth((number as usize).checked_sub(1)?)?;
            (turn.stream == Stream::Open).then_some(turn.id)
        })
        .await
    }

    /// Hands a call over to the agent, and waits for its result.
    pub async fn with_agent(&self, call: NodeId, tool: &str, args: &str) -> Outcome {
        let (done, result) = oneshot::channel();
        self.until(|inner| inner.state.nodes.get(&call).map(|_| ())).await;
        {
            let mut inner = self.lock();
            inner.with_agent.insert(call, done);
            inner.release(call, tool, args);
        }
        result.await.unwrap_or(Outcome::Cancelled { executed: true })
    }

    /// True for a tool whose calls take any text.
    pub fn takes_text(&self, tool: &str) -> bool {
        self.lock().texts.contains(tool)
    }

    /// Tells the operator something that is not a fact of the run.
    fn notice(&self, words: String) {
        if let Some(attached) = self.attached.get() {
            attached.handle.notice(words);
        }
    }

    /// The way to the run, once it has one; none if it has ended.
    async fn handle(&self) -> Option<Handle> {
        self.until(|inner| {
            let handle = self.attached.get().map(|attached| attached.handle.clone());
            (inner.has_ended || handle.is_some()).then_some(handle)
        })
        .await
    }

    /// Ends everything that waits.
    pub fn end(&self) {
        let mut inner = self.lock();
        inner.has_ended = true;
        inner.with_agent.clear();
        if let Some(mut reply) = inner.reply.take() {
            reply.cut();
        }
        if let Some(pending) = inner.pending.take() {
            pending.refuse(503, "the run has ended");
        }
        drop(inner);
        self.changed.notify_waiters();
    }
}

impl Inner {
    fn take(&mut self, fact: Publication) {
        match fact {
            Publication::Snapshot(state) => self.state = *state,
            Publication::Event(envelope) => apply::apply(&mut self.state, &envelope),
            Publication::Ended => self.has_ended = true,
            Publication::Notice(_) | Publication::Halted(_) => {}
        }
    }
}

/// What the agent gets for a request.
pub struct Answer {
    /// Its head.
    pub head: Head,
    /// Its body.
    pub body: BodyReader,
}

/// What a request adds, and whether it was taken in before.
struct New {
    tail: Tail,
    is_repeated: bool,
}
