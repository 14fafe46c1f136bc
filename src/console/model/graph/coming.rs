//! Rows that take longer to make than a key may wait: they are made elsewhere, of the run as it was when they were
//! ordered. Those of before stay on screen meanwhile, and what happens meanwhile is put into the new ones when they come.
//!
//! Must not know: threads, what the rows are made by.

use std::sync::Arc;

use super::outline::{Due, Outline};
use crate::console::work::{Finding, Ticket, Work};
use crate::domain::id::NodeId;
use crate::domain::state::State;

/// An order.
#[derive(Debug, Clone)]
struct Order {
    ticket: Arc<Ticket>,
    /// What it takes care of.
    due: Due,
    no: u64,
}

/// What is being made.
#[derive(Debug, Clone, Default)]
pub(super) struct Coming {
    order: Option<Order>,
    /// How many were ordered so far.
    orders: u64,
    /// What nobody has begun to work out yet.
    work: Option<Work>,
    /// The node that is to be seen in the rows that come.
    pub reveal: Option<NodeId>,
    /// True where what is under the cursor may be folded in the rows that come: somebody wanted so.
    pub folds: bool,
    /// What was said of it while it is made.
    pub said: Option<String>,
}

/// Rows that were made.
#[derive(Debug, Clone)]
pub struct Made {
    no: u64,
    outline: Outline,
}

impl Coming {
    /// True while rows are being made.
    pub const fn is_any(&self) -> bool {
        self.order.is_some()
    }

    /// Orders the rows of this run.
    pub fn order(&mut self, outline: &mut Outline, state: &State) {
        let ticket = Arc::new(Ticket::default());
        self.orders += 1;
        let no = self.orders;
        let (before, run) = (outline.clone(), state.clone());
        self.work = Some(Work::new(&ticket, move || {
            let mut outline = before.clone();
            outline.finish(run.clone());
            Finding::Rows(Box::new(Made { no, outline }))
        }));
        let due = std::mem::take(&mut outline.due);
        self.order = Some(Order { ticket, due, no });
    }

    /// Takes the order back: what it was to take care of has to be seen to otherwise.
    pub fn recall(&mut self, outline: &mut Outline) {
        if let Some(order) = self.order.take() {
            outline.due.add(order.due);
        }
        (self.work, self.reveal, self.folds) = (None, None, false);
    }

    /// Puts what was made in the place of the rows of before; false where something else was ordered since.
    pub fn take(&mut self, made: Made, outline: &mut Outline) -> bool {
        let Some(order) = self.order.take_if(|order| order.no == made.no) else {
            return false;
        };
        order.ticket.done();
        let since = std::mem::take(&mut outline.due);
        *outline = made.outline;
        outline.due = since;
        true
    }

    /// What was said of rows that have come since.
    pub fn was_said(&mut self) -> Option<String> {
        self.said.take_if(|_| self.order.is_none())
    }

    /// What is to be worked out since this was asked last.
    pub fn take_work(&mut self) -> Option<Work> {
        self.work.take()
    }
}
