//! Lays out the last message at the bottom of the screen, over several rows if there is room.
//!
//! Must not know: what a message says, how a row is drawn.

use super::hints::Hint;
use crate::ground::columns::Columns as _;
use crate::ground::doc::broken;
use overrule_base::text::{head, visible};

/// Maximum number of rows for a message.
const MOST: usize = 5;
/// Maximum number of characters used: more than the rows can hold.
const LENGTH: usize = 2_000;

/// A message in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// Its rows. The last one also holds the cut-off rest.
    pub rows: Vec<String>,
    /// True if the pinned keys share its last row, because they have no row of their own.
    pub shares: bool,
    /// True if the message fits completely.
    pub is_whole: bool,
}

/// Columns of a hint, including the gap after it.
pub fn wide(hint: &Hint) -> usize {
    hint.key.columns() + hint.word.columns() + 3
}

/// Columns of the pinned hints.
pub fn pinned_columns(hints: &[Hint]) -> usize {
    hints.iter().filter(|hint| hint.stays).map(wide).sum()
}

/// Rows that a text needs at this width. The pinned keys take `stored` columns of the last row.
pub fn rows_for(text: &str, width: usize, stored: usize) -> u16 {
    let rows = rows(text, width);
    let fits = rows.len() == 1 || rows.last().is_none_or(|last| last.columns() + stored <= width);
    (rows.len() + usize::from(!fits)).min(MOST) as u16
}

/// Lays out a text in `height` rows. A single row goes to the text alone.
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
        assert!(!long.is_whole && long.shares, "the keys cover its end");
        let low = message("one two three four", 1);
        assert_eq!(low.rows, ["one two three four"]);
        assert!(!low.is_whole && !low.shares);
        assert!(message("one two", 1).is_whole);
    }
}
