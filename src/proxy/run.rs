//! Handle to one conversation of an agent as a run: requests become prompts and results, replies wait for decisions.
//!
//! Must not know: formats, how a decision is made, how a session is stored.
//!
//! The engine's loop decides everything. Its two ends meet in one task (`task.rs`), which owns what is known of the
//! conversation: [`AgentModel`](super::model::AgentModel) takes the request that [`AgentRun::request`] received, and
//! [`AgentTool`](super::tool::AgentTool) waits for the result that a later one brings. What was decided is read off the
//! published facts. Functions here send a message (`message.rs`), and wait for its answer where it has one.

mod comparison;
mod connection;
mod incoming;
mod intake;
mod message;
mod open_nodes;
mod reconnect;
mod reply;
mod request;
mod state;
mod status;
mod synthetic_reply;
mod task;
mod tool_results;
mod tools;

pub use comparison::{Arriving, Comparison};
pub use incoming::{Answer, Asked, Head, Incoming, Reservation, form};
pub(super) use request::text_tools;
pub(super) use tool_results::ends;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use self::connection::{Beats, Connection};
use self::incoming::Pending;
use self::message::Message;
use self::task::Task;
use super::client::Client;
use super::events::Form;
use super::history::History;
use super::overlay::{Overlay, Overlays};
use super::reading::ReadEvent;
use super::response_body;
use super::sub_agent_task::{CallOfTask, SubAgentTask};
use super::upstream::Upstream;
use overrule_domain::agent::{LinkedSession, SideRequest};
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::input::Input;
use overrule_domain::live::AgentStatus;
use overrule_domain::sandbox::Refused;
use overrule_engine::Handle;
use overrule_model::Chunk;
use overrule_model::wire::Wire;
use overrule_tools::registry::Registry;

/// How often an agent that waits for a decision gets an event.
const BEAT: Duration = Duration::from_secs(30);
/// The same for a reply in one piece, where nothing but whitespace can be sent.
const BEAT_OF_WHOLE: Duration = Duration::from_secs(5);
/// Maximum number of waiting messages. A sender of one more waits.
const INBOX: usize = 256;

/// Why a request is refused whose history may have calls of a conversation with a failed task.
pub(super) const FAILED: &str = "cannot send the request: a conversation failed in the proxy, and its calls may be in the \
                                 history; hint: start the proxy again with --resume SESSION";

/// Gives the tools of an agent what the settings say of them.
pub type Fit = Arc<dyn Fn(Registry) -> Registry + Send + Sync>;

/// Finds what the sandbox of a confined agent refused it since this was asked last.
pub type Refusals = Arc<dyn Fn() -> BoxFuture<'static, Vec<Refused>> + Send + Sync>;

/// The run of a conversation.
#[derive(Clone)]
struct Attached {
    /// The id of its session.
    session: Arc<str>,
    handle: Handle,
    fit: Fit,
    refusals: Option<Refusals>,
}

/// Whether a conversation has a run.
#[derive(Clone, Default)]
enum Link {
    /// Not yet.
    #[default]
    Awaited,
    /// This one.
    Attached(Attached),
    /// It gets none, or none any more.
    Ended,
}

/// One conversation of an agent: a handle to the task that owns it. The task ends with the last handle.
pub struct AgentRun {
    client: Client,
    upstream: Arc<Upstream>,
    is_sub_agent: bool,
    inbox: mpsc::Sender<Message>,
    link: watch::Sender<Link>,
    status: watch::Receiver<AgentStatus>,
    /// Notified whenever a connection of the agent has no reader any more.
    hang_ups: Arc<Notify>,
    /// The number of questions to the model that began.
    questions: AtomicU64,
}

/// A question to the model. A run that withdraws it drops it: a request without a reply then waits for the next one, and a
/// reply that has begun ends once the run says why.
pub struct Question {
    number: u64,
    /// The place in the inbox for its withdrawal: a destructor cannot wait.
    withdrawal: Option<mpsc::OwnedPermit<Message>>,
}

impl Drop for Question {
    fn drop(&mut self) {
        if let Some(withdrawal) = self.withdrawal.take() {
            withdrawal.send(Message::Withdraw(self.number));
        }
    }
}

/// Notifies the task that a request was given up once it is dropped.
struct HangUp(Arc<Notify>);

impl Drop for HangUp {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

impl AgentRun {
    /// Begins a conversation of this program with this server; it waits for a run. Must be called within a Tokio runtime.
    pub fn new(client: Client, upstream: Arc<Upstream>, is_sub_agent: bool) -> Arc<Self> {
        Self::with_beats((client, upstream), is_sub_agent, (BEAT, BEAT_OF_WHOLE))
    }

