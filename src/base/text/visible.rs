//! Converts a text to its visible form, piece by piece in one pass.
//!
//! Must not know: colours, widths of screens.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::class::{Class, class, is_isolated};
use super::emoji::joined;
use super::parse::may_be_mark;
use super::screen::in_ascii;

/// Number of blanks that stay plain at the start of a line in the multi-line form. It is half the width of a
/// narrow screen, so code stays readable and nothing can be pushed out of sight.
pub const MAX_INDENT: usize = 40;

/// Number of combining marks that stay plain on one base.
pub const MAX_MARKS: u8 = 4;

/// Number of characters that stay plain in one grapheme cluster (some scripts join letters without end).
pub const MAX_CLUSTER: u8 = 12;

/// Number of consecutive blanks that stay plain inside a line.
const MAX_BLANKS: usize = 2;

/// The kind of a piece of visible text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Text as it is.
    Plain,
    /// The mark of a character or byte.
    Escaped,
    /// The mark of a number of blanks.
    Blank,
}

/// A piece of visible text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span<'a> {
    /// What it is.
    pub kind: Kind,
    /// The characters to show.
    pub text: Cow<'a, str>,
}

/// Returns the one-line visible form of a text.
pub fn visible(text: &str) -> String {
    collect(text, Form::ONE_LINE)
}

/// Returns the visible form of one line of a multi-line text: indentation stays plain.
pub fn visible_line(line: &str) -> String {
    collect(line, Form::LINE)
}

/// Returns the visible form of a multi-line text: one element per line, without `\n`.
///
/// A text that ends in `\n` has an empty last element, so the lines joined with `\n` always
/// represent the whole text.
pub fn visible_lines(text: &str) -> Vec<String> {
    text.split('\n').map(visible_line).collect()
}

/// Returns the one-line visible form in pieces, so that marks can be shown in their own colour.
pub fn spans(text: &str) -> Vec<Span<'_>> {
    pieces(text, Form::ONE_LINE)
}

/// Returns the visible form of one line of a multi-line text, in pieces.
pub fn line_spans(line: &str) -> Vec<Span<'_>> {
    pieces(line, Form::LINE)
}

fn collect(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    walk(text, form, |_, piece| out.push_str(&piece));
    out
}

fn pieces(text: &str, form: Form) -> Vec<Span<'_>> {
    let mut out = Vec::new();
    walk(text, form, |kind, text| out.push(Span { kind, text }));
    out
}

/// How blanks at the edges are treated.
#[derive(Debug, Clone, Copy)]
struct Form {
    /// Number of blanks at the start that stay plain.
    indent: usize,
    /// True if nothing follows, so that blanks at the end are trailing blanks.
    ends: bool,
}

impl Form {
    const ONE_LINE: Self = Self {
        indent: MAX_BLANKS,
        ends: true,
    };
    const LINE: Self = Self {
        indent: MAX_INDENT,
        ends: true,
    };
}

/// Splits a text into pieces of the visible form. Each byte is examined a bounded number of times.
fn walk<'a>(text: &'a str, form: Form, mut emit: impl FnMut(Kind, Cow<'a, str>)) {
    let bytes = text.as_bytes();
    let ascii = in_ascii();
    let mut cluster = Cluster::default();
    let mut plain = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if ascii && byte == b'<' && may_be_mark(text.get(at + 1..).unwrap_or_default()) {
            flush(text, plain, at, &mut emit);
            emit(Kind::Escaped, escape('<', ascii));
            at += 1;
            plain = at;
            cluster = Cluster::default();
        } else if !ascii && let length @ 1.. = emoji_at(bytes, text, at) {
            cluster = Cluster::whole(at);
            at += length;
        } else if byte.is_ascii_graphic() {
            cluster = Cluster::ascii(at);
            at += 1;
        } else if byte == b' ' {
            let run = blanks(bytes, at);
            let keep = match (at, at + run == bytes.len() && form.ends) {
                (_, true) => 0,
                (0, false) => form.indent,
                (_, false) => MAX_BLANKS,
            };
            if run > keep {
                flush(text, plain, at, &mut emit);
                emit(Kind::Blank, Cow::Owned(count(run, ascii)));
                plain = at + run;
            }
            cluster = Cluster::default();
            at += run;
        } else {
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                break;
            };
            let next = at + c.len_utf8();
            if ascii || !cluster.takes(text, at, c) {
                flush(text, plain, at, &mut emit);
                emit(Kind::Escaped, escape(c, ascii));
                plain = next;
                cluster = Cluster::default();
            }
            at = next;
        }
    }
    flush(text, plain, at, &mut emit);
}

