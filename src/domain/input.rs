//! Reports from the world: what a stream brought, how an execution ended, that time has passed.
//!
//! Must not know: where a report came from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent::{LinkedSession, Rewriting, SideRequest};
use super::call::{Answer, Outcome};
use super::files::{ChangeList, ChangeSet, Skipped};
use super::id::{Attempt, NodeId, Rev, Seq, TurnId};
use super::ladder::Timer;
use super::node::Channel;
use super::repair::{Passing, Reply};
use super::sandbox::Refused;
use super::server_question::QuestionId;
use super::turn::{Stop, StreamFault, Usage};

/// A report from the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Input {
    /// A complete block of a stream.
    Block {
        /// The turn.
        turn: TurnId,
        /// The request that it answers.
        request: u32,
        /// The block.
        block: Block,
    },
    /// Text received so far of a block that is not complete.
    Partial {
        /// The turn.
        turn: TurnId,
        /// The request that it answers.
        request: u32,
        /// All of its text so far.
        text: Arc<str>,
        /// Bytes at its beginning that are text of the model; what follows is reasoning, or arguments of calls.
        spoken: u64,
    },
    /// A server refused the form of a request: the form to use from here on.
    QuirkLearned {
        /// The model and its place.
        server: Arc<str>,
        /// Name of the other form.
        quirk: Arc<str>,
        /// The server's words.
        words: Arc<str>,
    },
    /// The stream ended by its own end mark.
    Ended {
        /// The turn.
        turn: TurnId,
        /// The request that it answers.
        request: u32,
        /// Why the model stopped.
        stop: Stop,
        /// What it cost.
        usage: Usage,
    },
    /// The stream broke, or never came.
    Broke {
        /// The turn.
        turn: TurnId,
        /// The request that it answers.
        request: u32,
        /// What went wrong.
        fault: StreamFault,
        /// What it cost, as far as known.
        usage: Usage,
    },
    /// A process was started for an execution.
    Spawned {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
        /// Its process id.
        pid: u32,
        /// Its start time in clock ticks since boot.
        ticks: u64,
    },
    /// The sandbox refused accesses of an execution. It comes before its end.
    Confined {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
        /// What was refused.
        refused: Vec<Refused>,
    },
    /// The content of an undone change could not be given back.
    NotKept {
        /// The call.
        call: NodeId,
        /// The path, as it was told.
        path: String,
        /// Where the content lies.
        from: String,
        /// Why, in its visible form.
        why: String,
    },
    /// An execution ended.
    Finished {
        /// The call.
        call: NodeId,
        /// The revision that ran.
        rev: Rev,
        /// The execution.
        attempt: Attempt,
        /// How.
        outcome: Outcome,
        /// Milliseconds it took.
        ms: u64,
        /// What it changed in the workspace; none where nobody looked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<Box<ChangeSet>>,
    },
    /// Something else than a call changed files of the workspace since the run last looked.
    ChangedOutside {
        /// What.
        changes: ChangeList,
    },
    /// A restore was carried out as far as possible.
    Restored {
        /// The restore.
        restore: NodeId,
        /// Steps that were not carried out.
        skipped: Vec<Skipped>,
    },
    /// Result of a probe of an execution with an unknown outcome; `None` if it could not tell.
    Probed {
        /// The call.
        call: NodeId,
        /// The execution.
        attempt: Attempt,
        /// The finding.
        finding: Option<Finding>,
    },
    /// The model answered a question about a call that is repaired, or the question failed.
    RepairAnswered {
        /// The call.
        call: NodeId,
        /// The revision that was asked about.
        rev: Rev,
        /// The round of repair.
        round: u32,
        /// Its words.
        reply: Reply,
        /// Why another request may succeed, where the request broke.
        passing: Option<Passing>,
        /// What it cost.
        usage: Usage,
    },
    /// The model answered the question for a summary, or the question failed.
    SummaryAnswered {
        /// Event with which it was asked.
        set: Seq,
        /// Its words.
        reply: Reply,
        /// Why another request may succeed, where the request broke.
        passing: Option<Passing>,
        /// What it cost.
        usage: Usage,
    },
    /// The agent of another program sent a request.
    AgentAsked {
        /// How long it waits for the reply, in milliseconds; none if it does not say.
        wait_ms: Option<u64>,
        /// What it changed of its history; none if it extends the one before.
        rewriting: Option<Rewriting>,
    },
    /// A request without tools of the agent of another program has its reply.
    SideRequest(SideRequest),
    /// Another conversation of the agent of another program belongs to this one.
    Linked(LinkedSession),
    /// A server asks the operator something while a call of it runs.
    ServerAsked {
        /// What it belongs to.
        question: QuestionId,
        /// The server.
        server: Arc<str>,
        /// The arguments of the tool that asks the operator, as JSON text.
        args: Arc<str>,
    },
    /// A server no longer asks.
    ServerWithdrew {
        /// The question.
        question: QuestionId,
    },
    /// The operator's program answered a question about a call.
    ApproverAnswered {
        /// The call.
        call: NodeId,
        /// Event with which it was asked.
        set: Seq,
        /// Its answer; to ask also where it failed.
        answer: Answer,
        /// Why, in its words; may be empty.
        reason: String,
    },
    /// Time has passed.
    Elapsed {
        /// What the wait was for.
        timer: Timer,
        /// Event that started or restarted the wait.
        set: Seq,
    },
    /// Working time, for the wall-clock limit.
    Worked {
        /// Milliseconds since the run or its resumption began, waits for the operator left out.
        ms: u64,
    },
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Whether it happened.
    pub happened: bool,
    /// The value that the call would have given, as JSON text, where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Arc<str>>,
    /// The evidence for it.
    pub evidence: Arc<str>,
}

/// A complete block of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// Text or reasoning.
    Thought {
        /// The words.
        text: Arc<str>,
        /// How it was said.
        channel: Channel,
        /// Provider's opaque block, as JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
    },
    /// A call with its exact argument text.
    Call {
        /// The provider's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<Arc<str>>,
        /// Name of the tool.
        tool: Arc<str>,
        /// The argument text, byte for byte.
        args: Arc<str>,
        /// Members that the provider added, as one JSON object, byte for byte.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
    },
    /// The last text of a turn without calls.
    Answer {
        /// The words.
        text: Arc<str>,
        /// Provider's opaque block, as JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
    },
}
