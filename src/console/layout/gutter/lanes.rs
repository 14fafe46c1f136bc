//! Which lane a node takes, the lines to its parents, and how to take them back.
//!
//! Must not know: what rows are for, how they look.

use std::hash::Hash;

use super::{Gutter, Item, MAX_SPAN, NO_ROW, Shape};

/// How to take back what an append changed outside of its own row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Undo {
    /// A lane had this open end.
    Tail { lane: u8, row: u32 },
    /// A line was drawn from this row down to the appended one.
    Line {
        lane: u8,
        from: u32,
        down: u32,
        right: u32,
    },
}

impl<K: Copy + Eq + Hash> Gutter<K> {
    /// Chooses the lane of the appended row and draws its lines.
    pub(super) fn place(&mut self, at: usize, item: &Item<'_, K>) {
        let side = item.shape == Shape::Side;
        let mut rows = std::mem::take(&mut self.scratch);
        rows.clear();
        let direct = item.parents.iter().map(|parent| (parent, false));
        for (parent, thin) in direct.chain(item.elided.iter().map(|parent| (parent, true))) {
            match self.index.get(parent) {
                Some(row) => rows.push((*row, thin)),
                None => self.chips.push(*parent),
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
                    if let Some(parent) = self.rows.get(*row as usize) {
                        self.chips.push(parent.key);
                    }
                }
            }
        }
        self.scratch = rows;
        let lane = if ends == 0 {
            self.free(0, at, side)
        } else {
            Some(ends.trailing_zeros() as u8)
        };
        if let Some(row) = self.rows.get_mut(at) {
            row.lane = lane;
            row.up = ends;
            row.right = span(ends);
        }
        if let Some(lane) = lane {
            self.set_tail(lane, at as u32);
        }
    }

    /// Finds the place of a leaf.
    pub(super) fn stand_beside(&mut self, at: usize) {
        let is_open = |tail: &u32| *tail != NO_ROW && at - *tail as usize <= MAX_SPAN;
        let open = self.tails.iter().rposition(is_open);
        if let (Some(row), Some(open)) = (self.rows.get_mut(at), open) {
            row.beside = (open as u8 + 1).min(self.lanes.saturating_sub(1));
        }
    }

    /// The lane that ends in this row and may be continued by the row `at`.
    fn tail_lane(&self, row: usize, at: usize, side: bool) -> Option<u8> {
        let parent = self.rows.get(row)?;
        let lane = parent.lane?;
        let tail = *self.tails.get(lane as usize)?;
        let may = !side || parent.shape == Shape::Side;
        (may && tail as usize == row && at - row <= MAX_SPAN).then_some(lane)
    }

    /// A lane in which a line can be drawn from this row to the row `at`.
    fn fork_lane(&self, row: usize, at: usize, taken: u32, side: bool) -> Option<u8> {
        let parent = self.rows.get(row)?;
        parent.lane?;
        if at - row > MAX_SPAN {
            return None;
        }
        let mut busy = taken | parent.down;
        for between in self.rows.get(row + 1..at)? {
            busy |= between.up | between.down | between.lane.map_or(0, |lane| 1 << lane);
        }
        self.free(busy, at, side)
    }

    /// The leftmost lane that is neither in `busy` nor kept for an open end.
    fn free(&self, busy: u32, at: usize, side: bool) -> Option<u8> {
        let pick = |spare: bool| {
            (0..self.lanes).find(|lane| {
                let tail = self.tails.get(*lane as usize).copied().unwrap_or(NO_ROW);
                let open = tail != NO_ROW && at - tail as usize <= MAX_SPAN;
                let spared = spare
                    && self
                        .rows
                        .get(tail as usize)
                        .is_some_and(|row| row.shape == Shape::Side);
                busy & (1 << lane) == 0 && (!open || spared)
            })
        };
        // A branch that no longer counts gives its lane up rather than let one that does do without.
        pick(false).or_else(|| if side { None } else { pick(true) })
    }

    fn set_tail(&mut self, lane: u8, row: u32) {
        if let Some(tail) = self.tails.get_mut(lane as usize)
            && *tail != row
        {
            self.undo.push(Undo::Tail { lane, row: *tail });
            *tail = row;
        }
    }

    /// Draws the line from a parent's row down to the row `at`, in a lane that is free between;
    /// `thin` where it stands for a way past nodes without a row.
    fn draw(&mut self, lane: u8, from: usize, at: usize, thin: bool) {
        let bit = 1 << lane;
        let Some(parent) = self.rows.get_mut(from) else {
            return;
        };
        self.undo.push(Undo::Line {
            lane,
            from: from as u32,
            down: parent.down,
            right: parent.right,
        });
        parent.down |= bit;
        if let Some(own) = parent.lane {
            parent.right |= span(bit | 1 << own);
        }
        for row in self.rows.get_mut(from + 1..at).unwrap_or_default() {
            row.up |= bit;
            row.down |= bit;
            row.pass |= bit;
            if thin {
                row.thin |= bit;
            }
        }
    }

    pub(super) fn take_back(&mut self, change: Undo, at: usize) {
        match change {
            Undo::Tail { lane, row } => {
                if let Some(tail) = self.tails.get_mut(lane as usize) {
                    *tail = row;
                }
            }
            Undo::Line {
                lane,
                from,
                down,
                right,
            } => {
                let from = from as usize;
                if let Some(parent) = self.rows.get_mut(from) {
                    parent.down = down;
                    parent.right = right;
                }
                let keep = !(1 << lane);
                for row in self.rows.get_mut(from + 1..at).unwrap_or_default() {
                    row.up &= keep;
                    row.down &= keep;
                    row.pass &= keep;
                    row.thin &= keep;
                }
            }
        }
    }
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
