//! Folds records as they are read, and keeps the newest for the log of the screen.
//!
//! Must not know: where the record comes from, what is shown.

use std::collections::VecDeque;
use std::sync::Arc;

use overrule_console::kernel::log::MAX_LINES;
use overrule_domain::apply::apply;
use overrule_domain::envelope::Envelope;
use overrule_domain::state::State;

/// State and newest records so far.
#[derive(Debug, Default)]
pub struct Folding {
    state: State,
    past: VecDeque<Arc<Envelope>>,
}

impl Folding {
    /// Applies the next record.
    pub fn take(&mut self, envelope: Arc<Envelope>) {
        apply(&mut self.state, &envelope);
        if self.past.len() == MAX_LINES {
            self.past.pop_front();
        }
        self.past.push_back(envelope);
    }

    /// Continues after records that are in no state here: a whole state follows.
    pub fn since(past: &[Arc<Envelope>]) -> Self {
        Self {
            past: past.iter().cloned().collect(),
            ..Self::default()
        }
    }

    /// Takes the state as a whole.
    pub fn set(&mut self, state: State) {
        self.state = state;
    }

    /// The state.
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The newest records, oldest first.
    pub fn past(&self) -> Vec<Arc<Envelope>> {
        self.past.iter().cloned().collect()
    }

    /// Returns the state, and the newest records, oldest first.
    pub fn made(self) -> (State, Vec<Arc<Envelope>>) {
        (self.state, self.past.into())
    }
}
