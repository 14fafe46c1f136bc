//! A long untrusted text as wrapped rows of a given width, made only when shown.
//!
//! Must not know: panes, colours.
//!
//! The text is cut into blocks (a line, or a few KiB of a longer one). Making a pager counts the
//! rows of each block, which for ordinary ASCII is a division. The rows themselves are made for the
//! visible window only.

pub(crate) mod rows;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::sgr::{Run, Sgr, painted};
use super::tint::{Tint, tints};
use overrule_base::canon::Inside;
use overrule_base::text::{Kind, in_ascii};
use rows::{Inks, rows_of};

/// Bytes of a block of a long line.
const BLOCK: usize = 4096;
/// Maximum number of bytes to move a cut back to a better place.
const BACK: usize = 1024;
/// Bytes around a block to include in a search, for matches that cross its edges.
const EDGE: usize = 256;

/// How rows end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// Between words where there are any: prose.
    Words,
    /// At any character: arguments and values.
    Chars,
}

/// Style of a piece of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    /// Whether it is a mark.
    pub kind: Kind,
    /// Its JSON token.
    pub tint: Tint,
    /// True for a search match.
    pub hit: bool,
    /// Style that the text itself requests.
    pub sgr: Sgr,
}

/// A run of characters of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its style.
    pub ink: Ink,
    /// The characters, in the visible form.
    pub text: String,
}

/// One row on screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Its pieces.
    pub pieces: Vec<Piece>,
    /// True if it continues the line of the row before.
    pub continues: bool,
}

impl Row {
    /// The row without its colours.
    #[cfg(test)]
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
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
    /// For JSON: whether it begins inside of a string.
    begins: Inside,
}

/// A text in rows.
#[derive(Debug, Clone)]
pub struct Pager {
    /// The text to make rows from.
    text: Arc<str>,
    /// The original text if it differs: with the sequences that are shown as colours.
    exact: Option<Arc<str>>,
    /// Styles from those sequences, computed once for all rows.
    runs: Vec<Run>,
    width: usize,
    wrap: Wrap,
    blocks: Vec<Block>,
    rows: usize,
    /// True to colour the text by its JSON tokens.
    json: bool,
}

impl Pager {
    /// Lays out a JSON text.
    pub fn json(text: Arc<str>, width: u16, wrap: Wrap) -> Self {
        let mut pager = Self::new(text, width, wrap);
        pager.json = true;
        let (mut state, mut at) = (Inside::No, 0);
        for block in &mut pager.blocks {
            let between = pager.text.get(at..block.bytes.start);
            state = state.after(between.unwrap_or_default());
            at = block.bytes.start;
            block.begins = state;
        }
        pager
    }

    /// Lays out a text with its own colours. The colour sequences are not part of the rows or of
    /// search matches. None for a text without them.
    pub fn coloured(text: &Arc<str>, width: u16, wrap: Wrap) -> Option<Self> {
        let painted = painted(text)?;
        let mut pager = Self::new(painted.text.into(), width, wrap);
        pager.exact = Some(Arc::clone(text));
        pager.runs = painted.runs;
        Some(pager)
    }

    /// Lays out a text with some of its bytes underlined.
    pub fn marked(text: Arc<str>, width: u16, wrap: Wrap, marked: &[Range<usize>]) -> Self {
        let mut pager = Self::new(text, width, wrap);
        let sgr = Sgr {
            bold: true,
            underline: true,
            ..Sgr::default()
        };
        let edges = marked.iter().flat_map(|range| {
            [(range.start, sgr), (range.end, Sgr::default())].map(|(from, sgr)| Run { from, sgr })
        });
        pager.runs = edges.collect();
        pager
    }

    /// Lays out a text. A width of 0 is handled as 1.
    pub fn new(text: Arc<str>, width: u16, wrap: Wrap) -> Self {
        #[cfg(test)]
        crate::testing::work::laid(text.len());
        let mut pager = Self {
            width: usize::from(width.max(1)),
            wrap,
            blocks: Vec::new(),
            rows: 0,
            json: false,
            exact: None,
            runs: Vec::new(),
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
            _ => rows_of(piece, self.width, self.wrap, &Inks::default()).len(),
        };
        self.blocks.push(Block {
            bytes,
            first: self.rows,
            rows,
            continues,
            begins: Inside::No,
        });
        self.rows += rows;
    }

    /// The text, byte for byte.
    pub fn text(&self) -> &Arc<str> {
        self.exact.as_ref().unwrap_or(&self.text)
    }

