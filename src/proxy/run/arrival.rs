//! Takes in a request of the agent: results of calls, what its user wrote, and the question for the model.
//!
//! Must not know: formats, how a decision is made.

use std::sync::Arc;

use tokio::sync::{Notify, oneshot};

use super::again::{Again, has_acted, last_words};
use super::connection::Connection;
use super::made::ENDED;
use super::reply::calls_of;
use super::{AgentRun, Answer, Incoming, Inner, New, Pending};
use crate::conversation::{self, Tail};
use crate::events::Form;
use crate::headers;
use crate::history::History;
use crate::outlet;
use overrule_base::text::visible_head;
use overrule_domain::agent::Rewriting;
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, Resolution, RunCommand};
use overrule_domain::decide::edit::of_agent::OF_AGENTS_USER;
use overrule_domain::envelope::Actor;
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::input::Input;
use overrule_domain::retry_wait::retry_after;
use overrule_domain::state::{Mode, State};
use overrule_domain::thread::ROOT;
use overrule_domain::turn::{Producer, Stream};

/// Maximum characters of a refusal in a notice.
const MAX_REASON: usize = 200;
/// Why a call is rejected whose agent did not wait for it.
const GONE: &str = "the agent hung up and went on without this call";
/// Why a call is rejected whose agent's user interrupted it, or said something else.
const INTERRUPTED: &str = "the agent's user interrupted";

/// Ends the reservation of a run once its request has arrived, or was given up.
struct Reserved(Arc<AgentRun>);

impl Drop for Reserved {
    fn drop(&mut self) {
        self.0.lock().is_reserved = false;
    }
}

/// Notifies those who wait for a change once it is dropped.
struct Notifies(Arc<Notify>);

impl Drop for Notifies {
    fn drop(&mut self) {
        self.0.notify_waiters();
    }
}

/// What is done with a request.
enum Step {
    /// It is answered already.
    Done,
    /// It gets a reply that is recorded.
    Again(Box<Pending>, Again),
    /// The model is asked.
    Ask {
        pending: Box<Pending>,
        is_repeated: bool,
    },
}

impl AgentRun {
    /// Takes in a request of the agent; returns the response once that begins.
    pub async fn request(self: &Arc<Self>, incoming: Incoming) -> Option<Answer> {
        // Dropped after the other end of the connection.
        let _given_up = Notifies(self.changed.clone());
        let (head, begun) = oneshot::channel();
        let (out, body) = outlet::body(self.changed.clone());
        let number = self.lock().next_number();
        let pending = Pending {
            history: incoming.request.canonical(),
            incoming: Arc::new(incoming),
            connection: Connection::new(head, out),
            number,
            nudged: false,
            question: 0,
        };
        // An agent may give its request up at any moment; what was begun with it is done to its end.
        let run = self.clone();
        tokio::spawn(async move { run.arrive(pending).await });
        let head = begun.await.ok()?;
        Some(Answer { head, body })
    }

    async fn arrive(self: Arc<Self>, pending: Pending) {
        let _reserved = Reserved(self.clone());
        // What is recorded decides what a request is.
        self.until(|inner| (inner.is_loaded || inner.has_ended).then_some(()))
            .await;
        let _turn_to_come = self.arriving.lock().await;
        if !pending.connection.is_closed() {
            self.take_in(pending).await;
        }
    }

