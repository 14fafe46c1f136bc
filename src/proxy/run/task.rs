//! The task that owns a conversation: it takes messages, facts of the run and heartbeats one by one, and never waits for one.
//!
//! Must not know: formats, how a decision is made, how a session is stored.
//!
//! The engine records what a request adds in background [`Work`]. The next stage of the request begins once the facts that
//! this caused are known here.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use super::connection::Beats;
use super::incoming::Pending;
use super::intake::{Intake, Stage};
use super::message::Message;
use super::state::RunState;
use super::{AgentRun, Attached, INBOX, Link, Reservation};
use crate::overlay::Overlay;
use overrule_domain::envelope::Actor;
use overrule_domain::id::Seq;
use overrule_domain::live::AgentStatus;
use overrule_engine::{Facts, Handle, Publication};

/// Result of background work.
pub(super) enum Done {
    /// The engine has done what a request asks for.
    Intake(Stage, Option<Seq>),
    /// The command without which a request would wait for ever was carried out or refused.
    Nudge { is_refused: bool },
}

/// Background work: the loop polls it between messages.
type Work = BoxFuture<'static, Done>;

/// The task of a conversation.
pub(super) struct Task {
    pub(super) run: Weak<AgentRun>,
    pub(super) state: RunState,
    inbox: mpsc::Receiver<Message>,
    /// Messages that cannot be answered yet.
    waiting: Vec<Message>,
    link: watch::Receiver<Link>,
    /// The facts of the run, as long as there is one.
    facts: Option<Facts>,
    status: watch::Sender<AgentStatus>,
    hang_ups: Arc<Notify>,
    /// Requests that arrived, oldest first.
    pub(super) requests: VecDeque<Box<Pending>>,
    pub(super) intake: Intake,
    works: FuturesUnordered<Work>,
}

impl Task {
    pub(super) fn new(
        run: Weak<AgentRun>,
        (inbox, link): (mpsc::Receiver<Message>, watch::Receiver<Link>),
        (status, hang_ups): (watch::Sender<AgentStatus>, Arc<Notify>),
        beats: Beats,
    ) -> Self {
        Self {
            run,
            state: RunState::new(beats),
            inbox,
            waiting: Vec::new(),
            link,
            facts: None,
            status,
            hang_ups,
            requests: VecDeque::new(),
            intake: Intake::Idle,
            works: FuturesUnordered::new(),
        }
    }

    /// Runs until the last handle is dropped.
    pub(super) async fn run(mut self) {
        loop {
            tokio::select! {
                message = self.inbox.recv() => match message {
                    Some(message) => self.receive(message),
                    None => return,
                },
                fact = next_fact(&mut self.facts) => self.take_facts(fact),
                Some(done) = self.works.next() => self.done(done),
                Ok(()) = self.link.changed() => self.follow_link(),
                () = self.hang_ups.notified() => {}
                () = due(self.state.next_beat()) => self.state.beat(),
            }
            self.settle();
        }
    }

    /// Carries out what waited for a change.
    fn settle(&mut self) {
        for message in std::mem::take(&mut self.waiting) {
            self.receive(message);
        }
        self.continue_intake();
        let status = self.state.status();
        self.status
            .send_if_modified(|now| std::mem::replace(now, status) != status);
    }

    /// Takes a message. One that cannot be answered yet waits.
    fn receive(&mut self, message: Message) {
        let state = &mut self.state;
        // An error of an answer means that its receiver was dropped.
        match message {
            Message::Request(pending) => self.requests.push_back(pending),
            Message::Compare(arriving, reply) => _ = reply.send(state.compare(&arriving)),
            Message::Continues(_, reply) if reply.is_closed() => {}
            Message::Continues(arriving, reply) => {
                if state.compare(&arriving).is_fork {
                    self.waiting.push(Message::Continues(arriving, reply));
                } else {
                    reply.send(()).unwrap_or_default();
                }
            }
            Message::Reserve(reply) => _ = reply.send(self.reserve()),
            Message::Offers(name, reply) => _ = reply.send(state.offers(&name)),
            Message::FindCall(task, reply) => _ = reply.send(task.call_in(&state.state)),
            Message::ChangesNothing(reply) => _ = reply.send(state.open.changes_nothing(&state.state)),
            Message::Overlay(reply) => _ = reply.send(Overlay::of(&state.state)),
            Message::MeetTool(name, reply) => _ = reply.send(state.meet_tool(name)),
            Message::NextRequest { reply, .. } if reply.is_closed() => {}
            Message::NextRequest {
                question,
                turn,
                reply,
            } => match state.next_request(question, turn) {
                // If its receiver was dropped, a withdrawal follows.
                Some(asked) => _ = reply.send(asked),
                None => self.waiting.push(Message::NextRequest {
                    question,
                    turn,
                    reply,
                }),
            },
            Message::Execute { reply, .. } if reply.is_closed() => {}
            Message::Execute { call, .. } if !state.state.nodes.contains_key(&call) => {
                self.waiting.push(message);
            }
            Message::Execute {
                call,
                tool,
                args,
                reply,
            } => state.execute(call, &tool, &args, reply),
            Message::Withdraw(question) => {
                state.withdraw(question);
                self.look();
            }
            Message::Answer(head, body) => state.answer(*head, &body),
            Message::BeginReply { turn, of, head } => state.begin_reply(turn, of, *head),
            Message::Event(event) => {
                let (event, calls) = *event;
                state.push(event, calls);
            }
            Message::EndReply { turn, is_whole } => {
                state.end_reply(turn, is_whole);
                self.look();
            }
            Message::AgentEnded => state.has_agent_ended = true,
        }
    }

