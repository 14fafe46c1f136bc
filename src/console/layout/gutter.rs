//! The graph as lanes: oldest on top, one row for each node, growing downwards.
//!
//! An append touches the rows between a node and its parents and nothing else, so a line never
//! moves once it stands, and rows can be taken away again exactly. Lines are drawn when they are
//! known (a child draws the line up to its parent), hence every vertical has two ends. In its row
//! a node is a bus bar: a lane that comes from above into the bar is a parent, a lane that leaves
//! it downwards is a child, a lane that passes through is drawn over it and has no part in it.
//! Must not know: ratatui, colours, statuses, what a key stands for.

mod glyphs;
mod index;
mod key;
mod lanes;
mod store;
#[cfg(test)]
mod tests;

pub use glyphs::{Cell, Glyphs, Line};
use index::Index;
pub use key::{Key, Keys};
use lanes::span;
use store::{Stand, Store};

/// A line is never longer than this many rows; a parent farther away is a chip.
pub const MAX_SPAN: usize = 64;
/// Lanes side by side, unless told otherwise.
pub const DEFAULT_LANES: u8 = 8;
/// The most lanes that can be asked for.
pub const MAX_LANES: u8 = 32;

const NO_ROW: u32 = u32::MAX;
/// Rows from which on it takes less to go through all keys than through those of the rows that are taken away.
const MANY: usize = if cfg!(test) { 8 } else { 1024 };

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

impl Shape {
    /// Every shape.
    const ALL: [Self; 5] = [Self::Node, Self::Side, Self::Leaf, Self::Fan, Self::Fold];
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    store: Store<K>,
    /// The row in which a lane's last node waits for a child.
    tails: [u32; MAX_LANES as usize],
    /// Rows with parents to which no line goes, and those.
    chips: Vec<(u32, K)>,
    /// Keys that a row took from an older one, with that.
    shadow: Vec<(u32, u64, u32)>,
    index: Index,
    scratch: Vec<(u32, bool)>,
}

impl<K: Key> Default for Gutter<K> {
    fn default() -> Self {
        Self::new(DEFAULT_LANES)
    }
}

impl<K: Key> Gutter<K> {
    /// An empty graph of so many lanes (1 to [`MAX_LANES`]).
    pub fn new(lanes: u8) -> Self {
        let lanes = lanes.clamp(1, MAX_LANES);
        Self {
            lanes,
            store: Store::new(lanes),
            tails: [NO_ROW; MAX_LANES as usize],
            chips: Vec::new(),
            shadow: Vec::new(),
            index: Index::default(),
            scratch: Vec::new(),
        }
    }

    /// Number of rows.
    pub const fn len(&self) -> usize {
        self.store.len()
    }

    /// True while there is no row.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
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
    pub fn window(&self, first: usize, height: usize) -> Vec<Row<K>> {
        let end = first.saturating_add(height).min(self.len());
        (first..end).filter_map(|row| self.row(row)).collect()
    }

    /// One row.
    pub fn row(&self, row: usize) -> Option<Row<K>> {
        let stand = self.store.stand(row)?;
        let (down, pass) = self.store.masks(row);
        let up = self.store.up(row);
        Some(Row {
            key: self.store.key(row)?,
            shape: stand.shape,
            lane: stand.lane,
            beside: stand.beside,
            up,
            down,
            // It joins what begins and ends in the row with the row's node.
            right: stand.lane.map_or(0, |own| span((up | down) & !pass | 1 << own)),
            pass,
            thin: self.store.thin(row),
        })
    }

    /// What a row is called.
    pub fn key(&self, row: usize) -> Option<K> {
        self.store.key(row)
    }

    /// What a row stands for.
    pub fn shape(&self, row: usize) -> Option<Shape> {
        self.store.stand(row).map(|stand| stand.shape)
    }

    /// The row that stands for a key.
    pub fn find(&self, key: K) -> Option<usize> {
        self.index.get(key.code()).map(|row| row as usize)
    }