    async fn take_in(self: &Arc<Self>, pending: Pending) {
        self.report(&pending).await;
        let (step, tail, had_hung_up) = {
            let mut inner = self.lock();
            inner.has_agent_ended = false;
            let had_hung_up = inner.reply.as_ref().is_some_and(|reply| !reply.is_connected());
            let tail = inner.tail(&pending);
            (inner.step(pending, &tail), tail, had_hung_up)
        };
        let (pending, is_repeated) = match step {
            Step::Done => {
                if had_hung_up {
                    self.notice("the agent is connected again".to_owned());
                }
                self.changed.notify_waiters();
                return;
            }
            Step::Again(pending, again) => {
                self.continue_turn(again.turn, *pending, again.with_text);
                self.notice("the agent is connected again: it gets the reply that waits".to_owned());
                return;
            }
            Step::Ask { pending, is_repeated } => (*pending, is_repeated),
        };
        self.offer(&pending).await;
        let rejection = pending.incoming.rejection;
        let new = New {
            tail,
            is_repeated,
            rejection,
        };
        let has_words = !new.is_repeated && !new.tail.words.is_empty();
        let is_no = has_words || new.tail.is_interrupted && !new.is_repeated;
        let why = if is_no { INTERRUPTED } else { GONE };
        let (stop, rejections) = self.lock().abandon(has_words, why);
        let has_withdrawn = stop.is_some() || !rejections.is_empty();
        if is_no && has_withdrawn {
            self.notice(withdrawn(rejections.len()));
        }
        self.lock().is_interrupted = is_no && (has_withdrawn || new.tail.is_interrupted);
        let was_running = matches!(self.lock().state.mode, Mode::Running);
        let has_stopped = match stop {
            Some(stop) => self.command(stop).await && was_running,
            None => false,
        };
        // Before the rejections: the turn after them answers these words.
        if has_words {
            self.prompt(&new.tail.words).await;
        }
        for rejection in rejections {
            self.command(rejection).await;
        }
        if has_stopped {
            // The agent's user stopped a reply, not the run.
            self.command(Command::Run(RunCommand::Resume {})).await;
        }
        let (number, form) = (pending.number, pending.incoming.form());
        let has_begun = pending.incoming.begun.has_begun();
        let results = self.lock().keep(pending, &new);
        if !has_begun {
            self.start_waiting(number, form);
        }
        for (call, outcome) in results {
            self.finish(call, outcome).await;
        }
        self.look();
        self.changed.notify_waiters();
    }

    /// Reports what a request says besides its messages: how long the agent waits, and what it rewrote.
    async fn report(&self, pending: &Pending) {
        let incoming = &pending.incoming;
        let is_whole = incoming.form() == Form::Whole;
        let wait_ms = headers::wait_ms(&incoming.headers).filter(|_| is_whole);
        let (rewriting, had_wait) = {
            let mut inner = self.lock();
            let had_wait = inner.state.origin.agent.wait.is_some();
            (inner.rewriting(pending), had_wait)
        };
        if (wait_ms.is_some() || had_wait || rewriting.is_some())
            && let Some(handle) = self.handle().await
        {
            handle.report(Input::AgentAsked { wait_ms, rewriting }).await;
        }
    }

    async fn prompt(&self, words: &str) {
        let edit = Edit::InsertPrompt {
            after: None,
            text: Arc::from(words),
        };
        self.command(Command::Edit(EditCommand::Commit {
            edits: vec![edit],
            effects_seen: None,
            reason: Some(Arc::from(OF_AGENTS_USER)),
            keep_later: false,
        }))
        .await;
    }

    /// Gives a command, and waits until its events are known here. Returns false if it was refused.
    async fn command(&self, command: Command) -> bool {
        let Some(handle) = self.handle().await else {
            return false;
        };
        match handle.command(command, Actor::Engine).await {
            Ok(seq) => {
                self.until(|inner| (inner.state.seq >= seq || inner.has_ended).then_some(()))
                    .await;
                true
            }
            Err(refusal) => {
                self.notice(format!(
                    "what the agent sent could not be recorded: {}",
                    visible_head(&refusal.message, MAX_REASON)
                ));
                false
            }
        }
    }

    /// Reports the end of a call with the agent.
    async fn finish(&self, call: NodeId, outcome: Outcome) {
        let waits = self.lock().with_agent.remove(&call);
        match (waits, outcome) {
            // An error means that the execution was cancelled meanwhile.
            (Some(waits), outcome) => waits.send(outcome).unwrap_or_default(),
            (None, Outcome::Ok { value, .. }) => {
                let what = Resolution::Happened { value };
                let attempt = None;
                self.command(Command::Call(CallCommand::Resolve { call, attempt, what }))
                    .await;
            }
            (None, _) => {}
        }
    }

