//! A long untrusted text as wrapped rows of a given width, made only where they are looked at.
//!
//! The text is cut into blocks (a line, or a few KiB of a longer one). Making a pager counts the
//! rows of each block, which for ordinary ASCII is a division; the rows themselves are made for the
//! visible window only. Must not know: panes, colours.

use std::ops::Range;
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::{Kind, line_spans};

/// Bytes of a block of a long line.
const BLOCK: usize = 4096;
/// How far back a good place for a cut is looked for.
const BACK: usize = 1024;

/// How rows end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// Between words where there are any: prose.
    Words,
    /// Wherever the row is full: arguments and values.
    Chars,
}

/// One row on screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Its pieces in the visible form.
    pub pieces: Vec<(Kind, String)>,
    /// True where it goes on with the line of the row before.
    pub continues: bool,
}

impl Row {
    /// The row without its colours.
    #[cfg(test)]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|(_, text)| text.as_str()).collect()
    }
}

#[derive(Debug, Clone)]
struct Block {
    bytes: Range<usize>,
    /// Rows before it.
    first: usize,
    rows: usize,
    /// True where it is not the first block of its line.
    continues: bool,
}

/// A text in rows.
#[derive(Debug, Clone)]
pub struct Pager {
    text: Arc<str>,
    width: usize,
    wrap: Wrap,
    blocks: Vec<Block>,
    rows: usize,
}

impl Pager {
    /// Cuts a text; a width of 0 counts as 1.
    pub fn new(text: Arc<str>, width: u16, wrap: Wrap) -> Self {
        let mut pager = Self {
            width: usize::from(width.max(1)),
            wrap,
            blocks: Vec::new(),
            rows: 0,
            text: Arc::clone(&text),
        };
        let mut start = 0;
        for line in text.split('\n') {
            let end = start + line.len();
            let mut at = start;
            loop {
                let cut = cut(&text, at, end);
                pager.push(at..cut, at > start);
                at = cut;
                if at >= end {
                    break;
                }
            }
            start = end + 1;
        }
        pager
    }

    fn push(&mut self, bytes: Range<usize>, continues: bool) {
        let piece = self.text.get(bytes.clone()).unwrap_or_default();
        let rows = match self.wrap {
            Wrap::Chars if is_simple(piece) => piece.len().div_ceil(self.width).max(1),
            _ => rows_of(piece, self.width, self.wrap).len(),
        };
        self.blocks.push(Block {
            bytes,
            first: self.rows,
            rows,
            continues,
        });
        self.rows += rows;
    }

    /// The same text at the same width: nothing to make anew.
    pub fn is_of(&self, text: &Arc<str>, width: u16, wrap: Wrap) -> bool {
        Arc::ptr_eq(&self.text, text) && self.width == usize::from(width.max(1)) && self.wrap == wrap
    }

    /// The text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Number of rows; at least one.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows from `first` on, at most `count`.
    pub fn window(&self, first: usize, count: usize) -> Vec<Row> {
        let mut out = Vec::with_capacity(count.min(200));
        let from = self
            .blocks
            .partition_point(|block| block.first + block.rows <= first);
        for block in self.blocks.get(from..).unwrap_or_default() {
            if out.len() >= count {
                break;
            }
            let piece = self.text.get(block.bytes.clone()).unwrap_or_default();
            let skip = first.saturating_sub(block.first);
            for (index, pieces) in rows_of(piece, self.width, self.wrap)
                .into_iter()
                .enumerate()
                .skip(skip)
            {
                if out.len() >= count {
                    break;
                }
                out.push(Row {
                    pieces,
                    continues: block.continues || index > 0,
                });
            }
        }
        out
    }

    /// Bytes of the text that stand in these rows, to the nearest row.
    pub fn bytes_in(&self, rows: &Range<usize>) -> u64 {
        let from = self
            .blocks
            .partition_point(|block| block.first + block.rows <= rows.start);
        self.blocks
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take_while(|block| block.first < rows.end)
            .map(|block| {
                let inside = rows.end.min(block.first + block.rows) - rows.start.max(block.first);
                let bytes = (block.bytes.len() + 1) as u64;
                (bytes * inside as u64).div_ceil(block.rows.max(1) as u64)
            })
            .sum()
    }
}

/// Where a block that begins at `at` in a line that ends at `end` stops.
fn cut(text: &str, at: usize, end: usize) -> usize {
    if end - at <= BLOCK + BACK {
        return end;
    }
    let bytes = text.as_bytes();
    let graphic = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_graphic);
    let target = at + BLOCK;
    (target - BACK..=target)
        .rev()
        .find(|i| graphic(i - 1) && graphic(*i))
        .or_else(|| {
            let solid = |i: usize| bytes.get(i).is_some_and(|byte| *byte != b' ');
            (target - BACK..=target)
                .rev()
                .find(|i| text.is_char_boundary(*i) && solid(*i) && solid(i - 1))
        })
        .or_else(|| (at + 1..=target).rev().find(|i| text.is_char_boundary(*i)))
        .unwrap_or(end)
}

/// True for text of which every byte is one cell and stands for itself.
fn is_simple(piece: &str) -> bool {
    piece.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && !piece.ends_with(' ')
        && !piece.starts_with(' ')
        && !piece.contains("   ")
}

