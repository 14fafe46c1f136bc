//! Lines of a document that stay visible when the rows that they repeat are scrolled out.
//!
//! Must not know: what the lines contain, how far the operator has scrolled.

use std::ops::Range;

use super::{Doc, Styled};
use crate::ground::theme::Role;

/// Screen heights in rows below which the lines take at most one row, and below which they take
/// none.
const LOW: [usize; 2] = [16, 4];
/// Maximum number of rows on higher screens.
const HEAD: usize = 3;

/// Maximum number of rows for the lines on a screen of `height` rows.
const fn most(height: usize) -> usize {
    let [low, lowest] = LOW;
    if height >= low {
        HEAD
    } else if height >= lowest {
        1
    } else {
        0
    }
}

/// The pinned lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    /// Each line with the row that it repeats, in row order.
    lines: Vec<(usize, Styled)>,
}

impl Doc {
    /// Pins a line to the top once the row that it repeats is scrolled out.
    pub fn keep(&mut self, row: usize, line: Styled) {
        self.head.lines.push((row, line));
    }

    /// The pinned lines if the rows before `top` are scrolled out.
    fn pinned(&self, top: usize) -> impl Iterator<Item = &Styled> {
        let out = self.head.lines.iter().filter(move |(row, _)| *row < top);
        out.map(|(_, line)| line)
    }

    /// Rows that the pinned lines take at the top of a screen of `height` rows.
    pub fn head_rows(&self, top: usize, height: usize) -> usize {
        self.pinned(top).count().min(most(height))
    }

    /// The rows from `top` on that fit on a screen of `height` rows, below the pinned lines.
    pub fn shown(&self, top: usize, height: usize) -> Range<usize> {
        let room = height.saturating_sub(self.head_rows(top, height));
        let end = (top + room).min(self.rows());
        top.min(end)..end
    }

    /// The first row of a screen of `height` rows that ends with the last row.
    pub fn last_top(&self, height: usize) -> usize {
        let last = |taken: usize| self.rows().saturating_sub(height.saturating_sub(taken));
        let mut top = last(0);
        // Each row that the lines take pushes the last rows down by one.
        for taken in 1..=most(height) {
            if self.head_rows(top, height) >= taken {
                top = last(taken);
            }
        }
        top
    }

    /// The pinned lines at the top of a screen of `height` rows. With one row, they share it.
    pub fn head(&self, top: usize, height: usize) -> Vec<Styled> {
        let most = most(height);
        let mut rows: Vec<Styled> = Vec::new();
        for line in self.pinned(top) {
            let own = line.0.iter().cloned();
            match rows.last_mut() {
                Some(row) if most == 1 => {
                    *row = std::mem::take(row).own(Role::Dim, "  ");
                    row.0.extend(own);
                }
                _ => rows.push(Styled(own.collect())),
            }
        }
        rows.truncate(most);
        rows
    }
}
