//! Caches computed facts while their subject is shown, and facts about long texts a bit longer.
//!
//! Must not know: what the facts are.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Weak};

use super::Finding;
use crate::ground::work::{Ticket, Work};

/// Maximum number of facts about long texts that survive a change of the subject.
const BEFORE: usize = 6;
/// Maximum bytes that are processed within a frame. The slowest case, letters outside of ASCII,
/// takes some milliseconds for this size.
const AT_ONCE: usize = 128 * 1024;

/// Subject of a fact.
pub(crate) trait Source {
    /// Its length in bytes.
    fn bytes(&self) -> usize;

    /// True if a frame must not wait for its facts.
    fn is_long(&self) -> bool {
        self.bytes() > AT_ONCE
    }
}

/// Facts for the last document, for the current one, and for recent long texts.
#[derive(Debug, Clone)]
pub(crate) struct Memo<K, V> {
    entries: HashMap<K, V>,
    used: HashMap<K, V>,
    /// Oldest first.
    before: VecDeque<(K, V)>,
    /// Facts in progress, while their ticket is alive.
    pending: HashMap<K, Weak<Ticket>>,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self {
            entries: HashMap::new(),
            used: HashMap::new(),
            before: VecDeque::new(),
            pending: HashMap::new(),
        }
    }
}

impl<K: Hash + Eq + Source + Clone, V: Clone> Memo<K, V> {
    /// The stored fact. Computes it immediately if it is missing.
    pub fn get(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        self.known(&key).unwrap_or_else(|| {
            #[cfg(test)]
            crate::testing::work::gone_through();
            let value = make();
            self.used.insert(key, value.clone());
            value
        })
    }

    /// The stored fact. Computes a missing fact about a short text immediately. For a long text,
    /// requests it in the background and returns the ticket.
    pub fn later(
        &mut self,
        key: K,
        work: &mut Vec<Work>,
        make: impl Fn() -> V + Send + Sync + 'static,
        found: impl Fn(V) -> Finding + Send + Sync + 'static,
    ) -> Result<V, Arc<Ticket>> {
        if !key.is_long() {
            return Ok(self.get(key, make));
        }
        if let Some(value) = self.known(&key) {
            return Ok(value);
        }
        if let Some(ticket) = self.pending.get(&key).and_then(Weak::upgrade) {
            return Err(ticket);
        }
        let ticket = Arc::new(Ticket::default());
        self.pending.insert(key, Arc::downgrade(&ticket));
        work.push(Work::new(&ticket, move || found(make())));
        Err(ticket)
    }

    /// Stores a fact if its ticket is alive.
    pub fn put(&mut self, key: K, value: V) {
        if let Some(ticket) = self.pending.remove(&key).and_then(|ticket| ticket.upgrade()) {
            #[cfg(test)]
            crate::testing::work::gone_through();
            ticket.done();
            self.used.insert(key, value);
        }
    }

    fn known(&mut self, key: &K) -> Option<V> {
        let found = self.used.get(key).or_else(|| self.entries.get(key)).cloned();
        let value = found.or_else(|| self.again(key))?;
        self.used.insert(key.clone(), value.clone());
        Some(value)
    }

    /// The fact about a long text that was shown before.
    fn again(&mut self, key: &K) -> Option<V> {
        let place = self.before.iter().position(|(one, _)| one == key)?;
        self.before.remove(place).map(|(_, value)| value)
    }

    /// Forgets what was not used since the last turn, except some long texts.
    pub fn turn(&mut self) {
        let stored = std::mem::replace(&mut self.entries, std::mem::take(&mut self.used));
        for (key, value) in stored {
            if key.is_long() && !self.entries.contains_key(&key) {
                self.before.push_back((key, value));
            }
        }
        let over = self.before.len().saturating_sub(BEFORE);
        self.before.drain(..over);
        self.pending.retain(|_, ticket| ticket.strong_count() > 0);
    }
}
