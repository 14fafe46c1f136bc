//! Folds records as they are read, and keeps the newest for the log of the screen.
//!
//! Must not know: where the record comes from, what is shown.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::console::panes::log::model::MAX_LINES;
use crate::domain::apply::apply;
use crate::domain::envelope::Envelope;
use crate::domain::state::State;

/// State and newest records so far.
#[derive(Debug, Default)]
pub struct Folding {
    state: State,
    past: VecDeque<Arc<Envelope>>,
}

impl Folding {
    /// Applies the next record.
    pub fn take(&mut self, envelope: Envelope) {
        apply(&mut self.state, &envelope);
        if self.past.len() == MAX_LINES {
            self.past.pop_front();
        }
        self.past.push_back(Arc::new(envelope));
    }

    /// Returns the state, and the newest records, oldest first.
    pub fn made(self) -> (State, Vec<Arc<Envelope>>) {
        (self.state, self.past.into())
    }
}
