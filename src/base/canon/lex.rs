//! Splits any text into JSON tokens with their positions; the tokens cover every byte.
//!
//! Must not know: the grammar, what the tokens are used for.
//!
//! One pass, without recursion or copies. A text that arrives in pieces is split piece by piece:
//! [`Inside`] carries the state of an open string from one piece to the next.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

/// Kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// One of `{`, `}`, `[`, `]`, `:` and `,`.
    Punct(u8),
    /// A string with both quotes.
    String,
    /// A string that begins before the text or ends after it.
    StringPart,
    /// A word that begins like a number.
    Number,
    /// Any other word, such as `true`.
    Word,
    /// Spaces, tabs and line breaks.
    Blank,
}

/// A token and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The kind of token.
    pub kind: TokenKind,
    /// The bytes of the token.
    pub text: &'a str,
    /// Byte offset in the whole text.
    pub at: usize,
}

impl<'a> Token<'a> {
    /// Returns the byte offset after the token.
    pub fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Returns the byte range of the token.
    pub fn span(&self) -> Range<usize> {
        self.at..self.end()
    }

    /// Returns true for whitespace.
    pub fn is_blank(&self) -> bool {
        self.kind == TokenKind::Blank
    }

    /// Returns the text between the quotes of a string, as written.
    pub fn inner(&self) -> Option<&'a str> {
        match self.kind {
            TokenKind::String => self.text.get(1..self.text.len() - 1),
            _ => None,
        }
    }

    /// Decodes a string; returns `None` for an invalid string and for other tokens.
    pub fn decode(&self) -> Option<Cow<'a, str>> {
        let inner = self.inner()?;
        if first_special(inner.as_bytes()).is_none() {
            return Some(Cow::Borrowed(inner));
        }
        serde_json::from_str(self.text).ok().map(Cow::Owned)
    }
}

/// Returns the offset of the first byte that does not stand for itself in a string.
pub(super) fn first_special(bytes: &[u8]) -> Option<usize> {
    let is_plain = |byte: &u8| *byte >= 0x20 && *byte != b'"' && *byte != b'\\';
    // A chunk is checked without a branch for each byte.
    let all_plain = |chunk: &&[u8]| chunk.iter().fold(true, |plain, byte| plain & is_plain(byte));
    let plain: usize = bytes.chunks(CHUNK).take_while(all_plain).map(<[u8]>::len).sum();
    let special = bytes.get(plain..)?.iter().position(|byte| !is_plain(byte));
    special.map(|at| plain + at)
}

/// Bytes that are checked together.
const CHUNK: usize = 32;

/// Whether a position in a text is inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inside {
    /// Outside.
    #[default]
    No,
    /// Inside.
    String,
    /// Inside, directly after a backslash.
    Escape,
}

impl Inside {
    /// Returns the state after a text that begins in this state.
    pub fn after(self, text: &str) -> Self {
        let mut lexer = Lexer::resume(text, 0, self);
        lexer.by_ref().for_each(drop);
        lexer.inside
    }
}

/// Iterates over the tokens of a text.
#[derive(Debug, Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    inside: Inside,
}

impl<'a> Lexer<'a> {
    /// Begins at the beginning of a text.
    pub const fn new(text: &'a str) -> Self {
        Self::resume(text, 0, Inside::No)
    }

    /// Begins at a byte offset, in the state that the text before it left.
    pub const fn resume(text: &'a str, at: usize, inside: Inside) -> Self {
        Self { text, at, inside }
    }

    /// Returns the byte offset of the next token.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns whether the tokens so far end inside a string.
    pub const fn inside(&self) -> Inside {
        self.inside
    }

    /// Continues at another byte offset, outside of a string.
    pub const fn seek(&mut self, at: usize) {
        self.at = at;
        self.inside = Inside::No;
    }

    /// Returns the next token that is not whitespace.
    pub fn next_solid(&mut self) -> Option<Token<'a>> {
        self.find(|token| !token.is_blank())
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    #[inline]
    fn next(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes().get(self.at..)?;
        let first = *bytes.first()?;
        let (kind, len) = match class(first) {
            _ if self.inside != Inside::No => {
                let from = usize::from(self.inside == Inside::Escape);
                (TokenKind::StringPart, self.string_len(bytes, from))
            }
            Class::Punct => (TokenKind::Punct(first), 1),
            Class::Quote => {
                let len = self.string_len(bytes, 1);
                match self.inside {
                    Inside::No => (TokenKind::String, len),
                    _ => (TokenKind::StringPart, len),
                }
            }
            Class::Blank => (TokenKind::Blank, run(bytes, |class| class == Class::Blank)),
            Class::Digit => (TokenKind::Number, run(bytes, |class| class <= Class::Other)),
            Class::Other => (TokenKind::Word, run(bytes, |class| class <= Class::Other)),
        };
        let token = Token {
            kind,
            text: self.text.get(self.at..self.at + len)?,
            at: self.at,
        };
        self.at += len;
        Some(token)
    }
}

impl Lexer<'_> {
    /// Returns the length up to and including the closing quote, or up to the end of the text.
    #[inline]
    fn string_len(&mut self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while let Some(found) = bytes.get(at..).and_then(quote_or_backslash) {
            at += found;
            if bytes.get(at) == Some(&b'"') {
                self.inside = Inside::No;
                return at + 1;
            }
            at += 2;
        }
        self.inside = if at > bytes.len() {
            Inside::Escape
        } else {
            Inside::String
        };
        bytes.len()
    }
}

/// Most strings are short: the first bytes are compared one by one.
#[inline]
fn quote_or_backslash(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    let found = near.iter().position(|byte| matches!(byte, b'"' | b'\\'));
    found.or_else(|| memchr2(b'"', b'\\', far).map(|at| near.len() + at))
}

/// Bytes of a string that are compared one by one.
const NEAR: usize = 16;

/// Classes of bytes. A word consists of the first two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Digit,
    Other,
    Blank,
    Quote,
    Punct,
}

const fn classes() -> [Class; 256] {
    let mut all = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        all[byte] = match byte as u8 {
            b'-' | b'0'..=b'9' => Class::Digit,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Blank,
            b'"' => Class::Quote,
            b'{' | b'}' | b'[' | b']' | b':' | b',' => Class::Punct,
            _ => Class::Other,
        };
        byte += 1;
    }
    all
}

static CLASSES: [Class; 256] = classes();

#[inline]
fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// Returns the number of bytes at the beginning that belong together.
#[inline]
fn run(bytes: &[u8], belongs: impl Fn(Class) -> bool) -> usize {
    let end = bytes.iter().position(|byte| !belongs(class(*byte)));
    end.unwrap_or(bytes.len())
}

/// Iterates over the opening brackets of a text: byte offset, and depth with this bracket.
pub fn depths(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut depth = 0_usize;
    Lexer::new(text).filter_map(move |token| match token.kind {
        TokenKind::Punct(b'{' | b'[') => {
            depth += 1;
            Some((token.at, depth))
        }
        TokenKind::Punct(b'}' | b']') => {
            depth = depth.saturating_sub(1);
            None
        }
        _ => None,
    })
}
