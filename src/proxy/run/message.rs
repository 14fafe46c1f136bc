//! The messages to the task of a conversation.
//!
//! Must not know: what the task does with them.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::comparison::{Arriving, Comparison};
use super::incoming::{Asked, Head, Pending, Reservation};
use crate::events::Form;
use crate::overlay::Overlay;
use crate::reading::ReadEvent;
use crate::sub_agent_task::{CallOfTask, SubAgentTask};
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, TurnId};
use overrule_model::Chunk;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::AgentTool;

/// What the task receives. A sender that waits for an answer may have gone when it is sent.
pub(super) enum Message {
    /// A request of the agent.
    Request(Box<Pending>),
    /// What has a request in common with the conversation?
    Compare(Arc<Arriving>, oneshot::Sender<Comparison>),
    /// Answered once the agent continues with this request.
    Continues(Arc<Arriving>, oneshot::Sender<()>),
    /// Reserve the run, if it is idle.
    Reserve(oneshot::Sender<Option<Reservation>>),
    /// Does the agent offer this tool?
    Offers(String, oneshot::Sender<bool>),
    /// Which call does a sub-agent work for?
    FindCall(Arc<SubAgentTask>, oneshot::Sender<Option<CallOfTask>>),
    /// Does the run change nothing of the agent's history?
    ChangesNothing(oneshot::Sender<bool>),
    /// What does the run change of the agent's history?
    Overlay(oneshot::Sender<Overlay>),
    /// Which request is the model asked? Waits for one, and for the turn.
    NextRequest {
        /// The question that it becomes.
        question: u64,
        /// The turn of its reply.
        turn: TurnId,
        reply: oneshot::Sender<Asked>,
    },
    /// The run does not wait for the answer to a question any more.
    Withdraw(u64),
    /// A whole response to what the model was asked.
    Answer(Box<Head>, Vec<u8>),
    /// A reply begins.
    BeginReply {
        turn: TurnId,
        of: (Wire, Form),
        head: Box<Head>,
    },
    /// An event of the reply, with its pieces of calls as the run gets them.
    Event(Box<(ReadEvent, Vec<Chunk>)>),
    /// The reply has ended.
    EndReply {
        turn: TurnId,
        /// False if it broke.
        is_whole: bool,
    },
    /// The model called this tool. The answer has all tools if none was of this name.
    MeetTool(String, oneshot::Sender<Option<Vec<AgentTool>>>),
    /// Hand this call over to the agent. Waits until the call is published; the answer is its outcome.
    Execute {
        call: NodeId,
        tool: String,
        args: String,
        reply: oneshot::Sender<Outcome>,
    },
    /// The process of the agent ended.
    AgentEnded,
}
