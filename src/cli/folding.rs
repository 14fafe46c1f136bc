//! A record as it is read: its fold, and as much of its end as the screen's log keeps. Must not know: where the
//! record comes from, what is shown.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::console::model::log::MAX_LINES;
use crate::domain::apply::apply;
use crate::domain::envelope::Envelope;
use crate::domain::state::State;

/// What was read so far.
#[derive(Debug, Default)]
pub struct Folding {
    state: State,
    past: VecDeque<Arc<Envelope>>,
}

impl Folding {
    /// Takes the next record in.
    pub fn take(&mut self, envelope: Envelope) {
        apply(&mut self.state, &envelope);
        if self.past.len() == MAX_LINES {
            self.past.pop_front();
        }
        self.past.push_back(Arc::new(envelope));
    }

    /// The fold, and the newest records, oldest first.
    pub fn made(self) -> (State, Vec<Arc<Envelope>>) {
        (self.state, self.past.into())
    }
}
