//! Long text in rows of a width: an index that grows a piece at a time, and the window in sight.
//!
//! The index keeps the start of every 64th row, so that a window costs its own rows and at most 64
//! more, however long the text or a line of it. Text is broken between graphemes and measured as
//! terminals do. Must not know: ratatui, where the text comes from. Text of others must have been
//! made visible before.

#[cfg(test)]
mod tests;

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Rows between two that the index knows.
const STRIDE: usize = 64;

/// Where a row may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Breaks {
    /// Between words, where there are any; the blank at a break is not shown.
    Words,
    /// Anywhere: every character is shown, in its place. For what is decided on.
    #[default]
    Anywhere,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it shows.
    pub shown: Range<usize>,
    /// Where the next one starts: behind the newline or the blank that was left out.
    pub next: usize,
}

impl Row {
    /// What of the text this row stands for.
    pub const fn covers(&self) -> Range<usize> {
        self.shown.start..self.next
    }
}

/// The rows of one text at one width. The text may grow at its end; for another text make another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrap {
    width: usize,
    breaks: Breaks,
    /// Starts of rows 0, 64, 128 and so on.
    starts: Vec<usize>,
    /// Rows known.
    rows: usize,
    /// Where the first row that is not known starts.
    at: usize,
    /// Length of the text when it was known to its end.
    complete: Option<usize>,
}

impl Wrap {
    /// Nothing is known yet. A width of 0 is taken as 1.
    pub fn new(width: usize, breaks: Breaks) -> Self {
        Self {
            width: width.max(1),
            breaks,
            starts: Vec::new(),
            rows: 0,
            at: 0,
            complete: None,
        }
    }

    /// The index of a whole text.
    pub fn of(text: &str, width: usize, breaks: Breaks) -> Self {
        let mut wrap = Self::new(width, breaks);
        wrap.index(text, usize::MAX);
        wrap
    }

    /// The width that it was made for.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Where its rows may end.
    pub const fn breaks(&self) -> Breaks {
        self.breaks
    }

    /// Rows known so far.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// True once the rows of a text of this length are all known.
    pub fn is_complete(&self, text: &str) -> bool {
        self.complete == Some(text.len())
    }

    /// Learns about so many bytes more; true once all are known.
    pub fn index(&mut self, text: &str, budget: usize) -> bool {
        match self.complete {
            Some(len) if len == text.len() => return true,
            Some(len) if len < text.len() => self.reopen(),
            Some(_) => *self = Self::new(self.width, self.breaks),
            None => {}
        }
        let until = self.at.saturating_add(budget);
        while self.at < text.len() && self.at < until {
            if self.rows.is_multiple_of(STRIDE) {
                self.starts.push(self.at);
            }
            let row = row(text, self.at, self.width, self.breaks);
            self.rows += 1;
            self.at = row.next;
        }
        self.complete = (self.at >= text.len()).then_some(text.len());
        self.complete.is_some()
    }

    /// Forgets the last rows, of which more text may change two.
    fn reopen(&mut self) {
        self.complete = None;
        for _ in 0..2 {
            let Some(start) = self.starts.pop() else { break };
            let known = self.rows - self.starts.len() * STRIDE;
            self.at = start;
            if known >= 2 {
                break;
            }
        }
        self.rows = self.starts.len() * STRIDE;
    }

    /// The known rows from `first` on, at most `height` of them.
    pub fn window(&self, text: &str, first: usize, height: usize) -> Vec<Row> {
        let end = first.saturating_add(height).min(self.rows);
        let mut rows = Vec::with_capacity(end.saturating_sub(first));
        let Some(mut at) = self.starts.get(first / STRIDE).copied() else {
            return rows;
        };
        for no in first - first % STRIDE..end {
            let row = row(text, at, self.width, self.breaks);
            at = row.next;
            if no >= first {
                rows.push(row);
            }
        }
        rows
    }

    /// The known row that a byte of the text stands in.
    pub fn row_of(&self, text: &str, byte: usize) -> Option<usize> {
        if byte >= self.at {
            return None;
        }
        let stride = self
            .starts
            .partition_point(|start| *start <= byte)
            .checked_sub(1)?;
        let mut at = self.starts.get(stride).copied()?;
        for no in stride * STRIDE..self.rows {
            at = row(text, at, self.width, self.breaks).next;
            if byte < at {
                return Some(no);
            }
        }
        None
    }
}

/// The row that starts at a byte.
fn row(text: &str, start: usize, width: usize, breaks: Breaks) -> Row {
    let (end, full) = plain_end(text, start, width).unwrap_or_else(|| any_end(text, start, width));
    let rest = text.get(end..).unwrap_or("");
    if !full || rest.is_empty() {
        let next = end + usize::from(rest.starts_with('\n'));
        return Row {
            shown: start..end,
            next: next.max(start + 1).min(text.len()),
        };
    }
    if rest.starts_with('\n') {
        return Row {
            shown: start..end,
            next: end + 1,
        };
    }
    if breaks == Breaks::Words {
        if rest.starts_with(' ') {
            return Row {
                shown: start..end,
                next: end + 1,
            };
        }
        let words = text.get(start..end).and_then(|row| row.rfind(' '));
        if let Some(blank) = words.filter(|blank| *blank > 0) {
            return Row {
                shown: start..start + blank,
                next: start + blank + 1,
            };
        }
    }
    Row {
        shown: start..end,
        next: end,
    }
}

