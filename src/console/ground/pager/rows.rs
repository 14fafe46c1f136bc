//! Rows of one piece of a text: filled cell by cell, ended at a word or where they are full.
//!
//! Must not know: which pieces a text has, which rows are looked at.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Ink, Piece, Wrap};
use crate::ground::columns::Columns as _;
use crate::ground::sgr;
use crate::ground::sgr::{Run, Sgr};
use crate::ground::tint::Tint;
use overrule_base::text::{Kind, Span, line_spans};

/// Styles of the bytes of a piece.
#[derive(Default)]
pub(crate) struct Inks<'a> {
    /// Tokens of JSON.
    pub tints: Vec<(Range<usize>, Tint)>,
    /// Search matches.
    pub hits: Vec<Range<usize>>,
    /// Colours of the whole text.
    pub runs: &'a [Run],
    /// Position of the piece in the text.
    pub from: usize,
}

impl Inks<'_> {
    fn of(&self, kind: Kind, at: usize) -> Ink {
        let byte = self.from + at;
        let next = self.tints.partition_point(|(range, _)| range.end <= byte);
        let tint = self.tints.get(next).filter(|(range, _)| range.contains(&byte));
        let hit = self.hits.partition_point(|range| range.end <= byte);
        Ink {
            kind,
            tint: tint.map(|(_, tint)| *tint).unwrap_or_default(),
            hit: self.hits.get(hit).is_some_and(|range| range.contains(&byte)),
            // A mark always looks like a mark.
            sgr: match kind {
                Kind::Plain => sgr::at(self.runs, byte),
                Kind::Escaped | Kind::Blank => Sgr::default(),
            },
        }
    }

    /// Minimum number of the next `count` bytes that look like the first of them.
    fn same_style_len(&self, at: usize, count: usize) -> usize {
        let byte = self.from + at;
        let edge = |range: &Range<usize>| {
            let next = if range.start > byte {
                range.start
            } else {
                range.end
            };
            next - byte
        };
        let next = self.tints.partition_point(|(range, _)| range.end <= byte);
        let tint = self.tints.get(next).map_or(count, |(range, _)| edge(range));
        let next = self.hits.partition_point(|range| range.end <= byte);
        let hit = self.hits.get(next).map_or(count, edge);
        sgr::same_style_len(self.runs, byte, count).min(tint).min(hit)
    }
}

/// Length of the prefix whose bytes are each a character of one cell. Zero if the first character
/// may combine with its neighbours.
fn singles(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ascii = bytes.iter().take_while(|byte| byte.is_ascii()).count();
    // A combining mark may follow the last one.
    if ascii < bytes.len() {
        ascii.saturating_sub(1)
    } else {
        ascii
    }
}

/// Length of the prefix up to the first place between two ASCII characters, where nothing combines.
fn knot(text: &str) -> usize {
    let bytes = text.as_bytes();
    let between = bytes.windows(2).position(<[u8]>::is_ascii);
    between.map_or(bytes.len(), |at| at + 1)
}

