//! Rows of a text that were on screen.
//!
//! Must not know: what the text is about.

use std::ops::Range;

/// Rows that were on screen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(Vec<Range<usize>>);

impl Coverage {
    /// Adds rows.
    pub fn add(&mut self, rows: Range<usize>) {
        if rows.is_empty() {
            return;
        }
        self.0.push(rows);
        self.0.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(self.0.len());
        for range in self.0.drain(..) {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        self.0 = merged;
    }

    /// Rows out of `total` that were not on screen.
    pub fn misses(&self, total: usize) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut at = 0;
        for range in &self.0 {
            if range.start > at {
                out.push(at..range.start.min(total));
            }
            at = at.max(range.end);
        }
        if at < total {
            out.push(at..total);
        }
        out.retain(|range| !range.is_empty());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_on_screen_add_up() {
        let mut read = Coverage::default();
        read.add(0..5);
        read.add(10..12);
        assert_eq!(read.misses(14), vec![5..10, 12..14]);
        read.add(4..11);
        assert!(read.misses(12).is_empty());
        assert_eq!(read.misses(13), vec![12..13]);
    }
}
