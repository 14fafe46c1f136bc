//! How much each row of the graph needs an eye, with sums of many rows, so that the strip of the whole costs a frame
//! about the same at any length of a run.
//!
//! Must not know: what a mark stands for beyond its place among the others, how it is drawn.

use std::ops::Range;

use super::entries::Mark;
use crate::compact::make_room;

/// Rows that share a sum.
const BLOCK: usize = 64;

/// The marks of rows, in their order.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    each: Vec<u8>,
    /// The sums of the blocks that are full.
    blocks: Vec<Sum>,
}

/// What there is in a number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// The highest mark.
    pub most: u8,
    /// How many failed.
    pub failed: usize,
}

impl Sum {
    fn of(marks: &[u8]) -> Self {
        Self {
            most: marks.iter().max().copied().unwrap_or(0),
            failed: marks
                .iter()
                .map(|mark| usize::from(Mark::of(*mark) == Mark::Failed))
                .sum(),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            most: self.most.max(other.most),
            failed: self.failed + other.failed,
        }
    }
}

impl Marks {
    /// Rows that have a mark.
    pub const fn rows(&self) -> usize {
        self.each.len()
    }

    /// Forgets the rows from one on.
    pub fn truncate(&mut self, rows: usize) {
        self.each.truncate(rows);
        self.blocks.truncate(rows / BLOCK);
    }

    /// Adds rows at the end.
    pub fn extend(&mut self, marks: impl Iterator<Item = u8>) {
        for mark in marks {
            make_room(&mut self.each, 1);
            self.each.push(mark);
        }
        let full = self.each.chunks_exact(BLOCK).skip(self.blocks.len());
        self.blocks.extend(full.map(Sum::of));
    }

    /// The mark of a row.
    pub fn get(&self, row: usize) -> Option<u8> {
        self.each.get(row).copied()
    }

    /// What there is in some rows, as far as they are here.
    pub fn sum(&self, rows: Range<usize>) -> Sum {
        let end = rows.end.min(self.each.len());
        let start = rows.start.min(end);
        // The blocks that lie wholly inside, and what stands before and behind them.
        let (first, last) = (start.div_ceil(BLOCK), end / BLOCK);
        let each = |rows: Range<usize>| Sum::of(self.each.get(rows).unwrap_or_default());
        if first >= last {
            return each(start..end);
        }
        let inside = self.blocks.get(first..last).unwrap_or_default();
        inside
            .iter()
            .fold(each(start..first * BLOCK), |sum, block| sum.and(*block))
            .and(each(last * BLOCK..end))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_sum_is_that_of_its_rows_whatever_was_added_and_forgotten(
            steps in prop::collection::vec((0..500_usize, prop::collection::vec(0..5_u8, 0..300)), 1..8),
            ranges in prop::collection::vec((0..900_usize, 0..900_usize), 20),
        ) {
            let (mut marks, mut plain) = (Marks::default(), Vec::new());
            for (keep, more) in steps {
                marks.truncate(keep);
                plain.truncate(keep);
                marks.extend(more.iter().copied());
                plain.extend(more);
            }
            prop_assert_eq!(marks.rows(), plain.len());
            for (from, to) in ranges {
                let rows = plain.get(from.min(plain.len())..to.min(plain.len())).unwrap_or_default();
                prop_assert_eq!(marks.sum(from..to), Sum::of(rows));
                prop_assert_eq!(marks.get(from), plain.get(from).copied());
            }
        }
    }
}
