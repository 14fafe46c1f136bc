//! Lines of a document that stay in sight when the rows that they repeat are scrolled out.
//!
//! Must not know: what the lines say, how far somebody has scrolled.

use std::ops::Range;

use super::{Doc, Styled};
use crate::console::theme::Role;

/// Rows of a screen below which the lines take one of them at most, and below which they take none.
const LOW: [usize; 2] = [16, 4];
/// Rows that they take elsewhere.
const HEAD: usize = 3;

/// Rows that the lines take at most of a screen of so many.
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

/// The lines that stay.
#[derive(Debug, Clone, Default)]
pub(super) struct Head {
    /// Each with the row that it repeats, in the order of these rows.
    lines: Vec<(usize, Styled)>,
    /// What stands before the first of them, and before the others.
    marks: [&'static str; 2],
}

impl Doc {
    /// Says what stands before the first line of a head that stays in sight, and before its others.
    pub const fn marked(&mut self, marks: [&'static str; 2]) {
        self.head.marks = marks;
    }

    /// Has a line stay in sight once a row, which it repeats, is scrolled out.
    pub fn keep(&mut self, row: usize, line: Styled) {
        self.head.lines.push((row, line));
    }

    /// The lines that stay in sight where the rows before `top` are scrolled out.
    fn pinned(&self, top: usize) -> impl Iterator<Item = &Styled> {
        let out = self.head.lines.iter().filter(move |(row, _)| *row < top);
        out.map(|(_, line)| line)
    }

    /// Rows that they take at the top of a screen of so many.
    pub fn head_rows(&self, top: usize, height: usize) -> usize {
        self.pinned(top).count().min(most(height))
    }

    /// The rows from `top` on that are on a screen of so many, below the lines that stay.
    pub fn shown(&self, top: usize, height: usize) -> Range<usize> {
        let room = height.saturating_sub(self.head_rows(top, height));
        let end = (top + room).min(self.rows());
        top.min(end)..end
    }

    /// The first row of a screen of so many that ends with the last one.
    pub fn last_top(&self, height: usize) -> usize {
        let last = |taken: usize| self.rows().saturating_sub(height.saturating_sub(taken));
        let mut top = last(0);
        // With each row that the lines take the last rows are reached one later.
        for taken in 1..=most(height) {
            if self.head_rows(top, height) >= taken {
                top = last(taken);
            }
        }
        top
    }

    /// The lines that stay at the top of a screen of so many rows: in one of them all stand beside each other.
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
                _ => {
                    let mark = self.head.marks.get(usize::from(!rows.is_empty()));
                    let mut row = Styled::new().own(Role::Decision, mark.copied().unwrap_or_default());
                    row.0.extend(own);
                    rows.push(row);
                }
            }
        }
        rows.truncate(most);
        rows
    }
}
