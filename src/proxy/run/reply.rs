//! The reply that an agent is getting: which call is which, what is decided, how it ends.
//!
//! Must not know: why something was decided.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use tokio::time::Instant;

use super::connection::OpenReply;
use super::incoming::{Head, Incoming, Pending};
use super::reconnect::Retransmission;
use super::request::text_tools;
use super::state::RunState;
use super::synthetic_reply::{content_type, events, head, recorded, stopped, text};
use crate::conversation;
use crate::events::Form;
use crate::held::HeldReply;
use crate::history::History;
use crate::overlay;
use crate::reading::ReadEvent;
use crate::rejection::Rejection;
use crate::release::Release;
use crate::response_body::BodyWriter;
use overrule_domain::call::Call;
use overrule_domain::id::{NodeId, NodeKind, TurnId};
use overrule_domain::node::Content;
use overrule_domain::state::{Mode, State};
use overrule_domain::turn::Stream;
use overrule_model::Chunk;
use overrule_model::wire::Wire;
use overrule_model::wire::agent::{ReplyHead, encode_whole};

/// A call of a reply, as the stream shows it.
struct Streamed {
    part: u32,
    id: Option<String>,
    args: String,
}

/// The reply that an agent is getting.
pub(super) struct Reply {
    turn: TurnId,
    wire: Wire,
    /// The form in which it was asked for.
    pub(super) form: Form,
    held: HeldReply,
    calls: Vec<Streamed>,
    out: Option<BodyWriter>,
    /// The head, for an agent that comes back.
    head: (StatusCode, HeaderMap),
    /// Its request.
    incoming: Arc<Incoming>,
    /// True once the model has sent everything.
    has_ended: bool,
    /// True once the run does not wait for the rest.
    is_withdrawn: bool,
    /// When the agent gets the next heartbeat, if a call is undecided then.
    pub(super) beat_at: Instant,
    /// The question that it answers; 0 for one that is made of the record.
    question: u64,
    /// The question for what follows calls that the agent does not learn of, until its reply begins.
    next: Option<u64>,
    /// The calls that a connected agent got, also in part, by number.
    delivered: BTreeSet<usize>,
}

impl Reply {
    /// The beginning of a reply that answers a request.
    fn new(turn: TurnId, pending: Pending, of: (Wire, Form), head: Head, beat_at: Instant) -> Self {
        let OpenReply { held, head, out } = pending.connection.begin(of, head);
        Self {
            turn,
            wire: of.0,
            form: of.1,
            held,
            calls: Vec::new(),
            out: Some(out),
            head,
            incoming: pending.incoming,
            has_ended: false,
            is_withdrawn: false,
            beat_at,
            question: pending.question,
            next: None,
            delivered: BTreeSet::new(),
        }
    }

    /// The history of its request.
    pub(super) fn history(&self) -> &History {
        &self.incoming.history
    }

    /// True while the agent can still get something.
    pub(super) fn is_open(&self) -> bool {
        !self.held.is_done()
    }

    pub(super) fn turn(&self) -> TurnId {
        self.turn
    }

    /// True if its bytes answer a request.
    pub(super) fn answers(&self, pending: &Pending) -> bool {
        let (wire, form) = (pending.incoming.wire, pending.incoming.form());
        self.history().repeats(pending.history()) && (self.wire, self.form) == (wire, form)
    }

    /// The request for what the model says next, if the agent does not learn of the calls of the newest reply. From here on
    /// `question` is asked.
    pub(super) fn continue_with(&mut self, question: u64) -> Option<Arc<Incoming>> {
        let is_next = self.held.is_continued() && self.next.is_none() && self.is_connected();
        is_next.then(|| {
            self.next = Some(question);
            self.incoming.clone()
        })
    }

    /// True while the model was asked for what it says next, and has not begun.
    pub(super) fn is_asked_again(&self) -> bool {
        self.next.is_some()
    }

    /// The reply of the model to the next question begins.
    fn go_on(&mut self, turn: TurnId) {
        self.held.go_on();
        self.turn = turn;
        self.question = self.next.take().unwrap_or_default();
        self.calls.clear();
        self.delivered.clear();
        (self.has_ended, self.is_withdrawn) = (false, false);
    }

    /// Ends it with an error: one line of JSON text, an object with the member `error`.
    pub(super) fn fail(&mut self, error: &str) {
        self.next = None;
        let end = self.held.fail(error);
        self.pass(&end);
        self.send();
    }

