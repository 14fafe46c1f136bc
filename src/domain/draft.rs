//! Events being decided: gives out the ids that they need, in journal order.
//!
//! Must not know: which rule decides.

use std::sync::Arc;

use super::event::{CallEvent, EditEvent, EscapeEvent, Event, ResilienceEvent, RunEvent, TurnEvent};
use super::id::{Epoch, NodeId, NodeKind, ThreadId, TurnId};
use super::state::State;

/// A list of events in the making.
#[derive(Debug)]
pub struct Draft<'s> {
    /// The state that they are decided on.
    pub state: &'s State,
    /// What was decided so far.
    pub events: Vec<Event>,
    /// Whether turns after an edited place are kept as they are, by the operator's wish.
    pub keep_later: bool,
    /// The epoch that an edit begins.
    pub epoch: Epoch,
    /// The first turn that the commit makes, if it makes one: with several edits earlier ones may have.
    pub first_turn: TurnId,
    last_no: u32,
    last_turn: u32,
    last_thread: u32,
}

impl<'s> Draft<'s> {
    /// An empty list on a state.
    pub fn new(state: &'s State) -> Self {
        Self {
            state,
            events: Vec::new(),
            keep_later: false,
            epoch: state.epoch.next(),
            first_turn: TurnId(state.last_turn + 1),
            last_no: state.last_no,
            last_turn: state.last_turn,
            last_thread: state.last_thread,
        }
    }

    /// The next node id.
    pub fn node(&mut self, kind: NodeKind) -> NodeId {
        self.last_no += 1;
        NodeId::new(kind, self.last_no)
    }

    /// The next turn id.
    pub fn turn(&mut self) -> TurnId {
        self.last_turn += 1;
        TurnId(self.last_turn)
    }

    /// The next thread id.
    pub fn thread(&mut self) -> ThreadId {
        self.last_thread += 1;
        ThreadId(self.last_thread)
    }

    /// Name of the operator.
    pub fn user(&self) -> Arc<str> {
        self.state
            .started
            .as_ref()
            .map_or_else(|| Arc::from("operator"), |started| started.user.clone())
    }

    /// Adds a fact about the run.
    pub fn run(&mut self, event: RunEvent) {
        self.events.push(Event::Run(event));
    }

    /// Adds a fact about a turn.
    pub fn turn_event(&mut self, event: TurnEvent) {
        self.events.push(Event::Turn(event));
    }

    /// Adds a fact about a call.
    pub fn call(&mut self, event: CallEvent) {
        self.events.push(Event::Call(event));
    }

    /// Adds a fact about repetition.
    pub fn escape(&mut self, event: EscapeEvent) {
        self.events.push(Event::Escape(event));
    }

    /// Adds a fact about what is done when calls fail.
    pub fn resilience(&mut self, event: ResilienceEvent) {
        self.events.push(Event::Resilience(event));
    }

    /// Adds a fact about an edit.
    pub fn edit(&mut self, event: EditEvent) {
        self.events.push(Event::Edit(event));
    }
}
