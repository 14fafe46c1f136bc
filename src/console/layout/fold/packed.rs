//! Entries in a few bytes each: the newest as they are, because they change; older ones in blocks that are read when
//! they are asked for.
//!
//! Must not know: how entries become rows.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Entry, Keep};
use crate::compact::{Reader, make_room, push, push_signed};
use crate::console::layout::gutter::Key;
use crate::few::Few;

/// Entries of a block.
const BLOCK: usize = 64;
/// So many of the newest are kept as they are; there can be another block of them.
const PLAIN: usize = 64;

/// Entries in the order of their keys.
#[derive(Debug, Clone)]
pub struct Packed<K> {
    blocks: Vec<Block>,
    newest: Vec<Entry<K>>,
}

impl<K> Default for Packed<K> {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            newest: Vec::new(),
        }
    }
}

/// Entries that are written down.
#[derive(Debug, Clone)]
struct Block {
    /// The number of the first key.
    first: u64,
    /// How many fit what is looked for.
    hits: u8,
    /// Shared with copies, as they never change.
    bytes: Arc<[u8]>,
}

impl Block {
    fn of<K: Key>(entries: &[Entry<K>]) -> Self {
        let mut bytes = Vec::with_capacity(entries.len() * 16);
        let mut last = Last::default();
        for entry in entries {
            write(&mut bytes, &mut last, entry);
        }
        Self {
            first: entries.first().map_or(0, |entry| entry.key.code()),
            hits: entries.iter().map(|entry| u8::from(entry.hit)).sum(),
            bytes: bytes.into(),
        }
    }

    fn entries<K: Key>(&self) -> impl Iterator<Item = Entry<K>> + '_ {
        let mut reader = Reader::new(&self.bytes);
        let mut last = Last::default();
        std::iter::from_fn(move || read(&mut reader, &mut last))
    }
}

impl<K: Key> Packed<K> {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.written() + self.newest.len()
    }

    /// True where there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at a place.
    pub fn get(&self, at: usize) -> Option<Cow<'_, Entry<K>>> {
        match self.blocks.get(at / BLOCK) {
            Some(block) => block.entries().nth(at % BLOCK).map(Cow::Owned),
            None => self.newest.get(at - self.written()).map(Cow::Borrowed),
        }
    }

    const fn written(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// The place of a key, or the one where it would stand.
    pub fn place(&self, key: K) -> usize {
        self.before(|one| one < key)
    }

    /// How many entries are not behind this key.
    pub fn through(&self, key: K) -> usize {
        self.before(|one| one <= key)
    }

    /// How many keys come first, of which something is true that is true of none behind.
    fn before(&self, is_before: impl Fn(K) -> bool) -> usize {
        let newest = || self.newest.partition_point(|entry| is_before(entry.key));
        if self.blocks.is_empty() || self.newest.first().is_some_and(|first| is_before(first.key)) {
            return self.written() + newest();
        }
        let blocks = self.blocks.partition_point(|block| is_before(K::of(block.first)));
        let Some(block) = blocks.checked_sub(1) else {
            return 0;
        };
        let entries = self.blocks.get(block).into_iter().flat_map(Block::entries::<K>);
        block * BLOCK + entries.take_while(|entry| is_before(entry.key)).count()
    }

    /// The last key.
    pub fn last(&self) -> Option<K> {
        let last = self.len().checked_sub(1)?;
        Some(self.get(last)?.key)
    }

    /// How many fit what is looked for.
    pub fn hits(&self) -> usize {
        let written = self.blocks.iter().map(|block| usize::from(block.hits));
        written.sum::<usize>() + self.newest.iter().filter(|entry| entry.hit).count()
    }

    /// The entries from a place on.
    pub fn rest(&self, from: usize) -> impl Iterator<Item = Cow<'_, Entry<K>>> {
        let first = (from / BLOCK).min(self.blocks.len());
        let blocks = self.blocks.get(first..).unwrap_or_default();
        let written = blocks.iter().flat_map(Block::entries).map(Cow::Owned);
        let all = written.chain(self.newest.iter().map(Cow::Borrowed));
        all.skip(from - first * BLOCK)
    }

    /// Adds an entry at the end.
    pub fn push(&mut self, entry: Entry<K>) {
        if self.newest.len() == PLAIN + BLOCK {
            let block = Block::of(self.newest.get(..BLOCK).unwrap_or_default());
            make_room(&mut self.blocks, 1);
            self.blocks.push(block);
            self.newest.drain(..BLOCK);
        }
        make_room(&mut self.newest, 1);
        self.newest.push(entry);
    }

    /// Takes away every entry from a place on.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.written() {
            return self.newest.truncate(len - self.written());
        }
        let block = self.blocks.get(len / BLOCK);
        self.newest = block
            .into_iter()
            .flat_map(Block::entries)
            .take(len % BLOCK)
            .collect();
        self.blocks.truncate(len / BLOCK);
    }

    /// Puts another entry of the same key in a place, if it is another one. True where it is.
    pub fn replace(&mut self, at: usize, entry: Entry<K>) -> bool {
        if self.get(at).is_none_or(|old| *old == entry) {
            return false;
        }
        let written = self.written();
        if let Some(block) = self.blocks.get_mut(at / BLOCK) {
            let mut entries: Vec<Entry<K>> = block.entries().collect();
            if let Some(old) = entries.get_mut(at % BLOCK) {
                *old = entry;
            }
            *block = Block::of(&entries);
        } else if let Some(old) = self.newest.get_mut(at - written) {
            *old = entry;
        }
        true
    }
}

