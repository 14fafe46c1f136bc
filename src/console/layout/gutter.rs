//! The graph as lanes: oldest on top, one row for each node, growing downwards.
//!
//! An append touches the rows between a node and its parents and nothing else, so a line never
//! moves once it stands; an undo log takes rows away again exactly. Lines are drawn when they are
//! known (a child draws the line up to its parent), hence every vertical has two ends. In its row
//! a node is a bus bar: a lane that comes from above into the bar is a parent, a lane that leaves
//! it downwards is a child, a lane that passes through is drawn over it and has no part in it.
//! Must not know: ratatui, colours, statuses, what a key stands for.

mod glyphs;
mod lanes;
mod quick;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::Hash;

pub use glyphs::{Cell, Glyphs, Line};
use lanes::Undo;
use quick::BuildQuick;

/// A line is never longer than this many rows; a parent farther away is a chip.
pub const MAX_SPAN: usize = 64;
/// Lanes side by side, unless told otherwise.
pub const DEFAULT_LANES: u8 = 8;
/// The most lanes that can be asked for.
pub const MAX_LANES: u8 = 32;

const NO_ROW: u32 = u32::MAX;

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// One node.
    #[default]
    Node,
    /// One node of a branch that no longer counts: it leaves its lane to the branch that does.
    Side,
    /// One node on which nothing hangs: it stands beside the lines that pass, with none of its own.
    Leaf,
    /// Several siblings in one row.
    Fan,
    /// A line of text for rows that are not shown: no node, no lane, lines pass through.
    Fold,
}

/// A row to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a, K> {
    /// What it is called.
    pub key: K,
    /// What it stands for.
    pub shape: Shape,
    /// What it hangs on; keys that no row above has become chips.
    pub parents: &'a [K],
    /// What it hangs on by way of nodes that have no row.
    pub elided: &'a [K],
    /// Other keys that this row stands for: a call's observation, the calls of a fan, what is folded.
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

/// One row as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<K> {
    /// What it is called.
    pub key: K,
    /// What it stands for.
    pub shape: Shape,
    /// The lane of its node; none for a fold row, a leaf, and a node for which no lane was free.
    pub lane: Option<u8>,
    /// The first lane beside all that are open, for a leaf: what goes on in them does not move it.
    beside: u8,
    /// Lanes with a line in the upper half of the row.
    up: u32,
    /// Lanes with a line in the lower half.
    down: u32,
    /// Lanes with a line to their right neighbour.
    right: u32,
    /// Lanes whose line has nothing to do with this row's node.
    pass: u32,
    /// Of those the ones that stand for a way past nodes that have no row.
    thin: u32,
    parents: u32,
    elided: u32,
    links_end: u32,
    chips_end: u32,
    undo_end: u32,
    shadow_end: u32,
}

impl<K> Row<K> {
    /// True for a node that stands beyond the last lane.
    pub fn is_beyond(&self) -> bool {
        self.lane.is_none() && !matches!(self.shape, Shape::Fold | Shape::Leaf)
    }
}

/// The lane graph.
#[derive(Debug, Clone)]
pub struct Gutter<K> {
    lanes: u8,
    rows: Vec<Row<K>>,
    /// The row in which a lane's last node waits for a child.
    tails: [u32; MAX_LANES as usize],
    /// Parents, then those by way of nodes without a row, then members, of each row.
    links: Vec<K>,
    chips: Vec<K>,
    undo: Vec<Undo>,
    /// Rows that a newer row of the same key hides.
    shadow: Vec<(K, u32)>,
    index: HashMap<K, u32, BuildQuick>,
    scratch: Vec<(u32, bool)>,
}

impl<K: Copy + Eq + Hash> Default for Gutter<K> {
    fn default() -> Self {
        Self::new(DEFAULT_LANES)
    }
}

