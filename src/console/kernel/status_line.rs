//! Lays out the last message at the bottom of the screen, over several rows if there is room.
//!
//! Must not know: what a message says, how a row is drawn.

use super::hints::Hint;
use crate::ground::columns::Columns as _;
use crate::ground::doc::broken;
use overrule_base::text::{head, visible};

/// Maximum number of rows for a message and the keys below it.
const MOST: usize = 6;
/// Maximum number of characters used: more than the rows can hold.
const LENGTH: usize = 2_000;

/// A message in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusLine {
    /// Its rows. The last one also holds the cut-off rest.
    pub rows: Vec<String>,
    /// True if the message fits completely.
    pub is_whole: bool,
}

/// Columns of a hint, including the gap after it.
pub fn wide(hint: &Hint) -> usize {
    hint.key.columns() + hint.word.columns() + hint.more.columns() + 3
}

/// Rows that a text needs at this width. The keys have a row below more than one.
pub fn rows_for(text: &str, width: usize) -> u16 {
    match rows(text, width).len() {
        0 | 1 => 1,
        more => (more + 1).min(MOST) as u16,
    }
}

/// Lays out a text in `height` rows. The last one is that of the keys, unless there is no other one.
pub fn layout(text: &str, (width, height): (usize, usize)) -> StatusLine {
    let mut rows = rows(text, width);
    let room = height.saturating_sub(1).max(1);
    let is_whole = rows.len() <= room;
    if !is_whole {
        let rest = rows.split_off(room - 1);
        rows.push(rest.join(" "));
    }
    StatusLine { rows, is_whole }
}

fn rows(text: &str, width: usize) -> Vec<String> {
    broken(&visible(head(text, LENGTH).0), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_asks_for_rows_above_that_of_the_keys() {
        assert_eq!(rows_for("one two", 10), 1);
        assert_eq!(rows_for("one two three", 10), 3);
        assert_eq!(rows_for(&"word ".repeat(100), 10), MOST as u16);
    }

    #[test]
    fn a_message_that_does_not_fit_is_cut_above_the_row_of_the_keys() {
        let message = |text: &str, height: usize| layout(text, (10, height));
        let whole = message("one two three", 3);
        assert_eq!(whole.rows, ["one two", "three"]);
        assert!(whole.is_whole);
        let long = message("one two three", 2);
        assert_eq!(long.rows, ["one two three"]);
        assert!(!long.is_whole);
        let low = message("one two three four", 1);
        assert_eq!(low.rows, ["one two three four"]);
        assert!(!low.is_whole);
        assert!(message("one two", 1).is_whole);
    }
}