/// What the next entry of a block is written down against.
#[derive(Debug, Clone, Copy, Default)]
struct Last {
    code: u64,
    turn: u64,
}

/// Bits of an entry's first byte, above those of what may share a row with it.
const LEAF: u8 = 4;
const FAN: u8 = 8;
const HIT: u8 = 16;
const REPLACED: u8 = 32;
const SIGN: u8 = 64;
const TURN: u8 = 128;
/// How `Keep` is written down.
const KEEP: [Keep; 3] = [Keep::No, Keep::Own, Keep::Always];

fn write<K: Key>(out: &mut Vec<u8>, last: &mut Last, entry: &Entry<K>) {
    let keep = KEEP.iter().position(|keep| *keep == entry.keep).unwrap_or(0) as u8;
    let flag = |is: bool, bit: u8| if is { bit } else { 0 };
    out.push(
        keep | flag(entry.leaf, LEAF)
            | flag(entry.fan, FAN)
            | flag(entry.hit, HIT)
            | flag(entry.replaced.is_some(), REPLACED)
            | flag(entry.sign != 0, SIGN)
            | flag(entry.turn != last.turn, TURN),
    );
    // The mark, and the lengths of the lists, where they are small.
    let (parents, members) = (entry.parents.len(), entry.members.len());
    out.push(entry.mark.min(7) | (parents.min(7) as u8) << 3 | (members.min(3) as u8) << 6);
    if entry.mark >= 7 {
        out.push(entry.mark);
    }
    for (length, most) in [(parents, 7), (members, 3)] {
        if length >= most {
            push(out, length as u64);
        }
    }
    let own = entry.key.code();
    push_signed(out, own.wrapping_sub(last.code) as i64);
    for list in [&entry.parents, &entry.members] {
        let mut before = own;
        for key in list {
            push_signed(out, key.code().wrapping_sub(before) as i64);
            before = key.code();
        }
    }
    if let Some(replaced) = entry.replaced {
        push(out, replaced);
    }
    if entry.sign != 0 {
        // A hash has no short form.
        out.extend(entry.sign.to_le_bytes());
    }
    if entry.turn != last.turn {
        push_signed(out, entry.turn.wrapping_sub(last.turn) as i64);
    }
    *last = Last {
        code: own,
        turn: entry.turn,
    };
}

fn read<K: Key>(reader: &mut Reader<'_>, last: &mut Last) -> Option<Entry<K>> {
    let (flags, small) = (reader.byte()?, reader.byte()?);
    let mark = if small & 7 == 7 { reader.byte()? } else { small & 7 };
    let mut length = |short: u8, most: u8| {
        if short == most {
            reader.number()
        } else {
            Some(u64::from(short))
        }
    };
    let lengths = [length(small >> 3 & 7, 7)?, length(small >> 6, 3)?];
    let own = last.code.wrapping_add(reader.signed()? as u64);
    let [parents, members] = lengths.map(|length| keys(reader, own, length));
    let replaced = if flags & REPLACED == 0 {
        None
    } else {
        Some(reader.number()?)
    };
    let sign = if flags & SIGN == 0 {
        0
    } else {
        u64::from_le_bytes(reader.bytes()?)
    };
    let turn = if flags & TURN == 0 { 0 } else { reader.signed()? };
    *last = Last {
        code: own,
        turn: last.turn.wrapping_add(turn as u64),
    };
    Some(Entry {
        key: K::of(own),
        parents,
        members,
        replaced,
        turn: last.turn,
        leaf: flags & LEAF != 0,
        fan: flags & FAN != 0,
        keep: KEEP.get(usize::from(flags & 3)).copied().unwrap_or_default(),
        sign,
        mark,
        hit: flags & HIT != 0,
    })
}

