//! Lines of a document in styled pieces, and how they break into rows.
//!
//! Must not know: what a line is about, which colours a look has.

use regex::Regex;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::ground::columns::Columns as _;
use crate::ground::pager::{Ink, Row};
use crate::ground::sgr::Sgr;
use crate::ground::theme::Role;
use crate::ground::tint::Tint;
use overrule_base::text;

/// A run of characters with one style. The characters are safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its look.
    pub role: Role,
    /// Style that the output of a tool requests instead.
    pub sgr: Sgr,
    /// The characters.
    pub text: String,
}

impl Piece {
    pub(crate) fn new(role: Role, text: impl Into<String>) -> Self {
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

    /// Adds text of the console itself.
    pub fn own(mut self, role: Role, text: impl Into<String>) -> Self {
        self.0.push(Piece::new(role, text));
        self
    }

    /// Adds untrusted text in its visible form, cut off after `most` characters.
    pub fn untrusted(mut self, role: Role, raw: &str, most: usize) -> Self {
        let (head, cut) = text::head(raw, most);
        // Blanks before the cut are no blanks at the end of the text.
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

    /// Adds an untrusted line whose blanks only lay it out: they stay blanks. For texts that nothing is decided on.
    pub fn laid_out(mut self, role: Role, line: &str) -> Self {
        let is_blank = |c: char| c == ' ';
        for part in line.split_inclusive(is_blank) {
            let word = part.trim_end_matches(is_blank);
            if !word.is_empty() {
                self = self.untrusted(role, word, word.len());
            }
            if word.len() < part.len() {
                self.extend(role, " ");
            }
        }
        self
    }

    /// Its width in columns.
    pub fn columns(&self) -> usize {
        self.0.iter().map(|piece| piece.text.columns()).sum()
    }

    /// Adds a row of a pager.
    pub fn push_row(&mut self, row: Row, role: Role) {
        for piece in row.pieces {
            let role = role_of(piece.ink, role);
            self.0.push(Piece {
                role,
                // Matches and marks have their own style only.
                sgr: match role {
                    Role::Match | Role::Escaped => Sgr::default(),
                    _ => piece.ink.sgr,
                },
                text: piece.text,
            });
        }
    }

    /// Highlights matches in text that is safe to show.
    pub(crate) fn light(self, find: &Regex) -> Self {
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

    /// Breaks the line into rows of `columns` columns, between words if possible. Rows after the
    /// first are indented.
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
                    // A blank that does not fit is dropped.
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

    /// Appends characters to the last piece, or adds a new one.
    fn extend(&mut self, role: Role, text: &str) {
        match self.0.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            _ => self.0.push(Piece::new(role, text)),
        }
    }

    /// The characters without styles.
    pub fn plain(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// Role of a piece of text.
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

/// A text in rows of at most `columns` columns, broken between words if possible.
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
