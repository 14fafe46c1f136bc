//! What is kept of each row: eight bytes, its key and what it hangs together with in a few more, and two sets of lanes in
//! a byte each as long as there are at most eight lanes.
//!
//! The rest follows: a line in the upper half of a row is one in the lower half of the row above, and the line to the
//! side joins what begins and ends in the row. Must not know: which lane is chosen.

use std::marker::PhantomData;

use super::key::{self, Key, Keys};
use super::{Item, Shape};
use crate::compact::{Reader, make_room, push};

/// Lanes that fit into a byte.
const NARROW: u8 = 8;

/// The lanes of all rows: those with a line in the lower half, and those that only pass.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Masks {
    Narrow(Vec<[u8; 2]>),
    Wide(Vec<[u32; 2]>),
}

/// How a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stand {
    /// What it stands for.
    pub shape: Shape,
    /// The lane of its node.
    pub lane: Option<u8>,
    /// The first lane beside all that are open.
    pub beside: u8,
    /// True where it has parents to which no line goes.
    pub chips: bool,
}

impl Stand {
    fn packed(self) -> u16 {
        let shape = Shape::ALL.iter().position(|shape| *shape == self.shape);
        let lane = self.lane.map_or(0, |lane| u16::from(lane) + 1);
        shape.unwrap_or(0) as u16
            | (lane & 0x3f) << 3
            | (u16::from(self.beside) & 0x3f) << 9
            | u16::from(self.chips) << 15
    }

    fn of(packed: u16) -> Self {
        let shape = Shape::ALL.get(usize::from(packed & 7)).copied();
        Self {
            shape: shape.unwrap_or_default(),
            lane: (packed >> 3 & 0x3f).checked_sub(1).map(|lane| lane as u8),
            beside: (packed >> 9 & 0x3f) as u8,
            chips: packed >> 15 == 1,
        }
    }

    /// The lane of its node as a set.
    pub fn lane_bit(self) -> u32 {
        self.lane.map_or(0, |lane| 1 << lane)
    }
}

/// What a row hangs together with.
#[derive(Debug, Clone)]
pub(super) struct Links<'a, K> {
    /// What it is called.
    pub key: K,
    /// What it hangs on.
    pub parents: Keys<'a, K>,
    /// What it hangs on by way of nodes without a row.
    pub elided: Keys<'a, K>,
    /// Other keys that it stands for.
    pub members: Keys<'a, K>,
}

/// The rows.
#[derive(Debug, Clone)]
pub(super) struct Store<K> {
    /// Where the keys of each row begin.
    starts: Vec<u32>,
    stands: Vec<u16>,
    masks: Masks,
    /// Lanes whose line is a way past nodes without a row; rows beyond the last one have none.
    thin: Vec<u32>,
    bytes: Vec<u8>,
    keys: PhantomData<K>,
}

impl<K: Key> Store<K> {
    /// No rows, in so many lanes.
    pub fn new(lanes: u8) -> Self {
        Self {
            starts: Vec::new(),
            stands: Vec::new(),
            masks: if lanes <= NARROW {
                Masks::Narrow(Vec::new())
            } else {
                Masks::Wide(Vec::new())
            },
            thin: Vec::new(),
            bytes: Vec::new(),
            keys: PhantomData,
        }
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.starts.len()
    }

    /// Adds a row without lines.
    pub fn push(&mut self, item: &Item<'_, K>) {
        make_room(&mut self.starts, 1);
        self.starts.push(self.bytes.len() as u32);
        make_room(&mut self.stands, 1);
        let stand = Stand {
            shape: item.shape,
            ..Stand::default()
        };
        self.stands.push(stand.packed());
        match &mut self.masks {
            Masks::Narrow(masks) => {
                make_room(masks, 1);
                masks.push([0; 2]);
            }
            Masks::Wide(masks) => {
                make_room(masks, 1);
                masks.push([0; 2]);
            }
        }
        let lists = [item.parents, item.elided, item.members];
        let lengths = lists.map(<[K]>::len);
        make_room(&mut self.bytes, 32 + 4 * lengths.iter().sum::<usize>());
        let own = item.key.code();
        push(&mut self.bytes, own);
        key::push_counts(&mut self.bytes, lengths);
        for keys in lists {
            key::push_keys(&mut self.bytes, own, keys);
        }
    }