impl<K: Copy + Eq + Hash> Gutter<K> {
    /// An empty graph of so many lanes (1 to [`MAX_LANES`]).
    pub fn new(lanes: u8) -> Self {
        Self {
            lanes: lanes.clamp(1, MAX_LANES),
            rows: Vec::new(),
            tails: [NO_ROW; MAX_LANES as usize],
            links: Vec::new(),
            chips: Vec::new(),
            undo: Vec::new(),
            shadow: Vec::new(),
            index: HashMap::default(),
            scratch: Vec::new(),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True while there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Lanes side by side at most.
    pub const fn lanes(&self) -> u8 {
        self.lanes
    }

    /// Columns that a row takes at most.
    pub const fn max_width(&self) -> usize {
        self.lanes as usize * 2
    }

    /// The rows from `first` on, at most `height` of them.
    pub fn window(&self, first: usize, height: usize) -> &[Row<K>] {
        let first = first.min(self.rows.len());
        let end = first.saturating_add(height).min(self.rows.len());
        self.rows.get(first..end).unwrap_or_default()
    }

    /// One row.
    pub fn row(&self, row: usize) -> Option<&Row<K>> {
        self.rows.get(row)
    }

    /// The row that stands for a key.
    pub fn find(&self, key: K) -> Option<usize> {
        self.index.get(&key).map(|row| *row as usize)
    }

    /// The parents that a row was appended with.
    pub fn parents(&self, row: usize) -> &[K] {
        let (start, end) = self.links_of(row);
        let parents = self.rows.get(row).map_or(0, |row| row.parents as usize);
        self.links
            .get(start..(start + parents).min(end))
            .unwrap_or_default()
    }

    /// What a row hangs on by way of nodes that have no row.
    pub fn elided(&self, row: usize) -> &[K] {
        let (start, _) = self.links_of(row);
        let (parents, elided) = self.counts(row);
        self.links
            .get(start + parents..start + parents + elided)
            .unwrap_or_default()
    }

    /// The further keys that a row stands for.
    pub fn members(&self, row: usize) -> &[K] {
        let (start, end) = self.links_of(row);
        let (parents, elided) = self.counts(row);
        self.links.get(start + parents + elided..end).unwrap_or_default()
    }

    fn counts(&self, row: usize) -> (usize, usize) {
        self.rows
            .get(row)
            .map_or((0, 0), |row| (row.parents as usize, row.elided as usize))
    }

    /// The parents of a row to which no line goes, because they are too far away, beyond the last
    /// lane, in a fold, or not among the rows.
    pub fn chips(&self, row: usize) -> &[K] {
        let end = self.rows.get(row).map_or(0, |row| row.chips_end as usize);
        let start = self.before(row).map_or(0, |row| row.chips_end as usize);
        self.chips.get(start..end).unwrap_or_default()
    }

    /// Appends a node; gives its row.
    pub fn append(&mut self, key: K, parents: &[K]) -> usize {
        self.push(Item::node(key, parents))
    }

    /// Appends any row; gives its number.
    pub fn push(&mut self, item: Item<'_, K>) -> usize {
        let at = self.rows.len();
        self.links.extend_from_slice(item.parents);
        self.links.extend_from_slice(item.elided);
        self.links.extend_from_slice(item.members);
        self.rows.push(Row {
            key: item.key,
            shape: item.shape,
            lane: None,
            beside: 0,
            up: 0,
            down: 0,
            right: 0,
            pass: 0,
            thin: 0,
            parents: item.parents.len() as u32,
            elided: item.elided.len() as u32,
            links_end: self.links.len() as u32,
            chips_end: 0,
            undo_end: 0,
            shadow_end: 0,
        });
        match item.shape {
            Shape::Fold => self.chips.extend_from_slice(item.parents),
            Shape::Leaf => self.stand_beside(at),
            Shape::Node | Shape::Side | Shape::Fan => self.place(at, &item),
        }
        self.enter(item.key, at);
        for member in item.members {
            self.enter(*member, at);
        }
        if let Some(row) = self.rows.last_mut() {
            row.chips_end = self.chips.len() as u32;
            row.undo_end = self.undo.len() as u32;
            row.shadow_end = self.shadow.len() as u32;
        }
        at
    }

    /// Takes away every row from `len` on, and with them all that they drew above.
    pub fn truncate(&mut self, len: usize) {
        while self.rows.len() > len {
            let at = self.rows.len() - 1;
            let (links, _) = self.links_of(at);
            let (chips, undo, shadow) = self.before(at).map_or((0, 0, 0), |row| {
                (
                    row.chips_end as usize,
                    row.undo_end as usize,
                    row.shadow_end as usize,
                )
            });
            let Some(row) = self.rows.pop() else { return };
            self.forget(row.key, at);
            for member in self
                .links
                .split_off(links.min(self.links.len()))
                .into_iter()
                .skip((row.parents + row.elided) as usize)
            {
                self.forget(member, at);
            }
            while self.shadow.len() > shadow {
                if let Some((key, row)) = self.shadow.pop() {
                    self.index.insert(key, row);
                }
            }
            self.chips.truncate(chips);
            while self.undo.len() > undo {
                if let Some(change) = self.undo.pop() {
                    self.take_back(change, at);
                }
            }
        }
    }

    /// Makes the rows from `first` on equal to `items`, keeping what is equal already. Gives the
    /// first row that changed, or the number of rows where none did.
    pub fn sync<'a>(&mut self, first: usize, items: impl IntoIterator<Item = Item<'a, K>>) -> usize
    where
        K: 'a,
    {
        let mut at = first.min(self.rows.len());
        let mut changed = None;
        for item in items {
            if changed.is_none() && !self.is_same(at, &item) {
                self.truncate(at);
                changed = Some(at);
            }
            if changed.is_some() {
                self.push(item);
            }
            at += 1;
        }
        if changed.is_none() && at < self.rows.len() {
            self.truncate(at);
            changed = Some(at);
        }
        changed.unwrap_or(self.rows.len())
    }

    fn is_same(&self, at: usize, item: &Item<'_, K>) -> bool {
        self.rows.get(at).is_some_and(|row| {
            row.key == item.key
                && row.shape == item.shape
                && self.parents(at) == item.parents
                && self.elided(at) == item.elided
                && self.members(at) == item.members
        })
    }

    fn before(&self, row: usize) -> Option<&Row<K>> {
        self.rows.get(row.checked_sub(1)?)
    }

    fn links_of(&self, row: usize) -> (usize, usize) {
        (
            self.before(row).map_or(0, |row| row.links_end as usize),
            self.rows.get(row).map_or(0, |row| row.links_end as usize),
        )
    }

    fn enter(&mut self, key: K, at: usize) {
        if let Some(older) = self.index.insert(key, at as u32)
            && older != at as u32
        {
            self.shadow.push((key, older));
        }
    }

    fn forget(&mut self, key: K, at: usize) {
        if self.index.get(&key) == Some(&(at as u32)) {
            self.index.remove(&key);
        }
    }
}
