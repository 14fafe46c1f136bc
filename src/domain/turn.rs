//! Turns: one request to the model with its stream, or one thing that the operator inserted.
//!
//! Must not know: wire formats, how a request is sent.

mod usage;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::breaker::Scope;
use super::history::History;
use super::id::{Epoch, NodeId, Seq, ThreadId, TurnId};
use super::ladder::Delay;
use super::output::InvalidAnswer;
use super::price::RunCost;

pub use usage::{BYTES_PER_TOKEN, Usage};

/// One turn of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// The thread that it belongs to.
    pub thread: ThreadId,
    /// Place in its thread, superseded turns counted.
    pub pos: u32,
    /// Who made it.
    pub producer: Producer,
    /// Number of its reply in its thread, from 1. A turn that continues after a rewritten thought has the same number; 0 if
    /// the model was not asked for it.
    pub reply: u32,
    /// Whether it is active.
    pub activity: Activity,
    /// How far its stream came.
    pub stream: Stream,
    /// Hash of the context that it was asked with; none for operator turns.
    pub context: Option<Arc<str>>,
    /// Hash of the whole request that it was asked with.
    pub request: Option<Arc<str>>,
    /// How often it was asked (a cut stream is asked again).
    pub asked: u32,
    /// Its nodes in stream order, observations left out.
    pub nodes: Vec<NodeId>,
    /// Bytes of a request that its nodes take: an index over them.
    pub bytes: usize,
    /// Blocks taken from the stream of the current request; a repeated stream is matched by position.
    pub received: usize,
    /// Places given to writes so far; a write keeps its place when its call runs again.
    pub slots: u32,
    /// True once everything in it has ended and its errors were listed.
    pub settled: bool,
    /// True where an edit of a thought closed it: the next turn continues its message.
    pub split: bool,
    /// True where its newest request is the last that was allowed: no tools are offered.
    pub last: bool,
    /// True where the operator kept it although its context changed.
    pub drifted: bool,
    /// Tokens that it cost.
    pub usage: Usage,
    /// What its requests cost at the prices of their time.
    pub spent: RunCost,
    /// Event of the newest request.
    pub asked_at: Seq,
    /// Event with which its newest request ended; 0 while it is open.
    pub ended_at: Seq,
    /// What few turns have, or only while their stream is open.
    pub more: TurnMore,
    /// Its state at the end of earlier epochs.
    pub history: History<TurnState>,
}

/// What few turns have, or only while their stream is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TurnMore {
    /// Text of blocks that were not complete, as the program last recorded it.
    pub open: Option<OpenText>,
    /// Notices of its newest request alone, besides those that the state gives.
    pub notices: Vec<Arc<str>>,
    /// The breaker that let its open request through, and in which generation.
    pub guard: Option<(Scope, u32)>,
    /// Event with which it last came back from another branch; 0 where it never did.
    pub revived: Seq,
    /// The wait before it is retried by itself; 0 milliseconds are left once that is over. `None`
    /// without a wait, and while it is not active.
    pub held: Option<Delay>,
    /// Its newest requests that broke for a passing reason, one after the other; none after another end, and once the
    /// operator asks again.
    pub outage: Option<Outage>,
    /// What is wrong with its answer, where that went back to the model.
    pub invalid_answer: Option<InvalidAnswer>,
    /// Members that the provider added to calls, as JSON objects: they go back with the call while
    /// it is not edited.
    pub opaque: Vec<(NodeId, Arc<str>)>,
}

/// Requests of a turn that broke one after the other for a passing reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// UTC milliseconds at which the first one broke.
    pub since: i64,
    /// UTC milliseconds at which the last one broke.
    pub until: i64,
    /// Their number.
    pub broke: u32,
    /// Of those, the replies that ended before their end mark.
    pub cut: u32,
    /// Milliseconds that were waited between them.
    pub waited_ms: u64,
}

impl Outage {
    /// Adds a request that broke.
    #[must_use]
    pub fn broken_at(before: Option<Self>, kind: StreamFaultKind, now: i64) -> Self {
        let before = before.unwrap_or(Self {
            since: now,
            until: now,
            broke: 0,
            cut: 0,
            waited_ms: 0,
        });
        Self {
            until: now,
            broke: before.broke.saturating_add(1),
            cut: before.cut.saturating_add(u32::from(!kind.is_outage())),
            ..before
        }
    }

