//! Takes in a request of the agent: results of calls, what its user wrote, and the question for the model.
//!
//! Must not know: formats, how a decision is made.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::reply::calls_of;
use super::{AgentRun, Answer, Incoming, Inner, New, Pending};
use crate::domain::advance::ask::retry_after;
use crate::domain::call::{Call, ErrorClass, Outcome, Status, ToolError};
use crate::domain::command::{CallCommand, Command, Edit, EditCommand, Resolution, RunCommand};
use crate::domain::envelope::Actor;
use crate::domain::id::{NodeId, NodeKind, TurnId};
use crate::domain::node::Node;
use crate::domain::state::{Mode, State};
use crate::domain::thread::ROOT;
use crate::domain::turn::{Producer, Stream};
use crate::engine::advise::Adviser;
use crate::engine::handle::Toolbox;
use crate::model::wire::agent::{PartKind, Role};
use crate::proxy::conversation::{self, SentResult, Tail};
use crate::proxy::{outlet, tool};
use crate::text::visible_head;

/// Maximum bytes of a result that are recorded: half of its beginning, half of its end.
const LONGEST: usize = 512 * 1024;
/// Maximum characters of a refusal in a notice.
const TOLD: usize = 200;
/// What stands for a request that adds nothing.
const AGAIN: &str = "(the agent asks again)";
/// Why a call is rejected whose agent did not wait for it.
const GONE: &str = "the agent hung up and went on without this call";

impl AgentRun {
    /// Takes in a request of the agent; returns the response once that begins.
    pub async fn request(self: &Arc<Self>, incoming: Incoming) -> Option<Answer> {
        let turn_to_come = self.arriving.lock().await;
        let (head, begun) = oneshot::channel();
        let (out, body) = outlet::body();
        let tail = conversation::tail(&incoming.request);
        let pending = Pending {
            history: incoming.request.canonical(),
            wire: incoming.wire,
            method: incoming.method,
            path: incoming.path,
            headers: incoming.headers,
            request: incoming.request,
            streamed: incoming.streamed,
            head,
            out,
            nudged: false,
        };
        self.take_in(pending, tail).await;
        drop(turn_to_come);
        let head = begun.await.ok()?;
        Some(Answer { head, body })
    }

    async fn take_in(self: &Arc<Self>, pending: Pending, tail: Tail) {
        let is_repeated = {
            let mut inner = self.lock();
            if inner.has_ended {
                drop(inner);
                pending.refuse(503, "the run has ended");
                return;
            }
            inner.texts = texts(&pending);
            let held = inner.reply.as_mut().filter(|reply| reply.is_open());
            if let Some(reply) = held
                && reply.history == pending.history
            {
                reply.resume(pending);
                return;
            }
            let again = inner.again(&pending, &tail);
            if let Some((turn, with_text)) = again {
                inner.history.clone_from(&pending.history);
                drop(inner);
                self.continue_turn(turn, pending, with_text);
                return;
            }
            inner.is_known(&pending, &tail)
        };
        self.offer(&pending).await;
        let new = New { tail, is_repeated };
        self.abandon().await;
        if !new.is_repeated && !new.tail.words.is_empty() {
            self.prompt(&new.tail.words).await;
        }
        let results = {
            let mut inner = self.lock();
            inner.history.clone_from(&pending.history);
            if let Some(old) = inner.pending.replace(pending) {
                old.refuse(
                    409,
                    "another request of the conversation took the place of this one",
                );
            }
            inner.results(&new)
        };
        for (call, outcome) in results {
            self.finish(call, outcome).await;
        }
        self.look();
        self.changed.notify_waiters();
    }

    /// Tells the engine of tools that the agent did not have before.
    async fn offer(self: &Arc<Self>, pending: &Pending) {
        let tools = &pending.request.tools;
        let before = {
            let mut inner = self.lock();
            if inner.tools == *tools {
                return;
            }
            std::mem::replace(&mut inner.tools, tools.clone())
        };
        // The first ones are those that the run began with.
        if let Some(attached) = self.attached.get().filter(|_| !before.is_empty()) {
            let registry = (attached.fit)(tool::registry(tools, self));
            let cards = Adviser::cards_of(&registry);
            let registry = Arc::new(registry);
            attached.handle.tools(Toolbox { registry, cards }).await;
        }
    }

