//! An untrusted text in a line: marks unsafe characters, and adds a sign for each cut.
//!
//! Must not know: the text next to it, styles.

use std::borrow::Cow;

use unicode_segmentation::{Graphemes, UnicodeSegmentation as _};

use crate::ground::columns::Columns as _;
use overrule_base::text;

/// The sign of a cut. An ASCII screen replaces it.
pub(crate) const CUT: &str = "…";
/// The sign of a line break. An ASCII screen replaces it.
const BREAK: &str = "↵";
/// The marks of a line break.
const BREAKS: [&str; 2] = ["⟨LF⟩", "<LF>"];
/// The most blanks at the start of a line that are shown as blanks.
const INDENT: usize = 16;
/// Characters of a text that a line uses. A run of blanks counts as a few, because its number is shown.
const MOST: usize = 1200;
/// Bytes that are scanned for them.
const READ: usize = 64 * 1024;
/// The fewest blanks in a row that are shown as a number.
const BLANKS: usize = 3;
/// Characters of a name.
const NAME: usize = 40;
/// Columns that every text keeps.
pub(crate) const LEAST: usize = 6;
/// Columns of a text that are shown before a cut in its middle.
const BEFORE: usize = 12;

/// The kind of a piece of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The console's own text, or untrusted text as it is.
    Plain,
    /// A mark for a character.
    Mark,
    /// A mark for a number of blanks, or the sign of a line break.
    Blank,
    /// The sign of a cut.
    Cut,
}

/// A line that is ready to be shown.
pub type Pieces = Vec<(Kind, String)>;

/// The part of a text that stays in little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All of it, as for the console's own text.
    Name,
    /// Its beginning.
    Head,
    /// Its end, which distinguishes the name of a place.
    End,
    /// A little of its beginning, and the part from this character on.
    From(usize),
}

/// An untrusted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntrustedText {
    /// The characters, as many as a line can hold.
    pub(crate) text: String,
    /// True if there are more.
    pub(crate) more: bool,
    pub(crate) keep: Keep,
    /// True if it is between quotation marks.
    quoted: bool,
    /// The bytes of the whole text.
    pub(crate) bytes: usize,
}

impl UntrustedText {
    /// A text, and the part that stays.
    pub fn new(text: &str, keep: Keep) -> Self {
        let most = if keep == Keep::Name { NAME } else { MOST };
        let (head, more) = match keep {
            Keep::Name | Keep::Head => bounded(text, most),
            Keep::End | Keep::From(_) => (text, false),
        };
        Self {
            text: head.to_owned(),
            more,
            keep,
            quoted: false,
            bytes: text.len(),
        }
    }

    /// The head of a text with `bytes` bytes.
    pub fn of_bytes(mut self, bytes: usize) -> Self {
        if bytes > self.bytes {
            self.more = true;
            // A blank at a cut is not a trailing blank.
            self.text.truncate(self.text.trim_end_matches(' ').len());
        }
        self.bytes = bytes;
        self
    }

    /// The same between quotation marks, which nothing in it can end.
    pub fn quoted(mut self) -> Self {
        if let Keep::From(at) = self.keep {
            let before = self.text.chars().take(at);
            self.keep = Keep::From(at + before.filter(|c| matches!(c, '"' | '\\')).count());
        }
        self.text = self.text.replace('\\', r"\\").replace('"', "\\\"");
        self.quoted = true;
        self
    }

    const fn marks(&self) -> usize {
        if self.quoted { 2 } else { 0 }
    }

    /// The columns of the whole text, counted only until they exceed `most`.
    pub(crate) fn columns(&self, most: usize) -> usize {
        let mut used = self.marks() + usize::from(self.more);
        for span in spans(&self.text) {
            if span.text.is_ascii() {
                used = used.saturating_add(span.text.len()).min(most.saturating_add(1));
            } else {
                for atom in split_atoms(span) {
                    used += atom.columns;
                    if used > most {
                        break;
                    }
                }
            }
            if used > most {
                break;
            }
        }
        used
    }

    /// Adds as much of it as fits into `room` columns. Returns true if it was cut.
    pub(crate) fn put(&self, room: usize, out: &mut Pieces) -> bool {
        let inside = room.saturating_sub(self.marks());
        if self.quoted {
            add(out, Kind::Plain, "\"");
        }
        let fits = self.columns(room) <= room;
        match self.keep {
            Keep::End if !fits => self.put_end(inside, out),
            Keep::From(at) if !fits => self.put_from(at, inside, out),
            _ if fits && !self.more => spans(&self.text)
                .iter()
                .for_each(|span| add(out, kind(span), &span.text)),
            _ => put_head(atoms(&self.text), inside, self.more, out),
        }
        if self.quoted {
            add(out, Kind::Plain, "\"");
        }
        !fits || self.more
    }

    fn put_end(&self, room: usize, out: &mut Pieces) {
        let mut left = room.saturating_sub(CUT.columns());
        let all: Vec<Atom<'_>> = atoms(&self.text).collect();
        let mut from = all.len();
        let before = beginning(&all, room);
        left = left.saturating_sub(before.iter().map(|atom| atom.columns).sum());
        for atom in all.iter().rev() {
            if atom.columns > left {
                break;
            }
            left -= atom.columns;
            from -= 1;
        }
        add_all(out, before);
        add(out, Kind::Cut, CUT);
        add_all(out, all.get(from..).unwrap_or_default());
    }