    /// Carries out what follows from the state.
    pub(super) fn look(self: &Arc<Self>) {
        let mut inner = self.lock();
        let words = inner.pump();
        inner.answer_if_stopped();
        let command = inner.nudge();
        drop(inner);
        if let Some(words) = words {
            self.notice(words.to_owned());
        }
        if let (Some(command), Some(attached)) = (command, self.attached.get()) {
            let answer = attached.handle.command(command, Actor::Engine);
            let run = self.clone();
            tokio::spawn(async move {
                if answer.await.is_err()
                    && let Some(pending) = &mut run.lock().pending
                {
                    pending.nudged = false;
                }
            });
        }
    }
}

/// Says that the agent's user interrupted, and how many calls are rejected for it.
fn withdrawn(calls: usize) -> String {
    match calls {
        0 => "the agent's user interrupted: the reply was stopped".to_owned(),
        1 => "the agent's user interrupted: 1 call that waited is rejected".to_owned(),
        calls => format!("the agent's user interrupted: {calls} calls that waited are rejected"),
    }
}

/// The tools of a request whose calls take any text.
fn texts(pending: &Pending) -> std::collections::BTreeSet<String> {
    let tools = pending.incoming.request.tools.iter();
    tools
        .filter(|tool| tool.schema.is_none() && !tool.is_providers)
        .map(|tool| tool.name.clone())
        .collect()
}

/// The newest turn of the model.
pub(super) fn newest(state: &State) -> Option<TurnId> {
    let mut turns = state.turns_of(ROOT).rev();
    turns
        .find(|turn| turn.producer == Producer::Model && turn.is_active())
        .map(|turn| turn.id)
}

impl Inner {
    /// What a request adds to the newest reply in it, without words of requests before it.
    fn tail(&self, pending: &Pending) -> Tail {
        let known = if pending.history.starts_with(&self.history) {
            self.history.len()
        } else {
            0
        };
        let request = &pending.incoming.request;
        let mut tail = conversation::tail(request, known);
        if self.history.is_empty()
            && let Some(rest) = last_words(&self.state).and_then(|last| tail.words.strip_prefix(last))
            && !rest.trim().is_empty()
        {
            // Of an earlier process: it recorded the words before.
            tail.words = rest.trim().to_owned();
        }
        if tail.results.is_empty() {
            let calls = self.with_agent.keys().filter_map(|id| self.state.calls.get(id));
            let ids: Vec<&str> = calls.filter_map(|call| call.provider_id.as_deref()).collect();
            tail.results = conversation::results_as_text(request, &ids);
            if !tail.results.is_empty() {
                tail.words.clear();
            }
        }
        tail
    }

    /// What the agent changed of its history since its last request.
    fn rewriting(&mut self, pending: &Pending) -> Option<Rewriting> {
        let request = &pending.incoming.request;
        if conversation::continued_reply(request).is_some() {
            // The request has the new part of the history alone.
            return None;
        }
        let new = History::of(request);
        let old = std::mem::replace(&mut self.items, new);
        old.rewriting(&self.items, &self.state)
    }

    /// Gives up a reply for which the agent does not wait any more: the one that waits, the one that has not begun, or
    /// the newest. Returns the command that stops its turn, and those that reject its calls.
    fn abandon(&mut self, has_words: bool, why: &str) -> (Option<Command>, Vec<Command>) {
        self.note_delivered();
        let held = self.reply.take_if(|reply| reply.is_open());
        let asked = self.asked.take();
        match (held, asked) {
            (Some(mut reply), _) => {
                reply.cut();
                // The newest turn, if it says what follows.
                let next = newest(&self.state).filter(|_| reply.is_asked_again());
                self.leave(next.unwrap_or(reply.turn()), why)
            }
            (None, Some(_)) => {
                newest(&self.state).map_or_else(Default::default, |turn| self.leave(turn, why))
            }
            // Of a reply that broke, or that an earlier process held. An open turn waits for this request, but it does
            // not answer new words.
            (None, None) => {
                let newest = newest(&self.state);
                let (stop, rejections) = newest.map_or_else(Default::default, |turn| self.leave(turn, why));
                (stop.filter(|_| has_words), rejections)
            }
        }
    }