#[cfg(test)]
thread_local! {
    /// Bytes that were made into rows: the cost of a frame, counted instead of timed.
    pub(crate) static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The rows of a piece of a text.
pub(crate) fn rows_of(piece: &str, width: usize, wrap: Wrap, inks: &Inks<'_>) -> Vec<Vec<Piece>> {
    #[cfg(test)]
    MADE.with(|made| made.set(made.get() + piece.len()));
    let mut fill = Fill::new(width, wrap);
    let mut at = 0;
    for span in line_spans(piece) {
        if span.kind == Kind::Plain {
            fill.plain(&span.text, at, inks);
        } else {
            let ink = inks.of(span.kind, at);
            let whole = span.text.columns();
            if whole <= width {
                fill.put(ink, &span.text, whole);
            } else {
                // A mark is split only if it is wider than the whole row.
                for grapheme in span.text.graphemes(true) {
                    fill.put(ink, grapheme, grapheme.columns());
                }
            }
        }
        at += source_len(&span, piece, at);
    }
    fill.end();
    fill.rows
}

/// Length of the part of a piece that a span represents, from a byte on.
fn source_len(span: &Span<'_>, piece: &str, at: usize) -> usize {
    let rest = piece.get(at..).unwrap_or_default();
    match span.kind {
        Kind::Plain => span.text.len(),
        // A mark represents one character, or the blanks that it counts.
        Kind::Escaped => rest.chars().next().map_or(0, char::len_utf8),
        Kind::Blank => rest.len() - rest.trim_start_matches(' ').len(),
    }
}

struct Fill {
    width: usize,
    wrap: Wrap,
    rows: Vec<Vec<Piece>>,
    row: Vec<Piece>,
    used: usize,
    /// After the last blank of the row: index of the piece, byte in it, cells before.
    space: Option<(usize, usize, usize)>,
}

impl Fill {
    const fn new(width: usize, wrap: Wrap) -> Self {
        Self {
            width,
            wrap,
            rows: Vec::new(),
            row: Vec::new(),
            used: 0,
            space: None,
        }
    }

    /// Adds plain text that begins at a byte of the piece.
    fn plain(&mut self, text: &str, at: usize, inks: &Inks<'_>) {
        let mut from = 0;
        while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
            let singles = from + singles(rest);
            while from < singles {
                let count = inks.same_style_len(at + from, singles - from);
                let part = text.get(from..from + count).unwrap_or_default();
                self.cells(inks.of(Kind::Plain, at + from), part);
                from += count;
            }
            let rest = text.get(from..).unwrap_or_default();
            let knot = rest.get(..knot(rest)).unwrap_or(rest);
            for (offset, grapheme) in knot.grapheme_indices(true) {
                let ink = inks.of(Kind::Plain, at + from + offset);
                self.put(ink, grapheme, grapheme.columns());
            }
            from += knot.len();
        }
    }

    /// Adds characters that are each one byte and one cell.
    fn cells(&mut self, ink: Ink, mut text: &str) {
        while !text.is_empty() {
            if self.used >= self.width && self.used > 0 {
                self.wrap();
                continue;
            }
            let (here, rest) = text.split_at((self.width - self.used).min(text.len()));
            let before = match self.row.last_mut() {
                Some(last) if last.ink == ink => {
                    last.text.push_str(here);
                    last.text.len() - here.len()
                }
                _ => {
                    let text = here.to_owned();
                    self.row.push(Piece { ink, text });
                    0
                }
            };
            if let Some(blank) = here.rfind(' ') {
                let piece = self.row.len() - 1;
                self.space = Some((piece, before + blank + 1, self.used + blank + 1));
            }
            self.used += here.len();
            text = rest;
        }
    }

    fn put(&mut self, ink: Ink, text: &str, width: usize) {
        while self.used + width > self.width && self.used > 0 {
            self.wrap();
        }
        match self.row.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(text),
            _ => self.row.push(Piece {
                ink,
                text: text.to_owned(),
            }),
        }
        self.used += width;
        if text == " "
            && let Some(last) = self.row.last()
        {
            self.space = Some((self.row.len() - 1, last.text.len(), self.used));
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
            if let Some(Piece { ink, text }) = self.row.get_mut(piece) {
                let tail = text.split_off(byte);
                if !tail.is_empty() {
                    rest.insert(
                        0,
                        Piece {
                            ink: *ink,
                            text: tail,
                        },
                    );
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
    use crate::ground::sgr::Tone;

    /// The same, grapheme by grapheme.
    fn slowly(piece: &str, width: usize, wrap: Wrap, inks: &Inks<'_>) -> Vec<Vec<Piece>> {
        let mut fill = Fill::new(width, wrap);
        let mut at = 0;
        for span in line_spans(piece) {
            let marked = span.kind != Kind::Plain;
            let whole = span.text.columns();
            if marked && whole <= width {
                fill.put(inks.of(span.kind, at), &span.text, whole);
            } else {
                for (offset, grapheme) in span.text.grapheme_indices(true) {
                    let byte = if marked { at } else { at + offset };
                    fill.put(inks.of(span.kind, byte), grapheme, grapheme.columns());
                }
            }
            at += source_len(&span, piece, at);
        }
        fill.end();
        fill.rows
    }

    proptest! {
        #![proptest_config(overrule_testing::cases(64))]

        #[test]
        fn whole_words_at_once_make_the_rows_that_single_characters_make(
            piece in "([a-f ]|[a-f ]|日|\u{301}|\u{600}|\u{1f469}\u{200d}|\u{1f1e9}|\u{202e}|\t|   ){0,80}",
            width in 1_usize..14, words: bool, from in 0_usize..9, edges in prop::collection::btree_set(0_usize..90, 0..8),
        ) {
            let wrap = if words { Wrap::Words } else { Wrap::Chars };
            let edges: Vec<usize> = edges.into_iter().collect();
            let runs: Vec<Run> = edges.iter().skip(1).step_by(2).map(|from| {
                let fg = Tone::Index(*from as u8);
                Run { from: *from, sgr: Sgr { fg, ..Sgr::default() } }
            }).collect();
            let ranges = || edges.windows(2).map(|edge| edge[0]..edge[1]);
            let inks = Inks {
                tints: ranges().step_by(2).zip([Tint::Key, Tint::String, Tint::Number].into_iter().cycle()).collect(),
                hits: ranges().skip(1).step_by(3).collect(),
                runs: &runs,
                from,
            };
            prop_assert_eq!(rows_of(&piece, width, wrap, &inks), slowly(&piece, width, wrap, &inks));
            let plain = Inks::default();
            prop_assert_eq!(rows_of(&piece, width, wrap, &plain), slowly(&piece, width, wrap, &plain));
        }
    }
}
