//! A laid-out line of a text: each character as it is, or as its mark.
//!
//! Must not know: where on the screen it is drawn.
//!
//! A mark is one group: the cursor passes it in one step.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::ground::columns::Columns as _;
use overrule_base::text::{Kind, MAX_INDENT, Span, line_spans, spans};

/// A glyph in its own cells: a letter, or a part of a mark.
#[derive(Debug, Clone)]
pub(crate) struct Glyph<'t> {
    /// The bytes of the line that the whole group represents; empty after the end of the line.
    pub bytes: Range<usize>,
    pub kind: Kind,
    pub text: Cow<'t, str>,
    pub columns: usize,
}

/// How to read a line: as the only line of a field or not, and with the cursor in it or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub single: bool,
    pub cursor: Option<usize>,
}

/// The pieces of a line with the bytes that each represents.
fn pieces(line: &str, single: bool) -> impl Iterator<Item = (Range<usize>, Span<'_>)> {
    let spans = if single { spans(line) } else { line_spans(line) };
    let mut at = 0;
    spans.into_iter().map(move |span| {
        let rest = line.get(at..).unwrap_or_default();
        let len = match span.kind {
            Kind::Plain => span.text.len(),
            Kind::Escaped => rest.chars().next().map_or(0, char::len_utf8),
            Kind::Blank => blanks(rest),
        };
        let from = at;
        at += len;
        (from..at, span)
    })
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// Maximum number of blanks in a row that are typed one by one. The cursor moves between them, and
/// they are drawn as they are around it. A longer row is one mark.
const ONE_BY_ONE: usize = MAX_INDENT;

/// The glyphs of a line.
pub(crate) fn glyphs(line: &str, form: Form) -> Vec<Glyph<'_>> {
    let mut out = Vec::with_capacity(line.len());
    for (bytes, span) in pieces(line, form.single) {
        let touched = |at: usize| bytes.start <= at && at <= bytes.end;
        let typed = bytes.len() <= ONE_BY_ONE && form.cursor.is_some_and(touched);
        match (span.kind, span.text) {
            (Kind::Plain, Cow::Borrowed(text)) => push_letters(&mut out, text, bytes.start),
            (Kind::Blank, _) if typed => {
                push_letters(&mut out, line.get(bytes.clone()).unwrap_or_default(), bytes.start);
            }
            (kind, text) => out.extend(text.chars().map(|c| {
                let text = c.to_string();
                Glyph {
                    bytes: bytes.clone(),
                    kind,
                    columns: text.columns(),
                    text: text.into(),
                }
            })),
        }
    }
    out
}

/// Adds text that is drawn as it is. Only beyond ASCII are letters of several characters searched.
fn push_letters<'t>(out: &mut Vec<Glyph<'t>>, text: &'t str, from: usize) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let is_ascii = |at: usize| rest.as_bytes().get(at).is_none_or(u8::is_ascii);
        let (letter, columns) = match rest.get(..1) {
            Some(letter) if is_ascii(1) => (letter, 1),
            _ => {
                let letter = rest.graphemes(true).next().unwrap_or(rest);
                (letter, letter.columns())
            }
        };
        let bytes = from + at..from + at + letter.len();
        at += letter.len();
        out.push(Glyph {
            bytes,
            kind: Kind::Plain,
            columns,
            text: letter.into(),
        });
    }
}

/// The group that the cursor at a byte passes; none at the start or the end of the line.
pub(crate) fn group(line: &str, single: bool, at: usize, back: bool) -> Option<Range<usize>> {
    let at = match line.get(..at)?.char_indices().next_back() {
        Some((last, _)) if back => last,
        None if back => return None,
        _ => at,
    };
    let mut chars = line.get(at..)?.chars();
    let passed = chars.next()?;
    if passed == ' ' {
        return Some(blanks_at(line, at, !back));
    }
    if passed.is_ascii() && chars.next().is_none_or(|c| c.is_ascii()) {
        return Some(at..at + 1);
    }
    whole(line, single, at)
}

/// One of the blanks around a byte, or all of them if there are many.
fn blanks_at(line: &str, at: usize, after: bool) -> Range<usize> {
    let before = line.get(..at).unwrap_or_default();
    let from = before.trim_end_matches(' ').len();
    let to = at + line.get(at..).map_or(0, blanks);
    match (to - from > ONE_BY_ONE, after) {
        (false, _) => at..at + 1,
        (true, true) => at..to,
        (true, false) => from..at + 1,
    }
}

