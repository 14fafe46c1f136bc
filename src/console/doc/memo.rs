//! What was found out before about something, kept for as long as it is shown, and for long texts somewhat longer.
//!
//! Must not know: what was found out.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Weak};

use super::Finding;
use crate::console::work::{Ticket, Work};

/// How many long ones are kept when another thing is shown.
const BEFORE: usize = 6;
/// Most bytes of which something is found out while a frame waits for it: what takes longest, letters that are not
/// ASCII, takes some milliseconds for so many.
const AT_ONCE: usize = 128 * 1024;

/// What something is found out about.
pub(super) trait Source {
    /// How long that is, in bytes.
    fn bytes(&self) -> usize;

    /// True where a frame must not wait for what is found out about it.
    fn is_long(&self) -> bool {
        self.bytes() > AT_ONCE
    }
}

/// What was worked out for the document made last, for the one that is being made, and of long texts before.
#[derive(Debug, Clone)]
pub(super) struct Memo<K, V> {
    entries: HashMap<K, V>,
    used: HashMap<K, V>,
    /// The newest last.
    before: VecDeque<(K, V)>,
    /// What is being worked out, as long as somebody waits for it.
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
    /// What is known of it; what is not is found out at once.
    pub fn get(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        self.known(&key).unwrap_or_else(|| {
            #[cfg(test)]
            crate::console::testing::work::gone_through();
            let value = make();
            self.used.insert(key, value.clone());
            value
        })
    }

    /// What is known of it; of what is short it is found out at once, of what is long it is worked out later and the
    /// ticket stands for it.
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

    /// Takes in what was worked out, if somebody waits for it.
    pub fn put(&mut self, key: K, value: V) {
        if let Some(ticket) = self.pending.remove(&key).and_then(|ticket| ticket.upgrade()) {
            #[cfg(test)]
            crate::console::testing::work::gone_through();
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

    /// What was found out about a long text before another one was shown.
    fn again(&mut self, key: &K) -> Option<V> {
        let place = self.before.iter().position(|(one, _)| one == key)?;
        self.before.remove(place).map(|(_, value)| value)
    }

    /// Forgets what was not asked for since the last turn, but for some long texts.
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