    /// Gives up a held reply for which the agent does not wait any more.
    async fn abandon(&self) {
        let commands = {
            let mut inner = self.lock();
            let Some(reply) = inner.reply.as_mut().filter(|reply| reply.is_open()) else {
                return;
            };
            reply.cut();
            let turn = reply.turn();
            inner.reply = None;
            inner.leave(turn)
        };
        for command in commands {
            self.command(command).await;
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
            reason: None,
            keep_later: false,
        }))
        .await;
    }

    /// Gives a command, and waits until its events are known here.
    async fn command(&self, command: Command) {
        let Some(handle) = self.handle().await else { return };
        match handle.command(command, Actor::Engine).await {
            Ok(seq) => {
                self.until(|inner| (inner.state.seq >= seq || inner.has_ended).then_some(()))
                    .await;
            }
            Err(refusal) => self.notice(format!(
                "what the agent sent could not be recorded: {}",
                visible_head(&refusal.message, TOLD)
            )),
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
    pub(super) fn look(&self) {
        let mut inner = self.lock();
        let words = inner.pump();
        let command = inner.nudge();
        drop(inner);
        if let Some(words) = words {
            self.notice(words.to_owned());
        }
        if let (Some(command), Some(attached)) = (command, self.attached.get()) {
            tokio::spawn(attached.handle.command(command, Actor::Engine));
        }
    }
}

/// The tools of a request whose calls take any text.
fn texts(pending: &Pending) -> std::collections::BTreeSet<String> {
    let tools = pending.request.tools.iter();
    tools
        .filter(|tool| tool.schema.is_none() && !tool.is_providers)
        .map(|tool| tool.name.clone())
        .collect()
}

/// The newest turn of the model.
fn newest(state: &State) -> Option<TurnId> {
    let mut turns = state.turns_of(ROOT).rev();
    turns
        .find(|turn| turn.producer == Producer::Model && turn.is_active())
        .map(|turn| turn.id)
}

/// What the user of the agent wrote last.
fn last_words(state: &State) -> Option<&str> {
    let prompts = state.nodes.values().rev();
    let mut prompts = prompts.filter(|node| node.id.kind == NodeKind::Prompt && node.active);
    prompts.next().map(Node::text)
}

impl Inner {
    /// True for a request that was taken in before, also by an earlier process.
    fn is_known(&self, pending: &Pending, tail: &Tail) -> bool {
        if !self.history.is_empty() {
            return self.history == pending.history;
        }
        let is_same = tail.words.is_empty() || last_words(&self.state) == Some(tail.words.as_str());
        !self.state.turns.is_empty() && is_same && !tail.results.iter().any(|result| self.is_awaited(result))
    }

    /// True if a call of the run waits for this result.
    fn is_awaited(&self, result: &SentResult) -> bool {
        let mut calls = self.state.calls.values().filter(|call| can_be_of(result, call));
        calls.any(|call| matches!(call.status, Status::Running(_) | Status::OutcomeUnknown(_)))
    }

    /// The turn whose reply an agent comes back for after its connection was lost, and whether it lacks the text too: it
    /// sends the same request again, or the same with the text that it got and one more message of its own.
    fn again(&self, pending: &Pending, tail: &Tail) -> Option<(TurnId, bool)> {
        let turn = newest(&self.state)?;
        let calls = calls_of(&self.state, turn);
        let is_open = calls.iter().any(|call| !call.status.is_settled());
        let is_whole = matches!(self.state.turns.get(&turn)?.stream, Stream::Closed(_));
        let has_them = pending
            .request
            .messages
            .iter()
            .flat_map(|message| &message.parts)
            .any(|part| {
                let PartKind::Call { id: Some(id), .. } = &part.kind else {
                    return false;
                };
                calls
                    .iter()
                    .any(|call| call.provider_id.as_deref() == Some(id.as_str()))
            });
        if !is_open
            || !is_whole
            || has_them
            || !tail.results.is_empty() && tail.results.iter().any(|one| self.is_awaited(one))
        {
            return None;
        }
        if self.is_known(pending, tail) {
            return Some((turn, true));
        }
        let more = pending.history.strip_prefix(self.history.as_slice())?;
        let from = pending
            .request
            .messages
            .get(pending.history.len() - more.len()..)?;
        let shown = from
            .iter()
            .filter(|message| message.role == Role::Assistant)
            .count();
        let own = from.iter().filter(|message| message.role == Role::User).count();
        let is_end = from.last().is_some_and(|message| message.role == Role::User);
        (!self.history.is_empty() && shown > 0 && own == 1 && is_end && shown + own == from.len())
            .then_some((turn, false))
    }

    /// The outcomes that a request brings, and those of calls that it has none for.
    fn results(&self, new: &New) -> Vec<(NodeId, Outcome)> {
        if new.is_repeated {
            return Vec::new();
        }
        let unknown = self.state.calls.values();
        let unknown = unknown.filter(|call| matches!(call.status, Status::OutcomeUnknown(_)));
        let waits = self.with_agent.keys().filter_map(|id| self.state.calls.get(id));
        let waiting: Vec<&Call> = waits.chain(unknown).collect();
        let newest = newest(&self.state).map_or_else(Vec::new, |turn| calls_of(&self.state, turn));
        let mut found: Vec<(NodeId, Outcome)> = Vec::new();
        for result in &new.tail.results {
            let by_id =
                |call: &&&Call| result.id.is_some() && call.provider_id.as_deref() == result.id.as_deref();
            let by_place = result.place.and_then(|place| newest.get(place));
            let by_place = by_place
                .filter(|call| can_be_of(result, call) && waiting.iter().any(|one| one.id == call.id));
            if let Some(call) = waiting.iter().rev().find(by_id).or(by_place) {
                found.push((call.id, outcome(result)));
            }
        }
        let is_found = |id: &NodeId| found.iter().any(|(call, _)| call == id);
        let left: Vec<NodeId> = self
            .with_agent
            .keys()
            .filter(|id| !is_found(id))
            .copied()
            .collect();
        found.extend(
            left.into_iter()
                .map(|call| (call, Outcome::Cancelled { executed: true })),
        );
        found
    }

    /// The commands that end what an agent does not wait for any more.
    fn leave(&self, turn: TurnId) -> Vec<Command> {
        let mut commands = Vec::new();
        let state = &self.state;
        if state
            .turns
            .get(&turn)
            .is_some_and(|turn| turn.stream == Stream::Open)
        {
            commands.push(Command::Run(RunCommand::StopTurn {}));
        }
        let waiting = calls_of(state, turn)
            .into_iter()
            .filter(|call| call.status.needs_operator());
        commands.extend(waiting.filter_map(|call| {
            let rev = state.nodes.get(&call.id)?.rev();
            let (call, reason) = (call.id, GONE.to_owned());
            Some(Command::Call(CallCommand::Reject { call, rev, reason }))
        }));
        commands
    }

    /// The command without which a pending request would wait for ever.
    fn nudge(&mut self) -> Option<Command> {
        let pending = self.pending.as_mut().filter(|pending| !pending.nudged)?;
        let command = match &self.state.mode {
            Mode::Finished(_) => Command::Edit(EditCommand::Commit {
                edits: vec![Edit::InsertPrompt {
                    after: None,
                    text: Arc::from(AGAIN),
                }],
                effects_seen: None,
                reason: None,
                keep_later: false,
            }),
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
            Mode::Paused(_) | Mode::Stopped(_) => return None,
        };
        pending.nudged = true;
        Some(command)
    }
}

/// True for a result that may be of a call. An agent may give calls ids of its own where the model gave none.
fn can_be_of(result: &SentResult, call: &Call) -> bool {
    match (&call.provider_id, &result.id) {
        (Some(given), Some(sent)) => **given == **sent,
        (None, _) | (_, None) => result.place.is_some(),
    }
}

/// The outcome of a call that the agent executed.
fn outcome(result: &SentResult) -> Outcome {
    if result.is_error {
        return Outcome::err(ToolError {
            class: ErrorClass::Business,
            message: ends(&result.text).0,
            evidence: "the agent reports an error".to_owned(),
            hint: None,
            partial: None,
            executed: true,
            retry_after_ms: None,
        });
    }
    let (text, discarded) = ends(&result.text);
    Outcome::Ok {
        value: serde_json::Value::from(text).to_string().into(),
        meta: None,
        discarded,
        exit: None,
    }
}

/// Both ends of a long text, and the bytes that were left out.
fn ends(text: &str) -> (String, u64) {
    if text.len() <= LONGEST {
        return (text.to_owned(), 0);
    }
    let mut head = LONGEST / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - LONGEST / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let left_out = (tail - head) as u64;
    let (head, tail) = (
        text.get(..head).unwrap_or_default(),
        text.get(tail..).unwrap_or_default(),
    );
    (format!("{head}\n… {left_out} bytes left out …\n{tail}"), left_out)
}
