//! Collects the events of a decision and gives out their ids in journal order.
//!
//! Must not know: which rule decides.

use std::sync::Arc;

use super::event::{
    CallEvent, EditEvent, EscapeEvent, Event, FilesEvent, ResilienceEvent, RunEvent, TurnEvent,
};
use super::id::{Epoch, NodeId, NodeKind, ThreadId, TurnId};
use super::state::State;

/// A list of events that are being decided.
#[derive(Debug)]
pub struct Draft<'s> {
    /// The state on which they are decided.
    pub state: &'s State,
    /// The events so far.
    pub events: Vec<Event>,
    /// Whether the operator wants to keep turns after an edited place.
    pub keep_later: bool,
    /// The epoch that an edit begins.
    pub epoch: Epoch,
    /// The first turn that the commit makes, if any: with several edits earlier ones may have made
    /// it.
    pub first_turn: TurnId,
    last_no: u32,
    last_turn: u32,
    last_thread: u32,
}

impl<'s> Draft<'s> {
    /// An empty list for a state.
    pub fn new(state: &'s State) -> Self {
        Self {
            state,
            events: Vec::new(),
            keep_later: false,
            epoch: state.epoch.next(),
            first_turn: TurnId(state.tally.last_turn + 1),
            last_no: state.tally.last_no,
            last_turn: state.tally.last_turn,
            last_thread: state.tally.last_thread,
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

    /// Adds an event about the run.
    pub fn run(&mut self, event: RunEvent) {
        self.events.push(Event::Run(event));
    }

    /// Adds an event about a turn.
    pub fn turn_event(&mut self, event: TurnEvent) {
        self.events.push(Event::Turn(event));
    }

    /// Adds an event about a call.
    pub fn call(&mut self, event: CallEvent) {
        self.events.push(Event::Call(event));
    }

    /// Adds an event about a loop.
    pub fn escape(&mut self, event: EscapeEvent) {
        self.events.push(Event::Escape(event));
    }

    /// Adds an event about the handling of failed calls.
    pub fn resilience(&mut self, event: ResilienceEvent) {
        self.events.push(Event::Resilience(event));
    }

    /// Adds an event about files.
    pub fn files(&mut self, event: FilesEvent) {
        self.events.push(Event::Files(event));
    }

    /// Adds an event about an edit.
    pub fn edit(&mut self, event: EditEvent) {
        self.events.push(Event::Edit(event));
    }
}
