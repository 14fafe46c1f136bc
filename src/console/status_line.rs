//! How the newest word is told at the bottom of the screen: over as many rows as it needs, as far as there is room.
//!
//! Must not know: what is said, how a row is drawn.

use super::columns::Columns as _;
use super::doc::broken;
use super::hints::Hint;
use crate::text::{head, visible};

/// The most rows that one asks for.
const MOST: usize = 5;
/// Characters that are looked at: more than so many rows have.
const LENGTH: usize = 2_000;

/// A word as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// Its rows; in the last one stands what was cut off, too.
    pub rows: Vec<String>,
    /// True where the keys that stay stand in its last row, because there is no row for keys.
    pub shares: bool,
    /// True where all of it is there.
    pub is_whole: bool,
}

/// Columns that a hint takes, with the gap behind it.
pub fn wide(hint: &Hint) -> usize {
    hint.key.columns() + hint.word.columns() + 3
}

/// Columns of the hints that stay.
pub fn pinned_columns(hints: &[Hint]) -> usize {
    hints.iter().filter(|hint| hint.stays).map(wide).sum()
}

/// Rows that a text asks for which has so many columns in each of them, of which the keys that stay take so many in the
/// last one.
pub fn rows_for(text: &str, width: usize, stored: usize) -> u16 {
    let rows = rows(text, width);
    let fits = rows.len() == 1 || rows.last().is_none_or(|last| last.columns() + stored <= width);
    (rows.len() + usize::from(!fits)).min(MOST) as u16
}

/// A text over so many rows. One row alone is given to it whole.
pub fn layout(text: &str, (width, height): (usize, usize), stored: usize) -> StatusLine {
    let mut rows = rows(text, width);
    let shares = height > 1 && rows.len() >= height;
    let beside = if shares {
        width.saturating_sub(stored)
    } else {
        width
    };
    let ends = rows
        .get(height.saturating_sub(1))
        .is_none_or(|last| last.columns() <= beside);
    let is_whole = rows.len() <= height && ends;
    if rows.len() > height {
        let rest = rows.split_off(height.saturating_sub(1));
        rows.push(rest.join(" "));
    }
    StatusLine {
        rows,
        shares,
        is_whole,
    }
}

fn rows(text: &str, width: usize) -> Vec<String> {
    broken(&visible(head(text, LENGTH).0), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_asks_for_the_rows_that_it_needs_beside_the_keys_that_stay() {
        assert_eq!(rows_for("one two", 10, 4), 1);
        assert_eq!(rows_for("one two three", 10, 4), 2, "`three` and the keys");
        assert_eq!(
            rows_for("one two three four", 10, 4),
            3,
            "`three four` takes a row"
        );
        assert_eq!(rows_for(&"word ".repeat(100), 10, 4), MOST as u16);
    }

    #[test]
    fn a_message_that_does_not_fit_is_cut_with_a_mark_in_its_last_row() {
        let message = |text: &str, height: usize| layout(text, (10, height), 4);
        let whole = message("one two three", 2);
        assert_eq!(whole.rows, ["one two", "three"]);
        assert!(whole.is_whole && whole.shares);
        let roomy = message("one two three", 3);
        assert!(roomy.is_whole && !roomy.shares, "the keys have a row");
        let long = message("one two three four", 2);
        assert_eq!(long.rows, ["one two", "three four"]);
        assert!(!long.is_whole && long.shares, "the keys stand over its end");
        let low = message("one two three four", 1);
        assert_eq!(low.rows, ["one two three four"]);
        assert!(!low.is_whole && !low.shares);
        assert!(message("one two", 1).is_whole);
    }
}
