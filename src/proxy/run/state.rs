//! What is known of a conversation: its run, the requests that wait, the reply on its way, the calls with the agent.
//!
//! Must not know: tasks, channels to the engine, formats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};

use hyper::StatusCode;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connection::{self, Beats};
use super::incoming::{Asked, Head, Pending, Reservation};
use super::open_nodes::OpenNodes;
use super::reply::Reply;
use super::request::newest;
use super::synthetic_reply::ENDED;
use crate::history::History;
use overrule_domain::apply;
use overrule_domain::call::Outcome;
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::state::State;
use overrule_domain::turn::Stream;
use overrule_engine::Publication;
use overrule_model::wire::agent::AgentTool;

/// What the agent sent last, and what the model's server keeps of it.
#[derive(Default)]
pub(super) struct AgentHistory {
    /// The history of the newest request that was taken in.
    pub(super) messages: Arc<History>,
    /// The newest history that was whole.
    pub(super) items: Arc<History>,
    /// Tools as the agent offered them last; none before its first request.
    pub(super) tools: Option<Vec<AgentTool>>,
    /// Names of the replies that the model's server keeps.
    pub(super) replies: BTreeSet<String>,
}

/// What is known of a conversation.
pub(super) struct RunState {
    /// The published state of the run.
    pub(super) state: State,
    /// The nodes of it that count for the next request.
    pub(super) open: OpenNodes,
    /// True once the published state is known: of a run that continues, everything that was recorded.
    pub(super) is_loaded: bool,
    /// The request that waits for the run to ask.
    pub(super) pending: Option<Pending>,
    /// The request that the model was asked, until its reply begins.
    pub(super) asked: Option<Pending>,
    /// Alive from the moment in which a new conversation takes this run until its request was taken in.
    pub(super) reserved: Weak<()>,
    /// The turn of a reply that could not be written as it came: the agent gets it from the record.
    pub(super) unwritten: Option<TurnId>,
    /// The reply that the agent is getting.
    pub(super) reply: Option<Reply>,
    /// The calls with the agent, and the way to their outcome.
    pub(super) with_agent: BTreeMap<NodeId, oneshot::Sender<Outcome>>,
    /// The calls that a connected agent got, as they were or changed.
    pub(super) delivered: BTreeSet<NodeId>,
    pub(super) history: AgentHistory,
    pub(super) has_ended: bool,
    /// True if the newest request says that the agent's user interrupted it.
    pub(super) is_interrupted: bool,
    /// True from the end of the agent's process until its next request.
    pub(super) has_agent_ended: bool,
    pub(super) beats: Beats,
}

impl RunState {
    /// A conversation without a run or a request.
    pub(super) fn new(beats: Beats) -> Self {
        Self {
            state: State::default(),
            open: OpenNodes::default(),
            is_loaded: false,
            pending: None,
            asked: None,
            reserved: Weak::new(),
            unwritten: None,
            reply: None,
            with_agent: BTreeMap::new(),
            delivered: BTreeSet::new(),
            history: AgentHistory::default(),
            has_ended: false,
            is_interrupted: false,
            has_agent_ended: false,
            beats,
        }
    }

    /// Takes a fact of the run.
    pub(super) fn take(&mut self, fact: Publication) {
        match fact {
            Publication::Snapshot(state) => {
                self.state = *state;
                self.open = OpenNodes::all();
                self.is_loaded = true;
            }
            Publication::Event(envelope) => {
                apply::apply(&mut self.state, &envelope);
                self.open.take(&envelope.event);
            }
            Publication::Ended => self.has_ended = true,
            Publication::Notice(_) | Publication::Halted(_) => {}
        }
    }