    /// The parents that a row was appended with.
    pub fn parents(&self, row: usize) -> Keys<'_, K> {
        self.store
            .links(row)
            .map(|links| links.parents)
            .unwrap_or_default()
    }

    /// What a row hangs on by way of nodes that have no row.
    pub fn elided(&self, row: usize) -> Keys<'_, K> {
        self.store
            .links(row)
            .map(|links| links.elided)
            .unwrap_or_default()
    }

    /// The further keys that a row stands for.
    pub fn members(&self, row: usize) -> Keys<'_, K> {
        self.store
            .links(row)
            .map(|links| links.members)
            .unwrap_or_default()
    }

    /// The parents of a row to which no line goes, because they are too far away, beyond the last
    /// lane, in a fold, or not among the rows.
    pub fn chips(&self, row: usize) -> Vec<K> {
        if !self.store.stand(row).is_some_and(|stand| stand.chips) {
            return Vec::new();
        }
        let first = self.chips.partition_point(|(at, _)| (*at as usize) < row);
        let here = self.chips.iter().skip(first);
        let here = here.take_while(|(at, _)| *at as usize == row);
        here.map(|(_, key)| *key).collect()
    }

    fn chip(&mut self, row: usize, key: K) {
        self.chips.push((row as u32, key));
        if let Some(stand) = self.store.stand(row).filter(|stand| !stand.chips) {
            self.store.set_stand(row, Stand { chips: true, ..stand });
        }
    }

    /// Appends a node; gives its row.
    pub fn append(&mut self, key: K, parents: &[K]) -> usize {
        self.push(Item::node(key, parents))
    }

    /// Appends any row; gives its number.
    pub fn push(&mut self, item: Item<'_, K>) -> usize {
        let at = self.len();
        self.let_go(at);
        self.store.push(&item);
        match item.shape {
            Shape::Fold => item.parents.iter().for_each(|parent| self.chip(at, *parent)),
            Shape::Leaf => self.stand_beside(at),
            Shape::Node | Shape::Side | Shape::Fan => self.place(at, &item),
        }
        self.enter(item.key, at);
        for member in item.members {
            self.enter(*member, at);
        }
        at
    }

    /// Takes away every row from `len` on, and with them all that they drew above.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        if len == 0 {
            *self = Self::new(self.lanes);
            return;
        }
        if self.len() - len > MANY {
            self.forget_many(len);
        } else {
            (len..self.len()).rev().for_each(|at| self.forget(at));
        }
        self.store.truncate(len);
        let chips = self.chips.partition_point(|(row, _)| (*row as usize) < len);
        self.chips.truncate(chips);
        self.take_back();
    }

    /// Forgets in which row the keys of the last one stand.
    fn forget(&mut self, at: usize) {
        let Some(links) = self.store.links(at) else {
            return;
        };
        for key in links.members.chain([links.key]) {
            if self.index.get(key.code()) == Some(at as u32) {
                self.index.remove(key.code());
            }
        }
        while let Some((_, code, older)) = self.shadow.pop_if(|(row, ..)| *row as usize >= at) {
            self.index.insert(code, older);
        }
    }

    /// The same for all rows from one on.
    fn forget_many(&mut self, len: usize) {
        // What a row had taken from an older one goes back, and from that one perhaps to one that is older still.
        while let Some((_, code, older)) = self.shadow.pop_if(|(row, ..)| *row as usize >= len) {
            self.index.insert(code, older);
        }
        self.index.truncate(len as u32);
    }

    /// Makes the rows from `first` on equal to `items`, keeping what is equal already. Gives the
    /// first row that changed, or the number of rows where none did.
    pub fn sync<'a>(&mut self, first: usize, items: impl IntoIterator<Item = Item<'a, K>>) -> usize
    where
        K: 'a,
    {
        let (changed, end) = self.merge(first, items);
        let before = self.len();
        self.truncate(end);
        changed.unwrap_or(before.min(end))
    }

    /// Makes as many rows from `first` on equal to `items` as there are items, keeping what is equal already; where
    /// one differs nothing stays behind it. Gives the first row that changed, and the one after the last item.
    pub fn merge<'a>(
        &mut self,
        first: usize,
        items: impl IntoIterator<Item = Item<'a, K>>,
    ) -> (Option<usize>, usize)
    where
        K: 'a,
    {
        let mut at = first.min(self.len());
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
        (changed, at)
    }

    fn is_same(&self, at: usize, item: &Item<'_, K>) -> bool {
        let equal = |keys: Keys<'_, K>, others: &[K]| {
            keys.len() == others.len() && keys.zip(others).all(|(one, other)| one == *other)
        };
        self.store.links(at).is_some_and(|links| {
            links.key == item.key
                && self.shape(at) == Some(item.shape)
                && equal(links.parents, item.parents)
                && equal(links.elided, item.elided)
                && equal(links.members, item.members)
        })
    }

    fn enter(&mut self, key: K, at: usize) {
        if let Some(older) = self.index.insert(key.code(), at as u32)
            && older != at as u32
        {
            self.shadow.push((at as u32, key.code(), older));
        }
    }
}
