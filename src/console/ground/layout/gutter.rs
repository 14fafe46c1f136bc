//! Lays out the graph as lanes: oldest on top, one row for each node, growing downwards.
//!
//! Must not know: ratatui, colours, statuses, what a key is.
//!
//! One forward pass over all rows. A row draws the lines up to its parents when it is added, so
//! every vertical has two ends. In its row a node is a bus bar. A lane from above into the bar is a
//! parent, and a lane down from it is a child. A lane that passes through is drawn over the bar and
//! is not connected.

pub(crate) mod glyphs;
pub(crate) mod lanes;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::hash::Hash;

pub use glyphs::{Cell, Glyphs, Line};
use lanes::span;

/// A line is never longer than this many rows; a parent farther away is a chip.
pub const MAX_SPAN: usize = 64;
/// Default number of lanes side by side.
pub const DEFAULT_LANES: u8 = 8;
/// Maximum number of lanes.
pub const MAX_LANES: u8 = 32;

/// Layout of a row in the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// One node.
    #[default]
    Node,
    /// One node of a superseded branch: it leaves its lane to the active one.
    Side,
    /// One node without descendants: it is drawn next to the passing lines, without its own.
    Leaf,
    /// Several siblings in one row.
    Fan,
    /// A line of text for hidden rows: no node, no lane, lines pass through.
    Fold,
}

/// A row to add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a, K> {
    /// Its key.
    pub key: K,
    /// Its layout.
    pub shape: Shape,
    /// Its parents; keys without a row above become chips.
    pub parents: &'a [K],
    /// Its ancestors through nodes that have no row.
    pub elided: &'a [K],
    /// Other keys in this row: a call's observation, the calls of a fan, folded nodes.
    pub members: &'a [K],
}

impl<'a, K> Item<'a, K> {
    /// A plain node.
    pub const fn node(key: K, parents: &'a [K]) -> Self {
        Self {
            key,
            shape: Shape::Node,
            parents,
            elided: &[],
            members: &[],
        }
    }
}

/// One row with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<K> {
    /// Its key.
    pub key: K,
    /// Its layout.
    pub shape: Shape,
    /// The lane of its node; none for a fold row, a leaf, and a node for which no lane was free.
    pub lane: Option<u8>,
    /// For a leaf, the first lane after all open ones: changes in them do not move it.
    beside: u8,
    /// Lanes with a line in the upper half of the row.
    up: u32,
    /// Lanes with a line in the lower half.
    down: u32,
    /// Lanes whose line is not connected to this row's node.
    pass: u32,
    /// Of those, the ones whose line leads past nodes that have no row.
    thin: u32,
    /// Parents without a line.
    chips: Vec<K>,
}

impl<K> Row<K> {
    /// True for a node after the last lane.
    pub fn is_beyond(&self) -> bool {
        self.lane.is_none() && !matches!(self.shape, Shape::Fold | Shape::Leaf)
    }

    /// Lanes with a line to their right neighbour, which joins the lines of the row with its node.
    fn right(&self) -> u32 {
        let own_lines = (self.up | self.down) & !self.pass;
        self.lane.map_or(0, |own| span(own_lines | 1 << own))
    }

    /// The lane of its node as a set.
    fn lane_bit(&self) -> u32 {
        self.lane.map_or(0, |lane| 1 << lane)
    }
}

/// The lane graph.
#[derive(Debug, Clone)]
pub struct Gutter<K> {
    lanes: u8,
    rows: Vec<Row<K>>,
    /// For each lane, the row whose node has no child in it yet.
    tails: [Option<usize>; MAX_LANES as usize],
    /// The row of each key; the last one if several have it.
    index: HashMap<K, usize>,
}

impl<K: Copy + Eq + Hash> Default for Gutter<K> {
    fn default() -> Self {
        Self::new(DEFAULT_LANES)
    }
}

impl<'a, K: Copy + Eq + Hash + 'a> FromIterator<Item<'a, K>> for Gutter<K> {
    fn from_iter<I: IntoIterator<Item = Item<'a, K>>>(items: I) -> Self {
        let mut gutter = Self::default();
        for item in items {
            gutter.push(item);
        }
        gutter
    }
}

impl<K: Copy + Eq + Hash> Gutter<K> {
    /// An empty graph of this number of lanes (1 to [`MAX_LANES`]).
    pub fn new(lanes: u8) -> Self {
        Self {
            lanes: lanes.clamp(1, MAX_LANES),
            rows: Vec::new(),
            tails: [None; MAX_LANES as usize],
            index: HashMap::new(),
        }
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// True while there is no row.
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Maximum number of lanes.
    pub const fn lanes(&self) -> u8 {
        self.lanes
    }

    /// Maximum number of columns of a row.
    pub const fn max_width(&self) -> usize {
        self.lanes as usize * 2
    }

    /// One row.
    pub fn row(&self, row: usize) -> Option<&Row<K>> {
        self.rows.get(row)
    }

    /// The row that a key is in.
    pub fn find(&self, key: K) -> Option<usize> {
        self.index.get(&key).copied()
    }

    /// The parents of a row without a line: too far away, after the last lane, in a fold, or
    /// without a row.
    pub fn chips(&self, row: usize) -> &[K] {
        self.row(row).map_or(&[], |row| &row.chips)
    }

    /// Appends a node; returns its row.
    pub fn append(&mut self, key: K, parents: &[K]) -> usize {
        self.push(Item::node(key, parents))
    }

    /// Appends any row; returns its number.
    pub fn push(&mut self, item: Item<'_, K>) -> usize {
        let at = self.len();
        self.release_tails(at);
        self.rows.push(Row {
            key: item.key,
            shape: item.shape,
            lane: None,
            beside: 0,
            up: 0,
            down: 0,
            pass: 0,
            thin: 0,
            chips: Vec::new(),
        });
        match item.shape {
            Shape::Fold => self.add_chips(at, item.parents),
            Shape::Leaf => self.place_leaf(at),
            Shape::Node | Shape::Side | Shape::Fan => self.place(at, &item),
        }
        for key in item.members.iter().chain([&item.key]) {
            self.index.insert(*key, at);
        }
        at
    }

    fn add_chips(&mut self, row: usize, keys: &[K]) {
        if let Some(row) = self.rows.get_mut(row) {
            row.chips.extend(keys);
        }
    }
}
