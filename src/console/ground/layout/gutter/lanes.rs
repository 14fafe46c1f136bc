//! Chooses the lane of a node and draws the lines to its parents.
//!
//! Must not know: what rows are for, how they look.

use std::hash::Hash;

use super::{Gutter, Item, MAX_SPAN, Shape};

impl<K: Copy + Eq + Hash> Gutter<K> {
    /// Chooses the lane of the appended row and draws its lines.
    pub(crate) fn place(&mut self, at: usize, item: &Item<'_, K>) {
        let side = item.shape == Shape::Side;
        let mut chips = Vec::new();
        let mut rows: Vec<(usize, bool)> = Vec::new();
        let direct = item.parents.iter().map(|parent| (parent, false));
        for (parent, thin) in direct.chain(item.elided.iter().map(|parent| (parent, true))) {
            match self.find(*parent) {
                Some(row) => rows.push((row, thin)),
                None => chips.push(*parent),
            }
        }
        // If a row is a parent both ways, the direct line is drawn.
        rows.sort_unstable();
        rows.dedup_by_key(|(row, _)| *row);
        // Lines that end an open lane come first, so that a fork never takes a lane from them.
        let mut ends = 0;
        rows.retain(|(row, thin)| {
            let end = self.tail_lane(*row, at, side);
            if let Some(lane) = end {
                ends |= 1 << lane;
                self.set_tail(lane, None);
                self.draw(lane, *row, at, *thin);
            }
            end.is_none()
        });
        for (row, thin) in rows {
            match self.fork_lane(row, at, ends, side) {
                Some(lane) => {
                    ends |= 1 << lane;
                    // The lane may have been that of a superseded branch.
                    self.set_tail(lane, None);
                    self.draw(lane, row, at, thin);
                }
                None => chips.extend(self.row(row).map(|parent| parent.key)),
            }
        }
        let lane = if ends == 0 {
            self.free(0, side)
        } else {
            Some(ends.trailing_zeros() as u8)
        };
        if let Some(row) = self.rows.get_mut(at) {
            (row.lane, row.chips) = (lane, chips);
        }
        if let Some(lane) = lane {
            self.set_tail(lane, Some(at));
        }
    }

    /// Chooses the column of a leaf.
    pub(crate) fn place_leaf(&mut self, at: usize) {
        let open = self.tails.iter().rposition(Option::is_some);
        if let (Some(row), Some(open)) = (self.rows.get_mut(at), open) {
            row.beside = (open as u8 + 1).min(self.lanes.saturating_sub(1));
        }
    }

    /// Releases lanes that no row from `at` on can continue: their nodes are too far away.
    pub(crate) fn release_tails(&mut self, at: usize) {
        for tail in &mut self.tails {
            tail.take_if(|tail| at - *tail > MAX_SPAN);
        }
    }

    /// The lane that ends in this row and may be continued by the row `at`.
    fn tail_lane(&self, row: usize, at: usize, side: bool) -> Option<u8> {
        let parent = self.rows.get(row)?;
        let lane = parent.lane?;
        let may = !side || parent.shape == Shape::Side;
        (may && self.tail(lane) == Some(row) && at - row <= MAX_SPAN).then_some(lane)
    }

    /// A lane in which a line can be drawn from this row to the row `at`.
    fn fork_lane(&self, row: usize, at: usize, taken: u32, side: bool) -> Option<u8> {
        let parent = self.rows.get(row)?;
        parent.lane?;
        if at - row > MAX_SPAN {
            return None;
        }
        let between = self.rows.get(row + 1..at)?.iter();
        let busy = between.fold(taken | parent.down, |busy, row| busy | row.down | row.lane_bit());
        self.free(busy, side)
    }

    /// The leftmost lane that is neither in `busy` nor reserved for an open end.
    fn free(&self, busy: u32, side: bool) -> Option<u8> {
        let is_side = |tail: usize| self.row(tail).is_some_and(|row| row.shape == Shape::Side);
        let pick = |spare: bool| {
            (0..self.lanes).find(|lane| {
                let is_open = self.tail(*lane).is_some_and(|tail| !(spare && is_side(tail)));
                busy & (1 << lane) == 0 && !is_open
            })
        };
        // An active row may take the lane of a superseded branch.
        pick(false).or_else(|| if side { None } else { pick(true) })
    }

    /// The row whose node has no child in a lane yet.
    pub(crate) fn tail(&self, lane: u8) -> Option<usize> {
        self.tails.get(usize::from(lane)).copied().flatten()
    }

    fn set_tail(&mut self, lane: u8, row: Option<usize>) {
        if let Some(tail) = self.tails.get_mut(usize::from(lane)) {
            *tail = row;
        }
    }

    /// Draws the line from a parent's row down to the row `at`, in a lane that is free in between;
    /// `thin` if it passes nodes without a row.
    fn draw(&mut self, lane: u8, from: usize, at: usize, thin: bool) {
        let bit = 1 << lane;
        if let Some(parent) = self.rows.get_mut(from) {
            parent.down |= bit;
        }
        for row in self.rows.get_mut(from + 1..at).into_iter().flatten() {
            row.up |= bit;
            row.down |= bit;
            row.pass |= bit;
            row.thin |= if thin { bit } else { 0 };
        }
        if let Some(child) = self.rows.get_mut(at) {
            child.up |= bit;
        }
    }
}

/// The lanes from the lowest to the one before the highest of these: those with a line to the right.
pub(crate) const fn span(lanes: u32) -> u32 {
    if lanes == 0 {
        return 0;
    }
    let low = lanes.trailing_zeros();
    let high = lanes.ilog2();
    ((1_u32 << high) - 1) & !((1_u32 << low) - 1)
}
