//! Two texts next to each other in a document.
//!
//! Must not know: what the texts are.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::Styled;
use crate::ground::pager::Pager;
use crate::ground::theme::Role;

/// Columns of the line between the texts, with the blank after it.
pub const BETWEEN: usize = 2;

/// One of two texts.
#[derive(Debug, Clone, Default)]
pub struct Half {
    /// The text in rows with its role; none where the other text has nothing next to it.
    pub text: Option<(Arc<Pager>, Role)>,
    /// What is before the first row.
    pub first: Styled,
    /// Columns before the other rows.
    pub indent: usize,
}

impl Half {
    fn rows(&self) -> usize {
        self.text.as_ref().map_or(0, |(pager, _)| pager.rows())
    }

    fn row(&self, at: usize, find: Option<&Regex>) -> Styled {
        let Some((pager, role)) = &self.text else {
            return Styled::new();
        };
        let Some(row) = pager.window(at, 1, find).into_iter().next() else {
            return Styled::new();
        };
        let mut line = if at == 0 {
            self.first.clone()
        } else {
            Styled::new().own(Role::Dim, " ".repeat(self.indent))
        };
        line.push_row(row, *role);
        line
    }

    fn bytes_in(&self, rows: &Range<usize>) -> u64 {
        let own = rows.start.min(self.rows())..rows.end.min(self.rows());
        match &self.text {
            Some((pager, _)) if !own.is_empty() => pager.bytes_in(&own),
            _ => 0,
        }
    }
}

/// Two texts next to each other.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The left and the right one.
    pub halves: [Half; 2],
    /// Columns of the left one.
    pub columns: usize,
    /// The line between them.
    pub line: char,
}

impl Pair {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        let [left, right] = &self.halves;
        left.rows().max(right.rows()).max(1)
    }

    /// A row of both.
    pub fn row(&self, at: usize, find: Option<&Regex>) -> Styled {
        let [left, right] = &self.halves;
        let mut line = left.row(at, find);
        let gap = self.columns.saturating_sub(line.columns());
        line = line
            .own(Role::Text, " ".repeat(gap))
            .own(Role::Border, format!("{} ", self.line));
        line.0.extend(right.row(at, find).0);
        line
    }

    /// The bytes of both in some rows.
    pub fn bytes_in(&self, rows: &Range<usize>) -> u64 {
        self.halves.iter().map(|half| half.bytes_in(rows)).sum()
    }

    /// The first text.
    pub fn pager(&self) -> Option<&Arc<Pager>> {
        let mut texts = self.halves.iter().filter_map(|half| half.text.as_ref());
        texts.next().map(|(pager, _)| pager)
    }

    /// The rows with a match.
    pub fn matches(&self, find: &Regex) -> Vec<usize> {
        let rows = 0..self.rows();
        rows.filter(|row| find.is_match(&self.row(*row, None).plain()))
            .collect()
    }
}