fn rows_of(piece: &str, width: usize, wrap: Wrap) -> Vec<Vec<(Kind, String)>> {
    let mut fill = Fill {
        width,
        wrap,
        rows: Vec::new(),
        row: Vec::new(),
        used: 0,
        space: None,
    };
    for span in line_spans(piece) {
        match span.kind {
            // A mark is never torn apart unless it is wider than the whole row.
            Kind::Escaped | Kind::Blank if span.text.width() <= width => {
                fill.put(span.kind, &span.text, span.text.width());
            }
            kind => {
                for grapheme in span.text.graphemes(true) {
                    fill.put(kind, grapheme, grapheme.width());
                }
            }
        }
    }
    fill.end();
    fill.rows
}

struct Fill {
    width: usize,
    wrap: Wrap,
    rows: Vec<Vec<(Kind, String)>>,
    row: Vec<(Kind, String)>,
    used: usize,
    /// After the last blank of the row: index of the piece, byte in it, cells before.
    space: Option<(usize, usize, usize)>,
}

impl Fill {
    fn put(&mut self, kind: Kind, text: &str, width: usize) {
        while self.used + width > self.width && self.used > 0 {
            self.wrap();
        }
        match self.row.last_mut() {
            Some((last, piece)) if *last == kind => piece.push_str(text),
            _ => self.row.push((kind, text.to_owned())),
        }
        self.used += width;
        if text == " "
            && let Some((_, piece)) = self.row.last()
        {
            self.space = Some((self.row.len() - 1, piece.len(), self.used));
        }
    }

    fn wrap(&mut self) {
        let mut rest = Vec::new();
        let mut used = 0;
        if let (Wrap::Words, Some((piece, byte, cells))) = (self.wrap, self.space)
            && cells < self.used
            && cells * 3 > self.width
        {
            rest = self.row.split_off(piece + 1);
            if let Some((kind, text)) = self.row.get_mut(piece) {
                let tail = text.split_off(byte);
                if !tail.is_empty() {
                    rest.insert(0, (*kind, tail));
                }
            }
            used = self.used - cells;
        }
        self.rows.push(std::mem::replace(&mut self.row, rest));
        self.used = used;
        self.space = None;
    }

    fn end(&mut self) {
        if !self.row.is_empty() || self.rows.is_empty() {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str, width: u16, wrap: Wrap) -> Vec<Row> {
        let pager = Pager::new(text.into(), width, wrap);
        pager.window(0, pager.rows())
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        let rows: Vec<String> = all("one two three", 8, Wrap::Words)
            .iter()
            .map(Row::text)
            .collect();
        assert_eq!(rows, ["one two ", "three"]);
        let rows: Vec<String> = all("one two three", 6, Wrap::Chars)
            .iter()
            .map(Row::text)
            .collect();
        assert_eq!(rows, ["one tw", "o thre", "e"]);
    }

    #[test]
    fn a_wide_character_is_not_cut() {
        let rows: Vec<String> = all("日本語", 5, Wrap::Chars).iter().map(Row::text).collect();
        assert_eq!(rows, ["日本", "語"]);
    }

    #[test]
    fn what_is_invisible_takes_room() {
        let rows: Vec<String> = all("a\u{202e}b", 20, Wrap::Chars).iter().map(Row::text).collect();
        assert_eq!(rows, ["a⟨U+202E⟩b"]);
    }

    #[test]
    fn ten_megabytes_on_one_line_are_cut_into_blocks() {
        let text: Arc<str> = "abcdefghij".repeat(1_000_000).into();
        let pager = Pager::new(Arc::clone(&text), 80, Wrap::Chars);
        assert!(pager.rows() >= text.len() / 80);
        assert!(pager.blocks.iter().all(|block| block.bytes.len() <= BLOCK + BACK));
        let last = pager.window(pager.rows() - 1, 5);
        assert_eq!(last.len(), 1);
        assert!(last[0].text().ends_with("hij"));
    }

    #[test]
    fn every_byte_is_in_some_row() {
        let pager = Pager::new("ab\ncd\n".into(), 10, Wrap::Chars);
        assert_eq!(pager.rows(), 3);
        assert_eq!(pager.bytes_in(&(0..3)), 7);
        assert_eq!(pager.bytes_in(&(1..2)), 3);
    }

    proptest! {
        #[test]
        fn windows_agree_with_the_whole_and_no_row_is_too_wide(
            text in "([ -~]|日|\u{301}|\u{202e}|\n|\t| ){0,200}", width in 1u16..30, words: bool, from in 0usize..40,
        ) {
            let wrap = if words { Wrap::Words } else { Wrap::Chars };
            let pager = Pager::new(text.as_str().into(), width, wrap);
            let rows = pager.window(0, usize::MAX);
            prop_assert_eq!(rows.len(), pager.rows());
            let part = pager.window(from, 5);
            let expected: Vec<Row> = rows.iter().skip(from).take(5).cloned().collect();
            prop_assert_eq!(part, expected);
            for row in &rows {
                prop_assert!(row.text().width() <= usize::from(width).max(2), "{:?}", row);
            }
            let shown: String = rows.iter().map(Row::text).collect();
            let whole: String = text.split('\n').map(crate::text::visible_line).collect();
            prop_assert_eq!(shown, whole);
        }
    }
}