    /// Decides what is done with a request.
    fn step(&mut self, pending: Pending, tail: &Tail) -> Step {
        if self.has_ended {
            pending.answer_with_text(ENDED);
            return Step::Done;
        }
        self.texts = texts(&pending);
        self.note_delivered();
        // An agent that cannot read the bytes gets the reply from the record, or another one.
        let same = self.reply.as_mut().filter(|reply| reply.answers(&pending));
        if let Some(reply) = same.filter(|reply| reply.is_open())
            && !has_acted(&self.state, &self.delivered, reply.turn())
        {
            reply.resume(pending);
            return Step::Done;
        }
        let is_same = |asked: &&mut Pending| {
            let (first, second) = (&asked.incoming, &pending.incoming);
            asked.history == pending.history && (first.wire, first.form()) == (second.wire, second.form())
        };
        if let Some(asked) = self.asked.as_mut().filter(is_same) {
            // The agent gave up the first connection: the reply comes on this one.
            asked.connection = pending.connection;
            return Step::Done;
        }
        if let Some(again) = self.again(&pending, tail) {
            self.history.clone_from(&pending.history);
            return Step::Again(Box::new(pending), again);
        }
        let is_repeated = self.is_known(&pending, tail);
        Step::Ask {
            pending: Box::new(pending),
            is_repeated,
        }
    }

    /// Keeps a request for the run to ask; returns the outcomes that it brings.
    fn keep(&mut self, pending: Pending, new: &New) -> Vec<(NodeId, Outcome)> {
        self.unwritten = None;
        if self.has_ended {
            pending.answer_with_text(ENDED);
            return Vec::new();
        }
        self.history.clone_from(&pending.history);
        if let Some(old) = self.pending.replace(pending) {
            old.connection.refuse(
                409,
                "another request of the conversation took the place of this one",
            );
        }
        self.results(new)
    }

    /// The commands that end what an agent does not wait for any more.
    fn leave(&self, turn: TurnId, why: &str) -> (Option<Command>, Vec<Command>) {
        let state = &self.state;
        let is_open = state
            .turns
            .get(&turn)
            .is_some_and(|turn| turn.stream == Stream::Open);
        let stop = is_open.then_some(Command::Run(RunCommand::StopTurn {}));
        let waiting = calls_of(state, turn)
            .into_iter()
            .filter(|call| call.attempts.is_empty() && !call.status.is_settled());
        let rejections = waiting.filter_map(|call| {
            let rev = state.nodes.get(&call.id)?.rev();
            let (call, reason) = (call.id, why.to_owned());
            Some(Command::Call(CallCommand::Reject { call, rev, reason }))
        });
        (stop, rejections.collect())
    }

    /// The command without which a pending request would wait for ever.
    fn nudge(&mut self) -> Option<Command> {
        let pending = self.pending.as_mut().filter(|pending| !pending.nudged)?;
        // An agent may begin in the middle of its work: nobody wrote anything then.
        let is_new = self.state.started.is_some() && self.state.turns.is_empty();
        let command = match &self.state.mode {
            mode if is_new && *mode == Mode::Running || matches!(mode, Mode::Finished(_)) => {
                Command::Edit(EditCommand::Commit {
                    edits: vec![Edit::InsertPrompt {
                        after: None,
                        text: Arc::from(conversation::AGAIN),
                    }],
                    effects_seen: None,
                    reason: None,
                    keep_later: false,
                })
            }
            Mode::Running => {
                let turn = self.state.turns_of(ROOT).rfind(|turn| turn.is_active())?;
                let Stream::Broken(fault) = &turn.stream else {
                    return None;
                };
                if retry_after(&self.state, turn, fault).is_some() {
                    return None;
                }
                Command::Run(RunCommand::AskAgain {
                    turn: turn.id,
                    request: Some(turn.asked),
                })
            }
            _ => return None,
        };
        pending.nudged = true;
        Some(command)
    }
}
