//! Keeps the open requests of a connection, by id.
//!
//! Must not know: how messages are read or carried.

use std::collections::BTreeMap;

use super::answer::Asked;

/// The open requests.
#[derive(Debug, Default)]
pub(in super::super) struct Open {
    waiting: BTreeMap<i64, Asked>,
    /// True once a request was given up: its answer may still come.
    has_given_up: bool,
}

impl Open {
    /// Adds a request.
    pub(super) fn insert(&mut self, id: i64, asked: Asked) {
        self.waiting.insert(id, asked);
    }

    /// Returns what a request asked for.
    pub(super) fn get(&self, id: i64) -> Option<Asked> {
        self.waiting.get(&id).copied()
    }

    /// Removes a request that has its answer.
    pub(super) fn remove(&mut self, id: i64) -> Option<Asked> {
        self.waiting.remove(&id)
    }

    /// Removes a request that has no answer.
    pub(super) fn give_up(&mut self, id: i64) -> Option<Asked> {
        let asked = self.waiting.remove(&id);
        self.has_given_up |= asked.is_some();
        asked
    }

    /// Returns the only request that an answer without an id can be to. There is none once a request was given up.
    pub(super) fn only(&self) -> Option<i64> {
        let mut waiting = self.waiting.iter().filter(|(_, asked)| **asked != Asked::Listen);
        let (id, _) = waiting.next()?;
        (waiting.next().is_none() && !self.has_given_up).then_some(*id)
    }

    /// Returns the first request for this.
    pub(super) fn of(&self, asked: Asked) -> Option<i64> {
        self.waiting
            .iter()
            .find(|(_, one)| **one == asked)
            .map(|(id, _)| *id)
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    #[cfg(test)]
    pub(super) fn last(&self) -> Option<i64> {
        self.waiting.keys().max().copied()
    }
}

#[cfg(test)]
impl<const N: usize> From<[(i64, Asked); N]> for Open {
    fn from(waiting: [(i64, Asked); N]) -> Self {
        Self {
            waiting: BTreeMap::from(waiting),
            has_given_up: false,
        }
    }
}
