//! Lines of a document that stay in sight when the rows that they repeat are scrolled out.
//!
//! Must not know: what the lines say, how far somebody has scrolled.

use super::{Doc, Styled};
use crate::console::theme::Role;

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
    pub fn kept(&self, top: usize) -> impl Iterator<Item = &Styled> {
        let out = self.head.lines.iter().filter(move |(row, _)| *row < top);
        out.map(|(_, line)| line)
    }

    /// The same in at most so many rows of a screen: in one of them all lines stand beside each other.
    pub fn head(&self, top: usize, most: usize) -> Vec<Styled> {
        let mut rows: Vec<Styled> = Vec::new();
        for line in self.kept(top) {
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
