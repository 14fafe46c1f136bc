//! The reply that an agent is getting: which call is which, what is decided, how it ends.
//!
//! Must not know: why something was decided.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderMap;

use super::{AgentRun, Head, Inner, Pending};
use crate::domain::call::{Call, Status};
use crate::domain::id::{NodeId, NodeKind, TurnId};
use crate::domain::node::{Channel, Content};
use crate::domain::state::{Mode, State};
use crate::domain::turn::{Stop, Stream};
use crate::model::Chunk;
use crate::model::wire::agent::{ReplyHead, encode_stream, encode_whole};
use crate::proxy::events::{Cutter, Form, RawEvent};
use crate::proxy::held::HeldReply;
use crate::proxy::outlet::BodyWriter;
use crate::proxy::overlay;
use crate::proxy::release::Release;

/// A call of a reply, as the stream shows it.
struct Streamed {
    part: u32,
    id: Option<String>,
    args: String,
}

/// The reply that an agent is getting.
pub(super) struct Reply {
    turn: TurnId,
    held: HeldReply,
    calls: Vec<Streamed>,
    out: Option<BodyWriter>,
    /// The head, for an agent that comes back.
    head: (StatusCode, HeaderMap),
    /// The messages of its request.
    pub(super) history: Vec<String>,
    /// True once the model has sent everything.
    has_ended: bool,
}

impl Reply {
    /// True while the agent can still get something.
    pub(super) fn is_open(&self) -> bool {
        !self.held.is_done()
    }

    pub(super) fn turn(&self) -> TurnId {
        self.turn
    }

    /// Sends what the agent may have. Returns false if it hung up.
    fn send(&mut self) -> bool {
        let bytes = self.held.take();
        let is_there = bytes.is_empty() || self.pass(&bytes);
        if self.held.is_unwritable() {
            self.cut();
        } else if self.held.is_done() {
            self.out = None;
        }
        is_there
    }

    fn pass(&mut self, bytes: &[u8]) -> bool {
        let Some(out) = &self.out else { return true };
        let is_there = out.write(bytes);
        if !is_there {
            self.out = None;
        }
        is_there
    }

    /// Breaks the connection.
    pub(super) fn cut(&mut self) {
        if let Some(out) = self.out.take() {
            out.cut();
        }
    }

    /// Continues on another connection: everything that was given out comes again.
    pub(super) fn resume(&mut self, pending: Pending) {
        let (status, headers) = self.head.clone();
        pending.head.send(Head { status, headers }).unwrap_or_default();
        pending.out.write(self.held.shown());
        self.out = Some(pending.out);
        self.send();
    }

    /// True if an agent is connected to it.
    pub(super) fn is_connected(&self) -> bool {
        self.out.as_ref().is_some_and(|out| !out.is_gone())
    }

    /// The calls of the run by their number in the reply.
    fn nodes<'s>(&self, state: &'s State) -> Vec<Option<&'s Call>> {
        let known = calls_of(state, self.turn);
        let of_id = |id: &str| {
            let mut same = known
                .iter()
                .filter(|call| call.provider_id.as_deref() == Some(id));
            same.next().filter(|_| same.next().is_none())
        };
        let by_id = |call: &Streamed| call.id.as_deref().filter(|id| !id.is_empty()).and_then(of_id);
        let numbered = self.calls.iter().enumerate();
        numbered
            .map(|(number, call)| by_id(call).or_else(|| known.get(number)).copied())
            .collect()
    }
}

/// The calls of a turn in the order of its stream.
pub(super) fn calls_of(state: &State, turn: TurnId) -> Vec<&Call> {
    let nodes = state.turns.get(&turn).map_or(&[][..], |turn| &turn.nodes);
    let calls = nodes.iter().filter(|id| id.kind == NodeKind::Call);
    calls.filter_map(|id| state.calls.get(id)).collect()
}

/// True for a call that will not run: the agent gets it under a name that no tool has.
fn is_refused(state: &State, call: &Call) -> bool {
    if overlay::was_released(call) {
        return false;
    }
    let is_active = state.nodes.get(&call.id).is_some_and(|node| node.active);
    let is_settled = state.turn_of(call.id).is_some_and(|turn| turn.settled);
    let is_invalid = call.status == Status::Invalid && call.failure.given_up.is_some();
    !is_active || is_settled || is_invalid || call.status.is_settled()
}

/// True for arguments that mean none, in each of their forms.
fn is_same(streamed: &str, released: &str) -> bool {
    let none = |text: &str| matches!(text.trim(), "" | "null" | "\"\"" | "{}");
    streamed == released || none(streamed) && none(released)
}

fn masked(call: NodeId) -> Release {
    Release::Changed {
        tool: overlay::mask(call).into(),
        args: "{}".into(),
    }
}

