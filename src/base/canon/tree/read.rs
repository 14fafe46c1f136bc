//! Reads a value by tokens, and repairs what is not JSON.
//!
//! Must not know: what the value is for.

use std::collections::HashMap;
use std::fmt;

use super::Tree;
use crate::canon::grammar::{MAX_DEPTH, number_len, unescape};
use crate::canon::lex::{Lexer, Token, TokenKind as Kind, first_special};

/// Maximum number of slips that are named.
const MOST: usize = 100;

/// A value with what was repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The value.
    pub tree: Tree,
    /// What was not JSON, in order; at most a hundred.
    pub slips: Vec<Slip>,
    /// Byte offset after the value and the blanks behind it.
    pub end: usize,
}

/// Something that is not JSON, and was read all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slip {
    /// Byte offset in the text.
    pub at: usize,
    /// What it is.
    pub kind: SlipKind,
}

/// Kinds of slips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlipKind {
    /// A byte order mark before the value.
    ByteOrderMark,
    /// A comment.
    Comment,
    /// A comma behind the last item.
    TrailingComma,
    /// A control character in a string.
    ControlCharacter,
    /// A backslash that begins no escape.
    Escape,
    /// Half a surrogate pair, read as U+FFFD.
    HalfCharacter,
    /// NaN or infinity, read as null.
    NotFinite,
    /// A number in another spelling, such as `.5`.
    Number,
    /// A word as another language spells it, such as `None`.
    Word,
    /// A name that occurs twice in an object: the last one counts.
    DuplicateName,
    /// A value nested too deeply, read as null.
    TooDeep,
}

impl SlipKind {
    /// Describes the slip and how it was read.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "a byte order mark: skipped",
            Self::Comment => "a comment: skipped",
            Self::TrailingComma => "a comma behind the last item: skipped",
            Self::ControlCharacter => "a control character in a text: kept",
            Self::Escape => "a backslash that begins no escape: kept",
            Self::HalfCharacter => "half a character: read as U+FFFD",
            Self::NotFinite => "a number that is not finite: read as null",
            Self::Number => "a number in another spelling: read as a number",
            Self::Word => "a word of another language: read as true, false or null",
            Self::DuplicateName => "a name twice in one object: the last one counts",
            Self::TooDeep => "a value nested too deeply: read as null",
        }
    }
}

/// Why a text is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset in the text.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
    /// True if the text ends before the value does: more text could make it one.
    pub is_cut: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

impl std::error::Error for Fault {}

pub(super) fn whole(text: &str) -> Result<Reading, Fault> {
    let reading = first(text)?;
    if reading.end < text.len() {
        return Err(fault(reading.end, "something follows the value"));
    }
    Ok(reading)
}

pub(super) fn first(text: &str) -> Result<Reading, Fault> {
    let mut reader = Reader {
        text,
        lexer: Lexer::new(text),
        slips: Vec::new(),
    };
    if text.starts_with('\u{feff}') {
        reader.slip(0, SlipKind::ByteOrderMark);
        reader.lexer.seek('\u{feff}'.len_utf8());
    }
    let token = reader.next()?;
    let tree = reader.value(token, 0)?;
    let end = match reader.peek() {
        Ok(Some(token)) => token.at,
        Ok(None) => text.len(),
        // A comment without an end.
        Err(fault) => fault.at,
    };
    let Reader { slips, .. } = reader;
    Ok(Reading { tree, slips, end })
}

const fn fault(at: usize, what: &'static str) -> Fault {
    let is_cut = false;
    Fault { at, what, is_cut }
}

const fn cut(at: usize, what: &'static str) -> Fault {
    let is_cut = true;
    Fault { at, what, is_cut }
}

struct Reader<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    slips: Vec<Slip>,
}

impl<'t> Reader<'t> {
    fn slip(&mut self, at: usize, kind: SlipKind) {
        if self.slips.len() < MOST {
            self.slips.push(Slip { at, kind });
        }
    }

