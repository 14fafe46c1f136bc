//! Events about turns and their streams.
//!
//! Must not know: wire formats.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::Fault;
use crate::id::{Attempt, NodeId, Rev, ThreadId, TurnId};
use crate::node::{Channel, Origin};
use crate::turn::{Producer, Stop, StreamFault, Usage};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(is: &bool) -> bool {
    !*is
}

/// Events about turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "body", rename_all = "snake_case")]
pub enum TurnEvent {
    /// A thread begins: the sub-agent of a delegated call. Its first turn holds its task as a prompt.
    Delegated {
        /// The thread.
        #[serde(default)]
        thread: ThreadId,
        /// The call.
        call: NodeId,
        /// The revision of the call.
        #[serde(default)]
        rev: Rev,
        /// The execution of the call.
        #[serde(default)]
        attempt: Attempt,
        /// Names of the tools that the sub-agent is offered.
        #[serde(default)]
        tools: Vec<Arc<str>>,
        /// Turns of its model, at most.
        #[serde(default)]
        max_turns: u32,
        /// Its first turn.
        #[serde(default)]
        turn: TurnId,
        /// The prompt.
        node: NodeId,
        /// The task, with what the sub-agent is shown.
        text: Arc<str>,
    },
    /// A turn without a request: the operator's.
    Opened {
        /// Its id.
        #[serde(default)]
        turn: TurnId,
        /// Its thread.
        #[serde(default)]
        thread: ThreadId,
        /// The turn before it; `None` for the first.
        after: Option<TurnId>,
        /// Who made it.
        producer: Producer,
    },
    /// The model was asked; makes the turn on the first time.
    Requested {
        /// Its id.
        #[serde(default)]
        turn: TurnId,
        /// Its thread.
        #[serde(default)]
        thread: ThreadId,
        /// The turn before it.
        after: Option<TurnId>,
        /// Counts the requests of this turn, from 1.
        #[serde(default)]
        request: u32,
        /// Hash of the context.
        context: Arc<str>,
        /// Hash of the whole request.
        hash: Arc<str>,
        /// True for the last request that is allowed: no tools are offered.
        #[serde(default, skip_serializing_if = "is_false")]
        last: bool,
        /// Nodes of the context since the request before it, with the revision that was sent.
        #[serde(default)]
        new: Vec<(NodeId, Rev)>,
        /// Notices of this request alone: tools with an open breaker, a budget near its end.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[serde(alias = "told")]
        notices: Vec<Arc<str>>,
    },
    /// The request broke and is retried by itself, after the wait that the server asked for or a
    /// growing backoff. No request is open until then.
    RetryScheduled {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// Counts the retries of the turn, from 1.
        #[serde(default)]
        no: u32,
        /// How many there may be.
        #[serde(default)]
        of: u32,
        /// Milliseconds to wait first.
        #[serde(default)]
        wait_ms: u64,
        /// How the request broke.
        why: Arc<str>,
    },
    /// The wait is over: the request is sent as soon as requests are possible.
    RetryDue {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
    },
    /// A prompt of the operator.
    Prompted {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The node.
        node: NodeId,
        /// The words.
        text: Arc<str>,
    },
    /// The model thought or said something.
    Thought {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The node.
        node: NodeId,
        /// The words; empty where the model gave none.
        text: Arc<str>,
        /// How.
        channel: Channel,
        /// Provider's opaque block, as JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
        /// Who: the model, or an operator who inserted it.
        origin: Origin,
    },
    /// A call, complete.
    Proposed {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The node.
        node: NodeId,
        /// The provider's id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_id: Option<Arc<str>>,
        /// Name of the tool.
        tool: Arc<str>,
        /// The argument text, byte for byte.
        args: Arc<str>,
        /// Members that the provider added to the call, as one JSON object, byte for byte.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
        /// Who: the model, or an operator who inserted it.
        origin: Origin,
    },
    /// A final answer.
    Answered {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The node.
        node: NodeId,
        /// The words, or JSON text where the session has an output schema.
        text: Arc<str>,
        /// Provider's opaque block, as JSON text: citations, the phase of a message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Arc<str>>,
    },
    /// An answer does not fit the output schema of the session: it goes back to the model with the
    /// faults.
    #[serde(alias = "answer_unfit")]
    AnswerInvalid {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The answer.
        node: NodeId,
        /// Its revision.
        #[serde(default)]
        rev: Rev,
        /// What is wrong with it.
        #[serde(default)]
        faults: Vec<Fault>,
    },
    /// A block of the repeated stream equals the recorded one: it keeps its node.
    Matched {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// How many blocks match so far.
        #[serde(default)]
        blocks: usize,
    },
    /// The new part of blocks that are not complete yet. A long text is not recorded again each
    /// time it has grown.
    Partial {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// Bytes that remain of the text recorded before; 0 if it starts over.
        #[serde(default, skip_serializing_if = "is_zero")]
        #[serde(alias = "kept")]
        prefix_len: u64,
        /// Bytes at the beginning of the whole text that are text of the model; the rest is
        /// reasoning, or arguments of calls. In older records all of it is text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spoken: Option<u64>,
        /// The text after them.
        text: Arc<str>,
    },
    /// The stream ended by its end mark.
    Closed {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// Why the model stopped.
        stop: Stop,
        /// What it cost.
        #[serde(default)]
        usage: Usage,
    },
    /// The stream broke, or was none; the operator chooses.
    Broken {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// What went wrong.
        fault: StreamFault,
        /// What it cost, as far as known.
        #[serde(default)]
        usage: Usage,
    },
    /// The stream was ended from this side.
    Aborted {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// Why.
        reason: Arc<str>,
    },
    /// Everything in it has ended; the errors go into the next request.
    Settled {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// Calls that ended without a value.
        #[serde(default)]
        errors: Vec<NodeId>,
    },
    /// Turns that an earlier edit suspended.
    Suspended {
        /// The turns.
        #[serde(default)]
        turns: Vec<TurnId>,
    },
    /// The earlier edit changed nothing that these turns saw: they are active again.
    Restored {
        /// The turns.
        #[serde(default)]
        turns: Vec<TurnId>,
    },
    /// The operator keeps these turns although their context changed.
    Drifted {
        /// The turns.
        #[serde(default)]
        turns: Vec<TurnId>,
    },
    /// The model, asked the same again, gave a different reply. The rest of its earlier reply is
    /// superseded, on every branch with this reply.
    Diverged {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The superseded nodes.
        #[serde(default)]
        nodes: Vec<NodeId>,
    },
    /// A recorded reply to an equal request is active again, instead of another request.
    Revived {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
        /// The epoch at whose end it had the state that it has now.
        #[serde(default)]
        of: crate::id::Epoch,
    },
    /// Turns that are superseded, with everything in them.
    Superseded {
        /// The turns.
        #[serde(default)]
        turns: Vec<TurnId>,
    },
    /// An edit of a thought closed the turn: the next one continues its message.
    Split {
        /// The turn.
        #[serde(default)]
        turn: TurnId,
    },
}
