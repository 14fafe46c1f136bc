//! One conversation of an agent as a run: requests become prompts and results, replies wait for decisions.
//!
//! Must not know: formats, how a decision is made, how a session is stored.
//!
//! The engine's loop decides everything. This is where its two ends meet: [`AgentModel`](super::model::AgentModel) takes
//! the request that [`AgentRun::request`] received, and [`AgentTool`](super::tool::AgentTool) waits for the result that a
//! later one brings. What was decided is read off the published facts.

mod again;
mod arrival;
mod connection;
mod made;
mod reply;
mod results;
mod status;
mod tools;

pub(super) use results::ends;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use hyper::header::HeaderMap;
use hyper::{Method, StatusCode};
use tokio::sync::{Notify, oneshot, watch};

use self::connection::Connection;
use super::client::Client;
use super::conversation::{self, Tail};
use super::events::Form;
use super::history::History;
use super::outlet::BodyReader;
use super::overlay::Overlay;
use super::rejection::Rejection;
use super::upstream::Upstream;
use overrule_domain::agent::{LinkedSession, SideRequest};
use overrule_domain::apply;
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::input::Input;
use overrule_domain::live::AgentStatus;
use overrule_domain::state::{Mode, State};
use overrule_domain::thread::ROOT;
use overrule_domain::turn::{Producer, Stream};
use overrule_engine::{Handle, Publication};
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{AgentRequest, AgentTool};
use overrule_tools::registry::Registry;

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
    /// The other conversations: their calls may be in its history.
    pub others: Vec<Arc<AgentRun>>,
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
    /// What the agent gets of a call that must not run.
    pub rejection: Rejection,
    /// The reply of the model, where it was asked already: a call in it must be decided.
    pub begun: Begun,
}

/// The reply of a model that was asked already, until it is taken.
#[derive(Default)]
pub struct Begun {
    response: Mutex<Option<reqwest::Response>>,
    has_begun: bool,
}

impl Begun {
    /// A reply with what came of it so far.
    pub fn with(response: reqwest::Response) -> Self {
        Self {
            response: Mutex::new(Some(response)),
            has_begun: true,
        }
    }