    /// Number of rows; at least one.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows from `first` on, at most `count`, with search matches highlighted.
    pub fn window(&self, first: usize, count: usize, find: Option<&Regex>) -> Vec<Row> {
        let mut out = Vec::with_capacity(count.min(200));
        for block in self.blocks.get(self.block_of(first)..).unwrap_or_default() {
            if out.len() >= count {
                break;
            }
            let skip = first.saturating_sub(block.first);
            for (index, pieces) in self.made(block, find).into_iter().enumerate().skip(skip) {
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

    /// The block that contains a row.
    fn block_of(&self, row: usize) -> usize {
        self.blocks
            .partition_point(|block| block.first + block.rows <= row)
    }

    /// All rows of a block.
    fn made(&self, block: &Block, find: Option<&Regex>) -> Vec<Vec<Piece>> {
        let piece = self.text.get(block.bytes.clone()).unwrap_or_default();
        let inks = Inks {
            tints: if self.json {
                tints(&self.text, block.bytes.clone(), block.begins)
            } else {
                Vec::new()
            },
            hits: find.map(|find| self.hits(block, find)).unwrap_or_default(),
            runs: &self.runs,
            from: block.bytes.start,
        };
        rows_of(piece, self.width, self.wrap, &inks)
    }

    /// Matches in a block as bytes of the text, including those that cross its edges.
    fn hits(&self, block: &Block, find: &Regex) -> Vec<Range<usize>> {
        let near = |at: usize, back: bool| {
            let mut at = if back {
                at.saturating_sub(EDGE)
            } else {
                (at + EDGE).min(self.text.len())
            };
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let from = near(block.bytes.start, true);
        let part = self.text.get(from..near(block.bytes.end, false));
        find.find_iter(part.unwrap_or_default())
            .map(|found| found.start() + from..found.end() + from)
            .filter(|hit| !hit.is_empty() && hit.start < block.bytes.end && hit.end > block.bytes.start)
            .collect()
    }

    /// Rows of a block, counted in the whole text, in which a match begins.
    fn rows_found<'p>(
        &'p self,
        block: &'p Block,
        find: &Regex,
    ) -> impl DoubleEndedIterator<Item = usize> + 'p {
        let made = self.made(block, Some(find));
        let found: Vec<usize> = made
            .iter()
            .enumerate()
            .filter(|(_, row)| row.iter().any(|piece| piece.ink.hit))
            .map(|(index, _)| block.first + index)
            .collect();
        found.into_iter()
    }

    /// The first match from `row` on, or the last one before it if `back`.
    pub fn find(&self, find: &Regex, row: usize, back: bool) -> Option<usize> {
        let here = self.block_of(row);
        if back {
            let upto = self.blocks.get(..=here.min(self.blocks.len().checked_sub(1)?))?;
            return upto
                .iter()
                .rev()
                .filter(|block| !self.hits(block, find).is_empty())
                .find_map(|block| self.rows_found(block, find).rev().find(|at| *at < row));
        }
        let block = self.blocks.get(here)?;
        if let Some(at) = self.rows_found(block, find).find(|at| *at >= row) {
            return Some(at);
        }
        // Searches the rest as one text: rows are made only for a match.
        let found = find.find_at(&self.text, block.bytes.end)?;
        let there = self
            .blocks
            .partition_point(|block| block.bytes.end <= found.start());
        let block = self.blocks.get(there)?;
        self.rows_found(block, find).next()
    }

    /// The rows with matches, in order.
    pub fn count(&self, find: &Regex) -> Vec<usize> {
        let blocks = self.blocks.iter();
        let found = blocks.filter(|block| !self.hits(block, find).is_empty());
        found.flat_map(|block| self.rows_found(block, find)).collect()
    }

    /// Number of text bytes in these rows, to the nearest row. The sum over all rows is the length
    /// of the text.
    pub fn bytes_in(&self, rows: &Range<usize>) -> u64 {
        let from = self
            .blocks
            .partition_point(|block| block.first + block.rows <= rows.start);
        let blocks = self.blocks.get(from..).unwrap_or_default();
        let next = blocks.iter().skip(1).map(Some).chain([None]);
        blocks
            .iter()
            .zip(next)
            .take_while(|(block, _)| block.first < rows.end)
            .map(|(block, next)| {
                let inside = rows.end.min(block.first + block.rows) - rows.start.max(block.first);
                // A line break belongs to the line before it. The last line and a piece of a longer
                // line have none.
                let broken = next.is_some_and(|next| !next.continues);
                let bytes = block.bytes.len() as u64 + u64::from(broken);
                (bytes * inside as u64).div_ceil(block.rows.max(1) as u64)
            })
            .sum()
    }
}

/// End of a block that begins at `at` in a line that ends at `end`.
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

/// True for text whose bytes are each one cell and are shown unchanged.
fn is_simple(piece: &str) -> bool {
    // In ASCII mode it may look like a mark.
    let marked = in_ascii() && piece.contains('<');
    piece.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && !marked
        && !piece.ends_with(' ')
        && !piece.starts_with(' ')
        && !piece.contains("   ")
}