/// The group that a byte belongs to.
fn whole(line: &str, single: bool, at: usize) -> Option<Range<usize>> {
    let (bytes, span) = pieces(line, single).find(|(bytes, _)| bytes.contains(&at))?;
    if span.kind != Kind::Plain {
        return Some(bytes);
    }
    let mut letters = line.get(bytes.clone())?.grapheme_indices(true);
    letters.find_map(|(from, letter)| {
        let letter = bytes.start + from..bytes.start + from + letter.len();
        letter.contains(&at).then_some(letter)
    })
}

/// A line in rows of a given width.
#[derive(Debug)]
pub(crate) struct LineLayout<'t> {
    glyphs: Vec<Glyph<'t>>,
    /// The glyph that each row begins with.
    starts: Vec<usize>,
    /// Bytes of the line.
    len: usize,
}

impl<'t> LineLayout<'t> {
    /// Lays out a line. A cursor at its end has its own cell.
    pub fn new(line: &'t str, form: Form, width: usize) -> Self {
        let mut glyphs = glyphs(line, form);
        if form.cursor == Some(line.len()) {
            glyphs.push(Glyph {
                bytes: line.len()..line.len(),
                kind: Kind::Plain,
                text: " ".into(),
                columns: 1,
            });
        }
        let starts = breaks(&glyphs, width.max(1));
        Self {
            glyphs,
            starts,
            len: line.len(),
        }
    }

    /// Number of rows; at least one.
    pub fn rows(&self) -> usize {
        self.starts.len()
    }

    /// The glyphs of a row; none for a missing row.
    pub fn row(&self, row: usize) -> &[Glyph<'t>] {
        let Some(from) = self.starts.get(row).copied() else {
            return &[];
        };
        let to = self.starts.get(row + 1).copied().unwrap_or(self.glyphs.len());
        self.glyphs.get(from..to).unwrap_or_default()
    }

    /// The row and column of a byte of the line, or the place after the bytes before it.
    pub fn place(&self, byte: usize) -> (usize, usize) {
        let at = self
            .glyphs
            .iter()
            .position(|glyph| byte < glyph.bytes.end || (byte >= self.len && glyph.bytes.is_empty()))
            .unwrap_or(self.glyphs.len());
        let row = self
            .starts
            .partition_point(|start| *start <= at)
            .saturating_sub(1);
        let from = self.starts.get(row).copied().unwrap_or_default();
        let before = self.glyphs.get(from..at).unwrap_or_default();
        (row, before.iter().map(|glyph| glyph.columns).sum())
    }

    /// The columns of the glyph at a byte; none after the end.
    pub fn columns(&self, byte: usize) -> usize {
        let glyph = self.glyphs.iter().find(|glyph| byte < glyph.bytes.end);
        glyph.map_or(0, |glyph| glyph.columns)
    }

    /// The byte of the group at a column of a row; after the last group, the end of the row.
    pub fn byte(&self, row: usize, column: usize) -> usize {
        let mut right = 0;
        for glyph in self.row(row) {
            right += glyph.columns;
            if right > column {
                return glyph.bytes.start;
            }
        }
        // The end of a wrapped row is the start of the next one, so the last byte of this row is
        // before it.
        let last = self.row(row).last().filter(|_| row + 1 < self.rows());
        last.map_or(self.len, |glyph| glyph.bytes.start)
    }
}

/// Where rows begin: after a blank if possible, before a mark, or inside a word that is too long.
fn breaks(glyphs: &[Glyph<'_>], width: usize) -> Vec<usize> {
    let mut starts = vec![0];
    let (mut from, mut used) = (0, 0);
    // The last place after a blank in the row, and the columns before it.
    let mut word: Option<(usize, usize)> = None;
    let mut group = (0, 0);
    for (at, glyph) in glyphs.iter().enumerate() {
        let is_blank = matches!(glyph.text.as_bytes(), b" ");
        let is_first = at
            .checked_sub(1)
            .and_then(|before| glyphs.get(before))
            .is_none_or(|before| before.bytes != glyph.bytes);
        if is_first {
            group = (at, used);
        }
        if used + glyph.columns > width && at > from {
            let word = word.filter(|_| !is_blank);
            let (next, before) = [word, Some(group)]
                .into_iter()
                .flatten()
                .find(|(next, before)| *next > from && used - before + glyph.columns <= width)
                .unwrap_or((at, used));
            starts.push(next);
            from = next;
            used -= before;
            group.1 = group.1.saturating_sub(before);
        }
        used += glyph.columns;
        if is_blank && glyph.kind == Kind::Plain {
            word = Some((at + 1, used));
        } else if word.is_some_and(|(next, _)| next <= from) {
            word = None;
        }
    }
    starts
}
