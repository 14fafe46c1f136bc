//! A document for the inspector and for pages: lines of the console's own words, and untrusted texts
//! that are made into rows only where they are looked at.
//!
//! Must not know: what a document is about.

mod cache;
mod head;
mod memo;
mod work;

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation as _;

use super::pager::{Found, Ink, Pager, Row};
use super::sgr::Sgr;
use super::summary::{Kind, Pieces, Summary};
use super::theme::Role;
use super::tint::Tint;
use crate::console::columns::Columns as _;
use crate::text;

pub use cache::Cache;
pub use work::{Finding, Ticket, Work};

/// A run of characters of one look. The characters are safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its look.
    pub role: Role,
    /// What the output of a tool asks for in its place.
    pub sgr: Sgr,
    /// The characters.
    pub text: String,
}

impl Piece {
    fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            sgr: Sgr::default(),
            text: text.into(),
        }
    }
}

/// A line in pieces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Styled(pub Vec<Piece>);

impl Styled {
    /// An empty line.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds the console's own words.
    pub fn own(mut self, role: Role, text: impl Into<String>) -> Self {
        self.0.push(Piece::new(role, text));
        self
    }

    /// Adds untrusted text in its visible form, cut off after so many characters.
    pub fn untrusted(mut self, role: Role, raw: &str, most: usize) -> Self {
        let (head, cut) = text::head(raw, most);
        // Where the text goes on, a blank at the cut is no blank at the end.
        let head = if cut { head.trim_end_matches(' ') } else { head };
        for span in text::spans(head) {
            let role = match span.kind {
                text::Kind::Plain => role,
                text::Kind::Escaped => Role::Escaped,
                text::Kind::Blank => Role::Dim,
            };
            self.0.push(Piece::new(role, span.text));
        }
        if cut {
            self.0.push(Piece::new(Role::Dim, "…"));
        }
        self
    }

    /// Adds a line in so many columns; what is left out of it leaves a sign.
    pub fn summary(self, role: Role, line: &Summary, columns: usize) -> Self {
        self.pieces(role, line.fitted(columns))
    }

    /// Adds a line that will be broken over rows: each text in so many columns, and where that is not all the bytes
    /// that it has.
    pub fn summary_at_length(self, role: Role, line: &Summary, columns: usize) -> Self {
        self.pieces(role, line.at_length(columns))
    }

    fn pieces(mut self, role: Role, pieces: Pieces) -> Self {
        for (kind, text) in pieces {
            let role = match kind {
                Kind::Plain => role,
                Kind::Mark => Role::Escaped,
                Kind::Blank | Kind::Cut => Role::Dim,
            };
            self.0.push(Piece::new(role, text));
        }
        self
    }

    /// The columns that it takes.
    pub fn columns(&self) -> usize {
        self.0.iter().map(|piece| piece.text.columns()).sum()
    }

    /// Adds a row of a pager.
    pub fn push_row(&mut self, row: Row, role: Role) {
        for piece in row.pieces {
            let role = role_of(piece.ink, role);
            self.0.push(Piece {
                role,
                // What was found, and what is marked, looks like that and nothing else.
                sgr: match role {
                    Role::Match | Role::Escaped => Sgr::default(),
                    _ => piece.ink.sgr,
                },
                text: piece.text,
            });
        }
    }

    /// Lights what is found in the console's own words.
    fn light(self, find: &Regex) -> Self {
        let mut out = Self::new();
        for piece in self.0 {
            let mut at = 0;
            for found in find.find_iter(&piece.text).filter(|found| !found.is_empty()) {
                let before = piece.text.get(at..found.start()).unwrap_or_default();
                out = out.own(piece.role, before).own(Role::Match, found.as_str());
                at = found.end();
            }
            out = out.own(piece.role, piece.text.get(at..).unwrap_or_default());
        }
        out.0.retain(|piece| !piece.text.is_empty());
        out
    }

