//! Numbers that lie near the one before them, found by their place: offsets in a file, moments of a run.
//!
//! Every so many of them stand as they are; of the others only how far they lie from the one before, in one or two
//! bytes mostly. Must not know: what the numbers mean.

use super::{Reader, folded, make_room, push, unfolded};

/// Numbers between two that stand as they are: so many are read at most to find one.
const BLOCK: usize = 64;

/// Numbers in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Series {
    /// The first number of each block, and where in the bytes those behind it begin.
    blocks: Vec<(u64, usize)>,
    /// How far every other number lies from the one before it.
    steps: Vec<u8>,
    last: u64,
    len: usize,
}

impl Series {
    /// How many numbers there are.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// True where there are none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number added last.
    pub fn last(&self) -> Option<u64> {
        (self.len > 0).then_some(self.last)
    }

    /// Adds a number.
    pub fn push(&mut self, number: u64) {
        if self.len.is_multiple_of(BLOCK) {
            make_room(&mut self.blocks, 1);
            self.blocks.push((number, self.steps.len()));
        } else {
            // The longest number takes ten bytes.
            make_room(&mut self.steps, 10);
            let step = number.wrapping_sub(self.last) as i64;
            push(&mut self.steps, folded(step));
        }
        (self.last, self.len) = (number, self.len + 1);
    }

    /// The number at a place, counted from 0.
    pub fn get(&self, at: usize) -> Option<u64> {
        match self.len.checked_sub(1)? {
            last if last == at => Some(self.last),
            _ => self.from(at).next(),
        }
    }

    /// The numbers from a place on, in order.
    pub fn from(&self, at: usize) -> impl Iterator<Item = u64> + use<'_> {
        let (block, within) = (at / BLOCK, at % BLOCK);
        let behind = self.blocks.get(block).map(|(_, from)| *from);
        let left = behind.and_then(|from| self.steps.get(from..)).unwrap_or_default();
        let mut steps = Reader::new(left);
        let (mut place, mut number) = (block * BLOCK, 0_u64);
        let all = std::iter::from_fn(move || {
            number = if place.is_multiple_of(BLOCK) {
                self.blocks.get(place / BLOCK)?.0
            } else {
                number.wrapping_add(unfolded(steps.number().filter(|_| place < self.len)?) as u64)
            };
            place += 1;
            Some(number)
        });
        all.skip(within)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_number_stands_in_its_place(
            all in prop::collection::vec(prop_oneof![4 => 0..5_000_u64, 1 => any::<u64>()], 0..400),
            from in 0..420_usize,
        ) {
            let mut series = Series::default();
            for number in &all {
                series.push(*number);
            }
            prop_assert_eq!(series.len(), all.len());
            prop_assert_eq!(series.is_empty(), all.is_empty());
            prop_assert_eq!(series.last(), all.last().copied());
            for at in 0..=all.len() {
                prop_assert_eq!(series.get(at), all.get(at).copied());
            }
            let behind: Vec<u64> = series.from(from).collect();
            prop_assert_eq!(&behind[..], all.get(from..).unwrap_or_default());
        }
    }

    #[test]
    fn what_lies_near_takes_two_bytes() {
        let mut series = Series::default();
        for no in 0..100_000_u64 {
            series.push(1_700_000_000_000 + no * 300);
        }
        let bytes = series.steps.capacity() + series.blocks.capacity() * size_of::<(u64, usize)>();
        assert!(bytes < 100_000 * 3, "{bytes}");
    }
}