    /// Milliseconds that it has lasted at a time. A clock that was set back does not make it shorter than the waits.
    pub fn lasted(&self, now: i64) -> u64 {
        let passed = u64::try_from(now.saturating_sub(self.since)).unwrap_or(0);
        passed.max(self.waited_ms)
    }
}

/// Text of blocks that were not complete: first the text of the model, then its reasoning or the
/// arguments of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenText {
    /// All of it.
    pub text: Arc<str>,
    /// Bytes at its beginning that are text of the model; `None` for all of it, as in old sessions.
    pub spoken: Option<u64>,
}

impl OpenText {
    /// What the model had said; none where it had said nothing yet.
    pub fn model_text(&self) -> Option<&str> {
        let spoken = self.spoken.map_or(self.text.len(), |spoken| {
            usize::try_from(spoken).unwrap_or(usize::MAX).min(self.text.len())
        });
        self.text.get(..spoken).filter(|stated| !stated.is_empty())
    }
}

impl TurnMore {
    /// Returns the text of blocks that were not complete; empty if there is none.
    pub fn open_text(&self) -> &str {
        self.open.as_ref().map_or("", |open| &open.text)
    }
}

/// Whether a turn is active, and its stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnState {
    /// Whether it is active.
    pub activity: Activity,
    /// How far its stream came.
    pub stream: Stream,
    /// Hash of the context that it was asked with.
    pub context: Option<Arc<str>>,
    /// Hash of the whole request.
    pub request: Option<Arc<str>>,
    /// Whether everything in it had ended.
    pub settled: bool,
    /// Whether an edit of a thought had closed it.
    pub split: bool,
    /// Whether the operator kept it although its context changed.
    pub drifted: bool,
}

impl Turn {
    /// Returns true if it is active.
    pub fn is_active(&self) -> bool {
        self.activity == Activity::Active
    }

    /// Returns true if it ended as a whole message.
    pub fn is_whole(&self) -> bool {
        matches!(&self.stream, Stream::Closed(stop) if stop.is_whole())
    }

    /// Returns its state.
    pub fn state(&self) -> TurnState {
        TurnState {
            activity: self.activity,
            stream: self.stream.clone(),
            context: self.context.clone(),
            request: self.request.clone(),
            settled: self.settled,
            split: self.split,
            drifted: self.drifted,
        }
    }

    /// Keeps its state before an epoch changes it.
    pub fn remember(&mut self, epoch: Epoch) {
        if self.history.is_due(epoch) {
            let was = self.state();
            self.history.keep(epoch, was);
        }
    }

    /// Drops the wait before its retry: the wait restarts if the turn is active again.
    pub fn stop_waiting(&mut self) {
        if self.more.held.is_some() {
            self.more.held = None;
        }
    }

    /// Changes its state in an epoch and keeps the old one.
    pub fn set_state(&mut self, epoch: Epoch, status: TurnState) {
        self.remember(epoch);
        self.activity = status.activity;
        self.stream = status.stream;
        // No wait ran while it was superseded.
        self.stop_waiting();
        self.context = status.context;
        self.request = status.request;
        self.settled = status.settled;
        self.split = status.split;
        self.drifted = status.drifted;
    }
}

/// Who made a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Producer {
    /// A request to the model.
    Model,
    /// The operator: a prompt, guidance, an inserted call or thought.
    Operator,
    /// Another agent's transcript.
    Import,
    /// A delegated call: the task of its sub-agent.
    Delegate,
    /// A server that asks the operator something. No model is shown it.
    Server,
}

/// Whether a turn is active. The event is the edit that caused this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It is active.
    Active,
    /// It waits for the outcome of an earlier edit.
    Suspended(Seq),
    /// It is superseded.
    Superseded(Seq),
}

/// How far the stream of a turn came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stream {
    /// Still coming (or asked and silent so far).
    Open,
    /// Ended by the provider's own end mark.
    Closed(Stop),
    /// Broke off or was refused; waits for the operator.
    Broken(StreamFault),
    /// Ended by an edit, the operator or a stop.
    Aborted(Arc<str>),
}

