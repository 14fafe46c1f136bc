//! A sorted map in one piece of memory, for what is numbered as it comes: a new key mostly belongs at the end.
//!
//! A tree that only grows at its end leaves its leaves half empty. Must not know: what is held.

use std::fmt;
use std::ops::{Bound, Index, RangeBounds};

/// Values by key, in the order of their keys.
#[derive(Clone, PartialEq, Eq)]
pub struct Sorted<K, V>(Vec<(K, V)>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Sorted<K, V> {
    fn find(&self, key: &K) -> Result<usize, usize> {
        match self.0.last() {
            Some((last, _)) if last < key => Err(self.0.len()),
            _ => self.0.binary_search_by(|(one, _)| one.cmp(key)),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.get(self.find(key).ok()?).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let at = self.find(key).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// True where the key has a value.
    pub fn contains_key(&self, key: &K) -> bool {
        self.find(key).is_ok()
    }

    /// Gives a key a value; gives back the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => self.0.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// How many keys have a value.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// True where none has.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All keys with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> + Clone {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.0.iter().map(|(key, _)| key)
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// All values, to be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// The keys of a range with their values, in order.
    pub fn range(&self, range: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        let before = |bound: &K, with: bool| {
            self.0
                .partition_point(|(key, _)| key < bound || (with && key == bound))
        };
        let from = match range.start_bound() {
            Bound::Included(key) => before(key, false),
            Bound::Excluded(key) => before(key, true),
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(key) => before(key, true),
            Bound::Excluded(key) => before(key, false),
            Bound::Unbounded => self.0.len(),
        };
        let found = self.0.get(from..to).unwrap_or_default();
        found.iter().map(|(key, value)| (key, value))
    }
}

impl<K: Ord, V> Index<&K> for Sorted<K, V> {
    type Output = V;

    /// For those who know that it is there; others ask with [`Sorted::get`].
    fn index(&self, key: &K) -> &V {
        &self.0[self.find(key).unwrap_or(usize::MAX)].1
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Sorted<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.0.iter().map(|(key, value)| (key, value));
        f.debug_map().entries(entries).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_sorted_map(steps in prop::collection::vec((0..40_u8, any::<u8>()), 0..120)) {
            let (mut sorted, mut map) = (Sorted::default(), BTreeMap::new());
            for (key, value) in &steps {
                prop_assert_eq!(sorted.insert(*key, *value), map.insert(*key, *value));
                prop_assert_eq!(sorted.len(), map.len());
            }
            prop_assert!(sorted.iter().eq(&map));
            prop_assert!(sorted.keys().rev().eq(map.keys().rev()));
            prop_assert!(sorted.values().eq(map.values()));
            prop_assert!(sorted.values_mut().eq(map.values_mut()));
            for key in 0..42 {
                prop_assert_eq!(sorted.get(&key), map.get(&key));
                prop_assert_eq!(sorted.get_mut(&key), map.get_mut(&key));
                prop_assert_eq!(sorted.contains_key(&key), map.contains_key(&key));
                prop_assert!(sorted.range(key..).eq(map.range(key..)));
                prop_assert!(sorted.range(..=key).eq(map.range(..=key)));
                prop_assert!(sorted.range(key..key + 3).eq(map.range(key..key + 3)));
            }
        }
    }
}
