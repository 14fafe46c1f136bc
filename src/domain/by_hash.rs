//! An index over texts that stand elsewhere: what may belong to a text, found by a hash of it.
//!
//! The texts themselves are kept by what is found, and who asks compares them: two texts can have one hash. An entry
//! takes four bytes besides what is found, in a few sorted lists of which each is at least twice as long as the next.
//! Must not know: what is found, what the texts are.

use std::hash::{DefaultHasher, Hasher as _};

/// Entries of the newest list.
const FRESH: usize = if cfg!(test) { 3 } else { 256 };

/// What may belong to each text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByHash<V> {
    /// Longest and oldest first.
    lists: Vec<List<V>>,
    fresh: List<V>,
}

/// Entries by their hash, and those of one hash in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct List<V> {
    hashes: Vec<u32>,
    ones: Vec<V>,
}

impl<V> Default for ByHash<V> {
    fn default() -> Self {
        Self {
            lists: Vec::new(),
            fresh: List::with_room(0),
        }
    }
}

/// No random seed: a fold is the same everywhere.
fn hash(text: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish() as u32
}

impl<V> List<V> {
    fn with_room(room: usize) -> Self {
        Self {
            hashes: Vec::with_capacity(room),
            ones: Vec::with_capacity(room),
        }
    }

    const fn len(&self) -> usize {
        self.hashes.len()
    }
}

impl<V: Copy + Ord> List<V> {
    fn push(&mut self, hash: u32, one: V) {
        self.hashes.push(hash);
        self.ones.push(one);
    }

    /// What was noted under a hash.
    fn under(&self, hash: u32) -> &[V] {
        let from = self.hashes.partition_point(|other| *other < hash);
        let to = self.hashes.partition_point(|other| *other <= hash);
        self.ones.get(from..to).unwrap_or_default()
    }

    fn insert(&mut self, hash: u32, one: V) {
        let from = self.hashes.partition_point(|other| *other < hash);
        let at = from + self.under(hash).partition_point(|other| *other < one);
        self.hashes.insert(at, hash);
        self.ones.insert(at, one);
    }

    fn entries(&self) -> impl Iterator<Item = (u32, V)> {
        self.hashes.iter().copied().zip(self.ones.iter().copied())
    }

    /// Both lists as one.
    fn merged(&self, other: &Self) -> Self {
        let mut all = Self::with_room(self.len() + other.len());
        let mut behind = other.entries().peekable();
        for entry in self.entries() {
            while let Some((hash, one)) = behind.next_if(|next| *next < entry) {
                all.push(hash, one);
            }
            all.push(entry.0, entry.1);
        }
        behind.for_each(|(hash, one)| all.push(hash, one));
        all
    }
}

impl<V: Copy + Ord> ByHash<V> {
    /// Notes something under a text.
    pub fn note(&mut self, text: &str, one: V) {
        let hash = hash(text);
        // One call can be made over and over: what has its hash is not gone through.
        if self
            .lists()
            .any(|list| list.under(hash).binary_search(&one).is_ok())
        {
            return;
        }
        self.fresh.insert(hash, one);
        if self.fresh.len() < FRESH {
            return;
        }
        let mut last = std::mem::replace(&mut self.fresh, List::with_room(0));
        while let Some(before) = self.lists.pop_if(|before| before.len() < 2 * last.len()) {
            last = before.merged(&last);
        }
        self.lists.push(last);
    }

    fn lists(&self) -> impl Iterator<Item = &List<V>> {
        self.lists.iter().chain([&self.fresh])
    }

    /// Everything that was noted under a text, and perhaps something that was noted under another, in its order.
    pub fn candidates(&self, text: &str) -> Vec<V> {
        let hash = hash(text);
        let mut all: Vec<V> = self.lists().flat_map(|list| list.under(hash)).copied().collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_that_was_noted_under_a_text_is_found_in_order(
            notes in prop::collection::vec((0..12_u32, 0..40_u32), 0..120),
        ) {
            let (mut index, mut all) = (ByHash::default(), BTreeMap::<u32, BTreeSet<u32>>::new());
            for (text, one) in notes {
                index.note(&text.to_string(), one);
                all.entry(text).or_default().insert(one);
            }
            for text in 0..12 {
                let noted: Vec<u32> = all.remove(&text).into_iter().flatten().collect();
                prop_assert_eq!(index.candidates(&text.to_string()), noted);
            }
            prop_assert!(index.candidates("nothing").is_empty());
            let lengths: Vec<usize> = index.lists.iter().map(List::len).collect();
            prop_assert!(lengths.windows(2).all(|two| two[0] >= 2 * two[1]), "{lengths:?}");
        }
    }
}