    /// The same over as many lines of so many columns as it needs, broken between words where that is possible; those
    /// after the first begin further in.
    pub fn over(self, columns: usize, indent: usize) -> Vec<Self> {
        let columns = columns.max(indent + 1);
        let mut rows = vec![Self::new()];
        let mut used = 0;
        for piece in self.0 {
            for word in piece.text.split_inclusive(' ') {
                let begins = rows.len() > 1 && used == indent;
                if used + word.trim_end().columns() > columns && used > 0 && !begins {
                    rows.push(Self::new().own(Role::Dim, " ".repeat(indent)));
                    used = indent;
                }
                for grapheme in word.graphemes(true) {
                    let wide = grapheme.columns();
                    // A blank that does not fit is not missed.
                    if used + wide > columns && grapheme != " " {
                        rows.push(Self::new().own(Role::Dim, " ".repeat(indent)));
                        used = indent;
                    }
                    if used + wide <= columns
                        && let Some(row) = rows.last_mut()
                    {
                        row.extend(piece.role, grapheme);
                        used += wide;
                    }
                }
            }
        }
        rows
    }

    /// Adds characters of a look to the last piece, or as a new one.
    fn extend(&mut self, role: Role, text: &str) {
        match self.0.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            _ => self.0.push(Piece::new(role, text)),
        }
    }

    /// The characters without looks.
    pub fn plain(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// How a piece of a text looks.
const fn role_of(ink: Ink, plain: Role) -> Role {
    match (ink.hit, ink.kind, ink.tint) {
        (true, ..) => Role::Match,
        (_, text::Kind::Escaped, _) => Role::Escaped,
        (_, text::Kind::Blank, _) => Role::Dim,
        (_, _, Tint::None) => plain,
        (_, _, Tint::Key) => Role::JsonKey,
        (_, _, Tint::String) => Role::JsonString,
        (_, _, Tint::Reference) => Role::Reference,
        (_, _, Tint::Number) => Role::JsonNumber,
        (_, _, Tint::Literal) => Role::JsonLiteral,
        (_, _, Tint::Punct) => Role::JsonPunct,
    }
}

/// A text in rows of at most so many columns, broken between words where that is possible.
pub fn broken(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut rows = Vec::new();
    let (mut row, mut used) = (String::new(), 0);
    for word in text.split(' ') {
        let gap = usize::from(!row.is_empty());
        if used + gap + word.columns() > columns && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
            used = 0;
        } else if gap > 0 {
            row.push(' ');
            used += 1;
        }
        for grapheme in word.graphemes(true) {
            if used + grapheme.columns() > columns && !row.is_empty() {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            row.push_str(grapheme);
            used += grapheme.columns();
        }
    }
    rows.push(row);
    rows
}

/// A part of a document.
#[derive(Debug, Clone)]
pub enum Part {
    /// The console's own words.
    Line(Styled),
    /// An untrusted text.
    Text {
        /// The text in rows.
        pager: Arc<Pager>,
        /// Its look.
        role: Role,
        /// What stands before each row: a sign that these are not the console's words.
        mark: (Role, String),
    },
}

impl Part {
    fn rows(&self) -> usize {
        match self {
            Self::Line(_) => 1,
            Self::Text { pager, .. } => pager.rows(),
        }
    }
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Doc {
    parts: Vec<Part>,
    rows: usize,
    /// The part that holds what is decided about.
    exact: Option<usize>,
    head: head::Head,
    /// True where a text in it asks for colours.
    colourful: bool,
    /// What is being worked out for it.
    waits: Vec<Arc<Ticket>>,
}

/// Where something is found in the texts of a document, as far as that was counted.
#[derive(Debug, Clone, Default)]
pub struct Tally(Vec<(Arc<Pager>, Found)>);

impl Doc {
    /// Adds a line.
    pub fn line(&mut self, line: Styled) {
        self.parts.push(Part::Line(line));
        self.rows += 1;
    }

    /// Adds a text.
    pub fn text(&mut self, pager: Arc<Pager>, role: Role, mark: (Role, String)) {
        self.rows += pager.rows();
        self.parts.push(Part::Text { pager, role, mark });
    }

    /// Adds the text that is decided about.
    pub fn exact(&mut self, pager: Arc<Pager>, mark: (Role, String)) {
        self.exact = Some(self.parts.len());
        self.text(pager, Role::Text, mark);
    }

    /// Says that it is not whole before something is worked out.
    pub fn wait(&mut self, ticket: Arc<Ticket>) {
        self.waits.push(ticket);
    }

    /// True where it is not whole: something is being worked out for it.
    pub const fn is_waiting(&self) -> bool {
        !self.waits.is_empty()
    }

    /// True where something that it waited for is there, and it is to be made anew.
    pub fn is_due(&self) -> bool {
        self.waits.iter().any(|ticket| ticket.is_done())
    }

    /// Says that a text in it asks for colours, whether they are shown or not.
    pub const fn with_colours(&mut self) {
        self.colourful = true;
    }

    /// True where a text in it asks for colours.
    pub const fn has_colours(&self) -> bool {
        self.colourful
    }

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// The text that is decided about, and the row in which it begins.
    pub fn decided(&self) -> Option<(&Arc<Pager>, usize)> {
        let at = self.exact?;
        let before = self.parts.get(..at)?.iter().map(Part::rows).sum();
        match self.parts.get(at)? {
            Part::Text { pager, .. } => Some((pager, before)),
            Part::Line(_) => None,
        }
    }

    /// Which rows of what is decided about are among these rows, and how many it has.
    pub fn decided_rows(&self, rows: &Range<usize>) -> Option<(Range<usize>, usize)> {
        let (pager, before) = self.decided()?;
        let end = rows.end.saturating_sub(before).min(pager.rows());
        Some((rows.start.saturating_sub(before).min(end)..end, pager.rows()))
    }

    /// The first row from `row` on in which something is found, or, looking back, the last one before it.
    pub fn find(&self, find: &Regex, row: usize, back: bool) -> Option<usize> {
        let mut found = None;
        let mut before = 0;
        for part in &self.parts {
            let rows = part.rows();
            let inside = row.saturating_sub(before);
            let hit = match part {
                Part::Line(line) => {
                    let here = if back { before < row } else { before >= row };
                    (here && find.is_match(&line.plain())).then_some(0)
                }
                Part::Text { .. } if back && inside == 0 => None,
                Part::Text { .. } if !back && inside >= rows => None,
                Part::Text { pager, .. } => pager.find(find, inside, back),
            };
            if let Some(at) = hit {
                found = Some(before + at);
                if !back {
                    return found;
                }
            }
            before += rows;
        }
        found
    }

    /// Goes on counting where something is found in the texts, through so many bytes at most. True once all is counted.
    pub fn count(&self, find: &Regex, tally: &mut Tally, bytes: usize) -> bool {
        let mut left = bytes;
        let mut before = std::mem::take(&mut tally.0);
        for part in &self.parts {
            let Part::Text { pager, .. } = part else { continue };
            // A document is made anew with the texts that it had.
            let known = before.iter().position(|(one, _)| Arc::ptr_eq(one, pager));
            let mut found = known.map(|at| before.swap_remove(at).1).unwrap_or_default();
            if left > 0 {
                left = pager.count(find, &mut found, left);
            }
            tally.0.push((Arc::clone(pager), found));
        }
        tally.0.iter().all(|(pager, found)| pager.is_counted(found))
    }

    /// Which of how many rows with something that is found a row is, where all were counted.
    pub fn place(&self, find: &Regex, tally: &Tally, row: usize) -> Option<(usize, usize)> {
        let (mut all, mut before, mut place) = (0, 0, None);
        let mut texts = tally.0.iter();
        for part in &self.parts {
            let found: &[usize] = match part {
                Part::Line(line) if find.is_match(&line.plain()) => &[0],
                Part::Line(_) => &[],
                Part::Text { .. } => &texts.next()?.1.rows,
            };
            if let Some(inside) = row.checked_sub(before)
                && let Ok(at) = found.binary_search(&inside)
            {
                place = Some(all + at + 1);
            }
            all += found.len();
            before += part.rows();
        }
        place.map(|place| (place, all))
    }

    /// Rows from `first` on, at most `count`, with what was searched for.
    pub fn window(&self, first: usize, count: usize, find: Option<&Regex>) -> Vec<Styled> {
        let mut out = Vec::with_capacity(count.min(200));
        let mut before = 0;
        for part in &self.parts {
            let rows = part.rows();
            if before + rows > first && out.len() < count {
                match part {
                    Part::Line(line) => out.push(match find {
                        Some(find) => line.clone().light(find),
                        None => line.clone(),
                    }),
                    Part::Text { pager, role, mark } => {
                        let skip = first.saturating_sub(before);
                        let window = pager.window(skip, count - out.len(), find);
                        out.extend(window.into_iter().map(|row| dress(row, *role, mark)));
                    }
                }
            }
            before += rows;
            if out.len() >= count {
                break;
            }
        }
        out
    }

    /// The whole document as text, for the clipboard; the untrusted texts as they are.
    pub fn copy(&self) -> String {
        let texts: Vec<&Arc<Pager>> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { pager, .. } => Some(pager),
                Part::Line(_) => None,
            })
            .collect();
        if let Some((pager, _)) = self.decided() {
            return pager.text().to_string();
        }
        if let [pager] = texts.as_slice() {
            return pager.text().to_string();
        }
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Line(line) => out.push_str(&line.plain()),
                Part::Text { pager, .. } => out.push_str(pager.text()),
            }
            out.push('\n');
        }
        out
    }
}