/// Returns the bytes of the joined emoji at a place. 0 if there is none, which a byte or two
/// usually show.
fn emoji_at(bytes: &[u8], text: &str, at: usize) -> usize {
    // The first bytes of what can be one: a picture, or a key before a selector.
    let may_be = matches!(
        (bytes.get(at), bytes.get(at + 1)),
        (Some(0xC2 | 0xE2 | 0xE3 | 0xF0), _) | (Some(b'0'..=b'9' | b'#' | b'*'), Some(0xEF))
    );
    let rest = text.get(at..).filter(|_| may_be);
    rest.map_or(0, joined)
}

fn flush<'a>(text: &'a str, from: usize, to: usize, emit: &mut impl FnMut(Kind, Cow<'a, str>)) {
    if let Some(piece) = text.get(from..to).filter(|piece| !piece.is_empty()) {
        emit(Kind::Plain, Cow::Borrowed(piece));
    }
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    bytes
        .get(at..)
        .unwrap_or_default()
        .iter()
        .take_while(|byte| **byte == b' ')
        .count()
}

fn count(run: usize, ascii: bool) -> String {
    match run {
        1 => bracketed("1 space", ascii),
        _ => bracketed(&format!("{run} spaces"), ascii),
    }
}

fn escape(c: char, ascii: bool) -> Cow<'static, str> {
    Cow::Owned(match c {
        '\t' => bracketed("TAB", ascii),
        '\n' => bracketed("LF", ascii),
        '\r' => bracketed("CR", ascii),
        _ => bracketed(&format!("U+{:04X}", c as u32), ascii),
    })
}

/// Puts a mark into its brackets.
fn bracketed(word: &str, ascii: bool) -> String {
    if ascii {
        format!("<{word}>")
    } else {
        format!("⟨{word}⟩")
    }
}

/// The current grapheme cluster, as far as it was left plain.
#[derive(Debug, Clone, Copy, Default)]
struct Cluster {
    /// True if the preceding piece has a glyph that a mark can sit on.
    base: bool,
    /// Offset of the cluster in the text.
    start: usize,
    /// Number of its characters so far.
    chars: u8,
    /// Number of marks since the last base.
    marks: u8,
}

impl Cluster {
    const fn ascii(start: usize) -> Self {
        Self {
            base: true,
            start,
            chars: 1,
            marks: 0,
        }
    }

    /// A joined emoji: nothing more joins it but a few marks.
    const fn whole(start: usize) -> Self {
        Self {
            base: true,
            start,
            chars: MAX_CLUSTER,
            marks: 0,
        }
    }

    /// Adds a character beyond ASCII to the cluster if it may stay plain; returns whether it may.
    fn takes(&mut self, text: &str, at: usize, c: char) -> bool {
        let class = class(c);
        if class == Class::Hidden {
            return false;
        }
        let joined = self.base && !is_isolated(c) && self.joins(text, at + c.len_utf8());
        let rides = class == Class::Mark || c.width().unwrap_or(0) == 0;
        if rides {
            // A character without a cell of its own needs a base, and so does a mark with one.
            let unseated = !joined && (class != Class::Mark || c.width().unwrap_or(0) == 0);
            if !self.base || unseated || self.marks >= MAX_MARKS {
                return false;
            }
            self.marks += 1;
        } else {
            self.marks = 0;
        }
        if joined {
            if self.chars >= MAX_CLUSTER {
                return false;
            }
            self.chars += 1;
        } else {
            self.start = at;
            self.chars = 1;
        }
        self.base = true;
        true
    }

    /// Returns true if the cluster so far and the character up to `end` are drawn as one.
    fn joins(self, text: &str, end: usize) -> bool {
        text.get(self.start..end)
            .is_some_and(|both| both.graphemes(true).nth(1).is_none())
    }
}