impl Inner {
    /// Releases a call to the agent.
    pub(super) fn release(&mut self, call: NodeId, tool: &str, args: &str) {
        let Self { state, reply, .. } = self;
        let Some(reply) = reply.as_mut() else { return };
        let nodes = reply.nodes(state);
        let Some(number) = nodes.iter().position(|one| one.is_some_and(|one| one.id == call)) else {
            return;
        };
        let first = state.nodes.get(&call).and_then(|node| node.revisions.first());
        let was = match first.map(|revision| &revision.content) {
            Some(Content::Call { tool, .. }) => &**tool,
            _ => "",
        };
        let streamed = reply.calls.get(number).map_or("", |call| &call.args);
        let release = if was == tool && is_same(streamed, args) {
            Release::AsItCame
        } else {
            Release::Changed {
                tool: tool.into(),
                args: args.into(),
            }
        };
        reply.held.decide(number, release);
        reply.send();
    }

    /// Decides what the state decides, and sends it. Returns words for the operator.
    pub(super) fn pump(&mut self) -> Option<&'static str> {
        let Self { state, reply, .. } = self;
        let reply = reply.as_mut()?;
        let nodes = reply.nodes(state);
        let stream = state.turns.get(&reply.turn).map(|turn| &turn.stream);
        let is_closed = matches!(stream, Some(Stream::Closed(_)));
        for number in 0..reply.held.count() {
            if reply.held.is_decided(number) {
                continue;
            }
            match nodes.get(number).copied().flatten() {
                Some(call) if is_refused(state, call) => reply.held.decide(number, masked(call.id)),
                // The run made no call of it: it was cut, or had no recipient.
                None if is_closed && reply.has_ended => {
                    reply.held.decide(number, masked(NodeId::new(NodeKind::Call, 0)));
                }
                _ => {}
            }
        }
        if matches!(state.mode, Mode::Stopped(_)) && reply.held.is_waiting() {
            reply.cut();
            return None;
        }
        let was = reply.is_connected();
        (!reply.send() && was).then_some("the agent hung up; its calls stay in the queue until it comes back")
    }
}

/// The reply of a turn as chunks, made of what is recorded; of its text only `with_text`.
fn recorded(state: &State, turn: TurnId, texts: &BTreeSet<String>, with_text: bool) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let Some(turn) = state.turns.get(&turn) else {
        return chunks;
    };
    let nodes = turn.nodes.iter().filter_map(|id| state.nodes.get(id));
    for (node, part) in nodes.zip(0..) {
        let opaque = turn.more.opaque.iter().find(|(id, _)| *id == node.id);
        match node.revisions.first().map(|revision| &revision.content) {
            Some(Content::Text {
                text,
                channel,
                opaque,
            }) if with_text => {
                let delta = text.to_string();
                chunks.push(if *channel == Channel::Reasoning {
                    Chunk::Reasoning { part, delta }
                } else {
                    Chunk::Text { part, delta }
                });
                let opaque = opaque.as_ref().map(ToString::to_string);
                chunks.push(Chunk::Sealed { part, opaque });
            }
            Some(Content::Call { tool, args, .. }) => {
                let call = state.calls.get(&node.id);
                let id = call
                    .and_then(|call| call.provider_id.as_ref())
                    .map(ToString::to_string);
                let name = tool.to_string();
                let delta = if texts.contains(&name) {
                    input(args)
                } else {
                    args.to_string()
                };
                chunks.push(Chunk::Call { part, id, name });
                chunks.push(Chunk::Args { part, delta });
                let opaque = opaque.map(|(_, opaque)| opaque.to_string());
                chunks.push(Chunk::Sealed { part, opaque });
            }
            _ => {}
        }
    }
    chunks.push(Chunk::Finish(Stop::Calls));
    chunks
}

/// The text of a call that takes any text.
fn input(args: &str) -> String {
    let args = serde_json::from_str::<serde_json::Value>(args).unwrap_or_default();
    args["input"].as_str().unwrap_or_default().to_owned()
}

/// The events of a reply that is made of what is recorded.
fn events(pending: &Pending, chunks: &[Chunk], head: ReplyHead) -> (Form, Vec<RawEvent>) {
    let (form, body) = if pending.streamed {
        let is_lines = pending.wire.is_lines();
        let form = if is_lines { Form::Lines } else { Form::Stream };
        (form, encode_stream(pending.wire, head, chunks))
    } else {
        (Form::Whole, encode_whole(pending.wire, &head, chunks))
    };
    let mut cutter = Cutter::new(form);
    let mut events = cutter.feed(body.as_bytes()).unwrap_or_default();
    events.extend(cutter.end_of_body());
    (form, events)
}

