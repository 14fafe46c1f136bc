//! What rows are called, as numbers, and lists of that in a few bytes for each.
//!
//! Must not know: lanes, what a key stands for.

use std::marker::PhantomData;

use crate::compact::{Reader, push, push_signed};

/// From so many keys on a list says beforehand which one is its last.
const LONG: usize = 16;

/// A name that is a number: which thing, and below it which of at most eight sorts. Names that come one after the other
/// have numbers near each other.
pub trait Key: Copy + Ord {
    /// The thing times eight, and the sort.
    fn code(self) -> u64;

    /// The name with this number.
    fn of(code: u64) -> Self;
}

/// Plain numbers are things of one sort.
impl Key for u32 {
    fn code(self) -> u64 {
        u64::from(self) << 3
    }

    fn of(code: u64) -> Self {
        (code >> 3) as Self
    }
}

/// Appends a list, each key written down against the one before; the first against `own`.
pub(super) fn push_keys<K: Key>(out: &mut Vec<u8>, own: u64, keys: &[K]) {
    if keys.len() >= LONG
        && let Some(last) = keys.last()
    {
        push_signed(out, last.code().wrapping_sub(own) as i64);
    }
    let mut before = own;
    for key in keys {
        let code = key.code();
        push_signed(out, code.wrapping_sub(before) as i64);
        before = code;
    }
}

/// Appends the lengths of three lists; a byte is enough for short ones.
pub(super) fn push_counts(out: &mut Vec<u8>, counts: [usize; 3]) {
    let [parents, elided, members] = counts;
    let short = parents.min(7) | members.min(15) << 3 | usize::from(elided > 0) << 7;
    out.push(short as u8);
    for (count, is_longer) in [
        (parents, parents >= 7),
        (members, members >= 15),
        (elided, elided > 0),
    ] {
        if is_longer {
            push(out, count as u64);
        }
    }
}

/// Reads the lengths of three lists.
pub(super) fn counts(reader: &mut Reader<'_>) -> [usize; 3] {
    let short = usize::from(reader.byte().unwrap_or(0));
    let mut longer = |is_longer: bool, else_: usize| {
        if is_longer {
            reader.number().unwrap_or(0) as usize
        } else {
            else_
        }
    };
    let parents = longer(short & 7 == 7, short & 7);
    let members = longer(short >> 3 & 15 == 15, short >> 3 & 15);
    let elided = longer(short >> 7 == 1, 0);
    [parents, elided, members]
}

/// A list of keys.
#[derive(Debug, Clone)]
pub struct Keys<'a, K> {
    reader: Reader<'a>,
    left: usize,
    before: u64,
    last: Option<u64>,
    of: PhantomData<K>,
}

impl<K> Default for Keys<'_, K> {
    fn default() -> Self {
        Self {
            reader: Reader::default(),
            left: 0,
            before: 0,
            last: None,
            of: PhantomData,
        }
    }
}

impl<'a, K: Key> Keys<'a, K> {
    /// The list that is written down here.
    pub(super) fn new(mut reader: Reader<'a>, own: u64, count: usize) -> Self {
        let last = if count >= LONG { reader.signed() } else { None };
        Self {
            reader,
            left: count,
            before: own,
            last: last.map(|last| own.wrapping_add(last as u64)),
            of: PhantomData,
        }
    }

    /// What stands behind the list.
    pub(super) fn rest(mut self) -> Reader<'a> {
        while self.next().is_some() {}
        self.reader
    }

    /// True where there is no key.
    pub const fn is_empty(&self) -> bool {
        self.left == 0
    }
}

impl<K: Key> Iterator for Keys<'_, K> {
    type Item = K;

    fn next(&mut self) -> Option<K> {
        self.left = self.left.checked_sub(1)?;
        self.before = self.before.wrapping_add(self.reader.signed()? as u64);
        Some(K::of(self.before))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    fn last(self) -> Option<K> {
        match self.last {
            Some(last) if self.left > 0 => Some(K::of(last)),
            _ => self.fold(None, |_, key| Some(key)),
        }
    }
}

impl<K: Key> ExactSizeIterator for Keys<'_, K> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lists_come_back_as_they_went(
            lists in prop::array::uniform3(prop::collection::vec(any::<u32>(), 0..30)),
            own in any::<u32>(),
        ) {
            let mut bytes = Vec::new();
            push_counts(&mut bytes, [lists[0].len(), lists[1].len(), lists[2].len()]);
            for list in &lists {
                push_keys(&mut bytes, own.code(), list);
            }
            let mut reader = Reader::new(&bytes);
            let lengths = counts(&mut reader);
            for (list, length) in lists.iter().zip(lengths) {
                let keys = Keys::<u32>::new(reader, own.code(), length);
                prop_assert_eq!(keys.len(), list.len());
                prop_assert_eq!(keys.is_empty(), list.is_empty());
                prop_assert_eq!(keys.clone().last(), list.last().copied());
                prop_assert!(keys.clone().eq(list.iter().copied()));
                reader = keys.rest();
            }
            prop_assert!(reader.is_empty());
        }
    }
}
