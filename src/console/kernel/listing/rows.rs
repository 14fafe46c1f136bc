//! The rows of a list: every entry's height is known, but only visible rows are made.
//!
//! Must not know: what the entries are, how rows are drawn.

use std::ops::Range;

use crate::ground::doc::Styled;

/// A row of the list.
#[derive(Debug, Clone)]
pub struct Line {
    /// The entry that it belongs to; none for a heading.
    pub of: Option<usize>,
    /// Its text.
    pub words: Styled,
}

/// The rows of a list.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Headings, above the first entry.
    head: Vec<Line>,
    /// Index after the last row of each entry.
    ends: Vec<usize>,
    /// The rows that are made.
    made: Vec<Line>,
    /// Index of the first of those.
    from: usize,
}

impl Rows {
    /// Complete rows: headings, then those of one entry after the other.
    pub fn all(mut lines: Vec<Line>) -> Self {
        let made = lines.iter().position(|line| line.of.is_some());
        let made = lines.split_off(made.unwrap_or(lines.len()));
        let mut rows = Self::sparse(lines, []);
        for (at, line) in made.iter().enumerate() {
            let from = rows.head.len() + at;
            let entries = line.of.map_or(rows.ends.len(), |of| of + 1);
            rows.ends.resize(entries, from);
            if let Some(end) = rows.ends.last_mut() {
                *end = from + 1;
            }
        }
        rows.made = made;
        rows
    }

    /// Headings, then entries with these heights, whose rows are not made yet.
    pub fn sparse(head: Vec<Line>, heights: impl IntoIterator<Item = usize>) -> Self {
        let mut end = head.len();
        let ends = heights.into_iter().map(|height| {
            end += height;
            end
        });
        let ends = ends.collect();
        Self {
            from: head.len(),
            head,
            ends,
            made: Vec::new(),
        }
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.ends.last().copied().unwrap_or(self.head.len())
    }

    /// The rows of an entry.
    pub fn of(&self, entry: usize) -> Range<usize> {
        let before = entry.checked_sub(1).and_then(|before| self.ends.get(before));
        let from = before.copied().unwrap_or(self.head.len());
        from..self.ends.get(entry).copied().unwrap_or(from)
    }

    /// The entry that a row belongs to; none for a heading, and below the last.
    pub fn entry(&self, row: usize) -> Option<usize> {
        let is_entry = (self.head.len()..self.count()).contains(&row);
        is_entry.then(|| self.ends.partition_point(|end| *end <= row))
    }

    /// The entries with a missing row in this range.
    pub fn lacks(&self, rows: &Range<usize>) -> Option<Range<usize>> {
        let (from, to) = (rows.start.max(self.head.len()), rows.end.min(self.count()));
        let made = self.from..self.from + self.made.len();
        if from >= to || (made.contains(&from) && made.contains(&(to - 1))) {
            return None;
        }
        Some(self.entry(from)?..self.entry(to - 1)? + 1)
    }

    /// Stores the rows of the entries from this one on, and drops earlier ones.
    pub fn fill(&mut self, entry: usize, lines: Vec<Line>) {
        self.from = self.of(entry).start;
        self.made = lines;
    }

    /// The rows in this range that are made.
    pub fn shown(&self, rows: Range<usize>) -> impl Iterator<Item = &Line> {
        rows.filter_map(|row| match self.head.get(row) {
            Some(line) => Some(line),
            None => self.made.get(row.checked_sub(self.from)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::theme::Role;

    fn line(of: Option<usize>) -> Line {
        let words = Styled::new().own(Role::Text, format!("{of:?}"));
        Line { of, words }
    }

    fn owners(rows: &Rows, range: Range<usize>) -> Vec<Option<usize>> {
        rows.shown(range).map(|line| line.of).collect()
    }

    #[test]
    fn rows_that_are_all_made_are_found_by_entry() {
        let of = [None, None, Some(0), Some(1), Some(1), Some(2)];
        let rows = Rows::all(of.map(line).into());
        assert_eq!(rows.count(), 6);
        assert_eq!([rows.of(0), rows.of(1), rows.of(2)], [2..3, 3..5, 5..6]);
        let entries: Vec<_> = (0..7).map(|row| rows.entry(row)).collect();
        assert_eq!(entries[..6], of);
        assert_eq!(entries[6], None);
        assert_eq!(rows.lacks(&(0..6)), None);
        assert_eq!(owners(&rows, 1..4), of[1..4]);
    }

    #[test]
    fn an_entry_without_rows_takes_no_place() {
        let rows = Rows::all([None, Some(1), Some(3)].map(line).into());
        assert_eq!(rows.count(), 3);
        assert!(rows.of(0).is_empty() && rows.of(2).is_empty());
        assert_eq!((rows.of(1), rows.of(3)), (1..2, 2..3));
    }

    #[test]
    fn a_list_without_entries_or_without_anything_has_no_row_of_an_entry() {
        for (lines, len) in [(vec![line(None)], 1), (Vec::new(), 0)] {
            let rows = Rows::all(lines);
            assert_eq!(
                (rows.count(), rows.entry(0), rows.lacks(&(0..9))),
                (len, None, None)
            );
            assert_eq!(rows.of(0), len..len);
        }
    }

    #[test]
    fn what_is_looked_at_is_made_and_nothing_else() {
        // Two rows each, after a heading.
        let mut rows = Rows::sparse(vec![line(None)], [2; 50]);
        assert_eq!((rows.count(), rows.of(49)), (101, 99..101));
        assert_eq!(rows.lacks(&(0..1)), None, "a heading");
        assert_eq!(rows.lacks(&(0..4)), Some(0..2));
        assert_eq!(rows.lacks(&(4..8)), Some(1..4), "halves, too");
        assert_eq!(rows.lacks(&(99..200)), Some(49..50));
        rows.fill(1, [1, 1, 2, 2, 3, 3].map(|of| line(Some(of))).into());
        assert_eq!(rows.lacks(&(3..9)), None);
        assert_eq!(rows.lacks(&(3..10)), Some(1..5));
        assert_eq!(rows.lacks(&(2..4)), Some(0..2));
        assert_eq!(owners(&rows, 4..6), [Some(1), Some(2)]);
        assert_eq!(owners(&rows, 0..2), [None], "the other is not made");
    }
}