    /// Takes away every row from `len` on; the lines of the others stay.
    pub fn truncate(&mut self, len: usize) {
        if let Some(start) = self.starts.get(len) {
            self.bytes.truncate(*start as usize);
        }
        self.starts.truncate(len);
        self.stands.truncate(len);
        match &mut self.masks {
            Masks::Narrow(masks) => masks.truncate(len),
            Masks::Wide(masks) => masks.truncate(len),
        }
        self.thin.truncate(len);
    }

    fn reader(&self, row: usize) -> Option<Reader<'_>> {
        let start = *self.starts.get(row)? as usize;
        self.bytes.get(start..).map(Reader::new)
    }

    /// What a row is called.
    pub fn key(&self, row: usize) -> Option<K> {
        self.reader(row)?.number().map(K::of)
    }

    /// What a row hangs together with.
    pub fn links(&self, row: usize) -> Option<Links<'_, K>> {
        let mut reader = self.reader(row)?;
        let own = reader.number()?;
        let [parents, elided, members] = key::counts(&mut reader);
        let parents = Keys::new(reader, own, parents);
        let elided = Keys::new(parents.clone().rest(), own, elided);
        let rest = elided.clone().rest();
        Some(Links {
            key: K::of(own),
            parents,
            elided,
            members: Keys::new(rest, own, members),
        })
    }

    /// How a row stands.
    pub fn stand(&self, row: usize) -> Option<Stand> {
        self.stands.get(row).map(|packed| Stand::of(*packed))
    }

    /// Changes how a row stands.
    pub fn set_stand(&mut self, row: usize, stand: Stand) {
        if let Some(packed) = self.stands.get_mut(row) {
            *packed = stand.packed();
        }
    }

    /// Lanes with a line in the lower half of a row, and of those the ones that only pass.
    pub fn masks(&self, row: usize) -> (u32, u32) {
        let [down, pass] = match &self.masks {
            Masks::Narrow(masks) => masks.get(row).map_or([0; 2], |masks| masks.map(u32::from)),
            Masks::Wide(masks) => masks.get(row).copied().unwrap_or_default(),
        };
        (down, pass)
    }

    /// Lanes with a line in the upper half of a row.
    pub fn up(&self, row: usize) -> u32 {
        row.checked_sub(1).map_or(0, |above| self.masks(above).0)
    }

    /// Lanes of a row whose line is a way past nodes without a row.
    pub fn thin(&self, row: usize) -> u32 {
        self.thin.get(row).copied().unwrap_or(0)
    }

    /// Begins a line in the lower half of a row.
    pub fn begin(&mut self, row: usize, lane: u8) {
        self.change(row, |[down, pass]| [down | 1 << lane, pass]);
    }

    /// Lets a line pass through a row.
    pub fn pass(&mut self, row: usize, lane: u8, thin: bool) {
        self.change(row, |[down, pass]| [down | 1 << lane, pass | 1 << lane]);
        if thin {
            if self.thin.len() <= row {
                self.thin.resize(row + 1, 0);
            }
            if let Some(thin) = self.thin.get_mut(row) {
                *thin |= 1 << lane;
            }
        }
    }

    /// Takes a line away from the lower half of a row.
    pub fn clear(&mut self, row: usize, lane: u8) {
        let keep = !(1_u32 << lane);
        self.change(row, |[down, pass]| [down & keep, pass & keep]);
        if let Some(thin) = self.thin.get_mut(row) {
            *thin &= keep;
        }
    }

    fn change(&mut self, row: usize, change: impl Fn([u32; 2]) -> [u32; 2]) {
        match &mut self.masks {
            Masks::Narrow(masks) => {
                if let Some(masks) = masks.get_mut(row) {
                    *masks = change(masks.map(u32::from)).map(|mask| mask as u8);
                }
            }
            Masks::Wide(masks) => {
                if let Some(masks) = masks.get_mut(row) {
                    *masks = change(*masks);
                }
            }
        }
    }
}

#[cfg(test)]
impl<K: Key + std::fmt::Debug> Store<K> {
    /// Asserts that two hold the same.
    pub fn assert_same(&self, other: &Self) {
        assert_eq!(self.starts, other.starts);
        assert_eq!(self.stands, other.stands);
        assert_eq!(self.masks, other.masks);
        assert_eq!(self.bytes, other.bytes);
        for row in 0..self.len() {
            assert_eq!(self.thin(row), other.thin(row), "row {row}");
        }
    }
}
