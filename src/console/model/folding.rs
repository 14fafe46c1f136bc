//! Events that take longer to fold than a key may wait, as an edit on which nearly all of a long run hangs makes them: they
//! are folded elsewhere, with the events right behind them. The run stays as it was until then, and what comes waits.
//!
//! Must not know: threads, what an event does, what is told of it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::fold::Fold;
use super::run::RunPart;
use crate::console::link::Update;
use crate::console::work::{Finding, Ticket, Work};
use crate::domain::envelope::Envelope;
use crate::domain::event::{EditEvent, Event, TurnEvent};
use crate::domain::state::State;

/// Nodes or executions that an event may name, and nodes of a run of which one may recall any, while keys wait for it.
const FEW: usize = if cfg!(test) { 100 } else { 1_024 };

/// Nodes that a turn has, about.
const IN_TURN: usize = 4;

/// True for an event that takes long to fold.
fn is_heavy(state: &State, event: &Event) -> bool {
    let named = match event {
        Event::Edit(EditEvent::Superseded { nodes }) | Event::Turn(TurnEvent::Diverged { nodes, .. }) => {
            nodes.len()
        }
        Event::Edit(EditEvent::Orphaned { entries }) => entries.len(),
        Event::Edit(EditEvent::Suspected { calls }) => calls.len(),
        Event::Turn(TurnEvent::Superseded { turns }) => turns.len() * IN_TURN,
        // Whatever stood there: all that can be said before.
        Event::Edit(EditEvent::Recalled { .. }) => state.last_no as usize,
        _ => 0,
    };
    named > FEW
}

/// What is being folded, and what waits for that.
#[derive(Debug, Clone, Default)]
pub struct Folding {
    order: Option<Order>,
    /// How many were ordered so far.
    orders: u64,
    /// What came since, and what nobody has begun to fold.
    waiting: VecDeque<Update>,
}

#[derive(Debug, Clone)]
struct Order {
    ticket: Arc<Ticket>,
    no: u64,
    events: Vec<Arc<Envelope>>,
}

/// A run with events folded into it.
#[derive(Debug, Clone)]
pub struct Folded {
    no: u64,
    /// The run.
    pub fold: Fold,
}

impl Folding {
    /// True while the run is not what came of it.
    pub fn is_any(&self) -> bool {
        self.order.is_some() || !self.waiting.is_empty()
    }

    /// Keeps what comes where it has to wait, and gives it back elsewhere.
    pub fn hold(&mut self, state: &State, update: Update) -> Option<Update> {
        let is_heavy = matches!(&update, Update::Event(envelope) if is_heavy(state, &envelope.event));
        if !is_heavy && !self.is_any() {
            return Some(update);
        }
        self.waiting.push_back(update);
        None
    }

    /// What is to be folded since this was asked last: the first event that waits, with those right behind it.
    pub fn take_work(&mut self, run: &RunPart) -> Option<Work> {
        if self.order.is_some() {
            return None;
        }
        let mut events = Vec::new();
        while let Some(Update::Event(envelope)) = self.waiting.front() {
            events.push(Arc::clone(envelope));
            self.waiting.pop_front();
        }
        if events.is_empty() {
            return None;
        }
        let ticket = Arc::new(Ticket::default());
        self.orders += 1;
        let no = self.orders;
        let (before, all) = (run.fold(), events.clone());
        let work = Work::new(&ticket, move || {
            let mut fold = before.clone();
            for envelope in &all {
                fold.take(envelope);
            }
            // Who shows it makes copies of it.
            fold.state.rest_all();
            Finding::Folded(Box::new(Folded { no, fold }))
        });
        self.order = Some(Order { ticket, no, events });
        Some(work)
    }

    /// Takes what was folded; gives the events in it, if it is still wanted.
    pub fn take(&mut self, folded: &Folded) -> Option<Vec<Arc<Envelope>>> {
        let order = self.order.take_if(|order| order.no == folded.no)?;
        order.ticket.done();
        Some(order.events)
    }

    /// What has waited and need not wait any longer.
    pub fn next(&mut self, state: &State) -> Option<Update> {
        match self.waiting.front()? {
            Update::Event(envelope) if is_heavy(state, &envelope.event) => None,
            _ => self.waiting.pop_front(),
        }
    }
}