    fn put_from(&self, at: usize, room: usize, out: &mut Pieces) {
        let at = self
            .text
            .char_indices()
            .nth(at)
            .map_or(self.text.len(), |(at, _)| at);
        let (before, rest) = self.text.split_at(at);
        let all: Vec<Atom<'_>> = atoms(before).take(BEFORE).collect();
        let shown = beginning(&all, room);
        if shown.len() == all.len() && all.len() < BEFORE {
            return put_head(atoms(&self.text), room, self.more, out);
        }
        let used: usize = shown.iter().map(|atom| atom.columns).sum();
        let left = room.saturating_sub(used + CUT.columns());
        if left < LEAST {
            return put_head(atoms(&self.text), room, self.more, out);
        }
        add_all(out, shown);
        add(out, Kind::Cut, CUT);
        put_head(atoms(rest), left, self.more, out);
    }
}

/// The atoms at the beginning that are shown before a cut.
fn beginning<'a, 'b>(all: &'b [Atom<'a>], room: usize) -> &'b [Atom<'a>] {
    let most = (room / 4).min(BEFORE);
    let mut used = 0;
    let count = all
        .iter()
        .take_while(|atom| {
            used += atom.columns;
            used <= most
        })
        .count();
    all.get(..count).unwrap_or_default()
}

/// Adds the beginning, as far as it fits, and a sign if it is cut.
fn put_head<'a>(all: impl Iterator<Item = Atom<'a>>, room: usize, more: bool, out: &mut Pieces) {
    let (mut taken, mut used, mut cut) = (Vec::new(), 0, more);
    for atom in all {
        used += atom.columns;
        taken.push(atom);
        if used > room {
            cut = true;
            break;
        }
    }
    if cut {
        let room = room.saturating_sub(CUT.columns());
        while let Some(last) = taken.pop_if(|atom| used > room || atom.text == " ") {
            used -= last.columns;
        }
    }
    add_all(out, &taken);
    if cut {
        add(out, Kind::Cut, CUT);
    }
}

/// An indivisible part: a character as it is read, or a mark.
struct Atom<'a> {
    kind: Kind,
    text: Cow<'a, str>,
    columns: usize,
}

/// Adds characters to the last piece, or as a new one.
pub(crate) fn add(out: &mut Pieces, kind: Kind, text: &str) {
    match out.last_mut() {
        Some((last, before)) if *last == kind && kind == Kind::Plain => before.push_str(text),
        _ => out.push((kind, text.to_owned())),
    }
}

fn add_all(out: &mut Pieces, atoms: &[Atom<'_>]) {
    for atom in atoms {
        add(out, atom.kind, &atom.text);
    }
}

/// The atoms of a text in its visible form.
fn atoms(text: &str) -> impl Iterator<Item = Atom<'_>> {
    spans(text).into_iter().flat_map(split_atoms)
}

/// The visible form of a text in one row: a line break is a sign, and the blanks at the start of a line are blanks.
fn spans(text: &str) -> Vec<text::Span<'_>> {
    let mut spans = text::spans(text);
    let mut begins = true;
    let last = spans.len().saturating_sub(1);
    for (at, span) in spans.iter_mut().enumerate() {
        let is_break = span.kind == text::Kind::Escaped && BREAKS.contains(&&*span.text);
        let indent = (begins && at < last && span.kind == text::Kind::Blank)
            .then(|| blanks(&span.text))
            .flatten();
        begins = is_break;
        if is_break {
            (span.kind, span.text) = (text::Kind::Blank, BREAK.into());
        } else if let Some(count) = indent {
            (span.kind, span.text) = (text::Kind::Plain, " ".repeat(count).into());
        }
    }
    spans
}

/// The number of blanks that a mark stands for, if it is small.
fn blanks(mark: &str) -> Option<usize> {
    let digits: String = mark.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|count| *count <= INDENT)
}

/// The atoms of a piece of visible text. A mark stays whole.
fn split_atoms(span: text::Span<'_>) -> impl Iterator<Item = Atom<'_>> {
    let kind = kind(&span);
    let (plain, mark) = match (span.kind, span.text) {
        (text::Kind::Plain, Cow::Borrowed(text)) => (text, None),
        (_, text) => ("", Some(text)),
    };
    let mark = mark.into_iter().map(move |text| Atom {
        kind,
        columns: text.columns(),
        text,
    });
    mark.chain(Letters::of(plain).map(move |one| Atom {
        kind,
        columns: one.columns(),
        text: Cow::Borrowed(one),
    }))
}

const fn kind(span: &text::Span<'_>) -> Kind {
    match span.kind {
        text::Kind::Plain => Kind::Plain,
        text::Kind::Escaped => Kind::Mark,
        text::Kind::Blank => Kind::Blank,
    }
}

/// The characters of a plain text as they are read, one by one.
enum Letters<'a> {
    /// Each byte is one character: most rows need no search for grapheme clusters.
    Ascii(&'a str),
    Any(Graphemes<'a>),
}

impl<'a> Letters<'a> {
    fn of(text: &'a str) -> Self {
        // A control character may belong to the one before it, but a plain text has none.
        if text.is_ascii() {
            Self::Ascii(text)
        } else {
            Self::Any(text.graphemes(true))
        }
    }
}

impl<'a> Iterator for Letters<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match self {
            Self::Ascii(text) => {
                let (one, rest) = text.split_at_checked(1)?;
                *text = rest;
                Some(one)
            }
            Self::Any(graphemes) => graphemes.next(),
        }
    }
}

/// The first characters of a text, and whether it was cut.
pub(crate) fn bounded(text: &str, most: usize) -> (&str, bool) {
    let (mut count, mut blanks) = (0, 0);
    for (at, c) in text.char_indices() {
        blanks = if c == ' ' { blanks + 1 } else { 0 };
        count += usize::from(blanks <= BLANKS);
        if count > most || at >= READ {
            // A blank at a cut is not a trailing blank.
            return (text.get(..at).unwrap_or(text).trim_end_matches(' '), true);
        }
    }
    (text, false)
}