/// Why the model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It was done.
    End,
    /// It wants its calls answered.
    Calls,
    /// It ran into the token limit: its last block may be cut.
    Length,
    /// The provider filtered it.
    Filter,
    /// It refused.
    Refusal,
    /// The provider paused it in the middle of the answer.
    Pause,
    /// The provider paused in work of its own, such as a search. It continues when the message is sent back, so a turn
    /// that closed so continues in the next one.
    OwnWork,
    /// It called a tool in a form from which no call can be made: why.
    BadCall(Arc<str>),
    /// The operator took what had arrived as the whole turn.
    #[serde(alias = "kept")]
    Accepted,
    /// Something else, in the provider's word.
    Other(Arc<str>),
}

impl Stop {
    /// Returns true if the model meant to stop here. An unknown reason gives false: what arrived
    /// may be cut.
    pub const fn is_meant(&self) -> bool {
        matches!(self, Self::End | Self::Calls | Self::Accepted)
    }

    /// Returns true if a turn that closed so is a whole message from which the run can continue.
    /// Old sessions have turns that closed for an unknown reason.
    pub const fn is_whole(&self) -> bool {
        matches!(
            self,
            Self::End | Self::Calls | Self::Accepted | Self::OwnWork | Self::Other(_)
        )
    }

    /// The reason in a few words.
    pub fn label(&self) -> &str {
        match self {
            Self::End => "end",
            Self::Calls => "calls",
            Self::Length => "token limit",
            Self::Filter => "content filter",
            Self::Refusal => "refusal",
            Self::Pause | Self::OwnWork => "pause",
            Self::BadCall(_) => "unusable call",
            Self::Accepted => "kept by the operator",
            Self::Other(word) => word,
        }
    }
}

/// What went wrong with a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFault {
    /// Kind of failure.
    pub kind: StreamFaultKind,
    /// What failed, on what, why.
    pub message: String,
    /// Milliseconds that the server asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl StreamFault {
    /// Describes how the stream broke.
    pub fn describe(&self) -> String {
        if self.kind == StreamFaultKind::Invalid {
            return format!("waits for you: {}", self.message.replace('\n', " "));
        }
        format!("broke ({}): {}", self.kind.label(), self.message)
    }
}

/// Kinds of stream failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamFaultKind {
    /// No connection, or the connection broke.
    Network,
    /// The server was silent for too long.
    Timeout,
    /// The server asked to slow down.
    RateLimit,
    /// The server reports an error (5xx).
    Server,
    /// The server has too much to do (503, 529).
    Overload,
    /// The quota or credit of the account is used up: asking again does not help.
    Quota,
    /// The key is missing or wrong.
    Auth,
    /// The server did not take the request.
    Request,
    /// The request is longer than the model's window.
    Overflow,
    /// The answer was not what the format allows.
    Garbage,
    /// The stream ended before its end mark.
    Truncated,
    /// The model ran into its token limit.
    Length,
    /// The provider filtered the answer.
    Filter,
    /// The model refused.
    Refusal,
    /// The provider paused the answer.
    Pause,
    /// The model called a tool in a form that no call can be made of.
    BadCall,
    /// Its answer does not fit the output schema of the session, and went back often enough.
    #[serde(alias = "unfit")]
    Invalid,
    /// The model said nothing at all, twice.
    Empty,
    /// The playbook of the scripted model has no rule for this.
    Script,
    /// The program died while it streamed.
    Crash,
}

impl StreamFaultKind {
    /// The kind in a few words.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Network => "network error",
            Self::Timeout => "time-out",
            Self::RateLimit => "rate limit",
            Self::Server => "server error",
            Self::Overload => "overloaded",
            Self::Quota => "quota used up",
            Self::Auth => "not authorised",
            Self::Request => "request refused",
            Self::Overflow => "request too long",
            Self::Garbage => "unreadable answer",
            Self::Truncated => "cut off",
            Self::Length => "token limit",
            Self::Filter => "content filter",
            Self::Refusal => "refusal",
            Self::Pause => "pause",
            Self::BadCall => "unusable call",
            Self::Invalid => "answer does not fit",
            Self::Empty => "empty answer",
            Self::Script => "playbook",
            Self::Crash => "interrupted",
        }
    }

    /// True where asking again by itself makes sense, as long as no block is sealed.
    pub const fn is_transient(self) -> bool {
        self.is_outage() || matches!(self, Self::Truncated)
    }

    /// True for a model that is overloaded, gone or unreachable: it is waited for.
    pub const fn is_outage(self) -> bool {
        matches!(
            self,
            Self::Network | Self::Timeout | Self::RateLimit | Self::Server | Self::Overload
        )
    }
}
