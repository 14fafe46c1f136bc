//! What exactly a request says: system text, messages, tools. Made when it is sent, and again from the record by whoever
//! wants to see it. Must not know: wire formats, where the record is kept.

use std::sync::Arc;

use super::Message;
use super::build;
use crate::domain::apply::apply;
use crate::domain::envelope::Envelope;
use crate::domain::event::run::ToolCard;
use crate::domain::id::{Seq, TurnId};
use crate::domain::state::State;
use crate::domain::thread;

/// What a request says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The model.
    pub model: Arc<str>,
    /// What it is told before everything else.
    pub system: Arc<str>,
    /// The messages, with what only this request is told.
    pub messages: Vec<Message>,
    /// The tools that it is offered, in order.
    pub tools: Vec<ToolCard>,
}

/// What the request of a turn says, made from the state in which it is sent; none where there is no such turn.
pub fn sent(state: &State, turn: TurnId) -> Option<Sent> {
    let turn = state.turns.get(&turn)?;
    let mut messages = build::messages(state, turn.thread, Some(turn.id));
    messages.extend(build::notices(state, turn));
    Some(Sent {
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
    })
}

/// Finds in a record what a request said: the facts are folded up to it, as they were when it was sent.
#[derive(Debug)]
pub struct Finder {
    state: State,
    turn: TurnId,
    asked: Seq,
    there: bool,
}

impl Finder {
    /// Looks for the request of a turn that was recorded as this event.
    pub fn new(turn: TurnId, asked: Seq) -> Self {
        Self {
            state: State::default(),
            turn,
            asked,
            there: false,
        }
    }

    /// Takes in the next fact; what comes after the request changes nothing.
    pub fn take(&mut self, envelope: &Envelope) {
        if !self.there {
            apply(&mut self.state, envelope);
            // Facts that are written together count together: nothing is sent before the last of them.
            self.there = envelope.seq >= self.asked && !envelope.more;
        }
    }

    /// What was found.
    pub fn found(&self) -> Option<Sent> {
        self.there.then(|| sent(&self.state, self.turn)).flatten()
    }
}