    fn reserve(&mut self) -> Option<Reservation> {
        let is_free = self.requests.is_empty() && matches!(self.intake, Intake::Idle);
        if is_free && self.engine().is_some() {
            self.state.reserve_if_idle()
        } else {
            None
        }
    }

    /// Takes this fact of the run and those that are there already; without one, the run has ended.
    fn take_facts(&mut self, fact: Option<Publication>) {
        // What caused a fact was sent before it.
        for _ in 0..INBOX {
            let Ok(message) = self.inbox.try_recv() else { break };
            self.receive(message);
        }
        let mut next = fact;
        while let Some(fact) = next {
            self.state.take(fact);
            next = self.facts.as_mut().and_then(Facts::try_recv);
            if next.is_none() {
                self.state.open.prune(&self.state.state);
                self.look();
                if !self.state.has_ended {
                    return;
                }
            }
        }
        self.end();
    }

    fn follow_link(&mut self) {
        let facts = match &*self.link.borrow_and_update() {
            Link::Awaited => return,
            Link::Attached(attached) => Some(attached.handle.subscribe().facts),
            Link::Ended => None,
        };
        match facts {
            Some(facts) => self.facts = Some(facts),
            None => self.end(),
        }
    }

    /// Ends everything that waits. Later requests get the answer that the run has ended.
    fn end(&mut self) {
        self.facts = None;
        self.waiting.clear();
        self.state.end();
    }

    pub(super) fn attached(&self) -> Option<Attached> {
        match &*self.link.borrow() {
            Link::Attached(attached) => Some(attached.clone()),
            Link::Awaited | Link::Ended => None,
        }
    }

    pub(super) fn engine(&self) -> Option<Handle> {
        self.attached().map(|attached| attached.handle)
    }

    /// Tells the operator something that is not a fact of the run.
    pub(super) fn notice(&self, words: String) {
        if let Some(engine) = self.engine() {
            engine.notice(words);
        }
    }

    /// Begins background work.
    pub(super) fn work(&mut self, work: impl Future<Output = Done> + Send + 'static) {
        self.works.push(Box::pin(work));
    }

    /// Carries out what follows from the state.
    pub(super) fn look(&mut self) {
        let words = self.state.pump();
        self.state.answer_if_stopped();
        if let Some(words) = words {
            self.notice(words.to_owned());
        }
        if let (Some(command), Some(engine)) = (self.state.nudge(), self.engine()) {
            let answer = engine.command(command, Actor::Engine);
            self.work(async move {
                let is_refused = answer.await.is_err();
                Done::Nudge { is_refused }
            });
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Intake(stage, after) => self.intake = Intake::Next(stage, after),
            Done::Nudge { is_refused } => {
                if let Some(pending) = self.state.pending.as_mut().filter(|_| is_refused) {
                    pending.is_nudged = false;
                }
            }
        }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.notice("the proxy failed in this conversation: its agent gets no reply any more".to_owned());
        }
    }
}

/// Waits for the next fact of a run; none if it has ended. Without a run, nothing comes.
async fn next_fact(facts: &mut Option<Facts>) -> Option<Publication> {
    match facts {
        Some(facts) => facts.recv().await,
        None => std::future::pending().await,
    }
}

/// Waits until a heartbeat is due; for ever if no agent waits.
async fn due(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