fn dress(row: Row, role: Role, mark: &(Role, String)) -> Styled {
    let mut line = Styled::new();
    if !mark.1.is_empty() {
        line = line.own(mark.0, mark.1.clone());
    }
    line.push_row(row, role);
    line
}

/// In which form a source text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// As it is.
    Raw,
    /// As it is, told apart by the tokens of JSON.
    Json,
    /// A JSON string as its text, other JSON laid out and told apart by its tokens.
    Readable,
    /// A JSON string as its text, in the colours that it asks for.
    Coloured,
}

/// Longest JSON text that is laid out for reading.
const READABLE: usize = 512 * 1024;

/// A JSON string as its text, other JSON laid out; anything else as it is.
pub fn readable(json: &Arc<str>) -> Arc<str> {
    if let Some(text) = super::json::as_text(json) {
        return text.into();
    }
    if json.len() > READABLE {
        return Arc::clone(json);
    }
    super::json::pretty(json).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_several_looks_goes_over_as_many_rows_as_it_needs() {
        let rows = |line: Styled, columns: usize| -> Vec<String> {
            line.over(columns, 2).iter().map(Styled::plain).collect()
        };
        let line = || Styled::new().own(Role::Dim, "one ").own(Role::Text, "two three");
        assert_eq!(rows(line(), 13), ["one two three"]);
        assert_eq!(rows(line(), 8), ["one two ", "  three"]);
        assert_eq!(rows(line(), 5), ["one ", "  two", "  thr", "  ee"]);
        assert_eq!(
            rows(Styled::new().own(Role::Text, "a 日本語"), 4),
            ["a ", "  日", "  本", "  語"]
        );
        let looks: Vec<Role> = line().over(8, 2)[0].0.iter().map(|piece| piece.role).collect();
        assert_eq!(looks, [Role::Dim, Role::Text]);
        assert_eq!(rows(Styled::new(), 0), [""]);
    }

    #[test]
    fn a_text_is_broken_between_words_and_long_words_anywhere() {
        assert_eq!(broken("", 5), [""]);
        assert_eq!(broken("one two", 7), ["one two"]);
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("a 日本語です b", 5), ["a", "日本", "語で", "す b"]);
        assert_eq!(broken("see /a/long/path", 6), ["see", "/a/lon", "g/path"]);
        assert_eq!(broken("ab", 0), ["a", "b"]);
    }
}
