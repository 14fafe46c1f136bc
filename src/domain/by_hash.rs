//! An index over texts that stand elsewhere: what may belong to a text, found by a hash of it.
//!
//! The texts themselves are kept by what is found, and who asks compares them: two texts can have one hash. Must not
//! know: what is found, what the texts are.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher as _};

use crate::few::Few;

/// What may belong to each text, in the order in which it was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByHash<V>(HashMap<u64, Few<V>, BuildHasherDefault<DefaultHasher>>);

impl<V> Default for ByHash<V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

/// No random seed: a fold is the same everywhere.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

impl<V> ByHash<V> {
    /// Notes something under a text.
    pub fn note(&mut self, text: &str, one: V) {
        self.0.entry(hash(text)).or_default().push(one);
    }

    /// Everything that was noted under a text, and perhaps something that was noted under another.
    pub fn candidates(&self, text: &str) -> &[V] {
        self.0.get(&hash(text)).map_or(&[], |found| found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_noted_under_a_text_is_found_in_order() {
        let mut index = ByHash::default();
        for (no, text) in ["a", "b", "a", "c", "a"].into_iter().enumerate() {
            index.note(text, no);
        }
        assert_eq!(index.candidates("a"), [0, 2, 4]);
        assert_eq!(index.candidates("b"), [1]);
        assert!(index.candidates("d").is_empty());
    }
}
