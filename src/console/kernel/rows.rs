//! Panes of rows with a cursor, at the bottom of the screen.
//!
//! Must not know: what is in the rows.
//!
//! The rows are made again when the run changes. The cursor stays on the target of its row.

pub(crate) mod kind;
pub(crate) mod view;

pub use kind::{Making, RowsKind};

use std::collections::BTreeMap;

use std::sync::Arc;

use regex::Regex;

use crate::ground::doc::Styled;
use crate::ground::motion::Move;
use crate::ground::seek::Seek;
use crate::kernel::pane::Pane;
use crate::run::target::Target;
use overrule_domain::id::{Epoch, Seq};

/// The weight that is explained, as (tool, kind of task).
pub type Explained = Option<(Arc<str>, Arc<str>)>;

/// A row.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Its target.
    pub target: Target,
    /// Its text.
    pub words: Styled,
}

impl Row {
    /// A row.
    pub const fn new(target: Target, words: Styled) -> Self {
        Self { target, words }
    }
}

/// A pane of rows.
#[derive(Debug, Clone, Default)]
pub struct RowsPane {
    /// Text of the title line after the name of the pane.
    pub title: String,
    /// The rows.
    pub rows: Vec<Row>,
    /// The row under the cursor.
    pub at: usize,
    /// First row on screen.
    pub top: usize,
    /// Inputs of the rows: event, width, and second of open periods.
    pub made: Option<(Seq, u16, Option<i64>)>,
}

impl RowsPane {
    /// Replaces the rows. The cursor stays on its target, or at its index.
    pub fn take(&mut self, title: String, rows: Vec<Row>) {
        let before = self.selected();
        let is_same = |row: &Row| row.target != Target::Nothing && row.target == before;
        let here = rows.get(self.at).is_some_and(is_same);
        if !here && let Some(at) = rows.iter().position(is_same) {
            self.at = at;
        }
        self.at = self.at.min(rows.len().saturating_sub(1));
        self.title = title;
        self.rows = rows;
    }

    /// Target of the row under the cursor.
    pub fn selected(&self) -> Target {
        self.rows.get(self.at).map(|row| row.target).unwrap_or_default()
    }

    /// Moves the cursor.
    pub fn step(&mut self, to: Move, page: usize) {
        let last = self.rows.len().saturating_sub(1);
        let page = page.max(2);
        self.at = match to {
            Move::Up => self.at.saturating_sub(1),
            Move::Down => self.at + 1,
            Move::HalfUp => self.at.saturating_sub(page / 2),
            Move::HalfDown => self.at + page / 2,
            Move::PageUp => self.at.saturating_sub(page - 1),
            Move::PageDown => self.at + page - 1,
            Move::Top => 0,
            Move::Bottom => last,
            Move::Left | Move::Right => return,
        }
        .min(last);
    }

    /// Keeps the cursor on the screen.
    pub fn scroll(&mut self, height: usize) {
        let height = height.max(1);
        self.top = self
            .top
            .min(self.at)
            .max((self.at + 1).saturating_sub(height))
            .min(self.rows.len().saturating_sub(height));
    }
}

/// The panes of rows, and what the operator chose in them.
#[derive(Debug, Clone, Default)]
pub struct RowsPanes {
    panes: BTreeMap<&'static str, RowsPane>,
    /// The branch that others are compared with from the pane; none for the current branch.
    pub marked: Option<Epoch>,
    /// The weight whose changes are listed.
    pub explained: Explained,
    /// The search in the rows of a pane at the bottom.
    pub seek: Option<(Pane, Seek)>,
}

impl RowsPanes {
    /// The pattern that is searched in a pane.
    pub fn pattern(&self, pane: Pane) -> Option<&Regex> {
        let own = self.seek.as_ref().filter(|(of, _)| *of == pane);
        own.map(|(_, seek)| &seek.regex)
    }
}

impl RowsPanes {
    /// The rows of a pane; none before it was shown.
    pub fn of(&self, pane: Pane) -> Option<&RowsPane> {
        self.panes.get(pane.name())
    }

    /// The rows of a pane, to change them.
    pub fn of_mut(&mut self, pane: Pane) -> &mut RowsPane {
        self.panes.entry(pane.name()).or_default()
    }

    /// Makes the rows of a pane again before the next frame.
    pub fn forget(&mut self, pane: Pane) {
        if let Some(rows) = self.panes.get_mut(pane.name()) {
            rows.made = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(epochs: &[u32]) -> Vec<Row> {
        let row = |epoch: &u32| Row::new(Target::Branch(Epoch(*epoch)), Styled::new());
        epochs.iter().map(row).collect()
    }

    #[test]
    fn the_cursor_stays_on_what_it_is_about() {
        let mut pane = RowsPane::default();
        pane.take(String::new(), rows(&[1, 2, 3]));
        pane.step(Move::Down, 5);
        pane.take(String::new(), rows(&[9, 1, 2, 3]));
        assert_eq!(pane.selected(), Target::Branch(Epoch(2)));
        pane.take(String::new(), rows(&[7]));
        assert_eq!((pane.at, pane.selected()), (0, Target::Branch(Epoch(7))));
        pane.take(String::new(), Vec::new());
        assert_eq!(pane.selected(), Target::Nothing);
    }

    #[test]
    fn the_cursor_is_always_on_the_screen() {
        let mut pane = RowsPane::default();
        pane.take(String::new(), rows(&[1, 2, 3, 4, 5, 6, 7, 8]));
        for (to, height, requested) in [
            (Move::Bottom, 3, (7, 5)),
            (Move::PageUp, 3, (5, 5)),
            (Move::Top, 3, (0, 0)),
            (Move::HalfDown, 4, (2, 0)),
            (Move::Down, 0, (3, 3)),
            (Move::Left, 20, (3, 0)),
        ] {
            pane.step(to, height);
            pane.scroll(height);
            assert_eq!((pane.at, pane.top), requested, "{to:?}");
        }
    }
}