    /// Reserves it for a conversation that begins, if no request of the agent waits and no reply is on its way.
    pub(super) fn reserve_if_idle(&mut self) -> Option<Reservation> {
        let is_replying = self.reply.as_ref().is_some_and(Reply::is_open);
        let is_idle = !self.has_ended
            && self.reserved.strong_count() == 0
            && self.pending.is_none()
            && self.asked.is_none()
            && !is_replying
            && self.with_agent.is_empty();
        is_idle.then(|| {
            let token = Arc::new(());
            self.reserved = Arc::downgrade(&token);
            Reservation { _token: token }
        })
    }

    /// What the model is asked for a turn, once that is published: the agent's next request, or the one before if its reply is
    /// to be continued.
    pub(super) fn next_request(&mut self, question: u64, turn: TurnId) -> Option<Asked> {
        let turn = self.state.turns.get(&turn);
        turn.filter(|turn| turn.stream == Stream::Open)?;
        let changes_nothing = self.open.changes_nothing(&self.state);
        let Some(pending) = self.pending.take() else {
            let incoming = self.reply.as_mut()?.continue_with(question)?;
            return Some(Asked {
                incoming,
                begun: None,
                changes_nothing,
            });
        };
        let mut pending = Pending { question, ..pending };
        let (incoming, begun) = (pending.incoming.clone(), pending.begun.take());
        self.asked = Some(pending);
        Some(Asked {
            incoming,
            begun,
            changes_nothing,
        })
    }

    /// The run does not wait for the answer to a question any more.
    pub(super) fn withdraw(&mut self, question: u64) {
        let asked = self.asked.take_if(|asked| asked.question == question);
        if self.pending.is_none() {
            self.pending = asked;
        }
        if let Some(reply) = &mut self.reply {
            reply.withdraw(question);
        }
    }

    /// Answers the request that the model was asked with a whole response.
    pub(super) fn answer(&mut self, head: Head, body: &[u8]) {
        if let Some(asked) = self.asked.take() {
            asked.connection.answer(head, body);
        } else if let Some(reply) = self.reply.as_mut().filter(|reply| reply.is_asked_again()) {
            reply.fail(&connection::error(head.status, body));
        }
    }

    /// Hands a call over to the agent.
    pub(super) fn execute(&mut self, call: NodeId, tool: &str, args: &str, done: oneshot::Sender<Outcome>) {
        self.with_agent.insert(call, done);
        if !self.release(call, tool, args)
            && self.has_gone_on(call)
            && let Some(done) = self.with_agent.remove(&call)
        {
            // An error means that the execution was cancelled meanwhile.
            done.send(Outcome::Cancelled { executed: false })
                .unwrap_or_default();
        }
    }

    /// True if the agent can get a call in no reply any more: it has asked something else since.
    fn has_gone_on(&self, call: NodeId) -> bool {
        let turn = self.state.turn_of(call).map(|turn| turn.id);
        self.pending.is_some() || self.asked.is_some() || turn != newest(&self.state)
    }

    /// Ends everything that waits.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.with_agent.clear();
        if let Some(mut reply) = self.reply.take() {
            reply.close(ENDED);
        }
        if let Some(pending) = self.pending.take() {
            pending.answer_with_text(ENDED);
        }
        if let Some(asked) = self.asked.take() {
            asked.connection.refuse(StatusCode::SERVICE_UNAVAILABLE, ENDED);
        }
    }

    /// When the next heartbeat is due; none if no agent waits.
    pub(super) fn next_beat(&self) -> Option<Instant> {
        let reply = self.reply.as_ref().filter(|reply| reply.is_open());
        let waiting = [&self.pending, &self.asked].into_iter().flatten();
        let waiting = waiting.filter_map(|pending| pending.beat_at);
        waiting.chain(reply.map(|reply| reply.beat_at)).min()
    }

    /// Sends the heartbeats that are due.
    pub(super) fn beat(&mut self) {
        let now = Instant::now();
        self.beat_waiting(now);
        let beats = self.beats;
        if let Some(reply) = self.reply.as_mut().filter(|reply| reply.beat_at <= now) {
            reply.beat();
            reply.beat_at = now + beats.every(reply.form);
        }
    }
}