    /// True where the agent may have the beginning of the reply.
    pub const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Takes the reply.
    pub fn take(&self) -> Option<reqwest::Response> {
        self.response
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl Incoming {
    /// Who sends it.
    pub fn client(&self) -> Client {
        Client::of(&self.headers, self.wire)
    }

    /// How the reply that is asked for is divided.
    pub fn form(&self) -> Form {
        form(self.wire, self.streamed)
    }
}

/// How a reply in a format is divided.
pub fn form(wire: Wire, streamed: bool) -> Form {
    match (streamed, wire.is_lines()) {
        (false, _) => Form::Whole,
        (true, true) => Form::Lines,
        (true, false) => Form::Stream,
    }
}

/// A request of the agent.
struct Pending {
    incoming: Arc<Incoming>,
    /// Its messages in one spelling.
    history: Vec<String>,
    connection: Connection,
    /// True once the run got a command to ask the model, because it would not by itself.
    nudged: bool,
    /// The question to the model that it became; 0 before.
    question: u64,
    /// Its number among the requests, questions and replies of the conversation.
    number: u64,
}

/// Gives the tools of an agent what the settings say of them.
pub type Fit = Arc<dyn Fn(Registry) -> Registry + Send + Sync>;

/// The run of a conversation.
struct Attached {
    /// The id of its session.
    session: Arc<str>,
    handle: Handle,
    fit: Fit,
}

/// One conversation of an agent.
pub struct AgentRun {
    client: Client,
    upstream: Arc<Upstream>,
    attached: OnceLock<Attached>,
    inner: Mutex<Inner>,
    status: watch::Sender<AgentStatus>,
    /// Notified whenever the state or the pending request changed.
    changed: Arc<Notify>,
    /// Requests of the conversation are taken in one after the other.
    arriving: tokio::sync::Mutex<()>,
    /// How often an agent that waits gets an event, for streamed replies and for others.
    beats: (Duration, Duration),
}

#[derive(Default)]
struct Inner {
    /// The published state of the run.
    state: State,
    /// True once the published state is known: of a run that continues, everything that was recorded.
    is_loaded: bool,
    /// The request that waits for the run to ask.
    pending: Option<Pending>,
    /// The request that the model was asked, until its reply begins.
    asked: Option<Pending>,
    /// True from the moment in which a new conversation takes this run until its request arrives.
    is_reserved: bool,
    /// The turn of a reply that could not be written as it came: the agent gets it from the record.
    unwritten: Option<TurnId>,
    /// The reply that the agent is getting.
    reply: Option<reply::Reply>,
    /// The calls with the agent, and the way to their outcome.
    with_agent: BTreeMap<NodeId, oneshot::Sender<Outcome>>,
    /// The calls that a connected agent got, as they were or changed.
    delivered: BTreeSet<NodeId>,
    /// The newest request that was taken in.
    history: Vec<String>,
    /// What its history says, if it is whole.
    items: History,
    /// Tools whose calls take any text.
    texts: BTreeSet<String>,
    /// Tools as the agent offered them last; none before its first request.
    tools: Option<Vec<AgentTool>>,
    /// The number of requests, questions and replies that began.
    begun: u64,
    /// Names of the replies that the model's server keeps.
    replies: BTreeSet<String>,
    has_ended: bool,
    is_sub_agent: bool,
    /// True if the newest request says that the agent's user interrupted it.
    is_interrupted: bool,
    /// True from the end of the agent's process until its next request.
    has_agent_ended: bool,
}

impl AgentRun {
    /// Begins a conversation of this program with this server; it waits for a run.
    pub fn new(client: Client, upstream: Arc<Upstream>) -> Arc<Self> {
        Self::with_beats(client, upstream, (BEAT, BEAT_OF_WHOLE))
    }

    /// The same with other times between heartbeats.
    pub fn with_beats(client: Client, upstream: Arc<Upstream>, beats: (Duration, Duration)) -> Arc<Self> {
        Arc::new(Self {
            client,
            upstream,
            attached: OnceLock::new(),
            inner: Mutex::new(Inner::default()),
            status: watch::Sender::default(),
            changed: Arc::default(),
            arriving: tokio::sync::Mutex::new(()),
            beats,
        })
    }

    /// Gives the conversation its run, before that is started.
    pub fn attach(self: &Arc<Self>, session: &str, handle: Handle, fit: Fit) {
        let mut facts = handle.subscribe().facts;
        let session = Arc::from(session);
        let attached = Attached { session, handle, fit };
        if self.attached.set(attached).is_err() {
            return;
        }
        self.changed.notify_waiters();
        tokio::spawn(self.clone().keep_status());
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

    /// Waits for its run, and returns the id of its session; none if it has ended.
    pub async fn session(&self) -> Option<Arc<str>> {
        self.handle().await?;
        self.attached.get().map(|attached| attached.session.clone())
    }

    /// Says whether this is the conversation of a sub-agent.
    pub fn set_sub_agent(&self, is_sub_agent: bool) {
        self.lock().is_sub_agent = is_sub_agent;
    }

    /// True for the conversation of a sub-agent.
    pub fn is_sub_agent(&self) -> bool {
        self.lock().is_sub_agent
    }

    /// Reserves the run for a conversation that begins, if no request of the agent waits and no reply is on its way.
    pub fn reserve_if_idle(&self) -> bool {
        let mut inner = self.lock();
        let is_replying = inner.reply.as_ref().is_some_and(reply::Reply::is_open);
        let is_idle = self.attached.get().is_some()
            && !inner.has_ended
            && !inner.is_reserved
            && inner.pending.is_none()
            && inner.asked.is_none()
            && !is_replying
            && inner.with_agent.is_empty();
        inner.is_reserved |= is_idle;
        is_idle
    }

    /// True if the model's server named one of the replies so.
    pub fn gave(&self, reply: &str) -> bool {
        self.lock().replies.contains(reply)
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

    /// Returns the length of this conversation if a history is its own or extends it. Without a reply of the model, the same
    /// words may begin another conversation: they are of this one only while it owes the agent a reply.
    pub fn extended_by(&self, history: &History, has_reply: bool) -> Option<usize> {
        let mut inner = self.lock();
        inner.note_delivered();
        let mut calls = inner.with_agent.keys();
        let has_it = calls.any(|call| inner.delivered.contains(call));
        let owes_reply = !has_it && !matches!(inner.state.mode, Mode::Finished(_));
        let is_own = !inner.items.is_empty() && history.extends(&inner.items);
        (is_own && (has_reply || owes_reply)).then(|| inner.items.len())
    }

    /// True for a request that the agent makes next to this conversation: the agent waits for a reply to another one,
    /// or executes calls of which the request knows nothing.
    pub fn is_fork(&self, request: &AgentRequest, history: &[String]) -> bool {
        let inner = self.lock();
        let continues = |asked: &[String]| conversation::continues(asked, history, request);
        // While the agent waits, the same request is another one.
        let is_beside = |asked: &[String]| asked == history || !continues(asked);
        if let Some(reply) = inner.reply.as_ref().filter(|reply| reply.is_open())
            && reply.is_connected()
        {
            return is_beside(&reply.history);
        }
        let pending = inner.pending.as_ref().map(|one| (&one.connection, &one.history));
        let asked = inner.asked.as_ref().map(|one| (&one.connection, &one.history));
        if let Some((connection, asked)) = pending.or(asked)
            && !connection.is_closed()
        {
            return is_beside(asked);
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

    /// The program that has the conversation.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The model's server.
    pub fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what this run changes of an agent's history.
    pub fn overlay(&self) -> Overlay {
        Overlay::of(&self.lock().state)
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

    /// Waits for the agent's next request, or for the need to continue the reply to the one before.
    pub async fn next_request(&self, question: u64) -> Arc<Incoming> {
        self.until(|inner| {
            let Some(pending) = inner.pending.take() else {
                return inner.reply.as_mut()?.go_on_with(question);
            };
            let pending = Pending { question, ..pending };
            let incoming = pending.incoming.clone();
            inner.asked = Some(pending);
            Some(incoming)
        })
        .await
    }

    /// Begins a question to the model; returns its number.
    pub fn begin_question(&self) -> u64 {
        self.lock().next_number()
    }

    /// The run does not wait for the answer to a question any more. A request without a reply waits for the next one; a
    /// reply that has begun ends once the run says why.
    pub fn withdraw(self: &Arc<Self>, question: u64) {
        let mut inner = self.lock();
        let asked = inner.asked.take_if(|asked| asked.question == question);
        if inner.pending.is_none() {
            inner.pending = asked;
        }
        if let Some(reply) = &mut inner.reply {
            reply.withdraw(question);
        }
        drop(inner);
        self.look();
        self.changed.notify_waiters();
    }

    /// Answers the request that the model was asked with a whole response.
    pub fn answer(&self, status: StatusCode, headers: HeaderMap, body: Vec<u8>) {
        let mut inner = self.lock();
        if let Some(asked) = inner.asked.take() {
            asked.connection.answer(status, headers, &body);
        } else if let Some(reply) = inner.reply.as_mut().filter(|reply| reply.is_asked_again()) {
            reply.fail(&connection::error(status, &body));
        }
    }

    /// Answers the request that the model was asked with an error of the proxy's own.
    pub fn refuse(&self, status: u16, words: &str) {
        let mut inner = self.lock();
        if let Some(asked) = inner.asked.take() {
            asked.connection.refuse(status, words);
        } else if let Some(reply) = inner.reply.as_mut().filter(|reply| reply.is_asked_again()) {
            reply.fail(&connection::own_error(words));
        }
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
            if !inner.release(call, tool, args) && inner.has_gone_on(call) {
                inner.with_agent.remove(&call);
                return Outcome::Cancelled { executed: false };
            }
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

    /// Reports a request without tools of this conversation, once it has a run.
    pub async fn report_side_request(&self, one: SideRequest) {
        if let Some(handle) = self.handle().await {
            handle.report(Input::SideRequest(one)).await;
        }
    }

    /// Reports a session that belongs to this one.
    pub async fn report_link(&self, link: LinkedSession) {
        if let Some(handle) = self.handle().await {
            handle.report(Input::Linked(link)).await;
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
            reply.close(made::ENDED);
        }
        if let Some(pending) = inner.pending.take() {
            pending.answer_with_text(made::ENDED);
        }
        if let Some(asked) = inner.asked.take() {
            asked.connection.refuse(503, made::ENDED);
        }
        drop(inner);
        self.changed.notify_waiters();
    }
}

impl Inner {
    /// True if the agent can get a call in no reply any more: it has asked something else since.
    fn has_gone_on(&self, call: NodeId) -> bool {
        let turn = self.state.turn_of(call).map(|turn| turn.id);
        self.pending.is_some() || self.asked.is_some() || turn != arrival::newest(&self.state)
    }

    fn take(&mut self, fact: Publication) {
        match fact {
            Publication::Snapshot(state) => {
                self.state = *state;
                self.is_loaded = true;
            }
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
    rejection: Rejection,
}