    /// Sends what the agent may have. Returns false if it hung up.
    fn send(&mut self) -> bool {
        let bytes = self.held.take();
        let was_connected = self.is_connected();
        let is_there = bytes.is_empty() || self.pass(&bytes);
        if was_connected && is_there {
            self.delivered.extend(self.held.given());
        }
        if self.held.is_done() {
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

    /// The run does not wait for the rest of it.
    pub(super) fn withdraw(&mut self, question: u64) {
        if self.next == Some(question) {
            // It waits for the next one.
            self.next = None;
        }
        self.is_withdrawn |= !self.has_ended && self.question == question;
    }

    /// Ends it with these words in place of what the agent does not have, so that it ends its turn.
    pub(super) fn close(&mut self, words: &str) {
        let end = self.held.close(&encode_whole(self.wire, &head(), &text(words)));
        self.pass(&end);
        self.send();
    }

    /// Ends it as the model did, without the calls that the agent does not have.
    fn close_without_calls(&mut self) {
        let end = self.held.close_without_calls();
        self.pass(&end);
        self.send();
    }

    /// Continues on another connection: everything that was given out comes again.
    pub(super) fn resume(&mut self, pending: Pending) {
        let (status, headers) = self.head.clone();
        let head = Head { status, headers };
        let out = pending.connection.begin((self.wire, self.form), head).out;
        out.write(self.held.shown());
        self.out = Some(out);
        self.delivered.extend(self.held.given());
        self.send();
    }

    /// Keeps the agent waiting as long as a call is undecided.
    pub(super) fn beat(&mut self) {
        if self.held.is_waiting() && self.is_connected() {
            let beat = self.held.heartbeat();
            self.pass(&beat);
        }
    }

    /// Takes an event, with its pieces of calls as the run gets them.
    fn push(&mut self, event: ReadEvent, calls: Vec<Chunk>) {
        self.held.push(event);
        self.send();
        for chunk in calls {
            match chunk {
                Chunk::Call { part, id, .. } => {
                    let args = String::new();
                    self.calls.push(Streamed { part, id, args });
                }
                Chunk::Args { part, delta } => {
                    let mut calls = self.calls.iter_mut().rev();
                    if let Some(call) = calls.find(|call| call.part == part) {
                        call.args.push_str(&delta);
                    }
                }
                _ => {}
            }
        }
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

/// True for arguments that mean none, in each of their forms.
fn is_same(streamed: &str, released: &str) -> bool {
    let none = |text: &str| matches!(text.trim(), "" | "null" | "\"\"" | "{}");
    streamed == released || none(streamed) && none(released)
}

/// What the agent gets of a call that will not run.
fn refused(state: &State, call: NodeId, form: Rejection) -> Release {
    if form == Rejection::Continuation {
        return Release::Hidden;
    }
    Release::Changed {
        tool: overlay::mask(state, call).into(),
        args: "{}".into(),
    }
}

impl RunState {
    /// Notes which calls the agent got in the present reply.
    pub(super) fn note_delivered(&mut self) {
        let Self {
            state,
            reply,
            delivered,
            ..
        } = self;
        let Some(reply) = reply else { return };
        let nodes = reply.nodes(state);
        let got = reply.delivered.iter();
        delivered.extend(got.filter_map(|number| Some(nodes.get(*number).copied()??.id)));
    }

    /// Releases a call to the agent. Returns false if no reply has it.
    pub(super) fn release(&mut self, call: NodeId, tool: &str, args: &str) -> bool {
        let Self { state, reply, .. } = self;
        let Some(reply) = reply.as_mut() else { return false };
        let nodes = reply.nodes(state);
        let Some(number) = nodes.iter().position(|one| one.is_some_and(|one| one.id == call)) else {
            return false;
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
        true
    }

    /// Answers a request of an agent whose run was stopped.
    pub(super) fn answer_if_stopped(&mut self) {
        if let Mode::Stopped(why) = &self.state.mode
            && let Some(pending) = self.pending.take()
        {
            pending.answer_with_text(&stopped(why));
        }
    }

    /// Decides what the state decides, and sends it. Returns words for the operator.
    pub(super) fn pump(&mut self) -> Option<&'static str> {
        self.note_delivered();
        let Self {
            state,
            reply: held,
            unwritten,
            ..
        } = self;
        let reply = held.as_mut()?;
        let nodes = reply.nodes(state);
        let stream = state.turns.get(&reply.turn).map(|turn| &turn.stream);
        let is_closed = matches!(stream, Some(Stream::Closed(_)));
        let is_broken = matches!(stream, Some(Stream::Broken(_)));
        let is_over = reply.has_ended && !matches!(stream, Some(Stream::Open));
        let mut is_lost = is_closed && reply.has_ended && reply.held.is_unwritable();
        for number in 0..reply.held.count() {
            if reply.held.is_decided(number) {
                continue;
            }
            match nodes.get(number).copied().flatten() {
                Some(call) if overlay::is_refused(state, call) => {
                    let form = match reply.incoming.rejection {
                        Rejection::Continuation if !reply.held.may_continue() => Rejection::Mask,
                        form => form,
                    };
                    let release = refused(state, call.id, form);
                    reply.held.decide(number, release);
                }
                Some(_) if is_closed => {}
                // The run made no call of it, or the turn broke: nothing decides about it any more.
                _ => is_lost |= is_over,
            }
        }
        if let Mode::Stopped(why) = &state.mode
            && reply.is_open()
        {
            reply.close(&stopped(why));
            return None;
        }
        if is_lost && is_broken {
            reply.close_without_calls();
            return Some("a call of the reply was not complete: the agent got the reply without it");
        }
        if is_lost || reply.is_withdrawn && !matches!(stream, Some(Stream::Open)) {
            *unwritten = is_lost.then_some(reply.turn).or(*unwritten);
            reply.cut();
            *held = None;
            return Some(
                "the reply cannot be completed: the agent's connection was cut, so that it asks again",
            );
        }
        let was = reply.is_connected();
        (!reply.send() && was).then_some("the agent hung up; its calls stay in the queue until it comes back")
    }
}

impl RunState {
    /// Makes this the reply that the agent is getting.
    fn set_reply(&mut self, reply: Reply) {
        self.note_delivered();
        if let Some(mut old) = self.reply.replace(reply) {
            old.cut();
        }
    }

    /// Answers a request with the reply of a turn whose connection is gone, made of what is recorded.
    pub(super) fn retransmit(&mut self, what: Retransmission, pending: Pending) {
        let Retransmission { turn, with_text } = what;
        let texts = text_tools(&pending.incoming.request);
        let chunks = recorded(&self.state, turn, &texts, with_text);
        let head = ReplyHead {
            id: format!("{turn}"),
            model: pending.incoming.request.model.clone().unwrap_or_default(),
            created: self.state.origin.begun_at / 1000,
        };
        let (form, events) = events(&pending, &chunks, head);
        let of = (pending.incoming.wire, form);
        let (status, headers) = (StatusCode::OK, content_type(form));
        let beat_at = Instant::now() + self.beats.every(form);
        // No question: it is made of the record.
        let pending = Pending {
            question: 0,
            ..pending
        };
        let mut reply = Reply::new(turn, pending, of, Head { status, headers }, beat_at);
        reply.has_ended = true;
        for call in calls_of(&self.state, turn) {
            let node = self.state.nodes.get(&call.id);
            let first = node.and_then(|node| node.revisions.first());
            let args = match first.map(|revision| &revision.content) {
                Some(Content::Call { args, .. }) => args.to_string(),
                _ => String::new(),
            };
            let id = call.provider_id.as_ref().map(ToString::to_string);
            reply.calls.push(Streamed { part: 0, id, args });
        }
        for event in events {
            reply.held.push(event);
        }
        reply.held.end();
        let released: Vec<(NodeId, Arc<str>, Arc<str>)> = calls_of(&self.state, turn)
            .into_iter()
            .filter_map(|call| {
                let attempt = call.attempts.last()?;
                let (tool, _) = self.state.nodes.get(&call.id)?.as_call()?;
                Some((call.id, tool.clone(), attempt.args.clone()))
            })
            .collect();
        self.set_reply(reply);
        for (call, tool, args) in released {
            self.release(call, &tool, &args);
        }
    }

    /// Begins the reply to the request that the model was asked.
    pub(super) fn begin_reply(&mut self, turn: TurnId, of: (Wire, Form), head: Head) {
        if let Some(asked) = self.asked.take() {
            let beat_at = Instant::now() + self.beats.every(of.1);
            self.set_reply(Reply::new(turn, asked, of, head, beat_at));
            return;
        }
        self.note_delivered();
        if let Some(reply) = self.reply.as_mut().filter(|reply| reply.is_asked_again()) {
            reply.go_on(turn);
        }
    }

    /// Takes an event of the reply, with its pieces of calls as the run gets them.
    pub(super) fn push(&mut self, event: ReadEvent, calls: Vec<Chunk>) {
        if let Some(reply) = &mut self.reply {
            let name = conversation::reply_name(reply.wire, &event.event);
            self.history.replies.extend(name);
            reply.push(event, calls);
        }
    }

    /// The model has sent everything, or the reply broke.
    pub(super) fn end_reply(&mut self, turn: TurnId, is_whole: bool) {
        let Some(reply) = self.reply.as_mut().filter(|reply| reply.turn == turn) else {
            return;
        };
        if is_whole {
            reply.has_ended = true;
            reply.held.end();
        } else {
            reply.cut();
            self.note_delivered();
            self.reply = None;
        }
    }
}