fn keys<K: Key>(reader: &mut Reader<'_>, own: u64, length: u64) -> Few<K> {
    let mut before = own;
    let mut next = || {
        before = before.wrapping_add(reader.signed()? as u64);
        Some(K::of(before))
    };
    match length {
        0 => Few::None,
        1 => next().map_or(Few::None, Few::One),
        _ => Few::More((0..length).map_while(|_| next()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry() -> impl Strategy<Value = Entry<u32>> {
        let keys = || {
            prop_oneof![
                8 => prop::collection::vec(0..400_u32, 0..3),
                1 => prop::collection::vec(any::<u32>(), 0..20)
            ]
        };
        let epoch = prop::option::weighted(0.2, any::<u64>());
        let turn = prop_oneof![4 => 0..9_u64, 1 => any::<u64>()];
        let flags = any::<(bool, bool, bool)>();
        let sign = prop_oneof![Just(0), any::<u64>()];
        let keep = prop::sample::select(KEEP.to_vec());
        (keys(), keys(), epoch, turn, flags, keep, sign, any::<u8>()).prop_map(
            |(parents, members, replaced, turn, (leaf, fan, hit), keep, sign, mark)| Entry {
                members: members.into(),
                replaced,
                turn,
                leaf,
                fan,
                keep,
                sign,
                mark,
                hit,
                ..Entry::new(0, parents)
            },
        )
    }

    #[derive(Debug, Clone)]
    enum Step {
        Push(Vec<Entry<u32>>),
        Truncate(usize),
        Replace(usize, Entry<u32>),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => prop::collection::vec(entry(), 0..150).prop_map(Step::Push),
            1 => (0..400_usize).prop_map(Step::Truncate),
            3 => (0..400_usize, entry()).prop_map(|(at, entry)| Step::Replace(at, entry)),
        ]
    }

    fn check(packed: &Packed<u32>, plain: &[Entry<u32>], (from, to): (usize, usize)) {
        assert_eq!(packed.len(), plain.len());
        assert_eq!(packed.is_empty(), plain.is_empty());
        assert_eq!(packed.last(), plain.last().map(|entry| entry.key));
        assert_eq!(packed.hits(), plain.iter().filter(|entry| entry.hit).count());
        let rest = plain.get(from.min(plain.len())..).unwrap_or_default();
        assert!(packed.rest(from).eq(rest.iter().map(Cow::Borrowed)));
        for at in [from, to, plain.len()] {
            assert_eq!(packed.get(at).as_deref(), plain.get(at));
            let key = plain.get(at).map_or(at as u32, |entry| entry.key);
            for key in [key, key + 1] {
                assert_eq!(packed.place(key), plain.partition_point(|entry| entry.key < key));
                assert_eq!(
                    packed.through(key),
                    plain.partition_point(|entry| entry.key <= key)
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn it_is_a_list_of_entries(
            steps in prop::collection::vec((step(), (0..500_usize, 0..500_usize)), 1..12),
        ) {
            let (mut packed, mut plain) = (Packed::default(), Vec::new());
            let mut key = 0;
            for (step, range) in steps {
                match step {
                    Step::Push(entries) => for entry in entries {
                        key += 1 + u32::from(entry.mark % 5);
                        let entry = Entry { key, ..entry };
                        packed.push(entry.clone());
                        plain.push(entry);
                    },
                    Step::Truncate(len) => {
                        packed.truncate(len);
                        plain.truncate(len);
                    }
                    Step::Replace(at, entry) => {
                        let old = plain.get_mut(at);
                        let entry = Entry { key: old.as_ref().map_or(0, |old| old.key), ..entry };
                        let differs = old.as_ref().is_some_and(|old| **old != entry);
                        assert_eq!(packed.replace(at, entry.clone()), differs);
                        if let Some(old) = old {
                            *old = entry;
                        }
                    }
                }
                check(&packed, &plain, range);
            }
        }
    }

    #[test]
    fn an_ordinary_entry_takes_thirteen_bytes() {
        let mut packed = Packed::default();
        for no in 1..=10_000_u32 {
            packed.push(Entry {
                turn: u64::from(no / 4),
                sign: 0x0123_4567_89ab_cdef_u64.wrapping_mul(u64::from(no)),
                ..Entry::new(no, vec![no - 1])
            });
        }
        let bytes: usize = packed.blocks.iter().map(|block| block.bytes.len()).sum();
        assert!(bytes <= 13 * packed.written(), "{bytes}");
        assert!(packed.newest.len() <= PLAIN + BLOCK);
    }
}
