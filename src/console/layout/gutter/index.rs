//! In which row a key stands: one step for things that are numbered one after the other.
//!
//! A thing has one place, whatever its sorts, as long as they stand in one row. What does not fit into that (a number
//! far ahead, another sort in another row) is kept apart. Must not know: lanes, what a key stands for.

use std::collections::BTreeMap;

use crate::compact::make_room;

/// How far beyond the places given out so far a number may lie.
const GAP: usize = 1 << 10;
/// Bits of a place that say which sorts there are; the others are the row.
const SORTS: u32 = 8;

/// Rows by key.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// The row of each thing, and a bit for each of its sorts; none of those where there is nothing.
    places: Vec<u32>,
    odd: BTreeMap<u64, u32>,
}

/// The place of a thing, and the bit of the sort.
const fn place(code: u64) -> (usize, u32) {
    ((code >> 3) as usize, 1 << (code & 7))
}

impl Index {
    /// The row of a key.
    pub fn get(&self, code: u64) -> Option<u32> {
        let (no, sort) = place(code);
        match self.places.get(no) {
            Some(found) if found & sort != 0 => Some(found >> SORTS),
            _ if self.odd.is_empty() => None,
            _ => self.odd.get(&code).copied(),
        }
    }

    /// Gives a key a row; gives back the one that it had.
    pub fn insert(&mut self, code: u64, row: u32) -> Option<u32> {
        let before = self.get(code);
        if before == Some(row) {
            return before;
        }
        if before.is_some() {
            self.remove(code);
        }
        let (no, sort) = place(code);
        let fits = row < 1 << (u32::BITS - SORTS) && no < self.places.len().saturating_add(GAP);
        if fits && no >= self.places.len() {
            let more = no + 1 - self.places.len();
            make_room(&mut self.places, more);
            self.places.resize(no + 1, 0);
        }
        match self.places.get_mut(no) {
            Some(found) if fits && (*found == 0 || *found >> SORTS == row) => {
                *found = row << SORTS | (*found | sort) & ((1 << SORTS) - 1);
            }
            _ => _ = self.odd.insert(code, row),
        }
        before
    }

    /// Forgets a key.
    pub fn remove(&mut self, code: u64) {
        let (no, sort) = place(code);
        match self.places.get_mut(no) {
            Some(found) if *found & sort != 0 => {
                *found &= !sort;
                if *found & ((1 << SORTS) - 1) == 0 {
                    *found = 0;
                }
            }
            _ => _ = self.odd.remove(&code),
        }
    }

    /// Forgets every key that stands in a row from this one on.
    pub fn truncate(&mut self, rows: u32) {
        for found in &mut self.places {
            if *found >> SORTS >= rows {
                *found = 0;
            }
        }
        self.odd.retain(|_, row| *row < rows);
    }

    /// All keys with their rows, by number.
    #[cfg(test)]
    pub fn all(&self) -> BTreeMap<u64, u32> {
        let sorts = |(no, found): (usize, &u32)| {
            let found = *found;
            (0..u64::from(SORTS))
                .filter(move |sort| found & 1 << sort != 0)
                .map(move |sort| ((no as u64) << 3 | sort, found >> SORTS))
        };
        let mut all = self.odd.clone();
        all.extend(self.places.iter().enumerate().flat_map(sorts));
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code() -> impl Strategy<Value = u64> {
        let no = prop_oneof![8 => 0..30_u64, 1 => 0..9_000_u64, 1 => any::<u32>().prop_map(u64::from)];
        (no, 0..8_u64).prop_map(|(no, sort)| no << 3 | sort)
    }

    proptest! {
        #[test]
        fn it_is_a_map(
            steps in prop::collection::vec((code(), prop_oneof![0..6_u32, any::<u32>()], any::<bool>()), 0..120),
        ) {
            let (mut index, mut map) = (Index::default(), BTreeMap::new());
            for (code, row, insert) in &steps {
                if *insert {
                    prop_assert_eq!(index.insert(*code, *row), map.insert(*code, *row));
                } else {
                    index.remove(*code);
                    map.remove(code);
                }
                prop_assert_eq!(index.get(*code), map.get(code).copied());
                prop_assert_eq!(&index.all(), &map);
            }
        }
    }

    proptest! {
        #[test]
        fn keys_of_rows_that_are_gone_are_forgotten(
            steps in prop::collection::vec((code(), 0..9_u32), 0..120),
            rows in 0..12_u32,
        ) {
            let (mut index, mut map) = (Index::default(), BTreeMap::new());
            for (code, row) in &steps {
                index.insert(*code, *row);
                map.insert(*code, *row);
            }
            index.truncate(rows);
            map.retain(|_, row| *row < rows);
            prop_assert_eq!(&index.all(), &map);
            for (code, _) in steps {
                prop_assert_eq!(index.get(code), map.get(&code).copied());
            }
        }
    }

    #[test]
    fn a_thing_takes_one_place_and_a_number_far_ahead_none() {
        let mut index = Index::default();
        for no in 1..=1_000_u64 {
            index.insert(no << 3 | 2, no as u32);
            index.insert(no << 3 | 3, no as u32);
        }
        assert!(index.odd.is_empty());
        index.insert(u64::from(u32::MAX) << 3, 7);
        assert!(index.places.capacity() < 1_200, "{}", index.places.capacity());
        assert_eq!(index.get(u64::from(u32::MAX) << 3), Some(7));
    }
}