impl AgentRun {
    /// Answers a request with the reply of a turn whose connection is gone, made of what is recorded.
    pub(super) fn continue_turn(self: &Arc<Self>, turn: TurnId, pending: Pending, with_text: bool) {
        let mut guard = self.lock();
        let inner = &mut *guard;
        let chunks = recorded(&inner.state, turn, &inner.texts, with_text);
        let head = ReplyHead {
            id: format!("{turn}"),
            model: pending.request.model.clone().unwrap_or_default(),
            created: inner.state.begun_at / 1000,
        };
        let (form, events) = events(&pending, &chunks, head);
        let mut reply = Reply {
            turn,
            held: HeldReply::new(pending.wire, form),
            calls: Vec::new(),
            out: Some(pending.out),
            head: (StatusCode::OK, HeaderMap::new()),
            history: pending.history,
            has_ended: true,
        };
        let kind = match form {
            Form::Stream => "text/event-stream",
            Form::Lines => "application/x-ndjson",
            Form::Whole => "application/json",
        };
        let kind = hyper::header::HeaderValue::from_static(kind);
        reply.head.1.insert(hyper::header::CONTENT_TYPE, kind);
        let (status, headers) = reply.head.clone();
        pending.head.send(Head { status, headers }).unwrap_or_default();
        for call in calls_of(&inner.state, turn) {
            let node = inner.state.nodes.get(&call.id);
            let first = node.and_then(|node| node.revisions.first());
            let args = match first.map(|revision| &revision.content) {
                Some(Content::Call { args, .. }) => args.to_string(),
                _ => String::new(),
            };
            let id = call.provider_id.as_ref().map(ToString::to_string);
            reply.calls.push(Streamed { part: 0, id, args });
        }
        let known = reply.calls.len();
        for event in events {
            reply.held.push(event, known);
        }
        reply.held.end();
        let again: Vec<(NodeId, Arc<str>, Arc<str>)> = calls_of(&inner.state, turn)
            .into_iter()
            .filter_map(|call| {
                let attempt = call.attempts.last()?;
                let (tool, _) = inner.state.nodes.get(&call.id)?.as_call()?;
                Some((call.id, tool.clone(), attempt.args.clone()))
            })
            .collect();
        if let Some(mut old) = inner.reply.replace(reply) {
            old.cut();
        }
        for (call, tool, args) in again {
            inner.release(call, &tool, &args);
        }
        drop(guard);
        self.start_heartbeat(turn, form);
        self.look();
    }

    /// Begins the reply to a request.
    pub fn begin_reply(
        self: &Arc<Self>,
        turn: TurnId,
        form: Form,
        status: StatusCode,
        headers: HeaderMap,
        pending: Pending,
    ) {
        let head = (status, headers.clone());
        pending.head.send(Head { status, headers }).unwrap_or_default();
        let reply = Reply {
            turn,
            held: HeldReply::new(pending.wire, form),
            calls: Vec::new(),
            out: Some(pending.out),
            head,
            history: pending.history,
            has_ended: false,
        };
        if let Some(mut old) = self.lock().reply.replace(reply) {
            old.cut();
        }
        self.start_heartbeat(turn, form);
    }

    /// Begins to send heartbeats to an agent that waits for this reply.
    fn start_heartbeat(self: &Arc<Self>, turn: TurnId, form: Form) {
        let (of_stream, of_whole) = self.beats;
        let every = if form == Form::Whole { of_whole } else { of_stream };
        let run = self.clone();
        tokio::spawn(async move { run.beat(turn, every).await });
    }

    /// Keeps an agent waiting as long as a call is undecided.
    async fn beat(&self, turn: TurnId, every: std::time::Duration) {
        loop {
            tokio::time::sleep(every).await;
            let mut inner = self.lock();
            let Some(reply) = inner
                .reply
                .as_mut()
                .filter(|reply| reply.turn == turn && reply.is_open())
            else {
                return;
            };
            if reply.held.is_waiting() && reply.is_connected() {
                let beat = reply.held.heartbeat();
                reply.pass(&beat);
            }
        }
    }

    /// Takes an event of the reply. `known` is the number of calls up to it.
    pub fn push(&self, event: RawEvent, known: usize) {
        if let Some(reply) = &mut self.lock().reply {
            reply.held.push(event, known);
            reply.send();
        }
    }

    /// A call of the reply began.
    pub fn note_call(&self, part: u32, id: Option<&str>) {
        if let Some(reply) = &mut self.lock().reply {
            let (id, args) = (id.map(str::to_owned), String::new());
            reply.calls.push(Streamed { part, id, args });
        }
    }

    /// A piece of the arguments of a call of the reply.
    pub fn note_args(&self, part: u32, delta: &str) {
        if let Some(reply) = &mut self.lock().reply
            && let Some(call) = reply.calls.iter_mut().rev().find(|call| call.part == part)
        {
            call.args.push_str(delta);
        }
    }

    /// The model has sent everything, or the reply broke.
    pub fn end_reply(&self, turn: TurnId, is_whole: bool) {
        let mut inner = self.lock();
        if let Some(reply) = inner.reply.as_mut().filter(|reply| reply.turn == turn) {
            if is_whole {
                reply.has_ended = true;
                reply.held.end();
            } else {
                reply.cut();
                inner.reply = None;
            }
        }
        drop(inner);
        self.look();
    }
}
