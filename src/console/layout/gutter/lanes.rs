//! Which lane a node takes, the lines to its parents, and how to take them back.
//!
//! Nothing is noted for taking back: what was drawn from rows that are gone are the lines that lead out of the last row
//! that stays. Must not know: what rows are for, how they look.

use super::key::Key;
use super::{Gutter, Item, MAX_SPAN, NO_ROW, Shape};

impl<K: Key> Gutter<K> {
    /// Chooses the lane of the appended row and draws its lines.
    pub(super) fn place(&mut self, at: usize, item: &Item<'_, K>) {
        let side = item.shape == Shape::Side;
        let mut rows = std::mem::take(&mut self.scratch);
        rows.clear();
        let direct = item.parents.iter().map(|parent| (parent, false));
        for (parent, thin) in direct.chain(item.elided.iter().map(|parent| (parent, true))) {
            match self.index.get(parent.code()) {
                Some(row) => rows.push((row, thin)),
                None => self.chip(at, *parent),
            }
        }
        // Where one row is reached both ways, the direct one is drawn.
        rows.sort_unstable();
        rows.dedup_by_key(|(row, _)| *row);
        // Lines that end an open lane come first, so that a fork never takes a lane from them.
        let mut ends = 0;
        rows.retain(|(row, thin)| {
            let end = self.tail_lane(*row as usize, at, side);
            if let Some(lane) = end {
                ends |= 1 << lane;
                self.set_tail(lane, NO_ROW);
                self.draw(lane, *row as usize, at, *thin);
            }
            end.is_none()
        });
        for (row, thin) in &rows {
            match self.fork_lane(*row as usize, at, ends, side) {
                Some(lane) => {
                    ends |= 1 << lane;
                    // A lane that was taken from a branch that no longer counts is no longer its.
                    self.set_tail(lane, NO_ROW);
                    self.draw(lane, *row as usize, at, *thin);
                }
                None => {
                    if let Some(parent) = self.store.key(*row as usize) {
                        self.chip(at, parent);
                    }
                }
            }
        }
        self.scratch = rows;
        let lane = if ends == 0 {
            self.free(0, side)
        } else {
            Some(ends.trailing_zeros() as u8)
        };
        if let Some(stand) = self.store.stand(at) {
            self.store.set_stand(at, super::Stand { lane, ..stand });
        }
        if let Some(lane) = lane {
            self.set_tail(lane, at as u32);
        }
    }

    /// Finds the place of a leaf.
    pub(super) fn stand_beside(&mut self, at: usize) {
        let open = self.tails.iter().rposition(|tail| *tail != NO_ROW);
        if let (Some(stand), Some(open)) = (self.store.stand(at), open) {
            let beside = (open as u8 + 1).min(self.lanes.saturating_sub(1));
            self.store.set_stand(at, super::Stand { beside, ..stand });
        }
    }

    /// Lets lanes go that nobody can continue from the row `at` on: their nodes are too far away.
    pub(super) fn let_go(&mut self, at: usize) {
        for tail in self.tails.iter_mut().take(usize::from(self.lanes)) {
            if *tail != NO_ROW && at - *tail as usize > MAX_SPAN {
                *tail = NO_ROW;
            }
        }
    }

    /// The lane that ends in this row and may be continued by the row `at`.
    fn tail_lane(&self, row: usize, at: usize, side: bool) -> Option<u8> {
        let parent = self.store.stand(row)?;
        let lane = parent.lane?;
        let tail = *self.tails.get(lane as usize)?;
        let may = !side || parent.shape == Shape::Side;
        (may && tail as usize == row && at - row <= MAX_SPAN).then_some(lane)
    }

    /// A lane in which a line can be drawn from this row to the row `at`.
    fn fork_lane(&self, row: usize, at: usize, taken: u32, side: bool) -> Option<u8> {
        self.store.stand(row)?.lane?;
        if at - row > MAX_SPAN {
            return None;
        }
        let mut busy = taken | self.store.masks(row).0;
        for between in row + 1..at {
            busy |= self.store.masks(between).0 | self.store.stand(between)?.lane_bit();
        }
        self.free(busy, side)
    }

    /// The leftmost lane that is neither in `busy` nor kept for an open end.
    fn free(&self, busy: u32, side: bool) -> Option<u8> {
        let pick = |spare: bool| {
            (0..self.lanes).find(|lane| {
                let tail = self.tails.get(*lane as usize).copied().unwrap_or(NO_ROW);
                let spared = spare
                    && self
                        .store
                        .stand(tail as usize)
                        .is_some_and(|row| row.shape == Shape::Side);
                busy & (1 << lane) == 0 && (tail == NO_ROW || spared)
            })
        };
        // A branch that no longer counts gives its lane up rather than let one that does do without.
        pick(false).or_else(|| if side { None } else { pick(true) })
    }

    fn set_tail(&mut self, lane: u8, row: u32) {
        if let Some(tail) = self.tails.get_mut(lane as usize) {
            *tail = row;
        }
    }

    /// Draws the line from a parent's row down to the row `at`, in a lane that is free between;
    /// `thin` where it stands for a way past nodes without a row.
    fn draw(&mut self, lane: u8, from: usize, at: usize, thin: bool) {
        self.store.begin(from, lane);
        for row in from + 1..at {
            self.store.pass(row, lane, thin);
        }
    }

    /// Takes back what rows that are gone drew above, and what they changed of the ends of lanes.
    pub(super) fn take_back(&mut self) {
        self.tails.fill(NO_ROW);
        let Some(last) = self.store.len().checked_sub(1) else {
            return;
        };
        for lane in lanes_of(self.store.masks(last).0) {
            // A line that leads out has its lower end in a row that is gone.
            let mut row = Some(last);
            while let Some(at) = row {
                let passes = self.store.masks(at).1 & (1 << lane) != 0;
                self.store.clear(at, lane);
                row = at.checked_sub(1).filter(|_| passes);
            }
        }
        // The last row that had to do with a lane says how that ends.
        let mut known = 0;
        for row in (last.saturating_sub(MAX_SPAN)..=last).rev() {
            let own = self.store.stand(row).unwrap_or_default().lane_bit();
            let ends = self.store.up(row) & !self.store.masks(row).1;
            for lane in lanes_of(own & !known) {
                self.set_tail(lane, row as u32);
            }
            known |= own | ends;
        }
    }
}

/// The lanes of a set, from the left.
fn lanes_of(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lane = (set != 0).then(|| set.trailing_zeros() as u8)?;
        set &= set - 1;
        Some(lane)
    })
}

/// The lanes from the lowest to the one before the highest of these: those with a line to the right.
pub(super) const fn span(lanes: u32) -> u32 {
    if lanes == 0 {
        return 0;
    }
    let low = lanes.trailing_zeros();
    let high = lanes.ilog2();
    ((1_u32 << high) - 1) & !((1_u32 << low) - 1)
}