    /// The same with other times between heartbeats, for streamed replies and for others.
    pub fn with_beats(
        (client, upstream): (Client, Arc<Upstream>),
        is_sub_agent: bool,
        (streamed, whole): (Duration, Duration),
    ) -> Arc<Self> {
        let beats = Beats { streamed, whole };
        let (inbox, messages) = mpsc::channel(INBOX);
        let (link, linked) = watch::channel(Link::default());
        let (shown, status) = watch::channel(AgentStatus::default());
        let hang_ups = Arc::<Notify>::default();
        Arc::new_cyclic(|run| {
            let task = Task::new(run.clone(), (messages, linked), (shown, hang_ups.clone()), beats);
            tokio::spawn(task.run());
            Self {
                client,
                upstream,
                is_sub_agent,
                inbox,
                link,
                status,
                hang_ups,
                questions: AtomicU64::new(0),
            }
        })
    }

    /// Gives the conversation its run, before that is started.
    pub fn attach(&self, session: &str, handle: Handle, (fit, refusals): (Fit, Option<Refusals>)) {
        let attached = Link::Attached(Attached {
            session: Arc::from(session),
            handle,
            fit,
            refusals,
        });
        self.link.send_if_modified(|link| {
            let is_awaited = matches!(link, Link::Awaited);
            if is_awaited {
                *link = attached;
            }
            is_awaited
        });
    }

    /// Ends everything that waits.
    pub fn end(&self) {
        self.link.send_replace(Link::Ended);
    }

    /// The run, once there is one; none if it has ended.
    async fn attached(&self) -> Option<Attached> {
        let mut link = self.link.subscribe();
        let link = link.wait_for(|link| !matches!(link, Link::Awaited)).await;
        match &*link.ok()? {
            Link::Attached(attached) => Some(attached.clone()),
            Link::Awaited | Link::Ended => None,
        }
    }

    /// Waits for its run, and returns the id of its session; none if it has ended.
    pub async fn session(&self) -> Option<Arc<str>> {
        Some(self.attached().await?.session)
    }

    /// True for the conversation of a sub-agent.
    pub const fn is_sub_agent(&self) -> bool {
        self.is_sub_agent
    }

    /// The program that has the conversation.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The model's server.
    pub fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    /// Follows what the agent does.
    pub fn status(&self) -> watch::Receiver<AgentStatus> {
        self.status.clone()
    }

    /// Sends a message, and waits while the inbox is full.
    async fn tell(&self, message: Message) {
        // An error means that the task failed: its connections are cut.
        self.inbox.send(message).await.unwrap_or_default();
    }

