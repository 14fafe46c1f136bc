//! What stands in each row, beside what the lanes know of it: two bytes for a row, and more for few of them.
//!
//! Must not know: keys, lanes.

use crate::compact::make_room;
use crate::console::layout::fold::Stands;

/// What stands in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    /// What it stands for.
    pub stands: Stands,
    /// Number of nodes in it.
    pub count: usize,
    /// Number of the epoch in which they were replaced.
    pub replaced: Option<u64>,
}

/// Bits that say what a row stands for; the others count its nodes.
const BITS: u16 = 3;
/// The count of a row that is written down elsewhere.
const ELSEWHERE: u16 = u16::MAX >> BITS;
/// What a row stands for, by number; how often something is repeated is written down elsewhere.
const STANDS: [Stands; 6] = [
    Stands::Node,
    Stands::Fan,
    Stands::Turn,
    Stands::Replaced,
    Stands::Elided,
    Stands::Loop(0),
];

/// What stands in all rows.
#[derive(Debug, Clone, Default)]
pub(super) struct List {
    short: Vec<u16>,
    /// Rows with what has no short form.
    long: Vec<(u32, Content)>,
}

impl List {
    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.short.len()
    }

    /// Forgets the rows from one on.
    pub fn truncate(&mut self, rows: usize) {
        self.short.truncate(rows);
        let long = self.long.partition_point(|(row, _)| (*row as usize) < rows);
        self.long.truncate(long);
    }

    /// Adds a row at the end.
    pub fn push(&mut self, content: Content) {
        let stands = STANDS.iter().position(|stands| *stands == content.stands);
        let count = u16::try_from(content.count)
            .ok()
            .filter(|count| *count < ELSEWHERE);
        let short = if let (Some(stands), Some(count), None) = (stands, count, content.replaced) {
            stands as u16 | count << BITS
        } else {
            make_room(&mut self.long, 1);
            self.long.push((self.short.len() as u32, content));
            ELSEWHERE << BITS
        };
        make_room(&mut self.short, 1);
        self.short.push(short);
    }

    /// What stands in a row.
    pub fn get(&self, row: usize) -> Option<Content> {
        let short = *self.short.get(row)?;
        if short >> BITS == ELSEWHERE {
            let at = self.long.partition_point(|(at, _)| (*at as usize) < row);
            return self.long.get(at).map(|(_, content)| *content);
        }
        Some(Content {
            stands: *STANDS.get(usize::from(short & ((1 << BITS) - 1)))?,
            count: usize::from(short >> BITS),
            replaced: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn content() -> impl Strategy<Value = Content> {
        let stands = prop_oneof![
            4 => prop::sample::select(STANDS.to_vec()),
            1 => any::<u32>().prop_map(Stands::Loop)
        ];
        let count =
            prop_oneof![4 => 0..9_usize, 1 => any::<u16>().prop_map(usize::from), 1 => any::<usize>()];
        (stands, count, prop::option::weighted(0.2, any::<u64>())).prop_map(|(stands, count, replaced)| {
            Content {
                stands,
                count,
                replaced,
            }
        })
    }

    proptest! {
        #[test]
        fn it_is_a_list(
            steps in prop::collection::vec((0..200_usize, prop::collection::vec(content(), 0..80)), 1..6),
        ) {
            let (mut list, mut plain) = (List::default(), Vec::new());
            for (keep, more) in steps {
                list.truncate(keep);
                plain.truncate(keep);
                for content in &more {
                    list.push(*content);
                }
                plain.extend(more);
                prop_assert_eq!(list.len(), plain.len());
                for row in 0..=plain.len() {
                    prop_assert_eq!(list.get(row), plain.get(row).copied());
                }
            }
        }
    }
}