/// Where a row of plain ASCII ends, and whether that is because it is full. None for other text.
fn plain_end(text: &str, start: usize, width: usize) -> Option<(usize, bool)> {
    let rest = text.as_bytes().get(start..)?;
    // One more than fits: what follows the last character may belong to it.
    let window = rest.get(..width.saturating_add(1)).unwrap_or(rest);
    for (no, byte) in window.iter().enumerate() {
        match byte {
            b'\n' => return Some((start + no, false)),
            b' '..=b'~' => {}
            _ => return None,
        }
    }
    if window.len() > width {
        Some((start + width, true))
    } else {
        Some((text.len(), false))
    }
}

/// The same for any text, by graphemes.
fn any_end(text: &str, start: usize, width: usize) -> (usize, bool) {
    let rest = text.get(start..).unwrap_or("");
    let mut used = 0;
    for (at, grapheme) in rest.grapheme_indices(true) {
        if grapheme == "\n" {
            return (start + at, false);
        }
        // Something without a width counts as one column, so that no row is without end.
        let columns = grapheme.width().max(1);
        if used + columns > width && used > 0 {
            return (start + at, true);
        }
        used += columns;
    }
    (text.len(), false)
}

/// What of a text has been on screen, in bytes, so that a change of the width loses nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// Apart from each other, in order.
    ranges: Vec<Range<usize>>,
}

impl Seen {
    /// A piece was on screen.
    pub fn mark(&mut self, piece: Range<usize>) {
        if piece.is_empty() {
            return;
        }
        let from = self.ranges.partition_point(|range| range.end < piece.start);
        let to = self.ranges.partition_point(|range| range.start <= piece.end);
        let touched = self.ranges.get(from..to).unwrap_or_default();
        let start = touched
            .first()
            .map_or(piece.start, |range| range.start.min(piece.start));
        let end = touched.last().map_or(piece.end, |range| range.end.max(piece.end));
        self.ranges
            .splice(from..to.max(from), std::iter::once(start..end));
    }

    /// Rows were on screen.
    pub fn mark_rows<'r>(&mut self, rows: impl IntoIterator<Item = &'r Row>) {
        for row in rows {
            self.mark(row.covers());
        }
    }

    /// Bytes of a text of this length that have not been on screen.
    pub fn unread_bytes(&self, len: usize) -> usize {
        let read: usize = self
            .ranges
            .iter()
            .map(|range| range.end.min(len).saturating_sub(range.start))
            .sum();
        len.saturating_sub(read)
    }

    /// True once all of a text of this length has been on screen.
    pub fn complete(&self, len: usize) -> bool {
        self.unread_bytes(len) == 0
    }

    /// The first byte of a text of this length that has not been on screen.
    pub fn first_unread(&self, len: usize) -> Option<usize> {
        let first = match self.ranges.first() {
            Some(range) if range.start == 0 => range.end,
            _ => 0,
        };
        (first < len).then_some(first)
    }
}

/// Which row is on top, and whether the end is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    top: usize,
    follow: bool,
}

impl Scroll {
    /// At the top.
    pub const fn new() -> Self {
        Self {
            top: 0,
            follow: false,
        }
    }

    /// At the end, and staying there while more comes.
    pub const fn following() -> Self {
        Self { top: 0, follow: true }
    }

    /// The row on top of a window of this height over so many rows.
    pub fn top(&self, rows: usize, height: usize) -> usize {
        let last = rows.saturating_sub(height);
        if self.follow { last } else { self.top.min(last) }
    }

    /// True while the end is followed.
    pub const fn is_following(&self) -> bool {
        self.follow
    }

    /// Moves by rows. Reaching the end follows it, leaving it does not.
    pub fn by(&mut self, delta: isize, rows: usize, height: usize) {
        let last = rows.saturating_sub(height);
        self.top = self.top(rows, height).saturating_add_signed(delta).min(last);
        self.follow = delta > 0 && self.top == last;
    }

    /// Moves by the height of the window, less one row that stays in sight.
    pub fn page(&mut self, down: bool, rows: usize, height: usize) {
        let step = height.saturating_sub(1).max(1) as isize;
        self.by(if down { step } else { -step }, rows, height);
    }

    /// To the first row.
    pub fn to_top(&mut self) {
        *self = Self::new();
    }

    /// To the end, and stays there.
    pub fn to_end(&mut self) {
        *self = Self::following();
    }

    /// As little as brings a row into sight.
    pub fn show(&mut self, row: usize, rows: usize, height: usize) {
        let top = self.top(rows, height);
        if row < top {
            self.top = row;
            self.follow = false;
        } else if row >= top + height.max(1) {
            self.top = row + 1 - height.max(1);
            self.follow = false;
        }
    }
}
