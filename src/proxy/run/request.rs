//! Decides what is done with a request of the agent: what it adds, which reply it gets, what it ends.
//!
//! Must not know: formats, how a decision is made.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyper::StatusCode;
use tokio::time::Instant;

use super::incoming::{New, Pending};
use super::reconnect::{Retransmission, has_acted, last_words};
use super::reply::calls_of;
use super::state::RunState;
use super::synthetic_reply::ENDED;
use crate::conversation::{self, Tail};
use crate::events::Form;
use crate::headers;
use overrule_domain::agent::Rewriting;
use overrule_domain::call::Outcome;
use overrule_domain::command::{CallCommand, Command, Edit, EditCommand, RunCommand};
use overrule_domain::id::{NodeId, TurnId};
use overrule_domain::input::Input;
use overrule_domain::retry_wait::retry_after;
use overrule_domain::state::{Mode, State};
use overrule_domain::thread::ROOT;
use overrule_domain::turn::{Producer, Stream};
use overrule_model::wire::agent::AgentRequest;

/// What is done with a request.
pub(super) enum Step {
    /// It is answered already.
    Done,
    /// It gets a reply that is recorded.
    Retransmit(Box<Pending>, Retransmission),
    /// The model is asked.
    Ask {
        pending: Box<Pending>,
        is_repeated: bool,
    },
}

/// The tools of a request whose calls take any text.
pub(crate) fn text_tools(request: &AgentRequest) -> BTreeSet<String> {
    let tools = request.tools.iter();
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

impl RunState {
    /// What a request says besides its messages: how long the agent waits, and what it rewrote.
    pub(super) fn report(&mut self, pending: &Pending) -> Option<Input> {
        let incoming = &pending.incoming;
        let is_whole = incoming.form() == Form::Whole;
        let wait_ms = headers::wait_ms(&incoming.headers).filter(|_| is_whole);
        let had_wait = self.state.origin.agent.wait.is_some();
        let rewriting = self.rewriting(pending);
        let is_any = wait_ms.is_some() || had_wait || rewriting.is_some();
        is_any.then_some(Input::AgentAsked { wait_ms, rewriting })
    }

    /// What a request adds to the newest reply in it, without words of requests before it.
    pub(super) fn tail(&self, pending: &Pending) -> Tail {
        let before = &self.history.messages;
        let known = if pending.history().continues(before) {
            before.messages()
        } else {
            0
        };
        let request = &pending.incoming.request;
        let mut tail = conversation::tail(request, known, &self.awaited_ids());
        if before.messages() == 0
            && let Some(rest) = last_words(&self.state).and_then(|last| tail.words.strip_prefix(last))
            && !rest.trim().is_empty()
        {
            // Of an earlier process: it recorded the words before.
            tail.words = rest.trim().to_owned();
        }
        if !tail.has_results {
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
        let items = &mut self.history.items;
        let old = std::mem::replace(items, pending.history().clone());
        old.rewriting(items, &self.state)
    }

    /// Gives up a reply for which the agent does not wait any more: the one that waits, the one that has not begun, or
    /// the newest. Returns the command that stops its turn, and those that reject its calls.
    pub(super) fn abandon(&mut self, has_words: bool, why: &str) -> (Option<Command>, Vec<Command>) {
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
    pub(super) fn step(&mut self, pending: Box<Pending>, tail: &Tail) -> Step {
        if self.has_ended {
            pending.answer_with_text(ENDED);
            return Step::Done;
        }
        self.note_delivered();
        // An agent that cannot read the bytes gets the reply from the record, or another one.
        let same = self.reply.as_mut().filter(|reply| reply.answers(&pending));
        if let Some(reply) = same.filter(|reply| reply.is_open())
            && !has_acted(&self.state, &self.delivered, reply.turn())
        {
            reply.resume(*pending);
            return Step::Done;
        }
        let is_same = |asked: &&mut Pending| {
            let (first, second) = (&asked.incoming, &pending.incoming);
            first.history.repeats(&second.history)
                && (first.wire, first.form()) == (second.wire, second.form())
        };
        if let Some(asked) = self.asked.as_mut().filter(is_same) {
            // The agent gave up the first connection: the reply comes on this one.
            asked.connection = pending.connection;
            return Step::Done;
        }
        if let Some(what) = self.retransmission(&pending, tail) {
            self.history.messages.clone_from(pending.history());
            return Step::Retransmit(pending, what);
        }
        let is_repeated = self.is_known(&pending, tail);
        Step::Ask { pending, is_repeated }
    }

    /// Keeps a request for the run to ask; returns the outcomes that it brings.
    pub(super) fn keep(&mut self, mut pending: Pending, new: &New) -> Vec<(NodeId, Outcome)> {
        self.unwritten = None;
        if self.has_ended {
            pending.answer_with_text(ENDED);
            return Vec::new();
        }
        self.history.messages.clone_from(pending.history());
        // A reply that has begun gets no heartbeat before the model's next event.
        if pending.begun.is_none() {
            pending.beat_at = Some(Instant::now() + self.beats.every(pending.incoming.form()));
        }
        if let Some(old) = self.pending.replace(pending) {
            old.connection.refuse(
                StatusCode::CONFLICT,
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
    pub(super) fn nudge(&mut self) -> Option<Command> {
        let pending = self.pending.as_mut().filter(|pending| !pending.is_nudged)?;
        // An agent may begin in the middle of its work: the user wrote nothing then.
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
        pending.is_nudged = true;
        Some(command)
    }
}