    /// Sends a message, and waits for the answer; none if the task failed.
    async fn ask<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Message) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.inbox.send(message(reply)).await.ok()?;
        answer.await.ok()
    }

    /// Takes in a request of the agent; returns the response once that begins.
    pub async fn request(&self, mut incoming: Incoming) -> Option<Answer> {
        // Dropped after the other end of the connection.
        let _given_up = HangUp(self.hang_ups.clone());
        let (head, begun) = oneshot::channel();
        let (out, body) = response_body::body(self.hang_ups.clone());
        let pending = Pending {
            begun: incoming.begun.take(),
            _reservation: incoming.reservation.take(),
            incoming: Arc::new(incoming),
            connection: Connection::new(head, out),
            is_nudged: false,
            question: 0,
            beat_at: None,
        };
        self.tell(Message::Request(Box::new(pending))).await;
        let head = begun.await.ok()?;
        Some(Answer { head, body })
    }

    /// Returns what a request has in common with the conversation; nothing if the task failed.
    pub async fn compare(&self, arriving: &Arc<Arriving>) -> Comparison {
        let answer = self.ask(|reply| Message::Compare(arriving.clone(), reply));
        answer.await.unwrap_or_default()
    }

    /// Waits until the agent continues with a request, because it hung up on the one before.
    pub async fn continues_with(&self, arriving: &Arc<Arriving>) {
        // None if the task failed.
        self.ask(|reply| Message::Continues(arriving.clone(), reply))
            .await
            .unwrap_or_default();
    }

    /// Reserves the run for a conversation that begins, if no request of the agent waits and no reply is on its way.
    pub async fn reserve_if_idle(&self) -> Option<Reservation> {
        self.ask(Message::Reserve).await?
    }

    /// Returns true if the agent offers a tool of this name in this conversation.
    pub async fn offers(&self, name: &str) -> bool {
        let answer = self.ask(|reply| Message::Offers(name.to_owned(), reply));
        answer.await.unwrap_or_default()
    }

    /// Returns the call that a sub-agent with this task works for, if it is one of this conversation.
    pub async fn call_of(&self, task: &Arc<SubAgentTask>) -> Option<CallOfTask> {
        self.ask(|reply| Message::FindCall(task.clone(), reply)).await?
    }

    /// Returns what this run changes of an agent's history; none if the task failed.
    async fn overlay(&self) -> Option<Overlay> {
        self.ask(Message::Overlay).await
    }

    /// Begins a question to the model; none if the task failed.
    pub async fn question(&self) -> Option<Question> {
        let withdrawal = Some(self.inbox.clone().reserve_owned().await.ok()?);
        let number = self.questions.fetch_add(1, Ordering::Relaxed) + 1;
        Some(Question { number, withdrawal })
    }

    /// Waits for the agent's next request, or for the need to continue the reply to the one before, and for the turn that
    /// the reply is of. None if the run has ended.
    pub async fn next_request(&self, question: &Question, turn: TurnId) -> Option<Asked> {
        let question = question.number;
        let asked = self.ask(|reply| Message::NextRequest {
            question,
            turn,
            reply,
        });
        asked.await
    }

    /// Answers the request that the model was asked with a whole response. Nothing once its reply has begun.
    pub async fn answer(&self, status: StatusCode, headers: HeaderMap, body: Vec<u8>) {
        let head = Head { status, headers };
        self.tell(Message::Answer(Box::new(head), body)).await;
    }

    /// The same with an error of the proxy's own.
    pub async fn refuse(&self, status: StatusCode, words: &str) {
        let (headers, body) = connection::own_response(words);
        self.answer(status, headers, body).await;
    }

    /// Begins the reply to the request that the model was asked.
    pub async fn begin_reply(&self, turn: TurnId, of: (Wire, Form), head: Head) {
        let head = Box::new(head);
        self.tell(Message::BeginReply { turn, of, head }).await;
    }

    /// Takes an event of the reply, with its pieces of calls as the run gets them.
    pub async fn push(&self, event: ReadEvent, calls: Vec<Chunk>) {
        self.tell(Message::Event(Box::new((event, calls)))).await;
    }

    /// The model has sent everything, or the reply broke.
    pub async fn end_reply(&self, turn: TurnId, is_whole: bool) {
        self.tell(Message::EndReply { turn, is_whole }).await;
    }

    /// Tells the engine of a tool that the model called and that no request has: the model's server knows what it is.
    pub async fn meet_tool(self: &Arc<Self>, name: &str) {
        let tools = self.ask(|reply| Message::MeetTool(name.to_owned(), reply)).await;
        if let Some(tools) = tools.flatten()
            && let Some(attached) = self.attached().await
        {
            let toolbox = attached.toolbox(&tools, self);
            attached.handle.tools(toolbox).await;
        }
    }

    /// Hands a call over to the agent, and waits for its result.
    pub async fn execute(&self, call: NodeId, tool: &str, args: &str) -> Outcome {
        let (tool, args) = (tool.to_owned(), args.to_owned());
        let outcome = self.ask(|reply| Message::Execute {
            call,
            tool,
            args,
            reply,
        });
        // The agent may have it.
        outcome.await.unwrap_or(Outcome::Cancelled { executed: true })
    }

    /// Returns what the sandbox of the agent refused it since this was asked last.
    pub(super) async fn refused(&self) -> Vec<Refused> {
        match self.attached().await.and_then(|attached| attached.refusals) {
            Some(refusals) => refusals().await,
            None => Vec::new(),
        }
    }

    /// The process of the agent ended. A request shows that there is another one.
    pub async fn note_agent_ended(&self) {
        self.tell(Message::AgentEnded).await;
    }

    /// Reports a request without tools of this conversation, once it has a run.
    pub async fn report_side_request(&self, one: SideRequest) {
        self.report(Input::SideRequest(one)).await;
    }

    /// Reports a session that belongs to this one.
    pub async fn report_link(&self, link: LinkedSession) {
        self.report(Input::Linked(link)).await;
    }

    async fn report(&self, input: Input) {
        if let Some(attached) = self.attached().await {
            attached.handle.report(input).await;
        }
    }
}

/// Returns the changes that runs make to the history of a request: that of its conversation, with true if that changes
/// nothing, and the others. None if the task of one failed.
pub async fn overlays(
    own: Option<(&AgentRun, bool)>,
    others: &[Arc<AgentRun>],
    history: &History,
) -> Option<Overlays> {
    let mut are_empty = !history.may_have_mask() && own.is_none_or(|(_, changes_nothing)| changes_nothing);
    for run in others {
        are_empty = run.ask(Message::ChangesNothing).await? && are_empty;
    }
    if are_empty {
        return Some(Overlays {
            are_empty,
            ..Overlays::default()
        });
    }
    let own = match own {
        Some((run, _)) => Some(run.overlay().await?),
        None => None,
    };
    let mut all = Vec::new();
    for run in others {
        all.push(run.overlay().await?);
    }
    Some(Overlays {
        own,
        others: all,
        are_empty,
    })
}
