//! Content of a request: system text, messages, tools.
//!
//! Must not know: wire formats, where the record is kept.
//!
//! It is made when the request is sent, and again from the record to show it.

use std::sync::Arc;

use super::Message;
use super::{build, hash};
use crate::apply::apply;
use crate::envelope::Envelope;
use crate::event::run::ToolCard;
use crate::event::{Event, TurnEvent};
use crate::id::TurnId;
use crate::state::State;
use crate::thread;
use crate::turn::Turn;

/// What a request says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRequest {
    /// The model.
    pub model: Arc<str>,
    /// Its system text.
    pub system: Arc<str>,
    /// The messages, with the notices of this request alone.
    pub messages: Vec<Message>,
    /// The tools that it is offered, in order.
    pub tools: Vec<ToolCard>,
}

/// What the request of a turn says, made from the state in which it is sent; none where there is no such turn.
pub fn sent(state: &State, turn: TurnId) -> Option<SentRequest> {
    let turn = state.turns.get(&turn)?;
    let messages = build::messages(state, turn.thread, Some(turn.id));
    Some(ending_with_notices(state, turn, messages))
}

/// The same, but of the messages only the notes at their end, without the work of making the others.
pub fn sent_after_history(state: &State, turn: TurnId) -> Option<SentRequest> {
    let turn = state.turns.get(&turn)?;
    let notes = build::last_notes(state, turn.thread, turn.id);
    Some(ending_with_notices(state, turn, notes))
}

fn ending_with_notices(state: &State, turn: &Turn, mut messages: Vec<Message>) -> SentRequest {
    messages.extend(build::notices(state, turn));
    SentRequest {
        model: state
            .started
            .as_ref()
            .map_or_else(|| Arc::from(""), |started| Arc::from(&*started.model)),
        system: thread::system(state, turn.thread),
        messages,
        tools: if turn.last {
            Vec::new()
        } else {
            thread::tools(state, turn.thread)
        },
    }
}

/// Finds in a record what a request said: the facts are folded up to it, as they were when it was sent.
#[derive(Debug)]
pub struct Finder {
    state: State,
    turn: TurnId,
    request: u32,
    seen: ReadProgress,
}

/// How far a record was read for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadProgress {
    /// It was not recorded yet.
    No,
    /// Facts that were written with it are still to come. True where what is made of the facts before it is what the
    /// record says that it was made from.
    Begun(bool),
    /// All of them are there.
    All(bool),
}

/// What a record holds of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup {
    /// What it said.
    Sent(SentRequest),
    /// It was made from something else than what is made of the record here: what it said is not known.
    Otherwise,
}

impl Finder {
    /// Looks for a request of a turn, counted from 1.
    pub fn new(turn: TurnId, request: u32) -> Self {
        Self {
            state: State::default(),
            turn,
            request,
            seen: ReadProgress::No,
        }
    }

    /// Applies the next event. Events after the request change nothing.
    pub fn take(&mut self, envelope: &Envelope) {
        if matches!(self.seen, ReadProgress::All(_)) {
            return;
        }
        apply(&mut self.state, envelope);
        if let Event::Turn(TurnEvent::Requested {
            turn,
            thread,
            request,
            context,
            hash,
            last,
            ..
        }) = &envelope.event
            && (*turn, *request) == (self.turn, self.request)
        {
            let made = hash::context_hash(&self.state, *thread, Some(*turn));
            let whole = hash::request_hash(&self.state, *thread, &made, *last);
            self.seen = ReadProgress::Begun((&made, &whole) == (context, hash));
        }
        // Facts that are written together count together: nothing is sent before the last of them.
        if let ReadProgress::Begun(same) = self.seen
            && !envelope.more
        {
            self.seen = ReadProgress::All(same);
        }
    }

    /// The state in which the request was made.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What was found; none where the record holds no such request.
    pub fn found(&self) -> Option<Lookup> {
        match self.seen {
            ReadProgress::All(true) => sent(&self.state, self.turn).map(Lookup::Sent),
            ReadProgress::All(false) => Some(Lookup::Otherwise),
            ReadProgress::No | ReadProgress::Begun(_) => None,
        }
    }
}