    /// Returns the next token that is no blank and no comment; `None` at the end.
    fn token(&mut self) -> Result<Option<Token<'t>>, Fault> {
        loop {
            let Some(token) = self.lexer.next_solid() else {
                return Ok(None);
            };
            if !matches!(token.kind, Kind::Word | Kind::Number) {
                return Ok(Some(token));
            }
            let starts = ["//", "/*"].iter().filter_map(|start| token.text.find(start));
            match starts.min() {
                None => return Ok(Some(token)),
                Some(0) => self.comment(token.at)?,
                Some(before) => {
                    self.lexer.seek(token.at + before);
                    let text = token.text.get(..before).unwrap_or_default();
                    return Ok(Some(Token { text, ..token }));
                }
            }
        }
    }

    fn comment(&mut self, at: usize) -> Result<(), Fault> {
        self.slip(at, SlipKind::Comment);
        let rest = self.text.get(at..).unwrap_or_default();
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let inner = rest.get(2..).and_then(|inner| inner.find("*/"));
            inner.ok_or(cut(at, "a comment has no end"))? + 4
        };
        self.lexer.seek(at + end);
        Ok(())
    }

    fn next(&mut self) -> Result<Token<'t>, Fault> {
        let end = self.text.len();
        self.token()?.ok_or(cut(end, "the text ends too early"))
    }

    /// Looks at the next token without taking it.
    fn peek(&mut self) -> Result<Option<Token<'t>>, Fault> {
        let token = self.token()?;
        self.lexer.seek(token.map_or(self.text.len(), |token| token.at));
        Ok(token)
    }

    fn value(&mut self, token: Token<'t>, depth: usize) -> Result<Tree, Fault> {
        match token.kind {
            Kind::Punct(b'{' | b'[') if depth == MAX_DEPTH => self.too_deep(token),
            Kind::Punct(b'{') => self.object(depth + 1),
            Kind::Punct(b'[') => self.list(depth + 1),
            Kind::String => Ok(Tree::Text(self.string(token))),
            Kind::StringPart => Err(cut(token.at, "a string has no closing quote")),
            Kind::Number | Kind::Word => self.word(token),
            Kind::Punct(_) | Kind::Blank => Err(fault(token.at, "a value is missing")),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Tree, Fault> {
        let mut items = Vec::new();
        while let Some(token) = self.item(b']', items.is_empty())? {
            items.push(self.value(token, depth)?);
        }
        Ok(Tree::List(items))
    }

    fn object(&mut self, depth: usize) -> Result<Tree, Fault> {
        let mut members: Vec<(String, Tree)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        while let Some(token) = self.item(b'}', members.is_empty())? {
            let name = match token.kind {
                Kind::String => self.string(token),
                Kind::StringPart => return Err(cut(token.at, "a string has no closing quote")),
                _ => return Err(fault(token.at, "a member name in double quotes is missing")),
            };
            let colon = self.next()?;
            if colon.kind != Kind::Punct(b':') {
                return Err(fault(colon.at, "a colon is missing after a member name"));
            }
            let value = self.next()?;
            let value = self.value(value, depth)?;
            let before = known.get(&name).and_then(|at| members.get_mut(*at));
            if let Some((_, before)) = before {
                *before = value;
                self.slip(token.at, SlipKind::DuplicateName);
            } else {
                known.insert(name.clone(), members.len());
                members.push((name, value));
            }
        }
        Ok(Tree::Object(members))
    }

    /// Returns the first token of the next item; `None` at the end of the list or object.
    fn item(&mut self, close: u8, is_first: bool) -> Result<Option<Token<'t>>, Fault> {
        let token = self.next()?;
        if token.kind == Kind::Punct(close) {
            return Ok(None);
        }
        if is_first {
            return Ok(Some(token));
        }
        if token.kind != Kind::Punct(b',') {
            return Err(fault(token.at, "a comma or a closing bracket is missing"));
        }
        let next = self.next()?;
        if next.kind == Kind::Punct(close) {
            self.slip(token.at, SlipKind::TrailingComma);
            return Ok(None);
        }
        Ok(Some(next))
    }

    /// Skips a value that is nested too deeply.
    fn too_deep(&mut self, token: Token<'t>) -> Result<Tree, Fault> {
        self.slip(token.at, SlipKind::TooDeep);
        let mut depth = 1;
        while depth > 0 {
            match self.next()?.kind {
                Kind::Punct(b'{' | b'[') => depth += 1,
                Kind::Punct(b'}' | b']') => depth -= 1,
                _ => {}
            }
        }
        Ok(Tree::Null)
    }

    fn word(&mut self, token: Token<'t>) -> Result<Tree, Fault> {
        let word = token.text;
        if number_len(word) == Ok(word.len()) {
            return Ok(Tree::Number(word.to_owned()));
        }
        let (tree, slip) = match word {
            "true" => return Ok(Tree::Bool(true)),
            "false" => return Ok(Tree::Bool(false)),
            "null" => return Ok(Tree::Null),
            "True" => (Tree::Bool(true), SlipKind::Word),
            "False" => (Tree::Bool(false), SlipKind::Word),
            "None" | "undefined" | "nil" => (Tree::Null, SlipKind::Word),
            _ if is_not_finite(word) => (Tree::Null, SlipKind::NotFinite),
            _ => match respelt(word) {
                Some(number) => (Tree::Number(number), SlipKind::Number),
                None if token.end() == self.text.len() => {
                    return Err(cut(token.at, "a value is missing"));
                }
                None => return Err(fault(token.at, "a value is missing")),
            },
        };
        self.slip(token.at, slip);
        Ok(tree)
    }

    fn string(&mut self, token: Token<'t>) -> String {
        let raw = token.inner().unwrap_or_default();
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(stop) = first_special(rest.as_bytes()) {
            let (plain, special) = rest.split_at(stop);
            out.push_str(plain);
            let at = token.at + 1 + raw.len() - special.len();
            let (read, used) = unescape(special.as_bytes());
            if used > 0 {
                if read.is_none() {
                    self.slip(at, SlipKind::HalfCharacter);
                }
                out.push(read.unwrap_or(char::REPLACEMENT_CHARACTER));
                rest = special.get(used..).unwrap_or_default();
                continue;
            }
            let mut chars = special.chars();
            let found = chars.next();
            let kind = match found {
                Some('\\') => SlipKind::Escape,
                _ => SlipKind::ControlCharacter,
            };
            self.slip(at, kind);
            rest = chars.as_str();
            // In JavaScript `\'` is an apostrophe.
            if found != Some('\\') || !rest.starts_with('\'') {
                out.extend(found);
            }
        }
        out.push_str(rest);
        out
    }
}

/// True for a number that is none, in the spellings of several languages.
fn is_not_finite(word: &str) -> bool {
    let bare = word.strip_prefix(['-', '+']).unwrap_or(word).to_ascii_lowercase();
    matches!(bare.as_str(), "nan" | "inf" | "infinity" | "nan(ind)") || bare.starts_with("1.#")
}

/// Returns a number that is spelt `+1`, `.5`, `5.` or `007` as JSON spells it.
fn respelt(word: &str) -> Option<String> {
    let (sign, bare) = match word.strip_prefix(['-', '+']) {
        Some(bare) if word.starts_with('-') => ("-", bare),
        Some(bare) => ("", bare),
        None => ("", word),
    };
    let split = bare.find(['e', 'E']).unwrap_or(bare.len());
    let (mantissa, exponent) = bare.split_at(split);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let trimmed = whole.trim_start_matches('0');
    let whole = if trimmed.is_empty() && mantissa.bytes().any(|byte| byte.is_ascii_digit()) {
        "0"
    } else {
        trimmed
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let number = format!("{sign}{whole}{point}{fraction}{exponent}");
    (number_len(&number) == Ok(number.len())).then_some(number)
}
