//! A set of numbers in few bytes, read in order: for what is asked for whole, and holds most of what
//! there is.
//!
//! Numbers that lie together share a word; one far ahead takes a word of its own. Must not know: what
//! the numbers stand for.

use std::collections::BTreeMap;

/// Numbers that share a word.
const WIDTH: u32 = u64::BITS;

/// A set of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bits {
    /// Words that are not 0, by their place.
    words: BTreeMap<u32, u64>,
}

impl Bits {
    /// Adds a number.
    pub fn insert(&mut self, no: u32) {
        *self.words.entry(no / WIDTH).or_default() |= 1 << (no % WIDTH);
    }

    /// Takes a number out.
    pub fn remove(&mut self, no: u32) {
        let place = no / WIDTH;
        if let Some(word) = self.words.get_mut(&place) {
            *word &= !(1 << (no % WIDTH));
            if *word == 0 {
                self.words.remove(&place);
            }
        }
    }

    /// True where the number is in the set.
    pub fn contains(&self, no: u32) -> bool {
        let word = self.words.get(&(no / WIDTH)).copied().unwrap_or(0);
        word >> (no % WIDTH) & 1 == 1
    }

    /// True where there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// All numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().flat_map(|(place, word)| {
            // The lowest bit that is set goes first, and is then taken off.
            let rest = std::iter::successors(Some(*word), |left| Some(left & left.wrapping_sub(1)));
            rest.take_while(|left| *left != 0)
                .map(move |left| place * WIDTH + left.trailing_zeros())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = u32> {
        prop_oneof![8 => 0..200_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_set(steps in prop::collection::vec((number(), any::<bool>()), 0..200)) {
            let (mut bits, mut set) = (Bits::default(), BTreeSet::new());
            for (no, goes_in) in steps {
                if goes_in {
                    bits.insert(no);
                    set.insert(no);
                } else {
                    bits.remove(no);
                    set.remove(&no);
                }
                prop_assert_eq!(bits.contains(no), goes_in);
            }
            prop_assert!(bits.iter().eq(set.iter().copied()));
            prop_assert_eq!(bits.is_empty(), set.is_empty());
            let mut again = Bits::default();
            set.iter().rev().for_each(|no| again.insert(*no));
            prop_assert_eq!(bits, again);
        }
    }
}
